package import ANCSEvents
package import DBus

/// Answers bluetoothd's questions while a phone pairs: `org.bluez.Agent1`.
///
/// Where digits are required, it refuses Just Works. bluetoothd asks about that only sometimes, so the agent also
/// keeps which devices the user has compared or typed digits for.
///
/// It is registered, but not as the default agent: bluetoothd asks the agent of the program that called
/// `Pair`, so that the desktop's agent still handles keyboards and headsets.
@usableFromInline package struct PairingAgent: Sendable {
    @usableFromInline package enum Output: Equatable, Sendable {
        case register
        case answer(InvocationID, BusResult)
        case event(Event)
    }

    @usableFromInline package enum Event: Equatable, Sendable {
        case ask(ObjectPath, PhoneEvent.Question)
        case withdrawn(ObjectPath)
        /// A device asked for Just Works, where digits are required.
        case refusedJustWorks(ObjectPath)
        case refused(BusError)
    }

    private enum Registration: Equatable, Sendable {
        case none
        case registering
        case registered
    }

    package static let path: ObjectPath = "/ancs/agent"
    package static let interface = "org.bluez.Agent1"

    private let ability: PairingAbility
    private var state = Registration.none
    /// A question that bluetoothd waits for; a display needs no answer.
    private var pending:
        (question: PhoneEvent.Question, device: ObjectPath, invocation: InvocationID?)?
    /// The calls that wait until the services of a device are discovered: one for each device at most.
    private var held: [(call: BusMethodCall, invocation: InvocationID, device: ObjectPath)] = []
    private var lastQuestion: UInt64 = 0
    /// The devices for whose pairing the user has compared or typed digits.
    private var authenticated: Set<ObjectPath> = []
    private let requiresAuthentication: Bool
    private var outputs = Queue<Output>()

    package init(for ability: PairingAbility, requiresAuthentication: Bool = false) {
        (self.ability, self.requiresAuthentication) = (ability, requiresAuthentication)
    }

    /// The call that has it answer for its user, with the names of `org.bluez.AgentManager1`.
    var registration: BusCall {
        let capability =
            switch ability {
            case .noInputNoOutput: "NoInputNoOutput"
            case .display: "DisplayOnly"
            case .keyboard: "KeyboardOnly"
            case .yesNo: "DisplayYesNo"
            case .keyboardDisplay: "KeyboardDisplay"
            }
        return .blueZ(
            "/org/bluez", "org.bluez.AgentManager1", "RegisterAgent",
            [.objectPath(Self.path), .string(capability)])
    }

    @usableFromInline package mutating func pollOutput() -> Output? { outputs.popFirst() }

    package mutating func register() {
        guard state == .none else { return }
        state = .registering
        outputs.append(.register)
    }

    @usableFromInline package mutating func registered(_ result: BusResult) {
        guard state == .registering else { return }
        switch result {
        case .success: state = .registered
        case .failure(let error) where error.blueZName == "AlreadyExists": state = .registered
        case .failure(let error):
            state = .none
            outputs.append(.event(.refused(error)))
        }
    }

    /// bluetoothd has ended.
    package mutating func lost() {
        state = .none
        cancel()
    }

    /// Pairing with this device has ended. Returns whether the user has compared or typed digits for it.
    package mutating func ended(_ device: ObjectPath) -> Bool {
        if pending?.device == device { withdraw() }
        refuseHeld { $0 == device }
        return authenticated.remove(device) != nil
    }

    /// Whether the user is asked about this device, or has been since its link or its pairing began.
    func isAuthenticating(_ device: ObjectPath) -> Bool {
        pending?.device == device || authenticated.contains(device)
    }

    /// Whether the user has compared or typed digits for this device, in the pairing under way.
    func isAuthenticated(_ device: ObjectPath) -> Bool {
        authenticated.contains(device) && pending?.device != device
    }

    // MARK: What bluetoothd asks

    /// Handles a call of bluetoothd. `isPairing` says whether this program is pairing with the device.
    package mutating func receive(
        _ call: BusMethodCall, _ invocation: InvocationID, isPairing: (ObjectPath) -> Bool
    ) {
        if call.member == "Release" || call.member == "Cancel" {
            if call.member == "Release" { state = .none }
            cancel()
            return answer(invocation, .success([]))
        }
        guard let device = call.arguments.first?.objectPath, isPairing(device) else {
            return answer(invocation, .failure(Self.rejected))
        }
        let number = call.arguments.dropFirst().first?.integer.flatMap { UInt32(exactly: $0) }
        switch call.member {
        case "RequestConfirmation":
            guard let number else { return answer(invocation, .failure(Self.rejected)) }
            ask(.compare(number), device, invocation)
        case "RequestPasskey": ask(.enterPasskey, device, invocation)
        case "DisplayPasskey":
            answer(invocation, .success([]))
            // It is called again for each digit that the user enters.
            guard let number, pending?.question.kind != .displayPasskey(number) else { return }
            ask(.displayPasskey(number), device, nil)
            // The phone can only pair if its user types what is displayed here.
            authenticated.insert(device)
        // Just Works: the decision to pair was made when `Pair` was called.
        case "RequestAuthorization" where requiresAuthentication:
            answer(invocation, .failure(Self.rejected))
            outputs.append(.event(.refusedJustWorks(device)))
        case "RequestAuthorization": answer(invocation, .success([]))
        // PIN codes belong to BR/EDR, and this agent does not authorize services.
        case _: answer(invocation, .failure(Self.rejected))
        }
    }

    /// Keeps a call until ``release(where:isPairing:)``.
    mutating func hold(
        _ call: BusMethodCall, _ invocation: InvocationID, about device: ObjectPath
    ) {
        refuseHeld { $0 == device }
        held.append((call, invocation, device))
    }

    var hasHeldQuestions: Bool { !held.isEmpty }

    /// Handles the calls that were kept for some devices.
    package mutating func release(
        where isReleased: (ObjectPath) -> Bool, isPairing: (ObjectPath) -> Bool
    ) {
        let released = held.filter { isReleased($0.device) }
        held.removeAll { isReleased($0.device) }
        for held in released { receive(held.call, held.invocation, isPairing: isPairing) }
    }

    // Not inlined: it is called in several places.
    @inline(never) private mutating func refuseHeld(where isRefused: (ObjectPath) -> Bool) {
        for held in held where isRefused(held.device) {
            answer(held.invocation, .failure(Self.canceled))
        }
        held.removeAll { isRefused($0.device) }
    }

    private mutating func cancel() {
        withdraw()
        refuseHeld { _ in true }
    }

    private mutating func ask(
        _ kind: SecurityQuestion, _ device: ObjectPath, _ invocation: InvocationID?
    ) {
        withdraw()
        lastQuestion += 1
        let question = PhoneEvent.Question(id: lastQuestion, kind: kind)
        pending = (question, device, invocation)
        outputs.append(.event(.ask(device, question)))
    }

    private mutating func withdraw() {
        guard let pending = exchange(&pending, with: nil) else { return }
        if let invocation = pending.invocation {
            outputs.append(.answer(invocation, .failure(Self.canceled)))
        }
        outputs.append(.event(.withdrawn(pending.device)))
    }

    // MARK: What the user says

    /// Passes on the answer to a question, if it is still pending; an answer of another kind cancels pairing.
    /// Returns the device whose pairing the user cancelled while bluetoothd asked nothing.
    package mutating func answer(_ question: UInt64, _ answer: PairingReply.Answer) -> ObjectPath? {
        guard let pending, pending.question.id == question else { return nil }
        switch (pending.question.kind, answer) {
        case (.displayPasskey, .cancel):
            self.pending = nil
            authenticated.remove(pending.device)
            return pending.device
        // The agent asks nothing else.
        case (.displayPasskey, _), (.choosePasskey, _), (.confirmPairing, _): return nil
        case (.compare, .confirm(true)):
            authenticated.insert(pending.device)
            settle(.success([]))
        case (.compare, .confirm(false)): settle(.failure(Self.rejected))
        case (.enterPasskey, .passkey(let passkey)):
            authenticated.insert(pending.device)
            settle(.success([.uint32(passkey)]))
        case (.compare, _), (.enterPasskey, _): settle(.failure(Self.canceled))
        }
        return nil
    }

    private mutating func settle(_ result: BusResult) {
        guard let invocation = exchange(&pending, with: nil)?.invocation else { return }
        answer(invocation, result)
    }

    private mutating func answer(
        _ invocation: InvocationID, _ result: BusResult
    ) { outputs.append(.answer(invocation, result)) }

    private static let rejected = BusError(BusError.blueZPrefix + "Rejected", "Rejected")
    private static let canceled = BusError(BusError.blueZPrefix + "Canceled", "Canceled")
}
