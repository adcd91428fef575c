internal import ANCSCapture
internal import JSONText
internal import LinuxIO

/// The commands of the accessory in their order, and what went wrong with each.
struct CommandStory {
    /// What went wrong.
    enum Fault: Equatable {
        /// The answer came so many seconds after the command.
        case late(Double)
        /// No answer came, or not even a response to the write.
        case lost, unanswered
        /// The command was refused.
        case refused(ControlPointError)
        /// The link was lost after so many octets of the answer.
        case linkLoss(Int)
        /// The attributes came in the reverse order, the answer began with that to the next command, it came again, or
        /// it had no attribute.
        case reordered, joined, duplicated, headerOnly
        /// From this answer on, answers were cut in another way, in the words of a scenario.
        case cut(JSONValue)
    }

    struct Command {
        let octets: [UInt8]
        let decoded: ControlPointCommand
        let time: CaptureTime
        /// When the session began.
        let session: CaptureTime
        var isOpen = true
        /// When it was answered or refused.
        var ended: CaptureTime?
        var faults: [Fault] = []
        /// Whether the user did not allow it.
        var isForbidden = false
    }

    /// An answer that takes longer than this is late.
    private static let patience = Duration.seconds(1)

    private(set) var commands: [Command] = []
    /// The last command that was answered.
    private var answered: Int?
    /// How answers are cut (S6); as large as the ATT_MTU allows until one shows something else.
    private var cut: JSONValue = "full"

    mutating func write(_ write: CaptureEvent.Write, at time: CaptureTime, session: CaptureTime) {
        guard let decoded = write.command else { return }
        commands.append(
            Command(octets: write.octets, decoded: decoded, time: time, session: session))
    }

    /// The command was confirmed that has no answer, or refused.
    mutating func confirm(
        _ write: CaptureEvent.Write, _ error: ATTErrorCode?, isAboutKnown: Bool,
        at time: CaptureTime
    ) {
        guard let index = open({ $0.octets == write.octets }) else { return }
        (commands[index].isOpen, commands[index].ended) = (false, time)
        guard let error else { return }
        commands[index].isForbidden = error == .writeNotPermitted
        if error == .writeNotPermitted || error == .invalidHandle { return }
        // What is gone is refused without being asked to (R61).
        if error.rawValue == ControlPointError.invalidParameter.rawValue, !isAboutKnown { return }
        commands[index].faults.append(.refused(ControlPointError(rawValue: error.rawValue)))
    }

    /// `largest`: the octets that a value may have.
    mutating func answer(_ answer: CaptureEvent.Answer, largest: Int, at time: CaptureTime) {
        guard let identity = answer.content.identity,
            var index = open({ ResponseIdentity(answering: $0.decoded) == identity })
        else { return }
        let end = commands[index].time + answer.duration
        // One that was asked again and then answered at once was lost before.
        if let again = commands.lastIndex(where: { $0.octets == commands[index].octets }),
            again > index, commands[again].isOpen, end - commands[again].time <= Self.patience
        {
            commands[index].faults.append(.lost)
            commands[index].isOpen = false
            index = again
        }
        let command = commands[index]
        let duration = end - command.time
        let ids = (answer.content.attributes ?? []).map(\.id)
        // One that ends with the link has not ended. What follows an answer without attributes is its end.
        if answer.content.fault != nil, !ids.isEmpty {
            commands[index].faults = [.linkLoss(answer.parts.reduce(0, +))]
            return
        }
        (commands[index].isOpen, commands[index].ended) = (false, end)
        if let now = cut(of: answer, largest: largest), now != cut {
            cut = now
            commands[index].faults.append(.cut(now))
        }
        if ids.isEmpty {
            commands[index].faults.append(.headerOnly)
        } else if ids != command.decoded.requestedAttributes.filter(ids.contains) {
            commands[index].faults.append(.reordered)
        }
        // A clock that was set makes any duration.
        if duration > Self.patience, duration < .seconds(3600) {
            let seconds = (duration / .milliseconds(10)).rounded() / 100
            commands[index].faults.append(.late(seconds))
        }
        if answer.isJoined, let answered {
            // It waited for that.
            commands[answered].faults = [.joined]
        }
        answered = index
    }

    /// How an answer was cut. One in one value shows only that values can be so large, one that shares values nothing.
    private func cut(of answer: CaptureEvent.Answer, largest: Int) -> JSONValue? {
        guard let first = answer.parts.first, let last = answer.parts.last, !answer.isJoined else {
            return nil
        }
        guard answer.parts.count > 1 else { return first > (cut.integer ?? 20) ? "full" : nil }
        let isEven = answer.parts.dropLast().allSatisfy { $0 == first }
        guard isEven, last <= first else { return "random" }
        return first >= largest ? "full" : .integer(first)
    }

    /// An answer came again.
    mutating func stray() {
        guard let answered, !commands[answered].faults.contains(.duplicated) else { return }
        commands[answered].faults.append(.duplicated)
    }

    mutating func abandon(
        _ write: CaptureEvent.Write, since: CaptureTime, _ ending: CaptureEvent.Ending,
        at time: CaptureTime
    ) {
        guard let index = commands.lastIndex(where: { $0.time == since && $0.isOpen }) else {
            return
        }
        commands[index].isOpen = false
        // One that is on its way when the link ends is no fault.
        guard ending != .link || time - since > Self.patience else {
            commands[index].faults = [.linkLoss(0)]
            return
        }
        commands[index].faults.append(write.isConfirmed ? .lost : .unanswered)
    }

    /// The link has ended: an answer that was on its way got lost with it. Returns whether that is why it ended.
    mutating func endLink(isLost: Bool, byPhone: Bool) -> Bool {
        guard let last = commands.indices.last,
            case .linkLoss(let octets)? = commands[last].faults.last
        else { return false }
        commands[last].isOpen = false
        // A phone that ends a link does not do so within an answer.
        if isLost || byPhone && octets > 0 { return true }
        commands[last].faults = []
        return false
    }

    /// Whether the last one has no answer.
    var isWaiting: Bool { commands.last.map { $0.ended == nil } ?? false }

    private func open(_ condition: (Command) -> Bool) -> Int? {
        commands.suffix(64).firstIndex { $0.isOpen && condition($0) }
    }
}

extension CommandStory.Fault {
    /// The members of the step that injects it.
    func members(for command: CommandID) -> [JSONValue.Member] {
        let own: [JSONValue.Member]
        switch self {
        case .late(let seconds): own = [.init("fault", "late"), .init("by", .number(seconds))]
        case .lost: own = [.init("fault", "lost")]
        case .unanswered: own = [.init("fault", "unanswered")]
        case .refused(let error):
            own = [.init("fault", "refused"), .init("error", .string("\(error)"))]
        case .linkLoss(let octets):
            own = [.init("fault", "linkLoss"), .init("octets", .integer(octets))]
        case .reordered: own = [.init("fault", "reordered")]
        case .joined: own = [.init("fault", "joined")]
        case .duplicated: own = [.init("fault", "duplicated")]
        case .headerOnly: own = [.init("fault", "headerOnly")]
        case .cut(let size): return [.init("set", ["fragments": size])]
        }
        return [.init("inject", .object(own + [.init("command", .string("\(command)"))]))]
    }
}
