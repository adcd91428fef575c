internal import DeviceCommandKit
internal import AccessoryConformance
internal import Printing

/// Both sides of a run on an axis of time, as a picture in SVG: the steps, what was found, what went to and fro, and
/// what lasted.
struct AxisPicture {
    /// The units of the picture: its width, and the place of the axis in it.
    static let (total, left, width) = (1200, 118, 1064)
    private static let laneHeight = 54
    private static let bandHeight = 22

    let run: ReportRun
    let scale: TimeScale
    private let groups: [AxisGroup]
    let flags: [AxisFlag]
    private let rows: [BandRow]

    /// A row of bands.
    private struct BandRow {
        var name: String
        var bands: [ReportBands.Band]
    }

    init(_ run: ReportRun) {
        self.run = run
        let bands = run.recording.bands.bands
        let steps = run.listedSteps.map { run.result.steps[$0] }
        let times =
            run.entries.map(\.time) + run.flags.map(\.time) + bands.map(\.start)
            + bands.compactMap(\.end) + steps.map(\.start) + steps.map { $0.start + $0.duration }
        let scale = TimeScale(times, end: run.result.duration, width: Self.width)
        self.scale = scale
        groups = AxisGroup.all(of: run.entries, on: scale, distance: run.limits.distance * 10)
        flags = AxisFlag.all(of: run.flags, on: scale, distance: run.limits.distance * 20)
        var rows: [BandRow] = []
        for accessory in run.recording.accessories.indices {
            for kind in ReportBands.Kind.allCases {
                let own = bands.filter { $0.kind == kind && $0.accessory == accessory }
                guard !own.isEmpty else { continue }
                let isNamed = run.recording.accessories.count > 1
                rows.append(
                    BandRow(
                        name: kind.name + (isNamed ? " \(accessory + 1)" : ""), bands: own))
            }
        }
        let fades = bands.filter { $0.accessory == nil }
        if !fades.isEmpty { rows.append(BandRow(name: ReportBands.Kind.fade.name, bands: fades)) }
        self.rows = rows
    }

    /// The flag of a piece of evidence; `nil` if it has no time.
    func flag(of verdict: Int, _ evidence: Evidence) -> Int? {
        guard let time = evidence.time else { return nil }
        return flags.firstIndex { flag in
            flag.findings.contains {
                run.flags[$0].verdict == verdict && run.flags[$0].time == time
                    && run.flags[$0].message == evidence.message
            }
        }
    }

    // MARK: Places

    var stepsTop: Int { 30 }
    private var flagsTop: Int { stepsTop + 26 }
    func top(ofFlagRow row: Int) -> Int { flagsTop + row * 22 }
    var phoneLane: Int {
        flags.map(\.row).max().map { top(ofFlagRow: $0) + 40 } ?? flagsTop + 14
    }
    func lane(_ accessory: Int) -> Int { phoneLane + (accessory + 1) * Self.laneHeight }
    var lanesEnd: Int { lane(max(run.recording.accessories.count - 1, 0)) + 18 }
    private func top(ofRow row: Int) -> Int { lanesEnd + 6 + row * Self.bandHeight }
    private var height: Int { top(ofRow: rows.count) + 4 }

    /// A place on the axis in units of the picture, from tenths.
    func x(_ tenths: Int) -> String {
        let value = Self.left * 10 + tenths
        return value % 10 == 0 ? "\(value / 10)" : "\(value / 10).\(value % 10)"
    }

    func length(_ tenths: Int) -> String { "\(tenths / 10).\(tenths % 10)" }

    // MARK: Drawing

    func draw(on page: inout Markup) {
        let name = run.anchor(.event, 0) + "-axis"
        page.element(
            "svg",
            [
                "viewBox": "0 0 \(Self.total) \(height)", "role": "img",
                "aria-labelledby": name, "class": "axis",
            ]
        ) { page in
            page.element("title", ["id": name], alternative)
            drawFrame(on: &page)
            drawSteps(on: &page)
            for index in flags.indices { drawPole(of: flags[index], on: &page) }
            for index in flags.indices { draw(flags[index], index, on: &page) }
            for group in groups { drawArrows(of: group, on: &page) }
            for group in groups { draw(group, on: &page) }
            for (index, row) in rows.enumerated() { draw(row, index, on: &page) }
        }
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
            page.empty(
                "path", ["class": "grid", "d": "M\(x(tick.place)) 20V\(height)"])
            page.element(
                "text",
                [
                    "x": x(tick.place), "y": "14",
                    "class": tick.place == Self.width * 10 ? "tick end" : "tick",
                ], tick.label)
        }
        for gap in scale.breaks {
            page.element("g") { page in
                page.element("title", "\(gap.duration.brief), shortened")
                page.empty(
                    "rect",
                    [
                        "class": "gap", "x": x(gap.start), "y": "20",
                        "width": length(gap.end - gap.start), "height": "\(height - 20)",
                    ])
            }
            if gap.end - gap.start >= 420 {
                page.element(
                    "text",
                    [
                        "class": "gaplabel", "x": x((gap.start + gap.end) / 2),
                        "y": "\(phoneLane + 30)",
                    ],
                    "⋯ \(gap.duration.text)")
            }
        }
        label("steps", at: stepsTop + 13, on: &page)
        if !flags.isEmpty { label("found", at: flagsTop + 13, on: &page) }
        label("phone", at: phoneLane + 4, "lane phone", on: &page)
        drawLane(phoneLane, "phone", on: &page)
        for accessory in run.recording.accessories.indices {
            let name = run.recording.accessories.count > 1 ? "\(accessory + 1) " : ""
            label(
                name
                    + TerminalText.clipped(
                        TerminalText.visible(run.name(of: accessory)), to: 14 - name.count),
                at: lane(accessory) + 4, "lane accessory", on: &page)
            drawLane(lane(accessory), "accessory", on: &page)
        }
        for (index, row) in rows.enumerated() {
            label(row.name, at: top(ofRow: index) + 13, on: &page)
        }
        drawMissing(on: &page)
    }

    /// Where events were dropped.
    private func drawMissing(on page: inout Markup) {
        let cut = RecordedRun.firstEntries
        guard run.recording.dropped > 0, run.entries.count > cut else { return }
        let start = scale.place(run.entries[cut - 1].time)
        let end = scale.place(run.entries[cut].time)
        page.element("g") { page in
            page.element("title", "\(counted(run.recording.dropped, "event")) left out")
            page.empty(
                "rect",
                [
                    "class": "missing", "x": x(start), "y": "\(phoneLane - 6)",
                    "width": length(max(end - start, 30)), "height": "\(lanesEnd - phoneLane)",
                ])
        }
    }

    private func label(_ text: String, at y: Int, _ kind: String = "", on page: inout Markup) {
        page.element(
            "text", ["class": "name \(kind)", "x": "\(Self.left - 12)", "y": "\(y)"], text)
    }

    private func drawLane(_ y: Int, _ kind: String, on page: inout Markup) {
        page.empty(
            "path", ["class": "line \(kind)", "d": "M\(Self.left) \(y)H\(Self.left + Self.width)"])
    }

    // MARK: Bands

    private func draw(_ row: BandRow, _ index: Int, on page: inout Markup) {
        var end = -20
        for band in row.bands {
            let start = scale.place(band.start)
            let stop = scale.place(band.end ?? run.result.duration)
            // What is less than two units behind another cannot be seen.
            guard stop - end >= 20 else { continue }
            end = max(stop, start + 20)
            draw(band, start, end, at: top(ofRow: index), on: &page)
        }
    }

    private func draw(
        _ band: ReportBands.Band, _ start: Int, _ end: Int, at y: Int, on page: inout Markup
    ) {
        let length = (band.end ?? run.result.duration) - band.start
        let lost = band.isLost ? ", lost" : ""
        let text = band.text.isEmpty ? "" : ": \(band.text)"
        page.element("g") { page in
            page.element(
                "title", "\(band.kind.name)\(text), \(band.start.text) for \(length.brief)\(lost)")
            page.empty(
                "rect",
                [
                    "class": "band \(band.kind.style)", "x": x(start), "y": "\(y)",
                    "width": self.length(end - start), "height": "17",
                ])
            let label = Self.label(band, width: end - start)
            if !label.isEmpty {
                page.element(
                    "text", ["class": "bandtext", "x": x(start + 60), "y": "\(y + 13)"], label)
            }
            if band.isLost {
                page.empty(
                    "path",
                    ["class": "lost", "d": "M\(x(end)) \(y - 1)m-5 4l10 10m0 -10l-10 10"])
            }
        }
    }

    /// As much of the text as there is room for.
    private static func label(_ band: ReportBands.Band, width: Int) -> String {
        let whole = band.text
        let parts = [whole, whole.split(separator: ",").first.map(String.init) ?? whole]
        return parts.first { $0.count * 66 + 120 <= width } ?? ""
    }
}

extension ReportBands.Kind {
    /// The class of its bands.
    fileprivate var style: String {
        switch self {
        case .advertising: "advertising"
        case .link: "linked"
        case .encryption: "encrypted"
        case .fade: "fade"
        }
    }
}
