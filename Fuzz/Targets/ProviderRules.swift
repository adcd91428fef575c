import Octets

@testable import ANCS
@testable import ANCSProvider

/// The rules that a ``ProviderSession`` must keep with any accessory.
struct ProviderRules {
    /// Whether answers may be deliberately wrong.
    var isFaulty: Bool
    var isSubscribedToDataSource = false
    /// The largest ATT_MTU so far; an answer continues with the value size it began with.
    var largestMTU = 23
    private var hasSession = false
    /// The notifications that the accessory knows.
    private var known: Set<NotificationUID> = []
    private var unansweredCommands = 0
    private var awaitsResponse = false
    /// The octets of the Data Source since the last complete answer.
    private var dataSource: [UInt8] = []

    init(_ behavior: ProviderBehavior) {
        isFaulty = false
        changed(behavior)
    }

    mutating func changed(_ behavior: ProviderBehavior) {
        if behavior.joinsAnswers || behavior.responsiveness != .normal { isFaulty = true }
    }

    mutating func linkEnded() {
        awaitsResponse = false
    }

    mutating func commandWritten() {
        unansweredCommands += 1
        awaitsResponse = true
    }

    mutating func note(_ output: ProviderSession.Output) throws {
        switch output {
        case .link(.notify(let characteristic, let value)):
            try check(
                value.count <= max(23, largestMTU) - 3, "a value is longer than a PDU may be")
            switch characteristic {
            case .notificationSource: try announced(value)
            case .dataSource:
                try check(isSubscribedToDataSource, "the Data Source has no subscriber")
                dataSource += value
            }
        case .link(.respond):
            try check(awaitsResponse, "a response to no write")
            awaitsResponse = false
        case .started:
            try check(!hasSession, "a session starts within another")
            hasSession = true
            known = []
        case .ended:
            try check(hasSession, "a session ends that has not started")
            hasSession = false
        case .answered(let command, let outcome): try answered(command, outcome)
        case .perform, .commandReceived, .dropLink: break
        }
    }

    /// Each notification of a session must be added, then modified, then removed (R19).
    private mutating func announced(_ octets: [UInt8]) throws {
        try check(hasSession, "an announcement without a session")
        let value = try NotificationSourceValue(decoding: octets.span)
        let uid = value.notificationUID
        switch value.eventID {
        case .added: try check(known.insert(uid).inserted, "\(uid) is added twice")
        case .modified: try check(known.contains(uid), "\(uid) is modified before it is added")
        case .removed: try check(known.remove(uid) != nil, "\(uid) is removed before it is added")
        default: throw BrokenRule(description: "an announcement with a reserved event")
        }
    }

    private mutating func answered(
        _ command: ProviderSession.Command, _ outcome: ProviderSession.Outcome
    ) throws {
        unansweredCommands -= 1
        try check(unansweredCommands >= 0, "a command is answered twice")
        switch outcome {
        case .sent(let count):
            if !isFaulty { try compare(dataSource, count, command) }
            dataSource = []
        case .abandoned: dataSource = []
        case .ignored: awaitsResponse = false
        case .withheld, .performed, .refused: break
        }
    }

    /// The octets sent must be the answer to the command, of the reported length.
    private func compare(
        _ octets: [UInt8], _ count: Int, _ command: ProviderSession.Command
    ) throws {
        try check(
            octets.count == count, "\(octets.count) octets are sent and \(count) are reported")
        guard case .decoded(let command) = command,
            var assembler = ResponseAssembler(answering: command)
        else { throw BrokenRule(description: "what is no question has an answer") }
        assembler.receive(octets.span)
        switch assembler.progress {
        case .incomplete: break
        case .complete(let excess):
            // An attribute requested twice is answered twice.
            let asksTwice: Bool =
                switch command {
                case .getNotificationAttributes(let get):
                    Set(get.attributes.map(\.id)).count < get.attributes.count
                case .getAppAttributes(let get): Set(get.attributes).count < get.attributes.count
                case .performNotificationAction: false
                }
            try check(
                excess == 0 || asksTwice, "\(excess) octets follow the answer to a command")
        case .failed(.tooLong): break
        case .failed: throw BrokenRule(description: "an answer is not that of its command")
        }
    }

    /// The link has ended.
    func hasEnded() throws {
        try check(!hasSession, "the session goes on without a link")
        try check(unansweredCommands == 0, "\(unansweredCommands) commands have no outcome")
    }
}
