internal import AccessoryConformance
internal import Printing

/// Both sides of a run on an axis of time, as a picture in SVG: the steps, what was found, what went to and fro, and
/// what lasted.
struct AxisPicture {
    /// The units of the picture: its width, and the place of the axis in it.
    static let (total, left, width) = (1200, 118, 1064)
    private static let (laneHeight, bandHeight) = (54, 22)
    /// The width of a flag.
    private static let flagWidth = 52
    /// The characters of a text in the picture: it has many, most of which are seen under the pointer only.
    private static let maximumText = 250

    let run: ReportRun
    let scale: TimeScale
    /// What each flag stands for.
    let flags: [[ReportRun.Flag]]
    /// What lasted, by rows.
    private let rows: [(name: String, bands: [ReportBands.Band])]

    init(_ run: ReportRun) {
        self.run = run
        let bands = run.recording.bands.bands
        let times =
            run.entries.map(\.time) + run.flags.map(\.time)
            + bands.flatMap { [$0.start, $0.end ?? $0.start] }
            + run.result.steps.flatMap { [$0.start, $0.start + $0.duration] }
        scale = TimeScale(times, end: run.result.duration, width: Self.width)
        flags = scale.clusters(of: run.flags, within: Self.flagWidth + 2) { $0.time...$0.time }
        let accessories = run.recording.accessories.indices
        rows = (accessories.map(Int?.some) + [nil]).flatMap { accessory in
            ReportBands.Kind.allCases.compactMap { kind in
                let own = bands.filter { $0.kind == kind && $0.accessory == accessory }
                let number = accessory.map { accessories.count > 1 ? " \($0 + 1)" : "" } ?? ""
                return own.isEmpty ? nil : (kind.rawValue + number, own)
            }
        }
    }

    /// The number of the flag of a piece of evidence; `nil` if it has no time.
    func flag(of verdict: Int, _ evidence: Int) -> Int? {
        flags.firstIndex { $0.contains { $0.verdict == verdict && $0.evidence == evidence } }
    }

    // MARK: Places

    private static let (stepsTop, flagsTop) = (30, 56)
    private var phoneLane: Int { Self.flagsTop + (flags.isEmpty ? 14 : 40) }
    private func lane(_ accessory: Int?) -> Int {
        phoneLane + (accessory.map { $0 + 1 } ?? 0) * Self.laneHeight
    }
    private var lanesEnd: Int { lane(max(run.recording.accessories.count - 1, 0)) + 18 }
    private func top(ofRow row: Int) -> Int { lanesEnd + 6 + row * Self.bandHeight }
    private var height: Int { top(ofRow: rows.count) + 4 }

    private func x(_ time: Duration) -> Int { Self.left + scale.place(time) }

    // MARK: Drawing

    /// Draws it; its marks lead to what the page lists.
    func draw(on page: inout Markup, isListed: (ReportRun.Place, Int) -> Bool) {
        let name = "r\(run.number)axis"
        var picture = Markup(textLimit: Self.maximumText)
        picture.element(
            "svg.axis",
            [
                "viewBox": "0 0 \(Self.total) \(height)", "role": "img", "aria-labelledby": name,
            ]
        ) { page in
            page.element("title", ["id": name], alternative)
            drawFrame(on: &page)
            drawSteps(on: &page, isListed)
            for index in flags.indices { drawFlag(index, on: &page, isListed) }
            for lane in [nil] + run.recording.accessories.indices.map(Int?.some) {
                drawEvents(of: lane, on: &page, isListed)
            }
            for (index, row) in rows.enumerated() {
                draw(row.bands, at: top(ofRow: index), on: &page)
            }
        }
        page.append(picture)
    }

    /// What the picture shows, for those who do not see it. The lists below it have all of it.
    private var alternative: String {
        let links = run.recording.bands.bands.count { $0.kind == .link }
        return "Time axis of \(run.result.duration.text): "
            + "\(counted(run.entries.count, "event")), \(counted(run.result.steps.count, "step")), "
            + "\(counted(run.flags.count, "finding")), "
            + "\(counted(links, "period")) of a link with its parameters. The lists below have the same."
    }

    private func drawFrame(on page: inout Markup) {
        for tick in scale.ticks(distance: 70) {
            let x = Self.left + tick.place
            page.path("grid", "M\(x) 20V\(height)")
            page.label(tick.place == Self.width ? "tick.end" : "tick", tick.label, x, 14)
        }
        for gap in scale.breaks {
            let (start, end) = (Self.left + gap.start, Self.left + gap.end)
            page.element("g") { page in
                page.element("title", "\(gap.duration.brief), shortened")
                page.rectangle("gap", start..<end, 20..<height)
            }
            guard end - start >= 42 else { continue }
            page.label("gaplabel", "⋯ \(gap.duration.text)", (start + end) / 2, phoneLane + 30)
        }
        name("steps", Self.stepsTop + 13, on: &page)
        if !flags.isEmpty { name("found", Self.flagsTop + 13, on: &page) }
        drawLane(nil, "phone", "phone", on: &page)
        for accessory in run.recording.accessories.indices {
            let number = run.recording.accessories.count > 1 ? "\(accessory + 1) " : ""
            let shown = TerminalText.clipped(
                TerminalText.visible(run.name(of: accessory)), to: 14 - number.count)
            drawLane(accessory, "accessory", number + shown, on: &page)
        }
        for (index, row) in rows.enumerated() { name(row.name, top(ofRow: index) + 13, on: &page) }
        drawMissing(on: &page)
    }

    private func drawLane(
        _ accessory: Int?, _ kind: String, _ words: String, on page: inout Markup
    ) {
        let y = lane(accessory)
        name(words, y + 4, ".lane.\(kind)", on: &page)
        page.path("line.\(kind)", "M\(Self.left) \(y)h\(Self.width)")
    }

    /// The name of a row, left of the axis.
    private func name(_ words: String, _ y: Int, _ kind: String = "", on page: inout Markup) {
        page.label("name" + kind, words, Self.left - 12, y)
    }

    /// Where events were dropped.
    private func drawMissing(on page: inout Markup) {
        for (one, next) in zip(run.entries, run.entries.dropFirst()) {
            let count = next.number - one.number - 1
            guard count > 0 else { continue }
            page.element("g") { page in
                page.element("title", "\(counted(count, "event")) left out")
                let start = x(one.time)
                page.rectangle(
                    "missing", start..<max(x(next.time), start + 3), phoneLane - 6..<lanesEnd - 6)
            }
        }
    }

    // MARK: Steps and what was found

    private func drawSteps(on page: inout Markup, _ isListed: (ReportRun.Place, Int) -> Bool) {
        let reached = run.result.steps.indices.filter {
            run.result.steps[$0].outcome != .notReached
        }
        let blocks = scale.clusters(of: reached, within: 6) { index in
            let step = run.result.steps[index]
            return step.start...step.start + step.duration
        }
        for block in blocks {
            let steps = block.map { run.result.steps[$0] }
            let worst = block.first { run.result.steps[$0].shortfall != nil } ?? block[0]
            let step = run.result.steps[worst]
            let (first, last) = (steps[0], steps[steps.count - 1])
            let numbers = block.count == 1 ? "\(step.number)" : "\(first.number)–\(last.number)"
            let text = (step.shortfall == nil ? "" : "\(step.outcome.mark.rawValue) ") + numbers
            let (start, end) = (x(first.start), x(last.start + last.duration))
            let width = max(end - start, 4) - 1
            link(
                to: .step, [worst].first { isListed(.step, $0) },
                title: "\(numbers) \(step.step.title): \(step.outcome.word)", on: &page
            ) { page in
                let kind = step.outcome.mark.kind
                page.rectangle(
                    "step.\(kind)", start..<start + width, Self.stepsTop..<Self.stepsTop + 18)
                guard width >= text.count * 7 + 5 else { return }
                page.label("steptext.\(kind)", text, start + width / 2, Self.stepsTop + 13)
            }
        }
    }

    private func drawFlag(
        _ index: Int, on page: inout Markup, _ isListed: (ReportRun.Place, Int) -> Bool
    ) {
        let found = flags[index]
        let verdicts = found.map { run.verdicts[$0.verdict] }
        let kind = verdicts.contains { $0.standing == .broken } ? "bad" : "partly"
        let others = Set(verdicts.map(\.requirement)).count - 1
        let number = verdicts[0].requirement.number
        let place = x(found[0].time)
        let start = min(place, Self.left + Self.width - Self.flagWidth)
        let (top, middle) = (Self.flagsTop, start + Self.flagWidth / 2)
        link(
            to: .verdict, found.lazy.map(\.verdict).first { isListed(.verdict, $0) },
            id: run.anchor(.flag, index),
            title: zip(found, verdicts).map { flag, verdict in
                "\(verdict.requirement.number) \(verdict.evidence[flag.evidence].message)"
            }.joined(separator: "\n"), on: &page
        ) { page in
            page.path("pole.\(kind)", "M\(place) \(top + 9)V\(lanesEnd - 8)")
            page.rectangle("flag.\(kind)", start..<start + Self.flagWidth, top..<top + 18)
            page.label(
                "flagtext.\(kind)", others > 0 ? "\(number) +\(others)" : number, middle, top + 13)
        }
    }

    /// What leads to a place of the page, if that is listed, and says something under the pointer.
    private func link(
        to place: ReportRun.Place, _ index: Int?, id: String? = nil, title: String,
        on page: inout Markup, _ body: (inout Markup) -> Void
    ) {
        let anchor = index.map { "#" + run.anchor(place, $0) }
        page.element(
            anchor == nil ? "g" : "a",
            ["id": id, "href": anchor, "tabindex": anchor.map { _ in "-1" }]
        ) { page in
            page.element("title", title)
            body(&page)
        }
    }

    // MARK: Events

    /// The events that begin on the lane of an accessory, or of the phone.
    private func drawEvents(
        of lane: Int?, on page: inout Markup, _ isListed: (ReportRun.Place, Int) -> Bool
    ) {
        let own = run.entries.filter { $0.direction.isOfPhone ? lane == nil : $0.accessory == lane }
        for entries in scale.clusters(of: own, within: 18, { $0.time...$0.time }) {
            let x = x(entries[0].time)
            drawArrows(of: entries, from: lane, x, on: &page)
            link(
                to: .event, entries.lazy.map(\.number).first { isListed(.event, $0) },
                title: entries.map { "\($0.time.thousandths) s  \($0.text)" }
                    .joined(separator: "\n"), on: &page
            ) { drawMark(of: entries, on: lane, x, &$0) }
        }
    }

    private func drawMark(
        of entries: [RecordedRun.Entry], on lane: Int?, _ x: Int, _ page: inout Markup
    ) {
        let y = self.lane(lane)
        let isOfLink = entries.allSatisfy { $0.direction == .link }
        let side = isOfLink ? "link" : lane == nil ? "phone" : "accessory"
        let kind = "mark.\(side)" + (entries.contains(where: \.isProblem) ? ".bad" : "")
        guard entries.count == 1 else {
            let text = entries.count > 99 ? "99+" : "\(entries.count)"
            page.circle(kind, x, y, radius: text.count > 2 ? 11 : 8)
            return page.label("count", text, x, y + 4)
        }
        switch entries[0].direction {
        case .link: page.path(kind, "M\(x) \(y - 6)l5 6l-5 6l-5 -6z")
        case .phone: page.rectangle(kind, x - 4..<x + 4, y - 4..<y + 4)
        case .toAccessory, .toPhone: page.circle(kind, x, y, radius: 4)
        }
    }

    /// From the lane of the sender to that of each receiver.
    private func drawArrows(
        of entries: [RecordedRun.Entry], from sender: Int?, _ x: Int, on page: inout Markup
    ) {
        let sent = entries.filter { $0.direction == .toAccessory || $0.direction == .toPhone }
        for accessory in run.recording.accessories.indices
        where sent.contains(where: { $0.accessory == accessory }) {
            let own = lane(accessory)
            if sender == nil {
                page.path("arrow.phone", "M\(x) \(phoneLane)V\(own - 9)m-4 -7l4 7l4 -7")
            } else {
                page.path("arrow.accessory", "M\(x) \(own)V\(phoneLane + 9)m-4 7l4 -7l4 7")
            }
        }
    }

    // MARK: What lasted

    private func draw(_ bands: [ReportBands.Band], at y: Int, on page: inout Markup) {
        var last = -2
        for band in bands {
            let stop = x(band.end ?? run.result.duration)
            // What is less than two units behind another cannot be seen.
            guard stop - last >= 2 else { continue }
            let start = x(band.start)
            last = max(stop, start + 2)
            let length = (band.end ?? run.result.duration) - band.start
            let text = band.kind.rawValue + (band.text.isEmpty ? "" : ": \(band.text)")
            page.element("g") { page in
                page.element(
                    "title",
                    "\(text), \(band.start.text) for \(length.brief)"
                        + (band.isLost ? ", lost" : ""))
                page.rectangle("band.\(band.kind.rawValue)", start..<last, y..<y + 17)
                // As much of the text as there is room for.
                let parts = [band.text, String(band.text.prefix { $0 != "," })]
                if let label = parts.first(where: { $0.count * 7 + 12 <= last - start }) {
                    page.label("bandtext", label, start + 6, y + 13)
                }
                if band.isLost { page.path("lost", "M\(last) \(y - 1)m-5 4l10 10m0 -10l-10 10") }
            }
        }
    }
}

/// Shapes of a picture, each with its classes.
extension Markup {
    fileprivate mutating func rectangle(_ kind: String, _ x: Range<Int>, _ y: Range<Int>) {
        empty(
            "rect.\(kind)",
            [
                "x": "\(x.lowerBound)", "y": "\(y.lowerBound)", "width": "\(x.count)",
                "height": "\(y.count)",
            ])
    }

    fileprivate mutating func circle(_ kind: String, _ x: Int, _ y: Int, radius: Int) {
        empty("circle.\(kind)", ["cx": "\(x)", "cy": "\(y)", "r": "\(radius)"])
    }

    fileprivate mutating func path(_ kind: String, _ strokes: String) {
        empty("path.\(kind)", ["d": strokes])
    }

    fileprivate mutating func label(_ kind: String, _ words: String, _ x: Int, _ y: Int) {
        element("text.\(kind)", ["x": "\(x)", "y": "\(y)"], words)
    }
}
