internal import Octets

/// Has the controller look for devices that advertise, and tells what they say.
///
/// Like the ``Advertiser`` it compares what is wanted with what the controller has been told and sends
/// the next command that makes them equal, one at a time. While it is held (``setHeld(_:)``), nothing is
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

    private enum Step: Hashable, Sendable {
        case disable
        case setParameters(ScanParameters)
        case enable(ScanParameters)
    }

    private let configuration: Configuration
    private var isExtended: Bool
    private var wanted: ScanParameters?
    private var isHeld = false
    private var inFlight: (step: Step, opcode: HCIOpcode)?
    /// What the controller has been told; `nil` where that is not known.
    private var toldParameters: ScanParameters?
    /// With what it scans.
    private var enabled: ScanParameters?
    /// It may scan, whatever it was told: it did not answer.
    private var mayScan = false
    /// Whether the owner believes that the controller scans.
    private var isAnnounced = false
    /// Whether the attempt has begun from scratch once already.
    private var hasRetried = false
    private var hasRepeatedDisable = false
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
    public var isQuiet: Bool { enabled == nil && !mayScan && inFlight == nil }

    /// Scans, or scans in another way. Every device counts as new again.
    public mutating func start(_ parameters: ScanParameters) {
        if wanted == nil { hasRetried = false }
        wanted = parameters
        reports.removeAll()
        restartFilter()
        advance()
    }

    /// No longer scans; what is heard until the controller knows is ignored.
    public mutating func stop() {
        wanted = nil
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
        if enabled?.filtersDuplicates == true { mayScan = true }
    }

    /// The controller refused something that has to be done before it scans.
    public mutating func abandon(_ failure: Failure) {
        guard wanted != nil || isAnnounced else { return }
        wanted = nil
        isAnnounced = false
        reports.removeAll()
        outputs.append(.failed(failure))
        advance()
    }

    /// The controller may still scan: it is told again not to.
    public mutating func distrust() {
        mayScan = true
        advance()
    }

    /// HCI_LE_Advertising_Report came.
    public mutating func receive(_ event: HCI.LEAdvertisingReport) {
        guard let wanted, isListening else { return }
        for report in event.reports {
            tell(reports.receive(ScanReport(report), filtersDuplicates: wanted.filtersDuplicates))
        }
    }

    /// HCI_LE_Extended_Advertising_Report came.
    public mutating func receive(_ event: HCI.LEExtendedAdvertisingReport) {
        guard let wanted, isListening else { return }
        for report in event.reports {
            // Nobody can connect to an anonymous advertiser, or tell two of them apart.
            guard let report = ScanReport(report) else { continue }
            tell(reports.receive(report, filtersDuplicates: wanted.filtersDuplicates))
        }
    }

    private mutating func tell(_ discovery: Discovery?) {
        if let discovery { outputs.append(.discovered(discovery)) }
    }

    /// Reports may come before the answer to the command that enables them.
    private var isListening: Bool {
        if enabled != nil { return true }
        if case .enable = inFlight?.step { return true }
        return false
    }

    /// A command that was sent for this machine ended.
    public mutating func receive(_ result: HCICommandResult) {
        guard let (step, opcode) = inFlight, result.command.opcode == opcode else { return }
        inFlight = nil
        if result.isSuccess {
            switch step {
            case .disable:
                enabled = nil
                mayScan = false
                hasRepeatedDisable = false
            case .setParameters(let parameters): toldParameters = parameters
            case .enable(let parameters): enabled = parameters
            }
        } else {
            recover(from: step, opcode, result.status)
        }
        advance()
    }

    /// What to do next, or `nil`.
    public mutating func pollOutput() -> Output? { outputs.popFirst() }
}

// MARK: The next command

extension Scanner {
    /// Sends the next command, if there is one and none is in flight.
    private mutating func advance() {
        guard inFlight == nil else { return }
        if let step = nextStep {
            send(step)
        } else if wanted == nil, isAnnounced {
            isAnnounced = false
            outputs.append(.stopped)
        } else if enabled != nil, wanted != nil {
            hasRetried = false
            if !isAnnounced {
                isAnnounced = true
                outputs.append(.started)
            }
        }
    }

    private var nextStep: Step? {
        if mayScan { return .disable }
        guard let wanted, !isHeld else { return enabled == nil ? nil : .disable }
        // Core Vol 4, Part E, 7.8.10 and 7.8.64: no parameters while scanning.
        if let enabled { return enabled == wanted ? nil : .disable }
        return toldParameters == wanted ? .enable(wanted) : .setParameters(wanted)
    }

    private mutating func send(_ step: Step) {
        let command = command(of: step)
        inFlight = (step, command.opcode)
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
        case (.disable, _): enable(false, false)
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

    /// Decides what comes after a command that failed; without a status it was never answered.
    private mutating func recover(from step: Step, _ opcode: HCIOpcode, _ status: HCIStatus?) {
        toldParameters = nil
        if step == .disable {
            // A controller that refuses does not scan; one that keeps silent is asked once more.
            mayScan = status == nil && !hasRepeatedDisable
            hasRepeatedDisable = mayScan
            enabled = nil
            return
        }
        if wanted == nil {
            mayScan = status == nil
        } else if !hasRetried, status == nil || status == .commandDisallowed {
            hasRetried = true
            mayScan = true
        } else if isExtended, status != nil {
            isExtended = false
            hasRetried = false
        } else {
            mayScan = status == nil
            wanted = nil
            isAnnounced = false
            hasRetried = false
            outputs.append(.failed(status.map { .refused(opcode, $0) } ?? .timedOut(opcode)))
        }
    }
}
