internal import ANCSService
internal import ANCS
internal import BluetoothLE
internal import JSONText
internal import LinuxIO
internal import Octets

/// What happens in an ANCS session, for people.
extension StoryText {
    func sessionTexts(_ happening: Happening) -> [String] {
        switch happening.event {
        case .subscription(let characteristic, let isOn):
            [subscriptionText(isOn, characteristic.title)]
        case .sessionBegan: ["session \(happening.place.session ?? 0) begins"]
        case .sessionEnded(let counts):
            ["session \(happening.place.session ?? 0) ends: " + Self.text(counts)]
        case .source(let octets, let summary): [Self.source(octets, summary)]
        case .command(let octets, let hasResponse): command(octets, hasResponse)
        case .commandResult(let octets, let error, let duration, let summary):
            [Self.result(octets, error, duration, summary)]
        case .commandUnanswered(let octets, let since, let ending, let summary):
            [
                "! \(Self.subject(octets, summary)), asked at "
                    + "\((since - start).thousandths), has no answer: \(ending.text)"
            ]
        case .answer(let answer, let summary): Self.answer(answer, summary)
        case .strayAnswer(let octets, let isFromBefore): Self.stray(octets, isFromBefore)
        default: []
        }
    }

    private static func text(_ counts: Happening.SessionCounts) -> String {
        let all = [
            ("added", counts.added), ("modified", counts.modified), ("removed", counts.removed),
            ("answers", counts.answered), ("refused", counts.refused),
            ("without answer", counts.unanswered),
        ]
        let told = all.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
        return told.isEmpty ? "nothing happened" : told.joined(separator: ", ")
    }

    // MARK: Notification Source

    private static func source(
        _ octets: [UInt8], _ summary: Happening.NotificationSummary
    ) -> String {
        guard let value = try? NotificationSourceValue(decoding: octets.span) else {
            return "! a Notification Source value of "
                + counted(octets.count, "octet") + " instead of 8: "
                + Hexadecimal.text(Array(octets.prefix(32)))
        }
        let mark =
            switch value.eventID {
            case .added: "+"
            case .modified: "~"
            case .removed: "-"
            default: "? \(value.eventID)"
            }
        var words = ["\(mark) uid \(value.notificationUID)"]
        words += names(summary)
        words.append("\(value.categoryID) (\(value.categoryCount))")
        // What is gone has no use for its flags.
        if value.eventID != .removed { words += value.eventFlags.names }
        return words.joined(separator: " · ")
    }

    private static func names(_ summary: Happening.NotificationSummary) -> [String] {
        [summary.app, summary.title].compactMap { $0 }.filter { !$0.isEmpty }
            .map(TerminalText.visible)
    }

    // MARK: Control Point

    /// What is asked is told with its answer; only what goes wrong is told at once.
    private func command(_ octets: [UInt8], _ hasResponse: Bool) -> [String] {
        do throws(ControlPointCommand.Rejection) {
            _ = try ControlPointCommand(decoding: octets.span)
            guard !hasResponse else { return [] }
            return [
                "! \(Self.subject(octets, .init())): written without asking for a response, "
                    + "which phones ignore"
            ]
        } catch {
            let reason = LineDecoder.controlPoint(octets)["error"]?.string ?? ""
            return ["! a Control Point write that is no command: " + TerminalText.visible(reason)]
        }
    }

    /// What a command is about.
    private static func subject(
        _ octets: [UInt8], _ summary: Happening.NotificationSummary
    ) -> String {
        let names = names(summary)
        let known = names.isEmpty ? "" : " (\(names.joined(separator: " · ")))"
        return switch try? ControlPointCommand(decoding: octets.span) {
        case .getNotificationAttributes(let command):
            "attributes of uid \(command.notificationUID)" + known
        case .getAppAttributes(let command):
            "the name of " + TerminalText.visible(command.appIdentifier.description)
        case .performNotificationAction(let command):
            "\(command.actionID) action on uid \(command.notificationUID)" + known
        case nil: "a write that is no command"
        }
    }

    private static func result(
        _ octets: [UInt8], _ error: ATTErrorCode?, _ duration: Duration,
        _ summary: Happening.NotificationSummary
    ) -> String {
        let time = duration.brief
        let subject = subject(octets, summary)
        guard let error else { return "✓ \(subject): accepted · \(time)" }
        return "! \(subject) refused: \(error.message) · \(time)"
    }

    // MARK: Data Source

    private static func answer(
        _ answer: Happening.Answer, _ summary: Happening.NotificationSummary
    ) -> [String] {
        let decoded = answer.json
        var remarks = [answer.duration.brief]
        if answer.isLate { remarks.append("late") }
        let fault = decoded["error"]?.string ?? decoded["why"]?.string
        let details = fault.map { ["! incomplete: " + TerminalText.visible($0)] } ?? []
        let attributes = decoded["attributes"]?.array ?? []
        if let app = decoded["appIdentifier"]?.string {
            return [appHeading(app, attributes) + " · " + remarks.joined(separator: " · ")]
                + details
        }
        let uid = decoded["uid"]?.integer.map { "uid \($0)" } ?? "?"
        let heading = ["= \(uid)"] + names(summary) + remarks
        return [heading.joined(separator: " · ")] + content(attributes, summary) + details
    }

    private static func appHeading(_ app: String, _ attributes: [JSONValue]) -> String {
        let shown = TerminalText.visible(app)
        guard let name = attributes.first?["value"]?.string, !name.isEmpty else {
            return "= \(shown) has no name"
        }
        return "= \(shown) is “\(TerminalText.visible(name))”"
    }

    /// The texts, a line each, then the rest on one line, then what was asked for and is empty.
    private static func content(
        _ attributes: [JSONValue], _ summary: Happening.NotificationSummary = .init()
    ) -> [String] {
        var texts: [String] = []
        var rest: [String] = []
        var empty: [String] = []
        for attribute in attributes {
            let name = attribute["name"]?.string ?? ""
            let value = attribute["value"]?.string ?? ""
            let shown = TerminalText.visible(value)
            let mark = attribute["octets"] == nil ? "" : " (not UTF-8)"
            if value.isEmpty {
                empty.append(name)
                continue
            }
            switch name {
            case "title" where summary.title != nil: break
            case "title", "subtitle", "message": texts.append(shown + mark)
            case "positiveActionLabel": rest.append("✓ \(shown)\(mark)")
            case "negativeActionLabel": rest.append("✗ \(shown)\(mark)")
            case "appIdentifier" where summary.app == value: break
            case "appIdentifier": rest.insert(shown + mark, at: 0)
            case "messageSize": rest.append("size \(shown)\(mark)")
            case "date": rest.append(NotificationDate(Array(value.utf8))?.description ?? shown)
            default: rest.append("\(name) \(shown)\(mark)")
            }
        }
        if !empty.isEmpty { rest.append("empty: " + empty.joined(separator: ", ")) }
        return texts + (rest.isEmpty ? [] : [rest.joined(separator: " · ")])
    }

    private static func stray(_ octets: [UInt8], _ isFromBefore: Bool) -> [String] {
        let what = isFromBefore ? "a command before the capture" : "no command"
        let decoded = DataSourceDecoder(command: nil).decode([octets])
        let about =
            decoded["uid"]?.integer.map { "uid \($0): " }
            ?? decoded["appIdentifier"]?.string.map { "\(TerminalText.visible($0)): " } ?? ""
        let answer = octets.count == 1 ? "answers" : "answer"
        return ["! \(about)\(counted(octets.count, "octet")) of the Data Source \(answer) \(what)"]
            + content(decoded["attributes"]?.array ?? [])
    }
}
