internal import ANCSCapture
internal import EventLines

// Values of the characteristics, for users.

extension Line {
    /// A value of the Notification Source.
    static func value(_ octets: [UInt8], _ summary: CaptureEvent.NotificationSummary) -> Line {
        guard let value = try? NotificationSourceValue(decoding: octets.span) else {
            return Line(
                told: "a Notification Source value of \(counted(octets.count, "octet")) instead of "
                    + "8: \(Hexadecimal.text(Array(octets.prefix(32))))", .problem)
        }
        let mark = value.eventID.mark
        let event = mark == "?" ? "? \(value.eventID)" : mark
        // The flags of a removed notification are of no interest.
        let flags = value.eventID == .removed ? [] : value.eventFlags.names
        let words =
            ["\(event) uid \(value.notificationUID)"] + summary.names
            + ["\(value.categoryID) (\(value.categoryCount))"] + flags
        return Line(told: words.joined(separator: " · "), .heading)
    }

    /// A write to the Control Point. A request is reported together with its answer; only a fault is reported at once.
    static func command(_ write: CaptureEvent.Write, hasResponse: Bool) -> Line {
        guard write.command != nil else {
            let reason = LineDecoder.controlPoint(write.octets)["error"]?.string ?? ""
            return Line(told: "a Control Point write that is not a command: \(reason)", .problem)
        }
        guard !hasResponse else { return Line(told: nil) }
        return Line(
            told: "\(write.subject(.init())): written without a response, which phones ignore",
            .problem)
    }

    /// An answer of the Data Source.
    static func answer(
        _ answer: CaptureEvent.Answer, _ summary: CaptureEvent.NotificationSummary
    ) -> Line {
        let content = answer.content
        var words: [String]
        var below: [Below] = []
        switch content.identity {
        case .app(let app):
            let name = content.attributes?.first.map(\.text) ?? ""
            words = ["= \(app)" + (name.isEmpty ? " has no name" : " is “\(name)”")]
        case .notification(let uid): words = ["= uid \(uid)"] + summary.names
        case nil: words = ["= ?"] + summary.names
        }
        if case .app = content.identity {} else { below = content.lines(summary) }
        if let fault = content.fault { below.append(.text("! incomplete: \(fault.message)")) }
        words.append(answer.duration.brief)
        if answer.isLate { words.append("late") }
        return Line(told: words.joined(separator: " · "), .heading, below: below)
    }

    /// Octets of the Data Source that answer nothing.
    static func stray(_ octets: [UInt8], isFromBefore: Bool) -> Line {
        let answer = DataSourceAnswer([octets], to: nil)
        let subject =
            switch answer.identity {
            case .notification(let uid): "uid \(uid): "
            case .app(let app): "\(app): "
            case nil: ""
            }
        let verb = octets.count == 1 ? "answers" : "answer"
        let what = isFromBefore ? "a command before the capture" : "no command"
        return Line(
            told: "\(subject)\(counted(octets.count, "octet")) of the Data Source \(verb) \(what)",
            .problem, below: answer.lines(.init()))
    }
}

extension CaptureEvent.NotificationSummary {
    /// The app and the title, as far as they are known.
    var names: [String] { [app, title].compactMap { $0 }.filter { !$0.isEmpty } }
}

extension DataSourceAnswer {
    /// The texts, a line each, then the other attributes in one line, then the requested attributes that are
    /// empty. The heading has those of the summary.
    fileprivate func lines(_ summary: CaptureEvent.NotificationSummary) -> [Line.Below] {
        var texts: [String] = []
        var list: [String] = []
        var empty: [String] = []
        for attribute in attributes ?? [] {
            let text = attribute.text + (attribute.isValidUTF8 ? "" : " (not UTF-8)")
            guard !attribute.octets.isEmpty else {
                empty.append(name(attribute.id))
                continue
            }
            if case .app = identity {
                list.append("\(name(attribute.id)) \(text)")
                continue
            }
            switch NotificationAttributeID(rawValue: attribute.id) {
            case .title: if summary.title == nil { texts.append(text) }
            case .subtitle, .message: texts.append(text)
            // The app goes before the others, the last one first if there are several.
            case .appIdentifier: if summary.app != attribute.text { list.insert(text, at: 0) }
            case .positiveActionLabel: list.append("✓ " + text)
            case .negativeActionLabel: list.append("✗ " + text)
            case .messageSize: list.append("size " + text)
            case .date: list.append(attribute.date?.description ?? attribute.text)
            // NotificationAttributeID is open: a reserved one has its number.
            default: list.append("\(name(attribute.id)) \(text)")
            }
        }
        if !empty.isEmpty { list.append("empty: " + empty.joined(separator: ", ")) }
        return (texts + (list.isEmpty ? [] : [list.joined(separator: " · ")])).map { .text($0) }
    }
}
