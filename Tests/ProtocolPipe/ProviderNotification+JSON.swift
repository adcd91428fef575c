internal import ANCS
internal import ANCSProvider
internal import JSONText

/// Notifications in JSON, with the members that `ancs receive --json` prints.
extension ProviderNotification {
    /// Reads a notification; the member `app` is required.
    init(json: JSONValue) throws(PipeError) {
        let app = json.members?.first { Self.key($0.name) == .app }
        guard let app else { throw PipeError(message: "a notification has an app") }
        self.init(appIdentifier: try AppIdentifier(json: app.value))
        try apply(json)
    }

    /// Sets the properties for which the object has members.
    mutating func apply(_ json: JSONValue) throws(PipeError) {
        for member in json.members ?? [] { try apply(member.name, member.value) }
    }

    private enum Key {
        case app, category, title, subtitle, message, date, flags, silent, important, actions
        case positiveAction, negativeAction
    }

    /// The property that a member stands for; names of attributes and names with underscores are accepted
    /// too.
    private static func key(_ name: String) -> Key? {
        switch name.filter({ $0 != "_" }).lowercased() {
        case "app", "appid", "appidentifier": .app
        case "category", "categoryid": .category
        case "title": .title
        case "subtitle": .subtitle
        case "message": .message
        case "date": .date
        case "flags", "eventflags": .flags
        case "silent": .silent
        case "important": .important
        case "actions": .actions
        case "positive", "positiveaction", "positiveactionlabel", "positivelabel": .positiveAction
        case "negative", "negativeaction", "negativeactionlabel", "negativelabel": .negativeAction
        case _: nil
        }
    }

    private mutating func apply(_ name: String, _ value: JSONValue) throws(PipeError) {
        switch Self.key(name) {
        case .app: appIdentifier = try AppIdentifier(json: value)
        case .category: categoryID = try CategoryID(json: value)
        case .title: title = try Self.text(value, name)
        case .subtitle: subtitle = try Self.text(value, name)
        case .message: message = try Self.text(value, name)
        case .date: date = try Self.date(value)
        case .flags: try apply(flags: value)
        case .silent: isSilent = value == true
        case .important: isImportant = value == true
        case .actions:
            try apply("positive", value["positive"] ?? .null)
            try apply("negative", value["negative"] ?? .null)
        case .positiveAction: positiveActionLabel = try Self.label(value, name)
        case .negativeAction: negativeActionLabel = try Self.label(value, name)
        case nil: break
        }
    }

    private static func label(_ value: JSONValue, _ name: String) throws(PipeError) -> [UInt8]? {
        value == .null ? nil : try text(value, name)
    }

    /// Reads flags by name or as a number. The flags of actions also follow from the labels.
    private mutating func apply(flags value: JSONValue) throws(PipeError) {
        additionalFlags = []
        if let number = value.integer, let rawValue = UInt8(exactly: number) {
            additionalFlags = EventFlags(rawValue: rawValue)
            return
        }
        guard let names = value.array else {
            throw PipeError(message: "flags takes a list of names, or a number")
        }
        for name in names.compactMap(\.string) {
            let flag = (0..<8).map { EventFlags(rawValue: 1 << $0) }.first { $0.names == [name] }
            guard let flag else { throw PipeError(message: "there is no flag '\(name)'") }
            additionalFlags.insert(flag)
        }
    }

    private static func text(_ value: JSONValue, _ name: String) throws(PipeError) -> [UInt8] {
        guard let text = value.string else {
            throw PipeError(message: "'\(name)' takes a string")
        }
        return Array(text.utf8)
    }

    /// Reads `2026-11-21T09:30:00`, or the form used over the air, `20261121T093000`. Empty and `null` mean
    /// no date.
    private static func date(_ value: JSONValue) throws(PipeError) -> NotificationDate? {
        guard let text = value.string, !text.isEmpty else { return nil }
        guard let date = NotificationDate(text.utf8.filter { $0 != 0x2D && $0 != 0x3A }) else {
            throw PipeError(message: "'\(text)' is not a date")
        }
        return date
    }
}

extension AppIdentifier {
    /// Reads an identifier from a string, or from an object with an `identifier`.
    init(json: JSONValue) throws(PipeError) {
        let text = json.string ?? json["identifier"]?.string ?? ""
        do throws(ControlPointCommand.UsageError) {
            try self.init(text)
        } catch {
            throw PipeError(message: "'\(text)' is not an app identifier")
        }
    }
}

extension CategoryID {
    /// Reads a category by number or name.
    fileprivate init(json: JSONValue) throws(PipeError) {
        let number =
            json.integer.flatMap { UInt8(exactly: $0) }
            ?? (0...UInt8.max).first { CategoryID(rawValue: $0).description == json.string }
        guard let number else { throw PipeError(message: "there is no such category") }
        self.init(rawValue: number)
    }
}
