internal import ANCSProvider
internal import BluetoothLE

/// Decides how a phone answers requests for connection parameters: by its faults first, then by Apple's requirements.
struct ParameterDecisions: Sendable {
    /// A fault that has yet to take effect.
    private struct Pending: Sendable {
        var fault: ParameterFault
        /// How many more answers it changes.
        var remaining: Int
        /// The accessory concerned; `nil` for all.
        var accessory: AccessoryID?
    }

    /// The most faults that wait at a time; more push out the oldest.
    private static let maximumPending = 64

    /// Which of Apple's numbers the phone insists on.
    var numbers: ProviderBehavior.LinkNumbers
    private var pending: [Pending] = []
    private var acceptedCount = 0

    init(_ numbers: ProviderBehavior.LinkNumbers) { self.numbers = numbers }

    /// The next answers have a fault: those to an accessory or, for `nil`, to all.
    mutating func inject(_ fault: ParameterFault, count: Int, at accessory: AccessoryID?) {
        if pending.count == Self.maximumPending { pending.removeFirst() }
        pending.append(Pending(fault: fault, remaining: count, accessory: accessory))
    }

    /// No more faults, for an accessory or, for `nil`, at all.
    mutating func clear(at accessory: AccessoryID?) {
        pending.removeAll { accessory == nil || $0.accessory == accessory }
    }

    /// Decides about a request of an accessory.
    mutating func decide(
        _ parameters: ConnectionParameters, of accessory: AccessoryID, isHID: Bool
    ) -> ParametersRequest {
        let breaches = LinkRequirements.breaches(of: parameters, isHID: isHID)
        let fault = takeFault(of: accessory)
        let isForbidden = parameters.fault != nil || forbids(breaches)
        let answer: ParameterAnswer =
            switch fault {
            case _ where parameters.fault != nil: .refuse
            case .refuse: .refuse
            case .acceptOnly: .acceptOnly
            case .ignore: .ignore
            case .overwrite: .accept
            case nil: isForbidden ? .refuse : .accept
            }
        return ParametersRequest(parameters, breaking: breaches, answer: answer, fault: fault)
    }

    /// How many connection events later accepted parameters are applied: one to three, in turn.
    mutating func takeDelay() -> Int {
        defer { acceptedCount = (acceptedCount + 1) % 3 }
        return acceptedCount + 1
    }

    private func forbids(_ breaches: [LinkRequirements.Breach]) -> Bool {
        let editions = LinkRequirements.forbidding(breaches)
        return switch numbers {
        case .apple: editions == .all
        case .apple2022: editions.contains(.year2022)
        case .apple2025: editions.contains(.year2025)
        case .lenient: false
        }
    }

    private mutating func takeFault(of accessory: AccessoryID) -> ParameterFault? {
        guard
            let index = pending.firstIndex(where: {
                $0.accessory == nil || $0.accessory == accessory
            })
        else { return nil }
        let fault = pending[index].fault
        pending[index].remaining -= 1
        if pending[index].remaining <= 0 { pending.remove(at: index) }
        return fault
    }
}
