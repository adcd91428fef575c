internal import ANCS
internal import ANCSKit
internal import BluetoothLE

/// What somebody who plays the phone's user types.
enum PromptCommand: Hashable, Sendable {
    case post(app: String, NotificationChange)
    case modify(NotificationReference, NotificationChange)
    case remove([NotificationReference])
    case removeAll
    case call(caller: String, line: String)
    case answer(NotificationReference?)
    case decline(NotificationReference?)
    case stopRinging(NotificationReference?)
    case hangUp(NotificationReference?)
    case notifications
    case apps
    case install(AppIdentifier, name: String)
    case uninstall(app: String)
    case accessories
    case consent(Bool, String?)
    case pair(String?)
    case disconnect(String?)
    case forget(String?)
    case service(Bool, announcing: Bool)
    case restart
    case bind(BluetoothUUID, app: String)
    case unbind(app: String?)
    case bindings
    case help
    case quit

    /// A notification by its number.
    typealias NotificationReference = UInt64

    /// A line that is no command, in a sentence.
    struct Fault: Error {
        var message: String
    }

    /// One command, for the help text and for completion.
    struct Syntax: Sendable {
        var name: String
        var operands: String
        var help: String
    }

    static let syntaxes: [Syntax] = [
        .init(
            name: "post", operands: "APP TITLE [MESSAGE] [KEY=VALUE]… [silent] [important]",
            help: "post a notification; keys: \(NotificationChange.keys.joined(separator: ", "))"),
        .init(name: "modify", operands: "N [KEY=VALUE]…", help: "change notification N"),
        .init(name: "remove", operands: "N…|all", help: "remove notifications"),
        .init(name: "notifications", operands: "", help: "list the notifications"),
        .init(name: "call", operands: "CALLER [LINE]", help: "let the phone ring"),
        .init(name: "answer", operands: "[N]", help: "answer the call"),
        .init(name: "decline", operands: "[N]", help: "decline the call: it is a missed one then"),
        .init(name: "stop", operands: "[N]", help: "the caller gives up: a missed call"),
        .init(name: "hangup", operands: "[N]", help: "end the call that was answered"),
        .init(name: "apps", operands: "", help: "list the installed apps"),
        .init(name: "install", operands: "IDENTIFIER NAME", help: "install or rename an app"),
        .init(name: "uninstall", operands: "APP", help: "uninstall an app"),
        .init(name: "accessories", operands: "", help: "list the accessories"),
        .init(
            name: "consent", operands: "on|off [ACCESSORY]", help: "Share System Notifications"),
        .init(name: "pair", operands: "[ACCESSORY]", help: "pair, or encrypt with the bond"),
        .init(name: "disconnect", operands: "[ACCESSORY]", help: "end the link"),
        .init(name: "forget", operands: "[ACCESSORY]", help: "remove the bond"),
        .init(
            name: "service", operands: "on|off [silently]",
            help: "have ANCS, or not; silently: without Service Changed"),
        .init(
            name: "bind", operands: "SERVICE [APP]",
            help: "an app (\(BoundApp.defaultName)) asks for an accessory with a service"),
        .init(name: "bindings", operands: "", help: "list the apps and what they are bound to"),
        .init(
            name: "unbind", operands: "[APP]",
            help: "an app lets its accessory go; the phone stays connected to it"),
        .init(name: "restart", operands: "", help: "switch the phone off and on"),
        .init(name: "help", operands: "", help: "this text"),
        .init(name: "quit", operands: "", help: "end the phone"),
    ]

    /// Reads a line; `nil` for a blank one and for a comment.
    init?(parsing line: String) throws(Fault) {
        let words: [String]
        do throws(PromptWords.OpenQuote) { words = try PromptWords.split(line) } catch {
            throw Fault(message: "a quote does not end")
        }
        guard let name = words.first, !name.hasPrefix("#") else { return nil }
        self = try Self.command(name, Array(words.dropFirst()))
    }

    private static func command(
        _ name: String, _ operands: [String]
    ) throws(Fault) -> PromptCommand {
        switch name {
        case "post": return try post(operands)
        case "modify": return try modify(operands)
        case "remove": return try remove(operands)
        case "call": return try call(operands)
        case "install": return try install(operands)
        case "uninstall":
            guard operands.count == 1 else { throw usage("uninstall") }
            return .uninstall(app: operands[0])
        case "consent": return try consent(operands)
        case "service": return try service(operands)
        case "answer", "decline", "stop", "hangup": return try onCall(name, operands)
        case "pair", "disconnect", "forget": return try onAccessory(name, operands)
        case "bind": return try bind(operands)
        case "unbind":
            guard operands.count < 2 else { throw usage(name) }
            return .unbind(app: operands.first)
        default:
            guard operands.isEmpty else {
                throw isCommand(name) ? usage(name) : unknown(name)
            }
            return try plain(name)
        }
    }

    private static func plain(_ name: String) throws(Fault) -> PromptCommand {
        switch name {
        case "notifications": return .notifications
        case "apps": return .apps
        case "accessories": return .accessories
        case "bindings": return .bindings
        case "restart": return .restart
        case "help", "?": return .help
        case "quit", "exit": return .quit
        default: throw unknown(name)
        }
    }

    private static func isCommand(_ name: String) -> Bool { syntaxes.contains { $0.name == name } }

    private static func unknown(_ name: String) -> Fault {
        let meant = NearestWord.of(name, in: syntaxes.map(\.name))
        return Fault(
            message: "'\(name)' is not a command; "
                + (meant.map { "did you mean '\($0)'?" } ?? "'help' lists them"))
    }

    private static func usage(_ name: String) -> Fault {
        let operands = syntaxes.first { $0.name == name }?.operands ?? ""
        return Fault(message: "usage: \(name) \(operands)")
    }

    // MARK: Operands

    private static func post(_ operands: [String]) throws(Fault) -> PromptCommand {
        var (change, rest) = try change(operands)
        guard (1...3).contains(rest.count) else { throw usage("post") }
        guard rest.count > 1 || change.title != nil else {
            throw Fault(
                message:
                    "the notification has no title: post \(PromptWords.quoted(rest[0])) TITLE, or "
                    + "title= for one without")
        }
        if rest.count > 1 { change.title = rest[1] }
        if rest.count > 2 { change.message = rest[2] }
        return .post(app: rest[0], change)
    }

    private static func modify(_ operands: [String]) throws(Fault) -> PromptCommand {
        let (change, rest) = try change(operands)
        guard rest.count == 1 else { throw usage("modify") }
        return .modify(try number(rest[0]), change)
    }

    private static func change(
        _ words: [String]
    ) throws(Fault) -> (NotificationChange, rest: [String]) {
        var change = NotificationChange()
        var rest: [String] = []
        do throws(NotificationChange.Fault) {
            for word in words where try !change.take(word) { rest.append(word) }
        } catch { throw Fault(message: error.message) }
        return (change, rest)
    }

    private static func remove(_ operands: [String]) throws(Fault) -> PromptCommand {
        guard !operands.isEmpty else { throw usage("remove") }
        if operands == ["all"] { return .removeAll }
        var numbers: [NotificationReference] = []
        for word in operands { numbers.append(try number(word)) }
        return .remove(numbers)
    }

    private static func number(_ word: String) throws(Fault) -> NotificationReference {
        guard let number = UInt64(word) else {
            throw Fault(message: "'\(word)' is not the number of a notification")
        }
        return number
    }

    private static func call(_ operands: [String]) throws(Fault) -> PromptCommand {
        guard (1...2).contains(operands.count) else { throw usage("call") }
        return .call(caller: operands[0], line: operands.count > 1 ? operands[1] : "")
    }

    private static func install(_ operands: [String]) throws(Fault) -> PromptCommand {
        guard operands.count == 2 else { throw usage("install") }
        guard let app = try? AppIdentifier(operands[0]) else {
            throw Fault(message: "'\(operands[0])' cannot be the identifier of an app")
        }
        return .install(app, name: operands[1])
    }

    private static func consent(_ operands: [String]) throws(Fault) -> PromptCommand {
        guard (1...2).contains(operands.count), let isOn = Self.isOn(operands[0]) else {
            throw usage("consent")
        }
        return .consent(isOn, operands.count > 1 ? operands[1] : nil)
    }

    private static func service(_ operands: [String]) throws(Fault) -> PromptCommand {
        let isSilent = operands.dropFirst() == ["silently"]
        guard let isOn = operands.first.flatMap(Self.isOn), operands.count == 1 || isSilent else {
            throw usage("service")
        }
        return .service(isOn, announcing: !isSilent)
    }

    private static func bind(_ operands: [String]) throws(Fault) -> PromptCommand {
        guard (1...2).contains(operands.count) else { throw usage("bind") }
        guard let service = BluetoothUUID(text: operands[0]) else {
            throw Fault(message: "'\(operands[0])' is not a UUID: 180D, or all 36 characters")
        }
        return .bind(service, app: operands.count > 1 ? operands[1] : BoundApp.defaultName)
    }

    private static func isOn(_ word: String) -> Bool? {
        switch word {
        case "on": true
        case "off": false
        default: nil
        }
    }

    private static func onCall(
        _ name: String, _ operands: [String]
    ) throws(Fault) -> PromptCommand {
        guard operands.count < 2 else { throw usage(name) }
        var id: NotificationReference?
        if let word = operands.first { id = try number(word) }
        switch name {
        case "answer": return .answer(id)
        case "decline": return .decline(id)
        case "stop": return .stopRinging(id)
        default: return .hangUp(id)
        }
    }

    private static func onAccessory(
        _ name: String, _ operands: [String]
    ) throws(Fault) -> PromptCommand {
        guard operands.count < 2 else { throw usage(name) }
        switch name {
        case "pair": return .pair(operands.first)
        case "disconnect": return .disconnect(operands.first)
        default: return .forget(operands.first)
        }
    }
}
