internal import ANCS
internal import BluetoothLE
internal import JSONText

/// Reads the steps of a scenario, and knows which names are defined so far.
struct StepReader {
    private static let modifiers = ["accessory", "within", "note", "optional"]
    private static let verbs = [
        "wait", "expect", "post", "modify", "remove", "ring", "answer", "decline", "stopRinging",
        "inject", "set", "consent", "disconnect", "forgetBond", "restart", "bind", "unbind",
        "publish",
        "unpublish", "pause", "repeat",
    ]
    /// All rounds of all repetitions together.
    private static let maximumSteps = 10_000

    private let accessories: [Scenario.Accessory]
    private let seed: UInt64
    /// The names of notifications, and whether they are calls that can be answered.
    private var names: [String: Bool] = [:]
    private var round: Int?
    private var count = 0

    init(accessories: [Scenario.Accessory], seed: UInt64) {
        self.accessories = accessories
        self.seed = seed
    }

    /// A list of steps, repetitions written out.
    mutating func steps(_ cursor: DocumentCursor) throws(DocumentError) -> [ScenarioStep] {
        var steps: [ScenarioStep] = []
        for element in try cursor.elements("a list of steps") {
            steps += try stepOrRepetition(element)
        }
        return steps
    }

    private mutating func stepOrRepetition(
        _ cursor: DocumentCursor
    ) throws(DocumentError) -> [ScenarioStep] {
        let object = try cursor.object("a step", allowing: Self.verbs + Self.modifiers)
        let verbs = object.members.filter { Self.verbs.contains($0.name) }
        guard verbs.count == 1, let verb = verbs.first else {
            throw DocumentError(
                path: cursor.path,
                expected: "a step with one of \(DocumentCursor.list(Self.verbs))",
                found: verbs.isEmpty
                    ? "none of them" : DocumentCursor.list(verbs.map(\.name)) + " together")
        }
        if verb.name == "repeat" {
            if let other = object.members.first(where: { $0.name != verb.name }) {
                throw other.cursor.error(
                    expected: "nothing: \"\(other.name)\" stands beside the steps of a repetition")
            }
            return try repetition(verb.cursor)
        }
        count += 1
        guard count <= Self.maximumSteps else {
            throw DocumentError(
                path: cursor.path, expected: "at most \(Self.maximumSteps) steps in all rounds",
                found: "more")
        }
        var step = ScenarioStep(path: cursor.path, action: try action(verb.name, verb.cursor))
        step.note = try object["note"]?.string()
        step.isOptional = try object["optional"]?.boolean() ?? false
        step.round = round
        step.deadline = try object["within"]?.seconds() ?? step.deadline
        step.accessory = try accessory(object, of: step.action)
        if accessories.count > 1 {
            step.accessoryName = step.accessory.map { accessories[$0].name }
        }
        return [step]
    }

    private mutating func repetition(_ cursor: DocumentCursor) throws(DocumentError)
        -> [ScenarioStep]
    {
        guard round == nil else {
            throw DocumentError(
                path: cursor.path, expected: "a step", found: "a repetition in a repetition")
        }
        let object = try cursor.object("a repetition", allowing: ["times", "steps"])
        let times = try object.require("times", "a whole number")
            .integer(in: 1...Self.maximumSteps)
        let steps = try object.require("steps", "a list of steps")
        defer { round = nil }
        var all: [ScenarioStep] = []
        for number in 1...times {
            round = number
            all += try self.steps(steps)
        }
        return all
    }

    /// Steps of the phone's own name nobody; the others may leave out who is meant where there is only
    /// one.
    private func accessory(
        _ object: DocumentObject, of action: ScenarioStep.Action
    ) throws(DocumentError) -> Int? {
        let all = accessories.map(\.name)
        if let cursor = object["accessory"] {
            return try cursor.word(
                of: all.enumerated().map { ($0.element, $0.offset) }, "an accessory")
        }
        guard action.concernsAccessory else { return nil }
        guard all.count == 1 else {
            throw DocumentError(
                path: object.cursor.path,
                expected: "the member \"accessory\": \(DocumentCursor.list(all))", found: "none")
        }
        return 0
    }

    // MARK: Verbs

    private mutating func action(
        _ verb: String, _ cursor: DocumentCursor
    ) throws(DocumentError) -> ScenarioStep.Action {
        switch verb {
        case "wait": return .wait(try cursor.word(of: Self.words(), "an event"))
        case "expect":
            return .expect(try ExpectationReader(names: names, round: round).read(cursor))
        case "post": return .post(try notification(cursor))
        case "modify": return try modification(cursor)
        case "remove": return .remove(try reference(cursor))
        case "ring": return .ring(try call(cursor))
        case "answer": return .answer(try endedCall(cursor, becoming: ".active"))
        case "decline": return .decline(try endedCall(cursor, becoming: ".missed"))
        case "stopRinging": return .stopRinging(try endedCall(cursor, becoming: ".missed"))
        case "inject": return .inject(try ScenarioFault(reading: cursor))
        case "set": return .set(try BehaviorChange(reading: cursor, seed: seed))
        case "consent": return .consent(try cursor.boolean())
        case "publish": return try publication(cursor)
        case "unpublish": return .unpublish(isAnnounced: try isAnnounced(cursor))
        case "pause": return .pause(try cursor.seconds())
        case "restart":
            if cursor.value != .boolean(true) { _ = try cursor.object("true", allowing: []) }
            return .restart
        case "bind": return try binding(cursor)
        case "unbind":
            if cursor.value == .boolean(true) { return .unbind(app: nil) }
            let object = try cursor.object("true, or an object with app", allowing: ["app"])
            return .unbind(app: try object["app"].map(ExpectationReader.app))
        case "disconnect":
            try plain(cursor)
            return .disconnect
        default:
            try plain(cursor)
            return .forgetBond
        }
    }

    static func words<Word: RawRepresentable & CaseIterable>() -> [(String, Word)]
    where Word.RawValue == String {
        Word.allCases.map { ($0.rawValue, $0) }
    }

    /// A verb that takes nothing stands with `true`.
    private func plain(_ cursor: DocumentCursor) throws(DocumentError) {
        guard cursor.value == .boolean(true) else { throw cursor.error(expected: "true") }
    }

    /// `true`, or an object that says whether Service Changed tells it.
    private func publication(_ cursor: DocumentCursor) throws(DocumentError) -> ScenarioStep.Action
    {
        if cursor.value == .boolean(true) { return .publish(at: nil, isAnnounced: true) }
        let object = try cursor.object(
            "true, or an object with serviceChanged or handle",
            allowing: ["serviceChanged", "handle"])
        return .publish(
            at: try object["handle"].map { cursor throws(DocumentError) in
                // Below are other services, and there must be room for ten attributes.
                UInt16(try cursor.integer(in: 0x23...0xFFF6))
            },
            isAnnounced: try object["serviceChanged"]?.boolean() ?? true)
    }

    private func isAnnounced(_ cursor: DocumentCursor) throws(DocumentError) -> Bool {
        if cursor.value == .boolean(true) { return true }
        let object = try cursor.object(
            "true, or an object with serviceChanged", allowing: ["serviceChanged"])
        return try object["serviceChanged"]?.boolean() ?? true
    }

    private func binding(_ cursor: DocumentCursor) throws(DocumentError) -> ScenarioStep.Action {
        let object = try cursor.object(
            "an object with the service of the accessory", allowing: ["service", "app"])
        let what = "a UUID: 4 or 8 hex digits, or all 36 characters"
        let service = try object.require("service", what)
        guard let uuid = BluetoothUUID(text: try service.string(what)) else {
            throw service.error(expected: what)
        }
        let app = try object["app"].map(ExpectationReader.app)
        return .bind(uuid, app: app ?? BoundApp.defaultName)
    }

    // MARK: Notifications

    /// A new notification with a name of its own.
    mutating func notification(
        _ cursor: DocumentCursor
    ) throws(DocumentError) -> NamedNotification {
        let object = try cursor.object(
            "a notification", allowing: ["as"] + NotificationContent.members)
        let name = try define(object, isCall: false)
        return NamedNotification(
            name: name, content: try NotificationContent(reading: object, round: round))
    }

    private mutating func call(_ cursor: DocumentCursor) throws(DocumentError) -> NamedNotification
    {
        let object = try cursor.object("a call", allowing: ["as", "from", "line"])
        var content = NotificationContent()
        content.title = try object["from"]?.string("who calls").numbered(round)
        content.subtitle = try object["line"]?.string("on which line").numbered(round)
        return NamedNotification(name: try define(object, isCall: true), content: content)
    }

    private mutating func define(
        _ object: DocumentObject, isCall: Bool
    ) throws(DocumentError) -> String {
        let cursor = try object.require("as", "a name for steps to refer to it")
        let name = try cursor.name("a name").numbered(round)
        guard names.updateValue(isCall, forKey: name) == nil else {
            throw cursor.error(
                expected: round == nil
                    ? "a name that is not taken" : "a name with {n}, as it stands in a repetition")
        }
        return name
    }

    private func reference(_ cursor: DocumentCursor) throws(DocumentError) -> String {
        try ExpectationReader(names: names, round: round).reference(cursor)
    }

    private func callReference(_ cursor: DocumentCursor) throws(DocumentError) -> String {
        let name = try reference(cursor)
        guard names[name] == true else {
            throw cursor.error(expected: "the name of a ringing call")
        }
        return name
    }

    /// A call that does not ring any more leaves an active or a missed call behind, with a name of its
    /// own.
    private mutating func endedCall(
        _ cursor: DocumentCursor, becoming suffix: String
    ) throws(DocumentError) -> String {
        let name = try callReference(cursor)
        names[name] = false
        names[name + suffix] = false
        return name
    }

    private func modification(_ cursor: DocumentCursor) throws(DocumentError) -> ScenarioStep.Action
    {
        let object = try cursor.object(
            "the name of a notification and its new content",
            allowing: ["of"] + NotificationContent.members)
        let name = try reference(object.require("of", "the name of a notification"))
        return .modify(name, try NotificationContent(reading: object, round: round))
    }
}

extension ScenarioStep.Action {
    /// Whether a step is about one accessory, rather than about the phone.
    var concernsAccessory: Bool {
        switch self {
        case .expect(.binding), .expect(.absence(of: .binding, _, _)): false
        case .wait, .expect, .inject, .consent, .disconnect, .forgetBond: true
        case .post, .modify, .remove, .ring, .answer, .decline, .stopRinging, .set, .restart,
            .bind, .unbind, .publish, .unpublish, .pause:
            false
        }
    }
}

extension ScenarioStep.Action {
    /// Whether a step makes sense only as long as the accessory is connected.
    var needsLink: Bool {
        switch self {
        case .inject, .disconnect: true
        case .wait, .expect, .consent, .forgetBond, .restart, .bind, .unbind, .post, .modify,
            .remove, .ring, .answer, .decline, .stopRinging, .set, .publish, .unpublish, .pause:
            false
        }
    }
}

extension String {
    /// The text with `{n}` replaced by the number of the round.
    func numbered(_ round: Int?) -> String {
        guard let round else { return self }
        return split(separator: "{n}", omittingEmptySubsequences: false)
            .joined(separator: String(round))
    }
}
