internal import HCITransports
internal import Terminal
internal import AccessoryConformance
internal import ANCSCapture
internal import ANCSService
internal import ANCS
internal import BluetoothLE
internal import JSONText
internal import LinuxIO
internal import Octets

/// What happens in an ANCS session, for users. Most lines of a long capture are of this kind, so they are
/// written directly instead of being joined from parts.
extension StoryText {
    func writeSession(_ happening: Happening, to lines: inout StoryLines) {
        switch happening.event {
        case .subscription(let characteristic, let isOn):
            lines.write(text: subscriptionText(isOn, characteristic.title))
        case .sessionBegan: lines.write(text: "session \(happening.place.session ?? 0) begins")
        case .sessionEnded(let counts):
            lines.write(
                text: "session \(happening.place.session ?? 0) ends: " + Self.text(counts))
        case .source(let octets, let summary): Self.write(source: octets, summary, to: &lines)
        case .command(let write, let hasResponse): Self.write(write, hasResponse, to: &lines)
        case .commandResult(let write, let error, let duration, let summary):
            lines.write(text: Self.result(write, error, duration, summary))
        case .commandUnanswered(let write, let since, let ending, let summary):
            lines.write(
                text: "! \(Self.subject(write, summary)), asked at "
                    + "\((since - start).thousandths), has no answer: \(ending.text)")
        case .answer(let answer, let summary): Self.write(answer, summary, to: &lines)
        case .strayAnswer(let octets, let isFromBefore):
            Self.write(stray: octets, isFromBefore, to: &lines)
        case .adapter, .lost, .cut, .notShown, .controllerReset, .hardwareError, .malformed,
            .connected, .connectingFailed, .transport, .channel, .basicRate, .parametersWanted,
            .parametersAnswered, .parametersChanged,
            .parametersRefused, .disconnecting,
            .disconnected, .encryption, .keyMissing, .pairing, .mtu, .name, .services,
            .serviceMissing, .handles, .serviceChanged, .requestRefused, .requestUnanswered,
            .strayResponse, .unreadable:
            break
        }
    }

    private static func text(_ counts: Happening.SessionCounts) -> String {
        let all = [
            ("added", counts.added), ("modified", counts.modified), ("removed", counts.removed),
            ("answers", counts.answered), ("refused", counts.refused),
            ("without answer", counts.unanswered),
        ]
        let parts = all.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
        return parts.isEmpty ? "nothing happened" : parts.joined(separator: ", ")
    }

    // MARK: Notification Source

    private static func write(
        source octets: [UInt8], _ summary: Happening.NotificationSummary,
        to lines: inout StoryLines
    ) {
        guard let value = try? NotificationSourceValue(decoding: octets.span) else {
            lines.write(
                text: "! a Notification Source value of "
                    + counted(octets.count, "octet") + " instead of 8: "
                    + Hexadecimal.text(Array(octets.prefix(32))))
            return
        }
        switch value.eventID {
        case .added: lines.write("+")
        case .modified: lines.write("~")
        case .removed: lines.write("-")
        default: lines.write(text: "? \(value.eventID)")
        }
        lines.write(" uid ")
        lines.write(value.notificationUID.rawValue)
        write(namesOf: summary, to: &lines)
        lines.write(" · ")
        lines.write(text: value.categoryID.description)
        lines.write(" (")
        lines.write(value.categoryCount)
        lines.write(")")
        // The flags of a removed notification are of no interest.
        guard value.eventID != .removed else { return }
        for name in value.eventFlags.names {
            lines.write(" · ")
            lines.write(text: name)
        }
    }

    /// The app and the title, as far as they are known, each after a separator.
    private static func write(
        namesOf summary: Happening.NotificationSummary, to lines: inout StoryLines
    ) {
        if let app = summary.app, !app.isEmpty {
            lines.write(" · ")
            lines.write(visible: app)
        }
        if let title = summary.title, !title.isEmpty {
            lines.write(" · ")
            lines.write(visible: title)
        }
    }

    // MARK: Control Point

    /// A request is reported together with its answer; only a fault is reported at once.
    private static func write(
        _ write: Happening.Write, _ hasResponse: Bool, to lines: inout StoryLines
    ) {
        if write.command == nil {
            let reason = LineDecoder.controlPoint(write.octets)["error"]?.string ?? ""
            lines.write("! a Control Point write that is not a command: ")
            lines.write(visible: reason)
        } else if !hasResponse {
            lines.write(
                text: "! \(subject(write, .init())): written without a response, "
                    + "which phones ignore")
        }
    }

    /// The notification or app that a command refers to.
    private static func subject(
        _ write: Happening.Write, _ summary: Happening.NotificationSummary
    ) -> String {
        let names = [summary.app, summary.title].compactMap { $0 }.filter { !$0.isEmpty }
            .map(TerminalText.visible)
        let known = names.isEmpty ? "" : " (\(names.joined(separator: " · ")))"
        return switch write.command {
        case .getNotificationAttributes(let command):
            "attributes of uid \(command.notificationUID)" + known
        case .getAppAttributes(let command):
            "the name of " + TerminalText.visible(command.appIdentifier.description)
        case .performNotificationAction(let command):
            "\(command.actionID) action on uid \(command.notificationUID)" + known
        case nil: "a write that is not a command"
        }
    }

    private static func result(
        _ write: Happening.Write, _ error: ATTErrorCode?, _ duration: Duration,
        _ summary: Happening.NotificationSummary
    ) -> String {
        let time = duration.brief
        let subject = subject(write, summary)
        guard let error else { return "✓ \(subject): accepted · \(time)" }
        return "! \(subject) refused: \(error.message) · \(time)"
    }
}

// MARK: Data Source

extension StoryText {
    private static func write(
        _ answer: Happening.Answer, _ summary: Happening.NotificationSummary,
        to lines: inout StoryLines
    ) {
        let content = answer.content
        lines.write("= ")
        switch content.identity {
        case .app(let app): write(app, named: content.attributes?.first, to: &lines)
        case .notification(let uid):
            lines.write("uid ")
            lines.write(uid.rawValue)
            write(namesOf: summary, to: &lines)
        case nil:
            lines.write("?")
            write(namesOf: summary, to: &lines)
        }
        lines.write(" · ")
        lines.write(text: answer.duration.brief)
        if answer.isLate { lines.write(" · late") }
        if case .app = content.identity {} else { write(content, summary, to: &lines) }
        if let fault = content.fault {
            lines.beginNextLine()
            lines.write("! incomplete: ")
            lines.write(visible: fault.text)
        }
    }

    private static func write(
        _ app: AppIdentifier, named name: AttributeValue?, to lines: inout StoryLines
    ) {
        lines.write(visible: app.octets)
        guard let name, !name.octets.isEmpty else { return lines.write(" has no name") }
        lines.write(" is “")
        lines.write(visible: name.octets)
        lines.write("”")
    }

    /// The texts, a line each, then the other attributes in one line, then the requested attributes that are
    /// empty.
    private static func write(
        _ answer: DataSourceAnswer, _ summary: Happening.NotificationSummary,
        to lines: inout StoryLines
    ) {
        let attributes = answer.attributes ?? []
        let places = attributes.map { place($0, of: answer, summary) }
        for index in attributes.indices where places[index] == .line {
            lines.beginNextLine()
            write(attributes[index], to: &lines)
        }
        var isFirst = true
        func separate(_ lines: inout StoryLines) {
            if isFirst { lines.beginNextLine() } else { lines.write(" · ") }
            isFirst = false
        }
        // The app goes before the others, the last one first if there are several.
        for index in attributes.indices.reversed() where places[index] == .front {
            separate(&lines)
            write(attributes[index], to: &lines)
        }
        for index in attributes.indices where places[index] == .list {
            separate(&lines)
            write(attributes[index], of: answer, to: &lines)
        }
        var hasEmpty = false
        for index in attributes.indices where places[index] == .empty {
            if hasEmpty {
                lines.write(", ")
            } else {
                separate(&lines)
                lines.write("empty: ")
            }
            lines.write(text: answer.name(attributes[index].id))
            hasEmpty = true
        }
    }

    /// Where an attribute of an answer is shown.
    private enum Place {
        case line
        case front
        case list
        case empty
        /// The heading has it.
        case nowhere
    }

    private static func place(
        _ attribute: AttributeValue, of answer: DataSourceAnswer,
        _ summary: Happening.NotificationSummary
    ) -> Place {
        guard !attribute.octets.isEmpty else { return .empty }
        if case .app = answer.identity { return .list }
        return switch NotificationAttributeID(rawValue: attribute.id) {
        case .title: summary.title == nil ? .line : .nowhere
        case .subtitle, .message: .line
        case .appIdentifier: summary.app == attribute.text ? .nowhere : .front
        default: .list
        }
    }

    private static func write(_ attribute: AttributeValue, to lines: inout StoryLines) {
        lines.write(visible: attribute.octets)
        if !attribute.isValidUTF8 { lines.write(" (not UTF-8)") }
    }

    /// An attribute that is not a text of its own, with what it is.
    private static func write(
        _ attribute: AttributeValue, of answer: DataSourceAnswer, to lines: inout StoryLines
    ) {
        if case .app = answer.identity {
            lines.write(text: answer.name(attribute.id))
            lines.write(" ")
            return write(attribute, to: &lines)
        }
        switch NotificationAttributeID(rawValue: attribute.id) {
        case .positiveActionLabel: lines.write("✓ ")
        case .negativeActionLabel: lines.write("✗ ")
        case .messageSize: lines.write("size ")
        case .date:
            guard let date = attribute.date else { return lines.write(visible: attribute.octets) }
            return lines.write(text: date.description)
        default:
            lines.write(text: answer.name(attribute.id))
            lines.write(" ")
        }
        write(attribute, to: &lines)
    }

    private static func write(
        stray octets: [UInt8], _ isFromBefore: Bool, to lines: inout StoryLines
    ) {
        let answer = DataSourceAnswer([octets], to: nil)
        lines.write("! ")
        switch answer.identity {
        case .notification(let uid): lines.write(text: "uid \(uid): ")
        case .app(let app):
            lines.write(visible: app.octets)
            lines.write(": ")
        case nil: break
        }
        lines.write(text: counted(octets.count, "octet"))
        lines.write(
            octets.count == 1 ? " of the Data Source answers " : " of the Data Source answer ")
        lines.write(isFromBefore ? "a command before the capture" : "no command")
        write(answer, .init(), to: &lines)
    }
}
