internal import AMS
internal import ANCS
internal import MQTT

// Commands from the broker.
extension MQTTPublisher {
    mutating func refuse(_ fault: MQTTCommand.Fault) {
        refusedCommands += 1
        guard saidFaults.insert(fault).inserted else { return }
        outputs.append(.log("a command from the broker was refused: \(fault.message)"))
    }

    /// What a command asks for.
    mutating func output(
        of message: MQTTMessage, at now: MonotonicInstant
    ) throws(MQTTCommand.Fault) -> Output {
        // A broker may deliver messages that were not subscribed to.
        guard setting.takesCommands else { throw .notAllowed }
        guard !message.isRetained else { throw .retained }
        let command = try MQTTCommand(reading: message.payload)
        let levels = message.topic.split(separator: "/", omittingEmptySubsequences: false)
        guard levels.count == 4, levels[0] == "ancs", levels[1] == setting.host,
            levels[3] == "perform", let phone = phones[String(levels[2])]
        else { throw .unknownPhone }
        guard commands.take(at: now) else { throw .tooMany }
        guard case .player(let command) = command else {
            let (action, record) = try target(of: command, at: phone)
            return .perform(action, record)
        }
        guard let player = phone.player, player.commands.contains(command) else { throw .noPlayer }
        return .send(command, phone.name.digest)
    }

    /// The latest of some records: the last announced one, unless another has a later date. Identifiers are in
    /// the order of announcements; not every notification has a date (S12).
    private static func latest(of entries: [RecordID: Entry]) -> RecordID? {
        guard let last = entries.keys.max(), let date = entries[last]?.date else {
            return entries.keys.max()
        }
        var latest = (date: date, id: last)
        for (id, entry) in entries {
            guard let date = entry.date, (latest.date, latest.id) < (date, id) else { continue }
            latest = (date, id)
        }
        return latest.id
    }

    func target(
        of command: MQTTCommand, at phone: Phone
    ) throws(MQTTCommand.Fault) -> (ActionID, RecordID) {
        switch command {
        case .record(let id, let action):
            guard let entry = entries[id], entry.phone == phone.name.digest else {
                throw .unknownRecord
            }
            guard entry.flags.contains(action == .positive ? .positiveAction : .negativeAction)
            else { throw .actionUnavailable }
            return (action, id)
        // Active calls are excluded: a decline that arrives a moment too late would hang up.
        case .call(let action):
            guard let call = phone.ringing else { throw .noCall }
            return (action, call.id)
        case .clearLast:
            let candidates = entries.filter { $0.value.canBeCleared(at: phone) }
            guard let last = Self.latest(of: candidates) else { throw .nothingToClear }
            return (.negative, last)
        case .player: throw .noPlayer
        }
    }
}

extension MQTTPublisher.Entry {
    /// Whether its negative action clears a notification of this phone: calls are not cleared but declined.
    fileprivate func canBeCleared(at phone: MQTTPublisher.Phone) -> Bool {
        self.phone == phone.name.digest && flags.contains(.negativeAction)
            && category != .incomingCall && category != .activeCall
    }
}

/// Limits the rate of commands.
struct CommandBudget: Sendable {
    private let limit: Int
    private let interval: Duration
    private var left: Int
    private var last: MonotonicInstant?

    init(_ limits: MQTTPublisher.Limits) {
        limit = limits.commands
        interval = limits.commandInterval
        left = limit
    }

    /// Whether a command may be carried out now.
    mutating func take(at now: MonotonicInstant) -> Bool {
        if let last {
            let earned = Int(min((now - last) / interval, Double(limit)))
            if earned > 0 {
                left = min(limit, left + earned)
                self.last = now
            }
        } else {
            last = now
        }
        guard left > 0 else { return false }
        left -= 1
        return true
    }
}
