internal import Octets

/// Has the controller look for devices that advertise, and tells what they say.
///
/// Like the ``Advertiser`` it compares what is wanted with what the controller has been told and sends
/// the next command that makes them equal, one at a time.
///
///     idle ──parameters, enable──▶ beginning ──▶ active
///      ▲                                            │
///      └──────────────── ending ◀──────disable──────┘
///
/// While it is held (``setHeld(_:)``), nothing is
/// on air, and scanning goes on afterwards; its owner hears nothing of that.
public struct Scanner: ~Copyable, Sendable {
    /// What the owner has to do or know.
    public enum Output: Hashable, Sendable {
        /// Submit the command to the ``HCICommandChannel``, for ``HCICommandOwner/scanner``.
        case send(HCICommandPacket)
        /// The controller scans.
        case started
        /// The controller no longer scans.
        case stopped
        /// The controller does not scan.
        case failed(Failure)
        /// A device was heard.
        case discovered(Discovery)
    }

    /// Why the controller does not scan.
    public enum Failure: Error, Hashable, Sendable {
        /// It refused a command, and so it did with the alternative.
        case refused(HCIOpcode, HCIStatus)
        /// It did not answer a command, twice.
        case timedOut(HCIOpcode)
        /// It was reset, or is gone.
        case controllerLost
    }

    /// The limits of a scanner.
    public struct Configuration: Hashable, Sendable {
        /// What the controller can do.
        public var abilities: ControllerAbilities
        /// Under which address to ask for scan responses.
        public var ownAddressType: OwnAddressType
        /// How many devices are remembered, to merge what they say and to know what is new; another
        /// one takes the place of the oldest.
        public var maximumDevices: Int

        /// A random address and 256 devices, unless said otherwise.
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
        /// Whether the owner believes that the controller scans.
        var isAnnounced = false
        /// Whether the attempt has begun from scratch once already.
        var hasRetried = false
        /// Whether it is to end.
        var isEnding = false
    }

    /// One command on the way to scanning.
    private enum Step {
        case setParameters(ScanParameters)
        case enable(ScanParameters)
    }

    /// What the controller does, and with which parameters; `nil` where these are not known.
    private enum State {
        /// It does not scan.
        case idle(ScanParameters?)
        /// It does not scan, and a command is in flight.
        case beginning(Step, HCIOpcode)
        /// It scans.
        case active(ScanParameters)
        /// The command that ends it is in flight: it scans, or may do so.
        case ending(HCIOpcode, ScanParameters?, isRepeated: Bool)
    }

    private let configuration: Configuration
    private var isExtended: Bool
    private var state = State.idle(nil)
    private var request: Request?
    private var isHeld = false
    private var reports: ScanReports
    private var outputs = Queue<Output>()

    /// A scanner at a controller that was just set up.
    public init(configuration: Configuration) {
        self.configuration = configuration
        isExtended = configuration.abilities.hasExtendedScanning
        reports = ScanReports(maximumDevices: configuration.maximumDevices)
    }

    /// Whether the owner wants devices to be looked for.
    public var isWanted: Bool { wanted != nil }

    /// Whether the controller does not scan, as far as it has said, and no command is in flight.
    public var isQuiet: Bool {
        if case .idle = state { true } else { false }
    }

    private var wanted: Request? { request.flatMap { $0.isEnding ? nil : $0 } }

    /// Scans, or scans in another way. Every device counts as new again.
    public mutating func start(_ parameters: ScanParameters) {
        request = Request(
            parameters: parameters, isAnnounced: request?.isAnnounced ?? false,
            hasRetried: wanted?.hasRetried ?? false)
        reports.removeAll()
        restartFilter()
        advance()
    }

    /// No longer scans; what is heard until the controller knows is ignored.
    public mutating func stop() {
        request?.isEnding = true
        reports.removeAll()
        advance()
    }

    /// Takes scanning off air for a while, or back on.
    public mutating func setHeld(_ isHeld: Bool) {
        guard self.isHeld != isHeld else { return }
        self.isHeld = isHeld
        advance()
    }

    /// The link to a device ended, or was not made: when it is heard again, that is news.
    public mutating func forget(_ address: DeviceAddress) {
        guard reports.forget(address) else { return }
        restartFilter()
        advance()
    }

    /// Only a controller that begins anew tells again of the devices that it has filtered out.
    private mutating func restartFilter() {
        if case .active(let parameters) = state, parameters.filtersDuplicates { end() }
    }

    /// The controller refused something that has to be done before it scans.
    public mutating func abandon(_ failure: Failure) {
        guard let request, request.isAnnounced || !request.isEnding else { return }
        self.request = nil
        reports.removeAll()
        outputs.append(.failed(failure))
        advance()
    }

    /// The controller may still scan: it is told again not to.
    public mutating func distrust() {
        switch state {
        case .idle, .active: end()
        case .beginning, .ending: break
        }
    }

    /// HCI_LE_Advertising_Report came.
    public mutating func receive(_ event: HCI.LEAdvertisingReport) {
        guard let wanted, isListening else { return }
        for report in event.reports {
            tell(
                reports.receive(
                    ScanReport(report), filtersDuplicates: wanted.parameters.filtersDuplicates))
        }
    }

    /// HCI_LE_Extended_Advertising_Report came.
    public mutating func receive(_ event: HCI.LEExtendedAdvertisingReport) {
        guard let wanted, isListening else { return }
        for report in event.reports {
            // Nobody can connect to an anonymous advertiser, or tell two of them apart.
            guard let report = ScanReport(report) else { continue }
            tell(reports.receive(report, filtersDuplicates: wanted.parameters.filtersDuplicates))
        }
    }

    private mutating func tell(_ discovery: Discovery?) {
        if let discovery { outputs.append(.discovered(discovery)) }
    }

    /// Reports may come before the answer to the command that enables them.
    private var isListening: Bool {
        switch state {
        case .active, .beginning(.enable, _): true
        case .ending(_, let parameters, _): parameters != nil
        case .idle, .beginning(.setParameters, _): false
        }
    }

    /// A command that was sent for this machine ended.
    public mutating func receive(_ result: HCICommandResult) {
        switch state {
        case .beginning(let step, result.command.opcode):
            state = .idle(nil)
            result.isSuccess ? taken(step) : refused(result)
        case .ending(result.command.opcode, let parameters, let isRepeated):
            // A controller that refuses does not scan; one that keeps silent is asked once more.
            state = .idle(result.isSuccess ? parameters : nil)
            if result.status == nil, !isRepeated { end(isRepeated: true) }
        case .idle, .beginning, .active, .ending: return
        }
        advance()
    }

    /// What to do next, or `nil`.
    public mutating func pollOutput() -> Output? { outputs.popFirst() }
}

// MARK: The next command

extension Scanner {
    /// Brings the controller nearer to what is wanted.
    private mutating func advance() {
        switch state {
        case .idle(let told):
            guard let request else { return }
            if request.isEnding {
                self.request = nil
                if request.isAnnounced { outputs.append(.stopped) }
            } else if !isHeld {
                let parameters = request.parameters
                begin(told == parameters ? .enable(parameters) : .setParameters(parameters))
            }
        case .active(let parameters):
            // Core Vol 4, Part E, 7.8.10 and 7.8.64: no parameters while scanning.
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
        let told: ScanParameters?
        switch state {
        case .idle(let parameters): told = parameters
        case .active(let parameters): told = parameters
        case .beginning, .ending: told = nil
        }
        let command = enable(false, false)
        state = .ending(command.opcode, told, isRepeated: isRepeated)
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

    /// Decides what comes after a command that failed; without a status it was never answered, and the
    /// controller may scan.
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
