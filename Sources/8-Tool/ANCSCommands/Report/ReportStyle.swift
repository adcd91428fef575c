/// The style of a report: light or dark as the reader's system is, and light on paper. Both schemes have a contrast of
/// at least 4.5 (WCAG 2.2, 1.4.3) between each text and what is behind it.
let reportStyle: StaticString = """
    :root {
      color-scheme: light dark;
      --back: light-dark(#ffffff, #13161b); --face: light-dark(#f5f6f8, #1b1f26);
      --edge: light-dark(#d5d9e0, #39404c); --knock: var(--back);
      --text: light-dark(#1b1f27, #e6e9ee); --quiet: light-dark(#545c6a, #a5aebb);
      --phone: light-dark(#0b5cad, #73b4fb); --accessory: light-dark(#7a3e9d, #d1a5f1);
      --link: light-dark(#4d5563, #b4bcc8);
      --good: light-dark(#17692f, #7cd690); --good-back: light-dark(#e2f3e5, #17301e);
      --bad: light-dark(#b3261e, #ff9389); --bad-back: light-dark(#fde8e6, #401d1b);
      --partly: light-dark(#7d5200, #eec264); --partly-back: light-dark(#fdf0d0, #3a2d10);
      --open: var(--quiet); --open-back: light-dark(#eceef1, #272c35);
      --advertising: light-dark(#e4e7ec, #2b313b); --linked: light-dark(#cfe3f7, #1c3a58);
      --encrypted: light-dark(#d3eed9, #1d4027); --fade: light-dark(#f6d8b8, #55391a);
    }
    .good { --ink: var(--good); --wash: var(--good-back); } .bad { --ink: var(--bad); --wash: var(--bad-back); }
    .partly { --ink: var(--partly); --wash: var(--partly-back); } .open { --ink: var(--open); --wash: var(--open-back); }
    * { box-sizing: border-box; }
    html { scroll-padding-top: 1rem; }
    body {
      margin: 0; background: var(--back); color: var(--text);
      font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
      -webkit-text-size-adjust: 100%; overflow-wrap: anywhere;
    }
    main { max-width: 78rem; margin: 0 auto; padding: 1.5rem clamp(1rem, 3vw, 2.5rem) 3rem; }
    h1, h2, h3, h4 { line-height: 1.25; margin: 0; }
    h1 { font-size: 1rem; font-weight: 600; color: var(--quiet); letter-spacing: .02em; }
    h2 { font-size: 1.6rem; margin-top: 1.25rem; text-wrap: balance; }
    h3 { font-size: 1.1rem; margin: 2rem 0 .6rem; }
    h4 { font-size: 1rem; font-weight: 400; }
    p { margin: .4rem 0; }
    a { color: var(--phone); text-underline-offset: .15em; }
    .quiet, caption, figcaption, footer, .left { color: var(--quiet); }
    .left { font-style: italic; }
    :not(header) + .run { border-top: 1px solid var(--edge); margin-top: 3rem; padding-top: 1rem; }
    .facts { display: flex; flex-wrap: wrap; gap: .25rem 2rem; margin: .5rem 0 0; font-size: .87rem; }
    .facts dt { color: var(--quiet); display: inline; }
    .facts dt::after { content: ": "; }
    .facts dd { display: inline; margin: 0; }
    .verdict {
      font-size: 1.1rem; font-weight: 600; margin: .9rem 0; padding: .7rem 1rem; border-radius: .5rem;
      border-left: .4rem solid currentColor; background: var(--wash); color: var(--ink);
    }
    td.good, td.bad, td.partly, td.open { color: var(--ink); }
    .phone { color: var(--phone); } .accessory { color: var(--accessory); }
    .link { color: var(--link); }
    .tag {
      display: inline-block; padding: .05rem .55rem; border-radius: 1rem; font-size: .82rem; font-weight: 600;
      white-space: nowrap; background: var(--wash); color: var(--ink);
    }
    .counts { margin-bottom: .8rem; }
    figure { margin: 0; border: 1px solid var(--edge); border-radius: .5rem; overflow: hidden; }
    .scroll { overflow-x: auto; padding: .75rem .5rem .25rem; }
    figcaption {
      display: flex; flex-wrap: wrap; gap: .1rem 1.2rem; padding: .4rem .9rem; font-size: .82rem;
      border-top: 1px solid var(--edge); background: var(--face);
    }
    .axis { display: block; width: 100%; min-width: 900px; height: auto; font-size: 12px; fill: var(--text); }
    .axis text { font-variant-numeric: tabular-nums; }
    .axis a { text-decoration: none; }
    .axis a:hover { opacity: .7; }
    .tick, .gaplabel { fill: var(--quiet); text-anchor: middle; }
    .tick { font-size: 11px; } .tick.end { text-anchor: end; }
    .gaplabel { font-size: 11px; paint-order: stroke; stroke: var(--back); stroke-width: 4px; }
    .name { fill: var(--quiet); text-anchor: end; }
    .name.lane { font-weight: 600; font-size: 13px; }
    .name.phone { fill: var(--phone); } .name.accessory { fill: var(--accessory); }
    .grid { stroke: var(--edge); stroke-width: 1; fill: none; }
    .gap { fill: var(--face); } .missing { fill: var(--partly-back); }
    .line { stroke-width: 2; fill: none; opacity: .45; }
    .line.phone, .arrow.phone { stroke: var(--phone); } .line.accessory, .arrow.accessory { stroke: var(--accessory); }
    .arrow { stroke-width: 1.3; fill: none; }
    .mark.phone { fill: var(--phone); } .mark.accessory { fill: var(--accessory); } .mark.link { fill: var(--link); }
    .mark.bad { stroke: var(--bad); stroke-width: 2.5; }
    .count { fill: var(--knock); text-anchor: middle; font-size: 10.5px; font-weight: 700; }
    .step, .flag { rx: 3px; }
    .step { fill: var(--wash); stroke: var(--ink); } .step.bad { fill: var(--ink); } .step.open { stroke-dasharray: 3 2; }
    .steptext { text-anchor: middle; font-size: 11px; font-weight: 600; }
    .steptext, .flagtext { fill: var(--ink); } .steptext.bad, .flagtext.bad { fill: var(--knock); }
    .flag { fill: var(--wash); stroke: var(--ink); } .flag.bad { fill: var(--ink); }
    .flagtext { text-anchor: middle; font-size: 11px; font-weight: 700; }
    .pole { fill: none; stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 4 3; }
    .axis a:target .flag { stroke: var(--text); stroke-width: 3; }
    .axis a:target .pole { stroke-width: 3; stroke-dasharray: none; }
    .band { stroke: var(--back); stroke-width: 1; }
    .band.advertises { fill: var(--advertising); } .band.link { fill: var(--linked); }
    .band.encrypted { fill: var(--encrypted); } .band.fade { fill: var(--fade); }
    .bandtext { font-size: 11px; fill: var(--text); }
    .lost { stroke: var(--bad); stroke-width: 2.5; fill: none; }
    .requirement {
      border: 1px solid var(--edge); border-left: .4rem solid currentColor; border-radius: .5rem;
      padding: .7rem 1rem; margin: .6rem 0; break-inside: avoid; color: var(--ink);
    }
    .requirement > * { color: var(--text); }
    .requirement ul { margin: .5rem 0; padding: 0; list-style: none; }
    .requirement li { padding: .1rem 0; }
    .octets { display: flex; flex-wrap: wrap; gap: .3rem; margin: .3rem 0; font-size: .85rem; }
    .octets > div { border: 1px solid var(--edge); border-radius: .3rem; padding: .1rem .4rem; min-width: 0; }
    .octets .bad { color: var(--ink); border-color: currentColor; }
    .octets dd { font-family: monospace; margin: 0; overflow-wrap: anywhere; }
    .named b { margin-right: .3rem; }
    table { border-collapse: collapse; width: 100%; font-size: .92rem; margin: .6rem 0; }
    caption { text-align: left; font-size: .82rem; padding: .2rem 0; caption-side: top; }
    th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid var(--edge); }
    thead th { color: var(--quiet); font-weight: 600; font-size: .82rem; overflow-wrap: normal; }
    tbody th { font-weight: 600; white-space: nowrap; }
    tr.bad > th { color: var(--bad); }
    .number, .steps th:nth-child(n+4), .runs th:nth-child(4) {
      text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums;
    }
    .result, .who, .requirements td:last-child { white-space: nowrap; }
    .who { color: var(--quiet); max-width: 14rem; overflow: hidden; text-overflow: ellipsis; }
    tr:target, .requirement:target { background: var(--partly-back); }
    .events td:last-child, pre { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: .82rem; }
    .events tbody th { font-weight: 400; }
    q { display: block; color: var(--quiet); }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem .9rem; margin: .5rem 0 .2rem; font-size: .9rem; }
    dt { color: var(--quiet); } dd { margin: 0; }
    dd ol { margin: 0; padding: 0; list-style: none; }
    dl.facts > div { min-width: 0; }
    details { margin: .8rem 0; }
    summary { cursor: pointer; color: var(--phone); font-weight: 600; padding: .3rem 0; }
    pre {
      background: var(--face); border: 1px solid var(--edge); border-radius: .5rem; padding: .7rem .9rem; margin: .4rem 0;
      white-space: pre-wrap; line-height: 1.45;
    }
    code { font: inherit; }
    footer { margin-top: 3rem; padding-top: .6rem; border-top: 1px solid var(--edge); font-size: .82rem; }
    @media (max-width: 40rem) {
      body { font-size: 14px; }
      h2 { font-size: 1.35rem; }
      th, td { padding: .3rem .35rem; }
      .steps th:nth-child(4), .steps td:nth-child(4) { display: none; }
      .result, .who, .requirements td:last-child { white-space: normal; }
      .steps dl { grid-template-columns: 1fr; } .steps dd { margin-left: .8rem; }
    }
    @media print {
      :root { color-scheme: light; }
      @page { margin: 14mm; }
      * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
      body { font-size: 10pt; }
      main { max-width: none; padding: 0; }
      .scroll { overflow: visible; }
      .axis { min-width: 0; }
      :not(header) + .run { break-before: page; border-top: 0; margin-top: 0; }
      figure, tr, .verdict { break-inside: avoid; }
      h2, h3, h4, caption, thead { break-after: avoid; }
      details.printed::details-content { content-visibility: visible; block-size: auto; }
      details.printed > summary { display: none; }
    }

    """
