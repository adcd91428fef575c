internal import Octets

/// The machines of a link: one struct, because Swift checks each access to a property of a class.
struct LinkMachines: ~Copyable {
    var signalling: LESignalling
    var security: SecurityManager
    var bearer: ATTBearer
    var earlyPDUs = EarlyPDUs()
    /// What this Peripheral asks of the Central; `nil` if it asks for nothing.
    var parameterRequests: ConnectionParameterRequests?
    /// The request of the Peripheral that this Central has to answer or to apply.
    var parameterRequest: PeripheralParameterRequest?

    /// An output of one of the machines.
    enum Output {
        case signalling(LESignalling.Output)
        case parameters(ConnectionParameterRequests.Output)
        case security(SecurityManager.Output)
        case bearer(ATTBearer.Output)
        /// The bearer has to receive a PDU that waited for the end of a change of encryption.
        case receive([UInt8])
    }

    /// The machine whose turn it is, while the outputs of all are taken.
    struct Round {
        fileprivate enum Machine { case signalling, parameters, security, bearer, earlyPDUs }

        fileprivate var machine = Machine.signalling
        /// Whether no machine of this round had an output so far.
        fileprivate var isResting = true
        /// When the machines have a timeout, once they have no more outputs.
        fileprivate(set) var deadline: MonotonicInstant?
    }

    /// A PDU for the bearer. It waits for a change of encryption, or for those that do.
    mutating func receive(
        attribute pdu: Span<UInt8>, table: inout AttributeTable, at now: MonotonicInstant
    ) {
        if security.isEncryptionChanging || !earlyPDUs.isEmpty {
            earlyPDUs.append(Array(pdu), at: now)
        } else {
            receive(delayed: pdu, table: &table, at: now)
        }
    }

    /// A PDU that has waited, or that need not wait.
    mutating func receive(
        delayed pdu: Span<UInt8>, table: inout AttributeTable, at now: MonotonicInstant
    ) { bearer.receive(pdu, table: &table, security: security.security, at: now) }

    mutating func handleTimeout(at now: MonotonicInstant) {
        signalling.handleTimeout(at: now)
        security.handleTimeout(at: now)
        bearer.handleTimeout(at: now)
        parameterRequests?.handleTimeout(at: now)
    }

    /// Takes the next output. In a round, each machine gives all that it has. PDUs that waited come after what the
    /// Security Manager reported, and one at a time: each may have effects. The last round brings nothing.
    mutating func pollOutput(in round: inout Round, at now: MonotonicInstant) -> Output? {
        while true {
            if let output = pollOutput(of: round.machine, at: now) {
                round.isResting = false
                if case .receive = output { round = Round() }
                return output
            }
            switch round.machine {
            case .signalling: round.machine = .parameters
            case .parameters: round.machine = .security
            case .security: round.machine = .bearer
            case .bearer: round.machine = .earlyPDUs
            case .earlyPDUs:
                guard !round.isResting else {
                    round.deadline = nextDeadline
                    return nil
                }
                round = Round()
            }
        }
    }

    private mutating func pollOutput(of machine: Round.Machine, at now: MonotonicInstant) -> Output?
    {
        switch machine {
        case .signalling: return signalling.pollOutput().map { .signalling($0) }
        case .parameters: return parameterRequests?.pollOutput().map { .parameters($0) }
        case .security: return security.pollOutput().map { .security($0) }
        case .bearer: return bearer.pollOutput().map { .bearer($0) }
        case .earlyPDUs:
            let isChanging = security.isEncryptionChanging
            return earlyPDUs.popFirst(whileChanging: isChanging, at: now).map { .receive($0) }
        }
    }

    private var nextDeadline: MonotonicInstant? {
        var deadline = MonotonicInstant.earliest(signalling.nextDeadline, security.nextDeadline)
        deadline = .earliest(deadline, earlyPDUs.nextDeadline)
        deadline = .earliest(deadline, bearer.nextDeadline)
        deadline = .earliest(deadline, parameterRequest?.applyAt)
        switch parameterRequests {
        case .some(let requests): return .earliest(deadline, requests.nextDeadline)
        case .none: return deadline
        }
    }
}
