internal import Octets

/// Starts, changes and stops advertising, with the commands that the controller supports.
///
/// It compares what the owner wants with what the controller was sent, and sends the next command that brings
/// them together, one at a time. Starting twice, changing the data while advertising, stopping before the
/// start has finished, or losing an answer are therefore no special cases: there is a next command, or there
/// is none.
///
///     idle ──parameters, data, enable──▶ beginning ──▶ active ◀──data──▶ changing
///      ▲                                                 │
///      └──────────────────── ending ◀──disable───────────┘
///
/// ``Scanner`` and ``Initiator`` have the same structure: what the owner wants is a request, separate from the
/// state of the controller.
///
/// A connection stops advertising; the owner has to start it again. While the advertiser is held
/// (``setHeld(_:)``), advertising pauses without an output to the owner. The advertiser does not set the
/// random address of the controller: its owner has to do that first.
public struct Advertiser: ~Copyable, Sendable {
    /// What the owner wants.
    private struct Request {
        var content: AdvertisingContent
        /// Whether the owner was informed that advertising has started.
        var isAnnounced = false
        /// Whether the attempt has been restarted once.
        var hasRetried = false
        /// Whether advertising is to stop.
        var isEnding = false
    }

    /// The state of the controller.
    private enum State {
        /// It does not advertise.
        case idle
        /// It does not advertise, and a command is in flight. If a Central connects meanwhile, the enable
        /// command no longer counts.
        case beginning(AdvertisingStep, HCIOpcode, isOvertaken: Bool)
        /// It advertises, or may be advertising.
        case active
        /// It advertises, and a command that changes the advertisement is in flight.
        case changing(AdvertisingStep, HCIOpcode)
        /// The command that disables advertising is in flight.
        case ending(HCIOpcode, isRepeated: Bool)
    }

    /// What the controller was sent; `nil` if unknown.
    private struct Settings {
        var setAddress: DeviceAddress?
        var parameters: AdvertisingContent.Parameters?
        var data: [UInt8]?
        var scanResponse: [UInt8]?
    }

    private let configuration: Configuration
    private var method: AdvertisingMethod
    private var state = State.idle
    private var request: Request?
    private var settings = Settings()
    private var isHeld = false
    /// The link that stopped advertising; two events report it, in either order.
    private var endedBy: ConnectionHandle?
    private var outputs = Queue<Output>()

    /// An advertiser for a controller that was just set up.
    public init(configuration: Configuration) {
        self.configuration = configuration
        let isExtended =
            configuration.prefersExtended && configuration.abilities.hasExtendedAdvertising
        method = isExtended ? .extended : .legacy
    }

    /// Whether the owner was informed that advertising has started.
    public var isAnnounced: Bool { request?.isAnnounced ?? false }

    /// Whether the controller advertises, as far as it has reported.
    public var isOnAir: Bool {
        switch state {
        case .idle, .beginning: false
        case .active, .changing, .ending: isAnnounced
        }
    }

    /// The address of the requested advertisement; `nil` if none is requested.
    public var address: DeviceAddress? { wanted?.content.address }

    /// Whether the controller does not advertise, as far as it has reported, and no command is in flight.
    public var isQuiet: Bool { if case .idle = state { true } else { false } }

    private var wanted: Request? { request.flatMap { $0.isEnding ? nil : $0 } }

    /// Whether the address of the advertisement is set by its own command, independent of the random address
    /// of the controller.
    public var hasAddressOfItsOwn: Bool { method == .extended }

    /// Starts advertising with an address, or changes the advertisement. Throws ``UsageError``.
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

    /// Stops advertising.
    public mutating func stop() {
        request?.isEnding = true
        advance()
    }

    /// Continues with another address. If the controller cannot change it while advertising, there is a pause
    /// of a few commands.
    public mutating func changeAddress(to address: DeviceAddress) {
        guard wanted != nil else { return }
        request?.content.address = address
        request?.content.parameters.ownAddressType = OwnAddressType(address.kind)
        advance()
    }

    /// Pauses advertising, or continues it.
    public mutating func setHeld(_ isHeld: Bool) {
        guard self.isHeld != isHeld else { return }
        self.isHeld = isHeld
        advance()
    }

    /// The controller refused something that advertising depends on.
    public mutating func abandon(_ failure: Failure) {
        guard wanted != nil else { return }
        request = nil
        outputs.append(.failed(failure))
        advance()
    }

    /// The controller may still be advertising; the next command disables it.
    public mutating func distrust() {
        guard case .idle = state else { return }
        state = .active
        advance()
    }

    /// A link was established with this device as Peripheral.
    public mutating func connected(_ handle: ConnectionHandle) {
        connectionEnded(.connected, by: handle)
    }

    /// A link ended; its handle may be reused.
    public mutating func disconnected(_ handle: ConnectionHandle) {
        if endedBy == handle { endedBy = nil }
    }

    /// HCI_LE_Advertising_Set_Terminated arrived.
    public mutating func receive(_ event: HCI.LEAdvertisingSetTerminated) {
        guard event.set == AdvertisingContent.set else { return }
        if event.status == .success {
            connectionEnded(.connected, by: event.handle)
        } else {
            wentOffAir(.ended(event.status))
        }
    }

    /// A command of this machine has ended.
    public mutating func receive(_ result: HCICommandResult) {
        switch state {
        case .beginning(let step, result.command.opcode, let isOvertaken):
            state = .idle
            result.isSuccess ? taken(step, isOvertaken: isOvertaken) : refused(step, with: result)
        case .changing(let step, result.command.opcode):
            state = .active
            result.isSuccess ? taken(step, isOvertaken: false) : refused(step, with: result)
        case .ending(result.command.opcode, let isRepeated): ended(result, isRepeated: isRepeated)
        case .idle, .beginning, .active, .changing, .ending: return
        }
        advance()
    }

    /// Takes the next output. After every input, call it until it returns `nil`.
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
        // A device may connect before the controller has confirmed that it advertises.
        guard let request = exchange(&request, with: nil), request.isAnnounced || !request.isEnding
        else { return }
        outputs.append(.stopped(reason))
    }
}

// MARK: The next command

extension Advertiser {
    /// Sends the next command that brings the controller closer to the request.
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
            // Core Vol 4, Part E, 7.8.4, 7.8.5, 7.8.52 and 7.8.53: neither may change while advertising.
            guard let content = wanted?.content, !isHeld, settings.parameters == content.parameters,
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

    /// The next command before advertising can be enabled; `nil` if none is missing.
    private func nextStep(to content: AdvertisingContent) -> AdvertisingStep? {
        if settings.parameters != content.parameters { return .setParameters(content) }
        if !hasAddress(of: content) { return .setSetAddress(content.address) }
        if settings.data != content.data { return .setData(content) }
        if content.parameters.isScannable, settings.scanResponse != content.scanResponse {
            return .setScanResponse(content)
        }
        return nil
    }

    private func hasAddress(of content: AdvertisingContent) -> Bool {
        method == .legacy || content.address.kind == .public
            || settings.setAddress == content.address
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
        case .setParameters(let content): settings.parameters = content.parameters
        case .setSetAddress(let address): settings.setAddress = address
        case .setData(let content): settings.data = content.data
        case .setScanResponse(let content): settings.scanResponse = content.scanResponse
        case .enable:
            guard !isOvertaken else { return }
            endedBy = nil
            state = .active
        }
    }

    /// Handles a command that failed; without a status it was never answered.
    private mutating func refused(_ step: AdvertisingStep, with result: HCICommandResult) {
        let status = result.status
        if let request = wanted, !request.hasRetried, status == nil || status == .commandDisallowed
        {
            self.request?.hasRetried = true
            settings = Settings()
            state = .active
        } else if let request = wanted, method == .extended,
            request.content.parameters.usesLegacyPDUs, isQuiet
        {
            self.request?.hasRetried = false
            settings = Settings()
            method = .legacy
        } else {
            // The controller may be advertising, which the next command disables.
            if step.isEnable, status == nil { state = .active }
            guard wanted != nil else { return }
            settings = Settings()
            fail(result)
        }
    }

    /// The controller stopped advertising, or refused to, which means that it does not advertise.
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
