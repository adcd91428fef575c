"""Looks at reports of `ancs bench --report` in a browser: their form, their width, their anchors, their colors, and
what they load. Prints what is wrong, and ends with "N passed, M failed".

    look.py [--pictures FOLDER] [--planted] REPORT...
"""

from __future__ import annotations

import argparse
import pathlib
import re
import sys
import tempfile
import xml.etree.ElementTree
from typing import Callable

from browser import Browser

LIMIT = 1_000_000
WIDTHS = (1280, 400)
SCHEMES = ("light", "dark")

# Elements that are wider than the page, but for what scrolls by itself.
OVERFLOW = """(() => {
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  const found = [];
  for (const element of document.body.querySelectorAll('*')) {
    if (element.closest('.scroll') && !element.matches('.scroll')) continue;
    const box = element.getBoundingClientRect();
    if (box.width > 0 && box.right > document.documentElement.clientWidth + 1)
      found.push(element.tagName + '.' + element.className + ' ' + Math.round(box.right));
  }
  return wide > 0 ? [`the page is ${wide} px too wide`, ...found.slice(0, 5)] : found.slice(0, 5);
})()"""

ANCHORS = """(() => {
  const ids = [...document.querySelectorAll('[id]')].map(element => element.id);
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index).map(id => 'twice: ' + id);
  const links = [...document.querySelectorAll('a')].map(link => link.getAttribute('href'));
  const lost = links.filter(link => !/^#./.test(link) || !document.getElementById(link.slice(1)));
  return [...twice, ...lost.map(link => 'leads nowhere: ' + link)].slice(0, 9);
})()"""

# The least contrast is that of WCAG 2.2, 1.4.3: 4.5 for ordinary text, 3 for large text.
CONTRAST = """(() => {
  const channel = value => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const parse = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = ([red, green, blue]) => 0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue);
  const ratio = (one, other) => {
    const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const solid = text => { const value = parse(text); return value.length < 4 || value[3] === 1 ? value : null; };
  const behind = element => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (color !== 'rgba(0, 0, 0, 0)' && solid(color)) return solid(color);
    }
    return [255, 255, 255];
  };
  const inside = (outer, inner) => outer.left <= inner.left + 1 && outer.right >= inner.right - 1
    && outer.top <= inner.top + 2 && outer.bottom >= inner.bottom - 2;
  const found = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let count = 0;
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || element.matches('title')) continue;
    const style = getComputedStyle(element);
    const isDrawn = element.namespaceURI.endsWith('svg');
    let back = behind(element);
    if (isDrawn) {
      const box = element.getBoundingClientRect();
      const shapes = [...element.closest('svg').querySelectorAll('rect, circle')].filter(shape =>
        shape.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING
        && inside(shape.getBoundingClientRect(), box));
      if (shapes.length) back = parse(getComputedStyle(shapes.at(-1)).fill);
    }
    const color = parse(isDrawn ? style.fill : style.color);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && parseInt(style.fontWeight) >= 700);
    const value = ratio(color, back);
    count += 1;
    if (value < (isLarge ? 3 : 4.5))
      found.set(`${element.tagName}.${element.className.baseVal ?? element.className}`,
        `${value.toFixed(2)} "${walker.currentNode.data.slice(0, 30)}"`);
  }
  return count ? [...found].map(([name, text]) => name + ' ' + text) : ['there is no text'];
})()"""

ACCESSIBLE = """(() => {
  const found = [];
  const heads = [...document.querySelectorAll('h1, h2, h3, h4')].map(head => Number(head.tagName[1]));
  if (heads.filter(level => level === 1).length !== 1) found.push('not one h1');
  heads.forEach((level, index) => { if (index && level > heads[index - 1] + 1) found.push('a level is left out'); });
  for (const table of document.querySelectorAll('table'))
    if (!table.caption || !table.querySelector('thead th[scope=col]')) found.push('a table has no caption or head');
  for (const picture of document.querySelectorAll('svg')) {
    const name = document.getElementById(picture.getAttribute('aria-labelledby'));
    if (picture.getAttribute('role') !== 'img' || !name || !name.textContent) found.push('a picture has no name');
  }
  if (!document.documentElement.lang) found.push('no language');
  if (!document.title) found.push('no title');
  return found;
})()"""

EXTERNAL = re.compile(rb"<(script|link|img|iframe|object|embed|base|form|input|video|audio)\b|\bsrc=|\bstyle=|\bon\w+=|url\(|@import", re.I)


class Looking:
    """Counts what is right and what is wrong."""

    def __init__(self, pictures: pathlib.Path | None) -> None:
        self.pictures = pictures
        self.passed = self.failed = 0

    def check(self, name: str, mistakes: list[str]) -> None:
        if mistakes:
            self.failed += 1
            print(f"failed: {name}", *mistakes, sep="\n    ")
        else:
            self.passed += 1

    def keep(self, name: str, make: Callable[[], bytes]) -> None:
        if self.pictures:
            (self.pictures / name).write_bytes(make())

    def form(self, page: pathlib.Path) -> int:
        """Checks the octets of a page, and returns how many elements it has as XML, 0 if it is none."""
        octets = page.read_bytes()
        name = page.name
        self.check(f"{name}: size", [f"{len(octets)} octets"] if len(octets) > LIMIT else [])
        outside = sorted({match.group().decode() for match in EXTERNAL.finditer(octets)})
        self.check(f"{name}: nothing from outside, no script", outside)
        policy = b"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
        policy = policy.replace(b"'", b"&#39;")
        self.check(f"{name}: policy", [] if policy in octets else ["it is missing"])
        text = octets.decode("utf-8")
        bad = sorted({f"U+{ord(c):04X}" for c in text if c != "\n" and not is_shown(c)})
        self.check(f"{name}: characters", bad)
        try:
            return len(list(xml.etree.ElementTree.fromstring(text).iter()))
        except xml.etree.ElementTree.ParseError as error:
            self.check(f"{name}: XML", [str(error)])
            return 0

    def look(self, browser: Browser, page: pathlib.Path) -> None:
        name, stem = page.name, page.stem
        elements = self.form(page)
        browser.open(page)
        # A browser that reads the same elements has repaired nothing.
        read = browser.evaluate("document.querySelectorAll('*').length")
        self.check(f"{name}: HTML is read as XML is", [] if read == elements else [f"{read}, not {elements}"])
        self.check(f"{name}: mode", [] if browser.evaluate("document.compatMode") == "CSS1Compat" else ["quirks"])
        self.check(f"{name}: anchors", browser.evaluate(ANCHORS))
        self.check(f"{name}: names for those who do not see", browser.evaluate(ACCESSIBLE))
        for scheme in SCHEMES:
            for width in WIDTHS:
                browser.show(width, scheme)
                self.check(f"{name}: width of {width}, {scheme}", browser.evaluate(OVERFLOW))
                self.keep(f"{stem}-{width}-{scheme}.png", browser.picture)
            browser.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
            self.check(f"{name}: contrast, {scheme}", browser.evaluate(CONTRAST))
            self.check(f"{name}: width when all is open", browser.evaluate(OVERFLOW))
            self.keep(f"{stem}-open-{scheme}.png", browser.picture)
            browser.evaluate("document.querySelectorAll('details').forEach(part => part.open = false)")
        browser.show(794, "dark", "print")
        self.check(f"{name}: width on paper", browser.evaluate(OVERFLOW))
        self.check(f"{name}: contrast on paper", browser.evaluate(CONTRAST))
        self.keep(f"{stem}.pdf", browser.print)
        self.check(f"{name}: nothing complained about or loaded", browser.mistakes())


# Faults by the words of the check that has to find them, and how each is planted into a page.
PLANTED = {
    "size": lambda page: page.replace(b"</main>", b"<p>" + b"x " * LIMIT + b"</p></main>"),
    "nothing from outside": lambda page: page.replace(b"</main>", b'<img src="https://x.test/1.png" alt=""/></main>'),
    "policy": lambda page: page.replace(b"default-src", b"script-src"),
    "characters": lambda page: page.replace(b"</main>", "<p>\u202e</p></main>".encode()),
    "HTML is read as XML is": lambda page: page.replace(b"<tbody>", b"").replace(b"</tbody>", b""),
    "mode": lambda page: page.replace(b"<!DOCTYPE html>", b""),
    "anchors": lambda page: page.replace(b"</main>", b'<p><a href="#nowhere">x</a></p></main>'),
    "names for those who do not see": lambda page: page.replace(b'role="img"', b'role="none"'),
    "width of 400, dark": lambda page: page.replace(b"</main>", b'<div class="wide">x</div></main>').replace(
        b"</style>", b".wide { width: 600px; }</style>"
    ),
    "contrast, light": lambda page: page.replace(b"--quiet: light-dark(#545c6a", b"--quiet: light-dark(#a0a0a0"),
    "contrast, dark": lambda page: page.replace(b"#545c6a, #a5aebb)", b"#545c6a, #505050)"),
    "complained about": lambda page: page.replace(b"</main>", b"<script>1</script></main>"),
}


def plant(looking: Looking, browser: Browser, page: pathlib.Path) -> None:
    """Checks that each planted fault is found by the check that is for it."""
    octets = page.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        for words, change in PLANTED.items():
            wrong = pathlib.Path(folder) / "planted.html"
            wrong.write_bytes(change(octets))
            found: list[str] = []
            inner = Looking(None)
            inner.check = lambda name, mistakes, found=found: found.append(name) if mistakes else None  # type: ignore[method-assign]
            inner.look(browser, wrong)
            is_found = wrong.read_bytes() != octets and any(words in name for name in found)
            looking.check(f"a planted fault of {words}", [] if is_found else [f"found only: {found}"])


def is_shown(character: str) -> bool:
    """Whether a character may be in a page: no controls, and none that changes the direction of text."""
    value = ord(character)
    return not (
        value < 0x20
        or 0x7F <= value <= 0x9F
        or value in (0x061C, 0x200E, 0x200F, 0x2028, 0x2029, 0xFEFF)
        or 0x202A <= value <= 0x202E
        or 0x2066 <= value <= 0x2069
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=pathlib.Path, help="keep pictures and PDF in this folder")
    parser.add_argument("--planted", action="store_true", help="check that planted faults are found, too")
    parser.add_argument("reports", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.pictures:
        arguments.pictures.mkdir(parents=True, exist_ok=True)
    looking = Looking(arguments.pictures)
    browser = Browser()
    try:
        for report in arguments.reports:
            looking.look(browser, report)
        if arguments.planted:
            plant(looking, browser, arguments.reports[0])
    finally:
        browser.close()
    print(f"{looking.passed} passed, {looking.failed} failed")
    return 1 if looking.failed else 0


if __name__ == "__main__":
    sys.exit(main())
