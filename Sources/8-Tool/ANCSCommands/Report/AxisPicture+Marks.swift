internal import AccessoryConformance
internal import LinuxIO
internal import Printing

// The steps, what was found, and what went to and fro.
extension AxisPicture {
    // MARK: Steps

    func drawSteps(on page: inout Markup) {
        var index = 0
        let steps = run.listedSteps
        while index < steps.count {
            let first = run.result.steps[steps[index]]
            let start = scale.place(first.start)
            var end = scale.place(first.start + first.duration)
            var last = first
            // Steps without a length become one block.
            var next = index + 1
            while next < steps.count, end - start < 60, first.outcome == .passed {
                let other = run.result.steps[steps[next]]
                guard other.outcome == .passed, other.number == last.number + 1,
                    scale.place(other.start) - start < 60,
                    scale.place(other.start + other.duration) - start < 60
                else { break }
                end = max(end, scale.place(other.start + other.duration))
                last = other
                next += 1
            }
            if first.outcome != .notReached {
                draw(steps[index], from: first, to: last, start, end, on: &page)
            }
            index = next
        }
    }

    private func draw(
        _ index: Int, from first: StepResult, to last: StepResult, _ start: Int, _ end: Int,
        on page: inout Markup
    ) {
        let isOne = first.number == last.number
        let title =
            isOne
            ? "\(first.number) \(first.step.title)" : "steps \(first.number) to \(last.number)"
        let number = isOne ? "\(first.number)" : "\(first.number)–\(last.number)"
        let width = max(end - start, 40)
        let mark = first.outcome.hasFailure ? first.outcome.mark.rawValue + " " : ""
        link(
            to: run.anchor(.step, index), title: title + ": " + first.outcome.word, on: &page
        ) { page in
            page.empty(
                "rect",
                [
                    "class": "step \(first.outcome.mark.kind)", "x": x(start), "y": "\(stepsTop)",
                    "width": length(width - 10), "height": "18", "rx": "3",
                ])
            guard width >= (mark + number).count * 68 + 60 else { return }
            page.element(
                "text",
                [
                    "class": "steptext \(first.outcome.mark.kind)", "x": x(start + width / 2 - 5),
                    "y": "\(stepsTop + 13)",
                ], mark + number)
        }
    }

    private func link(
        to anchor: String?, id: String? = nil, title: String?, on page: inout Markup,
        _ body: (inout Markup) -> Void
    ) {
        func inside(_ page: inout Markup) {
            if let title { page.element("title", title) }
            body(&page)
        }
        guard let anchor else { return page.element("g", ["id": id], inside) }
        page.element("a", ["id": id, "href": "#" + anchor, "tabindex": "-1"], inside)
    }

    // MARK: What was found

    /// The line from a flag through both lanes.
    func drawPole(of flag: AxisFlag, on page: inout Markup) {
        page.empty(
            "path",
            [
                "class": "pole \(kind(of: flag))",
                "d": "M\(x(flag.place)) \(top(ofFlagRow: flag.row) + 9)V\(lanesEnd - 8)",
            ])
    }

    func draw(_ flag: AxisFlag, _ index: Int, on page: inout Markup) {
        let findings = flag.findings.map { run.flags[$0] }
        let named = findings.prefix(max(run.limits.named, 1)).map {
            "\($0.requirement) \($0.message)"
        }
        let more = findings.count - named.count
        let title = named.joined(separator: "\n") + (more > 0 ? "\nand \(more) more" : "")
        let y = top(ofFlagRow: flag.row)
        link(
            to: run.anchor(.verdict, findings[0].verdict), id: run.anchor(.flag, index),
            title: title, on: &page
        ) { page in
            page.empty(
                "rect",
                [
                    "class": "flag \(kind(of: flag))", "x": x(flag.start), "y": "\(y)",
                    "width": length(flag.size), "height": "18", "rx": "3",
                ])
            page.element(
                "text",
                [
                    "class": "flagtext \(kind(of: flag))", "x": x(flag.start + flag.size / 2),
                    "y": "\(y + 13)",
                ], flag.text)
        }
    }

    private func kind(of flag: AxisFlag) -> String {
        flag.findings.contains { run.flags[$0].isBroken } ? "bad" : "partly"
    }

    // MARK: Events

    func draw(_ group: AxisGroup, on page: inout Markup) {
        let y = group.lane.map(lane) ?? phoneLane
        let entries = group.entries.map { run.entries[$0] }
        let isOfLink = entries.allSatisfy { $0.direction == .link }
        let kind = isOfLink ? "link" : group.lane == nil ? "phone" : "accessory"
        let name = "mark \(kind)" + (entries.contains(where: \.isProblem) ? " bad" : "")
        link(
            to: group.entries.first(where: run.isListed).map { run.anchor(.event, $0) },
            title: title(of: group), on: &page
        ) { page in
            guard entries.count == 1 else {
                return drawCount(entries.count, name, at: x(group.place), y, on: &page)
            }
            switch entries[0].direction {
            case .link:
                page.empty(
                    "path", ["class": name, "d": "M\(x(group.place)) \(y - 6)l5 6l-5 6l-5 -6z"])
            case .phone:
                page.empty(
                    "rect",
                    [
                        "class": name, "x": x(group.place - 40), "y": "\(y - 4)", "width": "8",
                        "height": "8",
                    ])
            case .toAccessory, .toPhone:
                page.empty("circle", ["class": name, "cx": x(group.place), "cy": "\(y)", "r": "4"])
            }
        }
    }

    private func drawCount(
        _ count: Int, _ name: String, at x: String, _ y: Int, on page: inout Markup
    ) {
        let text = count > 99 ? "99+" : "\(count)"
        page.empty(
            "circle",
            ["class": name, "cx": x, "cy": "\(y)", "r": text.count > 2 ? "11" : "8"])
        page.element("text", ["class": "count", "x": x, "y": "\(y + 4)"], text)
    }

    /// From the lane of the sender to that of each receiver.
    func drawArrows(of group: AxisGroup, on page: inout Markup) {
        let sent = group.entries.map { run.entries[$0] }.filter {
            $0.direction == .toAccessory || $0.direction == .toPhone
        }
        for accessory in Set(sent.compactMap(\.accessory)).sorted(byNumber: { UInt64($0) }) {
            let own = lane(accessory)
            let (kind, path) =
                group.lane == nil
                ? ("phone", "M\(x(group.place)) \(phoneLane)V\(own - 9)m-4 -7l4 7l4 -7")
                : ("accessory", "M\(x(group.place)) \(own)V\(phoneLane + 9)m-4 7l4 -7l4 7")
            page.empty("path", ["class": "arrow \(kind)", "d": path])
        }
    }

    private func title(of group: AxisGroup) -> String? {
        guard run.limits.named > 0 else { return nil }
        let more = group.entries.count - run.limits.named
        return group.entries.prefix(run.limits.named).map { index in
            "\(run.entries[index].time.thousandths) s  \(run.entries[index].text)"
        }.joined(separator: "\n") + (more > 0 ? "\nand \(more) more" : "")
    }
}
