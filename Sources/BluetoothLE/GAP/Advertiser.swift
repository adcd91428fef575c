internal import Octets

/// Puts an advertisement on air and takes it off, with the commands that the controller has.
///
/// It compares what is wanted with what the controller has been told and sends the next command that
/// makes them equal, one at a time. So starting twice, changing the data on air, stopping while it
/// starts, and a lost answer are all the same: there is a next command, or there is none.
///
/// A connection takes the advertisement off air; the owner starts again when it wants another. While it
/// is held (``setHeld(_:)``), it is off air too and comes back afterwards; its owner hears nothing of
/// that. The random address of the controller is not its business: whoever starts it has set the address.
public struct Advertiser: ~Copyable, Sendable {
    /// What the owner has to do or know.
    public enum Output: Hashable, Sendable {
        /// Submit the command to the ``HCICommandChannel``, for ``HCICommandOwner/advertiser``.
        case send(HCICommandPacket)
        /// The advertisement is on air.
        case started
        /// The advertisement is off air.
        case stopped(StopReason)
        /// The advertisement could not be put on air, or stayed there.
        case failed(Failure)
    }

    /// Why the advertisement is off air.
    public enum StopReason: Hashable, Sendable {
        /// ``Advertiser/stop()``
        case requested
        /// Somebody connected.
        case connected
        /// The controller ended it.
        case ended(HCIStatus)
    }

    /// Why the advertisement could not be put on air.
    public enum Failure: Error, Hashable, Sendable {
        /// The controller refused a command, and so it did with the alternative.
        case refused(HCIOpcode, HCIStatus)
        /// The controller did not answer a command, twice.
        case timedOut(HCIOpcode)
    }

    /// Why an advertisement was not taken.
    public enum UsageError: Error, Hashable, Sendable {
        /// The advertising data cannot be encoded.
        case data(AdvertisingData.EncodingError)
        /// The scan response cannot be encoded.
        case scanResponse(AdvertisingData.EncodingError)
        /// The controller has no extended advertising, which the advertisement needs.
        case extendedNotSupported
        /// A public address was given, but the controller has none or another.
        case addressNotAvailable
    }

    /// How to advertise.
    public struct Configuration: Hashable, Sendable {
        /// What the controller can do.
        public var abilities: ControllerAbilities
        /// Whether to use the extended commands where there are any.
        public var prefersExtended: Bool

        /// Extended commands where there are any, unless said otherwise.
        public init(abilities: ControllerAbilities, prefersExtended: Bool = true) {
            self.abilities = abilities
            self.prefersExtended = prefersExtended
        }
    }

    private enum State {
        case idle
        /// A command is in flight. If somebody connects meanwhile, being enabled means nothing.
        case awaiting(AdvertisingStep, HCIOpcode, isOvertaken: Bool)
    }

    /// What the controller has been told; `nil` where that is not known.
    private struct Told {
        var isOnAir = false
        var setAddress: DeviceAddress?
        var parameters: AdvertisingContent.Parameters?
        var data: [UInt8]?
        var scanResponse: [UInt8]?
    }

    private let configuration: Configuration
    private var method: AdvertisingMethod
    private var state = State.idle
    private var wanted: AdvertisingContent?
    private var told = Told()
    private var isHeld = false
    /// Whether the owner believes that something is on air.
    public private(set) var isAnnounced = false
    /// Whether the attempt has begun from scratch once already.
    private var hasRetried = false
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

    /// Whether the advertisement is on air, as far as the controller has said.
    public var isOnAir: Bool { told.isOnAir && isAnnounced }

    /// The address under which the advertisement is, or will be, on air; `nil` when none is wanted.
    public var address: DeviceAddress? { wanted?.address }

    /// Whether nothing is on air, as far as the controller has said, and no command is in flight.
    public var isQuiet: Bool {
        if case .idle = state { !told.isOnAir } else { false }
    }

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
        if wanted == nil { hasRetried = false }
        wanted = content
        advance()
    }

    /// Takes the advertisement off air.
    public mutating func stop() {
        wanted = nil
        advance()
    }

    /// Goes on under another address. Where the controller cannot change it on air, the advertisement
    /// is off air for the time of a few commands.
    public mutating func changeAddress(to address: DeviceAddress) {
        guard wanted != nil else { return }
        wanted?.address = address
        wanted?.parameters.ownAddressType = OwnAddressType(address.kind)
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
        wanted = nil
        isAnnounced = false
        outputs.append(.failed(failure))
        advance()
    }

    /// Something may still be on air, which the next command takes off.
    public mutating func distrust() {
        told.isOnAir = true
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
        guard case .awaiting(let step, let opcode, let isOvertaken) = state,
            result.command.opcode == opcode
        else { return }
        state = .idle
        if result.isSuccess {
            apply(step, isOvertaken: isOvertaken)
        } else {
            recover(from: step, opcode, result.status)
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
        told.isOnAir = false
        // Somebody may connect before the controller has said that it is on air.
        let isNews = exchange(&wanted, with: nil) != nil || isAnnounced
        if case .awaiting(let step, let opcode, _) = state {
            state = .awaiting(step, opcode, isOvertaken: true)
        }
        guard isNews else { return }
        isAnnounced = false
        outputs.append(.stopped(reason))
    }
}

// MARK: The next command

extension Advertiser {
    /// Sends the next command, if there is one and none is in flight.
    private mutating func advance() {
        guard case .idle = state else { return }
        guard let wanted else {
            if told.isOnAir {
                send(.disable)
            } else if isAnnounced {
                isAnnounced = false
                outputs.append(.stopped(.requested))
            }
            return
        }
        guard !isHeld else {
            if told.isOnAir { send(.disable) }
            return
        }
        if let step = nextStep(to: wanted) {
            send(step)
        } else if !isAnnounced {
            isAnnounced = true
            hasRetried = false
            outputs.append(.started)
        } else {
            hasRetried = false
        }
    }

    private func nextStep(to wanted: AdvertisingContent) -> AdvertisingStep? {
        let hasAddress =
            method == .legacy || wanted.address.kind == .public
            || told.setAddress == wanted.address
        let hasParameters = told.parameters == wanted.parameters
        // Core Vol 4, Part E, 7.8.4, 7.8.5, 7.8.52 and 7.8.53: none of these while on air.
        if told.isOnAir, !hasAddress || !hasParameters { return .disable }
        if !hasParameters { return .setParameters(wanted) }
        if !hasAddress { return .setSetAddress(wanted.address) }
        if told.data != wanted.data { return .setData(wanted) }
        if wanted.parameters.isScannable, told.scanResponse != wanted.scanResponse {
            return .setScanResponse(wanted)
        }
        return told.isOnAir ? nil : .enable
    }

    private mutating func send(_ step: AdvertisingStep) {
        let command = step.command(with: method)
        state = .awaiting(step, command.opcode, isOvertaken: false)
        outputs.append(.send(command))
    }
}

// MARK: What an answer means

extension Advertiser {
    private mutating func apply(_ step: AdvertisingStep, isOvertaken: Bool) {
        switch step {
        case .disable: told.isOnAir = false
        case .setParameters(let content): told.parameters = content.parameters
        case .setSetAddress(let address): told.setAddress = address
        case .setData(let content): told.data = content.data
        case .setScanResponse(let content): told.scanResponse = content.scanResponse
        case .enable:
            told.isOnAir = !isOvertaken
            if !isOvertaken { endedBy = nil }
        }
    }

    /// Decides what comes after a command that failed; without a status it was never answered.
    private mutating func recover(
        from step: AdvertisingStep, _ opcode: HCIOpcode, _ status: HCIStatus?
    ) {
        switch step {
        case .disable:
            disableFailed(opcode, status)
            return
        case .setParameters, .setSetAddress, .setData, .setScanResponse, .enable:
            break
        }
        guard let wanted else {
            // Nothing is wanted any more; what may have come on air is taken off.
            told.isOnAir = told.isOnAir || step.isEnable && status == nil
            return
        }
        if !hasRetried, status == nil || status == .commandDisallowed {
            hasRetried = true
            told = Told(isOnAir: true)
        } else if method == .extended, wanted.parameters.usesLegacyPDUs, !told.isOnAir {
            method = .legacy
            hasRetried = false
            told = Told()
        } else {
            fail(step, opcode, status)
        }
    }

    private mutating func disableFailed(_ opcode: HCIOpcode, _ status: HCIStatus?) {
        if status == nil, wanted == nil {
            guard hasRetried else {
                hasRetried = true
                return
            }
            hasRetried = false
            isAnnounced = false
            outputs.append(.failed(.timedOut(opcode)))
        }
        // A controller that refuses has nothing on air.
        told.isOnAir = false
    }

    private mutating func fail(_ step: AdvertisingStep, _ opcode: HCIOpcode, _ status: HCIStatus?) {
        wanted = nil
        isAnnounced = false
        hasRetried = false
        told = Told(isOnAir: told.isOnAir || step.isEnable && status == nil)
        outputs.append(.failed(status.map { .refused(opcode, $0) } ?? .timedOut(opcode)))
    }
}
