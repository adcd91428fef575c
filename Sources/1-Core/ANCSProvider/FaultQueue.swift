internal import ANCS

/// How the injected faults change the answer to one command.
package struct AnswerTreatment: Sendable {
    package var refusal: ControlPointError?
    package var ignoresWrite = false
    package var delay: Duration?
    package var isLost = false
    package var repetitions = 0
    package var waitsForNext = false
    package var attributeOrder: ProviderBehavior.AttributeOrder?
    package var fragmentSizes: FragmentSizes?
    package var isHeaderOnly = false
    package var linkLoss: Int?

    package init() {}

    mutating func add(_ effect: AnswerFault.Effect) {
        switch effect {
        case .refuse(let error): refusal = error
        case .ignoreWrite: ignoresWrite = true
        case .delay(let time): delay = time
        case .lose: isLost = true
        case .duplicate: repetitions += 1
        case .joinWithNext: waitsForNext = true
        case .reorder(let order): attributeOrder = order
        case .fragment(let sizes): fragmentSizes = sizes
        case .headerOnly: isHeaderOnly = true
        case .dropLink(let octets): linkLoss = octets
        }
    }

    /// The behavior to answer the command with.
    func adjusted(_ behavior: ProviderBehavior) -> ProviderBehavior {
        var adjusted = behavior
        if let attributeOrder { adjusted.attributeOrder = attributeOrder }
        if let fragmentSizes { adjusted.fragmentSizes = fragmentSizes }
        return adjusted
    }

    /// What is sent in place of an answer.
    func applied(to entry: AnswerQueue.Entry, at now: MonotonicInstant) -> [AnswerQueue.Entry] {
        if isLost { return [] }
        var entry = entry
        entry.start = delay.map { now + $0 }
        entry.waitsForNext = waitsForNext
        if isHeaderOnly { entry.answer.removeAttributes() }
        if let linkLoss {
            entry.answer.cut(after: linkLoss)
            entry.dropsLink = true
        }
        var repetition = entry
        repetition.command = nil
        return [entry] + [AnswerQueue.Entry](repeating: repetition, count: repetitions)
    }
}

/// The faults that have yet to affect commands.
package struct FaultQueue: Sendable {
    private var faults: [AnswerFault] = []

    package init() {}

    package mutating func append(_ fault: AnswerFault) { faults.append(fault) }

    package mutating func removeAll() { faults = [] }

    /// Applies every fault that affects a command, and counts it down. An action has no answer to affect
    /// (R42).
    package mutating func treatment(of commandID: CommandID?) -> AnswerTreatment {
        var treatment = AnswerTreatment()
        for index in faults.indices where concerns(faults[index], commandID) {
            treatment.add(faults[index].effect)
            if let count = faults[index].count { faults[index].count = count - 1 }
        }
        faults.removeAll { $0.count.map { $0 <= 0 } ?? false }
        return treatment
    }

    private func concerns(_ fault: AnswerFault, _ commandID: CommandID?) -> Bool {
        if let count = fault.count, count <= 0 { return false }
        guard fault.commandID == nil || fault.commandID == commandID else { return false }
        switch fault.effect {
        case .refuse, .ignoreWrite: return true
        case .delay, .lose, .duplicate, .joinWithNext, .reorder, .fragment, .headerOnly, .dropLink:
            return commandID == .getNotificationAttributes || commandID == .getAppAttributes
        }
    }
}
