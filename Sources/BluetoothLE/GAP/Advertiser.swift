internal import Octets

/// Puts an advertisement on air and takes it off, with the commands that the controller has.
///
/// It compares what is wanted with what the controller has been told and sends the next command that
/// makes them equal, one at a time. So starting twice, changing the data on air, stopping while it
/// starts, and a lost answer are all the same: there is a next command, or there is none.
///
///     idle ──parameters, data, enable──▶ beginning ──▶ active ◀──data──▶ changing
///      ▲                                                 │
///      └──────────────────── ending ◀──disable───────────┘
///
/// ``Scanner`` and ``Initiator`` are machines of the same kind: what the owner wants is a request, which has
/// no say in what the controller does.
///
/// A connection takes the advertisement off air; the owner starts again when it wants another. While it
/// is held (``setHeld(_:)``), it is off air too and comes back afterwards; its owner hears nothing of
/// that. The random address of the controller is not its business: whoever starts it has set the address.
public struct Advertiser: ~Copyable, Sendable {
    /// What the owner wants.
    private struct Request {
        var content: AdvertisingContent
        /// Whether the owner believes that it is on air.
        var isAnnounced = false
        /// Whether the attempt has begun from scratch once already.
        var hasRetried = false
        /// Whether it is to go off air.
        var isEnding = false
    }

    /// What the controller does.
    private enum State {
        /// Nothing is on air.
        case idle
        /// Nothing is on air, and a command is in flight. If somebody connects meanwhile, being enabled
        /// means nothing.
        case beginning(AdvertisingStep, HCIOpcode, isOvertaken: Bool)
        /// An advertisement is on air, or may be.
        case active
        /// It is on air, and a command that changes it is in flight.
        case changing(AdvertisingStep, HCIOpcode)
        /// The command that takes it off air is in flight.
        case ending(HCIOpcode, isRepeated: Bool)
    }

    /// What the controller has been told; `nil` where that is not known.
    private struct Told {
        var setAddress: DeviceAddress?
        var parameters: AdvertisingContent.Parameters?
        var data: [UInt8]?
        var scanResponse: [UInt8]?
    }

    private let configuration: Configuration
    private var method: AdvertisingMethod
    private var state = State.idle
    private var request: Request?
    private var told = Told()
    private var isHeld = false
    /// The link that took the advertisement off air, of which two events tell in either order.
    private var endedBy: ConnectionHandle?
    private var outputs = Queue<Output>()

    /// An advertiser at a controller that was just set up.
    public init(configuration: Configuration) {
        self.configuration = configuration
        let isExtended =
            configuration.prefersExtended && configuration.abilities.hasExtendedAdvertising
        method = isExtended ? .extended : .legacy
    }

    /// Whether the owner believes that something is on air.
    public var isAnnounced: Bool { request?.isAnnounced ?? false }

    /// Whether the advertisement is on air, as far as the controller has said.
    public var isOnAir: Bool {
        switch state {
        case .idle, .beginning: false
        case .active, .changing, .ending: isAnnounced
        }
    }

    /// The address under which the advertisement is, or will be, on air; `nil` when none is wanted.
    public var address: DeviceAddress? { wanted?.content.address }

    /// Whether nothing is on air, as far as the controller has said, and no command is in flight.
    public var isQuiet: Bool {
        if case .idle = state { true } else { false }
    }

    private var wanted: Request? { request.flatMap { $0.isEnding ? nil : $0 } }

    /// Whether the advertisement has its address from a command of its own, and not from the random
    /// address of the controller.
    public var hasAddressOfItsOwn: Bool { method == .extended }

    /// Puts an advertisement on air under an address, or changes the one that is there.
    public mutating func start(
        _ advertisement: Advertisement, from address: DeviceAddress
    ) throws(UsageError) {
        guard advertisement.usesLegacyPDUs || method == .extended else {
            throw .extendedNotSupported
        }
        let content = try AdvertisingContent(
            advertisement, from: address, abilities: configuration.abilities)
        request = Request(
            content: content, isAnnounced: isAnnounced, hasRetried: wanted?.hasRetried ?? false)
        advance()
    }

    /// Takes the advertisement off air.
    public mutating func stop() {
        request?.isEnding = true
        advance()
    }

    /// Goes on under another address. Where the controller cannot change it on air, the advertisement
    /// is off air for the time of a few commands.
    public mutating func changeAddress(to address: DeviceAddress) {
        guard wanted != nil else { return }
        request?.content.address = address
        request?.content.parameters.ownAddressType = OwnAddressType(address.kind)
        advance()
    }

    /// Takes the advertisement off air for a while, or back on.
    public mutating func setHeld(_ isHeld: Bool) {
        guard self.isHeld != isHeld else { return }
        self.isHeld = isHeld
        advance()
    }

    /// The controller refused something that has to be done before the advertisement is on air.
    public mutating func abandon(_ failure: Failure) {
        guard wanted != nil else { return }
        request = nil
        outputs.append(.failed(failure))
        advance()
    }

    /// Something may still be on air, which the next command takes off.
    public mutating func distrust() {
        guard case .idle = state else { return }
        state = .active
        advance()
    }

    /// A link was made in which this device is the Peripheral.
    public mutating func connected(_ handle: ConnectionHandle) {
        connectionEnded(.connected, by: handle)
    }

    /// A link ended; its handle may be given to another one.
    public mutating func disconnected(_ handle: ConnectionHandle) {
        if endedBy == handle { endedBy = nil }
    }

    /// HCI_LE_Advertising_Set_Terminated came.
    public mutating func receive(_ event: HCI.LEAdvertisingSetTerminated) {
        guard event.set == AdvertisingContent.set else { return }
        if event.status == .success {
            connectionEnded(.connected, by: event.handle)
        } else {
            wentOffAir(.ended(event.status))
        }
    }

    /// A command that was sent for this machine ended.
    public mutating func receive(_ result: HCICommandResult) {
        switch state {
        case .beginning(let step, result.command.opcode, let isOvertaken):
            state = .idle
            result.isSuccess
                ? taken(step, isOvertaken: isOvertaken) : refused(step, with: result)
        case .changing(let step, result.command.opcode):
            state = .active
            result.isSuccess ? taken(step, isOvertaken: false) : refused(step, with: result)
        case .ending(result.command.opcode, let isRepeated):
            ended(result, isRepeated: isRepeated)
        case .idle, .beginning, .active, .changing, .ending: return
        }
        advance()
    }

    /// What to do next, or `nil`.
    public mutating func pollOutput() -> Output? { outputs.popFirst() }
}

// MARK: What happens on air

extension Advertiser {
    private mutating func connectionEnded(_ reason: StopReason, by handle: ConnectionHandle) {
        guard endedBy != handle else {
            endedBy = nil
            return
        }
        endedBy = handle
        wentOffAir(reason)
    }

    private mutating func wentOffAir(_ reason: StopReason) {
        switch state {
        case .beginning(let step, let opcode, _), .changing(let step, let opcode):
            state = .beginning(step, opcode, isOvertaken: true)
        case .active: state = .idle
        case .idle, .ending: break
        }
        // Somebody may connect before the controller has said that it is on air.
        guard let request = exchange(&request, with: nil), request.isAnnounced || !request.isEnding
        else { return }
        outputs.append(.stopped(reason))
    }
}

// MARK: The next command

extension Advertiser {
    /// Brings the controller nearer to what is wanted.
    private mutating func advance() {
        switch state {
        case .idle:
            guard let request else { return }
            if request.isEnding {
                self.request = nil
                if request.isAnnounced { outputs.append(.stopped(.requested)) }
            } else if !isHeld {
                begin(nextStep(to: request.content) ?? .enable)
            }
        case .active:
            // Core Vol 4, Part E, 7.8.4, 7.8.5, 7.8.52 and 7.8.53: neither while on air.
            guard let content = wanted?.content, !isHeld, told.parameters == content.parameters,
                hasAddress(of: content)
            else { return end() }
            if let step = nextStep(to: content) { return change(step) }
            request?.hasRetried = false
            if !isAnnounced {
                request?.isAnnounced = true
                outputs.append(.started)
            }
        case .beginning, .changing, .ending: break
        }
    }

    /// What the controller has to be told before it advertises.
    private func nextStep(to content: AdvertisingContent) -> AdvertisingStep? {
        if told.parameters != content.parameters { return .setParameters(content) }
        if !hasAddress(of: content) { return .setSetAddress(content.address) }
        if told.data != content.data { return .setData(content) }
        if content.parameters.isScannable, told.scanResponse != content.scanResponse {
            return .setScanResponse(content)
        }
        return nil
    }

    private func hasAddress(of content: AdvertisingContent) -> Bool {
        method == .legacy || content.address.kind == .public || told.setAddress == content.address
    }

    private mutating func begin(_ step: AdvertisingStep) {
        state = .beginning(step, send(step.command(with: method)), isOvertaken: false)
    }

    private mutating func change(_ step: AdvertisingStep) {
        state = .changing(step, send(step.command(with: method)))
    }

    private mutating func end(isRepeated: Bool = false) {
        state = .ending(send(method.disable), isRepeated: isRepeated)
    }

    private mutating func send(_ command: HCICommandPacket) -> HCIOpcode {
        outputs.append(.send(command))
        return command.opcode
    }
}

// MARK: What an answer means

extension Advertiser {
    private mutating func taken(_ step: AdvertisingStep, isOvertaken: Bool) {
        switch step {
        case .setParameters(let content): told.parameters = content.parameters
        case .setSetAddress(let address): told.setAddress = address
        case .setData(let content): told.data = content.data
        case .setScanResponse(let content): told.scanResponse = content.scanResponse
        case .enable:
            guard !isOvertaken else { return }
            endedBy = nil
            state = .active
        }
    }

    /// Decides what comes after a command that failed; without a status it was never answered.
    private mutating func refused(_ step: AdvertisingStep, with result: HCICommandResult) {
        let status = result.status
        if let request = wanted, !request.hasRetried, status == nil || status == .commandDisallowed
        {
            self.request?.hasRetried = true
            told = Told()
            state = .active
        } else if let request = wanted, method == .extended,
            request.content.parameters.usesLegacyPDUs, isQuiet
        {
            self.request?.hasRetried = false
            told = Told()
            method = .legacy
        } else {
            // What may have come on air is taken off.
            if step.isEnable, status == nil { state = .active }
            guard wanted != nil else { return }
            told = Told()
            fail(result)
        }
    }

    /// The controller took the advertisement off air, or refused: then it has nothing on air.
    private mutating func ended(_ result: HCICommandResult, isRepeated: Bool) {
        state = .idle
        guard !result.isSuccess, result.status == nil, wanted == nil else { return }
        if !isRepeated {
            end(isRepeated: true)
        } else if request != nil {
            fail(result)
        }
    }

    private mutating func fail(_ result: HCICommandResult) {
        let opcode = result.command.opcode
        request = nil
        outputs.append(.failed(result.status.map { .refused(opcode, $0) } ?? .timedOut(opcode)))
    }
}
