internal import Octets

/// Scans for advertising devices and reports what they send.
///
/// Like the ``Advertiser`` it compares what the owner wants with what the controller was sent, and sends the
/// next command that brings them together, one at a time.
///
///     idle ──parameters, enable──▶ beginning ──▶ active
///      ▲                                            │
///      └──────────────── ending ◀──────disable──────┘
///
/// While the scanner is held (``setHeld(_:)``), scanning pauses without an output to the owner.
public struct Scanner: ~Copyable, Sendable {
    /// What the owner has to do, and what happened.
    public enum Output: Equatable, Sendable {
        /// Submit the command to the ``HCICommandChannel``, for ``HCICommandOwner/scanner``.
        case send(HCICommandPacket)
        /// The controller scans.
        case started
        /// The controller no longer scans.
        case stopped
        /// Scanning could not be started, or ended.
        case failed(Failure)
        /// A device was discovered, or its data have changed.
        case discovered(Discovery)
    }

    /// Why scanning failed.
    public enum Failure: Error, Equatable, Sendable {
        /// The controller refused a command, and the alternative too.
        case refused(HCIOpcode, HCIStatus)
        /// The controller did not answer a command, at two attempts.
        case timedOut(HCIOpcode)
        /// The controller was reset, or has disappeared.
        case controllerLost
    }

    /// Features of the controller, and limits.
    public struct Configuration: Equatable, Sendable {
        /// The features of the controller.
        public var abilities: ControllerAbilities
        /// The kind of address in scan requests.
        public var ownAddressType: OwnAddressType
        /// How many devices are remembered, to join their reports and to detect changes. The oldest one makes
        /// room.
        public var maximumDevices: Int

        /// A configuration; by default a random address and 256 devices.
        public init(
            abilities: ControllerAbilities, ownAddressType: OwnAddressType = .random,
            maximumDevices: Int = 256
        ) {
            self.abilities = abilities
            self.ownAddressType = ownAddressType
            self.maximumDevices = maximumDevices
        }
    }

    /// What the owner wants.
    private struct Request {
        var parameters: ScanParameters
        /// Whether the owner was informed that scanning has started.
        var isAnnounced = false
        /// Whether the attempt has been restarted once.
        var hasRetried = false
        /// Whether scanning is to stop.
        var isEnding = false
    }

    /// A command that has to precede scanning.
    private enum Step {
        case setParameters(ScanParameters)
        case enable(ScanParameters)
    }

    /// The state of the controller and its parameters; `nil` if these are unknown.
    private enum State {
        /// It does not scan.
        case idle(ScanParameters?)
        /// It does not scan, and a command is in flight.
        case beginning(Step, HCIOpcode)
        /// It scans.
        case active(ScanParameters)
        /// The command that disables scanning is in flight: it scans, or may be scanning.
        case ending(HCIOpcode, ScanParameters?, isRepeated: Bool)
    }

    private let configuration: Configuration
    private var isExtended: Bool
    private var state = State.idle(nil)
    private var request: Request?
    private var isHeld = false
    private var reports: ScanReports
    private var outputs = Queue<Output>()

    /// A scanner for a controller that was just set up.
    public init(configuration: Configuration) {
        self.configuration = configuration
        isExtended = configuration.abilities.hasExtendedScanning
        reports = ScanReports(maximumDevices: configuration.maximumDevices)
    }

    /// Whether the owner wants to scan.
    public var isWanted: Bool { wanted != nil }

    /// Whether the controller does not scan, as far as it has reported, and no command is in flight.
    public var isQuiet: Bool { if case .idle = state { true } else { false } }

    private var wanted: Request? { request.flatMap { $0.isEnding ? nil : $0 } }

    /// Starts scanning, or changes the parameters. Every device is news again.
    public mutating func start(_ parameters: ScanParameters) {
        request = Request(
            parameters: parameters, isAnnounced: request?.isAnnounced ?? false,
            hasRetried: wanted?.hasRetried ?? false)
        reports.removeAll()
        restartFilter()
        advance()
    }

    /// Stops scanning. Reports that arrive before the controller has stopped are ignored.
    public mutating func stop() {
        request?.isEnding = true
        reports.removeAll()
        advance()
    }

    /// Pauses scanning, or continues it.
    public mutating func setHeld(_ isHeld: Bool) {
        guard self.isHeld != isHeld else { return }
        self.isHeld = isHeld
        advance()
    }

    /// A link to the device ended or failed: its next advertisement is news again.
    public mutating func forget(_ address: DeviceAddress) {
        guard reports.forget(address) else { return }
        restartFilter()
        advance()
    }

    /// A controller filters duplicates until scanning is restarted.
    private mutating func restartFilter() {
        if case .active(let parameters) = state, parameters.filtersDuplicates { end() }
    }

    /// The controller refused something that scanning depends on.
    public mutating func abandon(_ failure: Failure) {
        guard let request, request.isAnnounced || !request.isEnding else { return }
        self.request = nil
        reports.removeAll()
        outputs.append(.failed(failure))
        advance()
    }

    /// The controller may still be scanning: stops it again.
    public mutating func distrust() {
        switch state {
        case .idle, .active: end()
        case .beginning, .ending: break
        }
    }

    /// HCI_LE_Advertising_Report arrived.
    public mutating func receive(_ event: HCI.LEAdvertisingReport) {
        guard let wanted, isListening else { return }
        for received in event.reports {
            report(
                reports.receive(
                    ScanReport(received), filtersDuplicates: wanted.parameters.filtersDuplicates))
        }
    }

    /// HCI_LE_Extended_Advertising_Report arrived.
    public mutating func receive(_ event: HCI.LEExtendedAdvertisingReport) {
        guard let wanted, isListening else { return }
        for received in event.reports {
            // Anonymous advertisers can be neither connected to nor told apart.
            guard let received = ScanReport(received) else { continue }
            report(
                reports.receive(received, filtersDuplicates: wanted.parameters.filtersDuplicates))
        }
    }

    private mutating func report(_ discovery: Discovery?) {
        if let discovery { outputs.append(.discovered(discovery)) }
    }

    /// Reports may arrive before the answer to the enable command.
    private var isListening: Bool {
        switch state {
        case .active, .beginning(.enable, _): true
        case .ending(_, let parameters, _): parameters != nil
        case .idle, .beginning(.setParameters, _): false
        }
    }

    /// A command of this machine has ended.
    public mutating func receive(_ result: HCICommandResult) {
        switch state {
        case .beginning(let step, result.command.opcode):
            state = .idle(nil)
            result.isSuccess ? taken(step) : refused(result)
        case .ending(result.command.opcode, let parameters, let isRepeated):
            // A controller that refuses does not scan; one that does not answer gets the command once more.
            state = .idle(result.isSuccess ? parameters : nil)
            if result.status == nil, !isRepeated { end(isRepeated: true) }
        case .idle, .beginning, .active, .ending: return
        }
        advance()
    }

    /// Takes the next output. After every input, call it until it returns `nil`.
    public mutating func pollOutput() -> Output? { outputs.popFirst() }
}

// MARK: The next command

extension Scanner {
    /// Sends the next command that brings the controller closer to the request.
    private mutating func advance() {
        switch state {
        case .idle(let current):
            guard let request else { return }
            if request.isEnding {
                self.request = nil
                if request.isAnnounced { outputs.append(.stopped) }
            } else if !isHeld {
                let parameters = request.parameters
                begin(current == parameters ? .enable(parameters) : .setParameters(parameters))
            }
        case .active(let parameters):
            // Core Vol 4, Part E, 7.8.10 and 7.8.64: no parameters may be set while scanning.
            guard wanted?.parameters == parameters, !isHeld else { return end() }
            request?.hasRetried = false
            if request?.isAnnounced == false {
                request?.isAnnounced = true
                outputs.append(.started)
            }
        case .beginning, .ending: break
        }
    }

    private mutating func begin(_ step: Step) {
        let command = command(of: step)
        state = .beginning(step, command.opcode)
        outputs.append(.send(command))
    }

    private mutating func end(isRepeated: Bool = false) {
        let current: ScanParameters?
        switch state {
        case .idle(let parameters): current = parameters
        case .active(let parameters): current = parameters
        case .beginning, .ending: current = nil
        }
        let command = enable(false, false)
        state = .ending(command.opcode, current, isRepeated: isRepeated)
        outputs.append(.send(command))
    }

    private func command(of step: Step) -> HCICommandPacket {
        switch (step, isExtended) {
        case (.setParameters(let parameters), false):
            HCICommandPacket(
                HCI.LESetScanParameters(
                    isActive: parameters.isActive, interval: parameters.interval,
                    window: parameters.window, ownAddressType: configuration.ownAddressType,
                    filterPolicy: 0))
        case (.setParameters(let parameters), true):
            HCICommandPacket(
                HCI.LESetExtendedScanParameters(
                    ownAddressType: configuration.ownAddressType, filterPolicy: 0,
                    entries: [
                        .init(
                            phy: .le1M, isActive: parameters.isActive,
                            interval: parameters.interval, window: parameters.window)
                    ]))
        case (.enable(let parameters), _): enable(true, parameters.filtersDuplicates)
        }
    }

    private func enable(_ isEnabled: Bool, _ filtersDuplicates: Bool) -> HCICommandPacket {
        isExtended
            ? HCICommandPacket(
                HCI.LESetExtendedScanEnable(
                    isEnabled: isEnabled, duplicateFilter: filtersDuplicates ? 1 : 0, duration: 0,
                    period: 0))
            : HCICommandPacket(
                HCI.LESetScanEnable(isEnabled: isEnabled, filtersDuplicates: filtersDuplicates))
    }
}

// MARK: What an answer means

extension Scanner {
    private mutating func taken(_ step: Step) {
        switch step {
        case .setParameters(let parameters): state = .idle(parameters)
        case .enable(let parameters): state = .active(parameters)
        }
    }

    /// Handles a command that failed; without a status it was never answered, and the controller may be
    /// scanning.
    private mutating func refused(_ result: HCICommandResult) {
        let status = result.status
        if let request = wanted, !request.hasRetried, status == nil || status == .commandDisallowed
        {
            self.request?.hasRetried = true
            end()
        } else if wanted != nil, isExtended, status != nil {
            request?.hasRetried = false
            isExtended = false
        } else {
            if wanted != nil { fail(result) }
            if status == nil { end() }
        }
    }

    private mutating func fail(_ result: HCICommandResult) {
        let opcode = result.command.opcode
        request = nil
        outputs.append(.failed(result.status.map { .refused(opcode, $0) } ?? .timedOut(opcode)))
    }
}
