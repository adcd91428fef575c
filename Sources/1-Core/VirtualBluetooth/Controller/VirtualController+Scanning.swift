internal import BluetoothLE

/// The state of scanning, by the commands of either family.
struct ScanningState {
    var isEnabled = false
    var isActive = false
    var ownAddressType = OwnAddressType.public
    /// Bit 0: only devices on the filter accept list; bit 1: also advertising that is directed to an
    /// unresolvable private address.
    var filterPolicy: UInt8 = 0
    var rhythm = ListeningRhythm()
    var filtersDuplicates = false
    /// When the scan ends, or the next period starts.
    var deadline: MonotonicInstant?
    var duration: Duration?
    var period: Duration?
    /// Whether the scan pauses until the next period.
    var isPausing = false
    /// The advertisements reported so far.
    var reported: Set<ReportKey> = []

    /// The limit of remembered reports, because a controller has little memory.
    static let reportLimit = 4096
}

/// Identifies an advertisement when duplicates are filtered.
struct ReportKey: Hashable {
    var address: DeviceAddress?
    var sid: UInt8
    var isScanResponse: Bool
}

/// When a device listens: during a window in each interval.
struct ListeningRhythm {
    var start = MonotonicInstant.zero
    /// Both 10 ms, the defaults of the legacy commands.
    var interval = AdvertisingInterval(rawValue: 0x0010)
    var window = AdvertisingInterval(rawValue: 0x0010)

    func listens(at now: MonotonicInstant) -> Bool {
        guard window < interval else { return true }
        let phase = (now.nanoseconds - start.nanoseconds) % (Int64(interval.rawValue) * 625_000)
        return phase < Int64(window.rawValue) * 625_000
    }

    /// Whether the times are valid: 2.5 ms to 10.24 s, or to 40.96 s with the extended commands.
    func isValid(upTo longest: UInt32) -> Bool {
        (4...longest).contains(interval.rawValue) && (4...longest).contains(window.rawValue)
            && window <= interval
    }
}

extension VirtualController {
    private static var maximumReportData: Int { 229 }

    func runScanning(_ packet: HCICommandPacket, at now: MonotonicInstant) -> Bool {
        switch packet.opcode {
        case .leSetScanParameters: perform(packet, setScanParameters)
        case .leSetExtendedScanParameters: perform(packet, setExtendedScanParameters)
        case .leSetScanEnable:
            perform(packet) { (command: HCI.LESetScanEnable) throws(HCIStatus) in
                try use(.legacy)
                try setScan(
                    command.isEnabled, filtersDuplicates: command.filtersDuplicates, at: now)
            }
        case .leSetExtendedScanEnable:
            perform(packet) { (command: HCI.LESetExtendedScanEnable) throws(HCIStatus) in
                try use(.extended)
                try enableExtendedScan(command, at: now)
            }
        default: return false
        }
        return true
    }

    private func setScanParameters(_ command: HCI.LESetScanParameters) throws(HCIStatus) {
        try use(.legacy)
        guard !scanner.isEnabled else { throw .commandDisallowed }
        let rhythm = ListeningRhythm(interval: command.interval, window: command.window)
        guard rhythm.isValid(upTo: 0x4000), command.filterPolicy <= 3,
            command.ownAddressType.rawValue <= 3
        else { throw .invalidCommandParameters }
        scanner.isActive = command.isActive
        scanner.ownAddressType = command.ownAddressType
        scanner.filterPolicy = command.filterPolicy
        scanner.rhythm = rhythm
    }

    private func setExtendedScanParameters(
        _ command: HCI.LESetExtendedScanParameters
    ) throws(HCIStatus) {
        try use(.extended)
        guard !scanner.isEnabled else { throw .commandDisallowed }
        // Advertising starts on LE 1M or LE Coded; this radio carries either.
        guard let entry = command.entries.first, command.filterPolicy <= 3,
            command.ownAddressType.rawValue <= 3,
            !command.entries.contains(where: { $0.phy == .le2M })
        else { throw .invalidCommandParameters }
        let rhythm = ListeningRhythm(interval: entry.interval, window: entry.window)
        guard rhythm.isValid(upTo: 0xFFFF) else { throw .invalidCommandParameters }
        scanner.isActive = entry.isActive
        scanner.ownAddressType = command.ownAddressType
        scanner.filterPolicy = command.filterPolicy
        scanner.rhythm = rhythm
    }

    private func setScan(
        _ isEnabled: Bool, filtersDuplicates: Bool, at now: MonotonicInstant
    ) throws(HCIStatus) {
        if isEnabled, ownAddress(scanner.ownAddressType, random: randomAddress, towards: nil) == nil
        {
            throw .invalidCommandParameters
        }
        let wasListening = isListening
        scanner.isEnabled = isEnabled
        scanner.filtersDuplicates = filtersDuplicates
        scanner.reported = []
        scanner.rhythm.start = now
        scanner.deadline = nil
        scanner.isPausing = false
        if isListening != wasListening { outputs.append(.listeningChanged) }
    }

    private func enableExtendedScan(
        _ command: HCI.LESetExtendedScanEnable, at now: MonotonicInstant
    ) throws(HCIStatus) {
        guard command.duplicateFilter <= 2 else { throw .invalidCommandParameters }
        let duration = Duration.milliseconds(Int64(command.duration) * 10)
        let period = Duration.milliseconds(Int64(command.period) * 1280)
        guard command.period == 0 || command.duration != 0 && period > duration else {
            throw .invalidCommandParameters
        }
        try setScan(command.isEnabled, filtersDuplicates: command.duplicateFilter != 0, at: now)
        guard command.isEnabled, command.duration != 0 else { return }
        scanner.duration = duration
        scanner.period = command.period == 0 ? nil : period
        scanner.deadline = now + duration
    }

    /// Ends a scan with a limit, or starts the next period.
    func endScan(dueAt now: MonotonicInstant) {
        guard scanner.isEnabled, let deadline = scanner.deadline, deadline <= now,
            let duration = scanner.duration
        else { return }
        guard let period = scanner.period else {
            scanner.isEnabled = false
            scanner.deadline = nil
            if !isListening { outputs.append(.listeningChanged) }
            // The event has no parameters. Core Vol 4, Part E, 7.7.65.17.
            if masks.allows(.leScanTimeout) { send([0x3E, 0x01, 0x11]) }
            return
        }
        scanner.isPausing.toggle()
        scanner.deadline = now + (scanner.isPausing ? period - duration : duration)
        if !scanner.isPausing { scanner.reported = [] }
    }

    // MARK: What is heard

    /// Reports an advertising PDU; returns the address for a scan request, if one is to be sent.
    func scan(_ pdu: AdvertisingPDU, at now: MonotonicInstant) -> DeviceAddress? {
        guard scanner.isEnabled, !scanner.isPausing, scanner.rhythm.listens(at: now),
            commandFamily == .extended || pdu.properties.contains(.legacy)
        else { return nil }
        let identity = pdu.advertiser.flatMap { resolvedIdentity(of: $0) }
        let address = identity ?? pdu.advertiser
        if scanner.filterPolicy & 1 != 0 {
            guard let address, filterAcceptList.contains(address) else { return nil }
        }
        if identity == nil, let address, ignores(address) { return nil }
        guard isMeantForUs(pdu) else { return nil }
        report(pdu, as: address, isResolved: identity != nil)
        guard scanner.isActive, pdu.properties.contains(.scannable), !pdu.isScanResponse else {
            return nil
        }
        return ownAddress(scanner.ownAddressType, random: randomAddress, towards: address)
    }

    /// Directed advertising is only for its target. Core Vol 6, Part B, 4.3.3.
    private func isMeantForUs(_ pdu: AdvertisingPDU) -> Bool {
        guard let target = pdu.target else { return true }
        return isOwn(target)
            || scanner.filterPolicy & 2 != 0 && target.randomKind == .resolvablePrivate
    }

    private func report(_ pdu: AdvertisingPDU, as address: DeviceAddress?, isResolved: Bool) {
        if scanner.filtersDuplicates {
            let key = ReportKey(address: address, sid: pdu.sid, isScanResponse: pdu.isScanResponse)
            guard !scanner.reported.contains(key) else { return }
            if scanner.reported.count >= ScanningState.reportLimit { scanner.reported = [] }
            scanner.reported.insert(key)
        }
        if commandFamily == .extended {
            reportExtended(pdu, as: address, isResolved: isResolved)
        } else if let address {
            reportLegacy(pdu, as: address, isResolved: isResolved)
        }
    }

    private func reportLegacy(_ pdu: AdvertisingPDU, as address: DeviceAddress, isResolved: Bool) {
        if let target = pdu.target, !isOwn(target) {
            return emit(
                HCI.LEDirectedAdvertisingReport(
                    count: 1, eventType: 1,
                    addressType: address.kind.rawValue | (isResolved ? 2 : 0), address: address,
                    directAddress: target, rssi: VirtualAir.rssi))
        }
        let advertiser = HeardAddress(address, isResolved: isResolved)
        let report = HCI.LEAdvertisingReport.Report.layout(
            legacyEventType(of: pdu), advertiser, pdu.data, VirtualAir.rssi)
        emit(HCI.LEAdvertisingReport.layout([report]))
    }

    private func legacyEventType(of pdu: AdvertisingPDU) -> UInt8 {
        if pdu.isScanResponse { return 4 }
        if pdu.properties.contains(.directed) { return 1 }
        if pdu.properties.contains(.connectable) { return 0 }
        return pdu.properties.contains(.scannable) ? 2 : 3
    }

    /// Long data need several reports. Core Vol 4, Part E, 7.7.65.13.
    private func reportExtended(
        _ pdu: AdvertisingPDU, as address: DeviceAddress?, isResolved: Bool
    ) {
        let kind = pdu.properties.intersection([.connectable, .scannable, .directed, .legacy])
        let type = kind.rawValue | (pdu.isScanResponse ? 1 << 3 : 0)
        var start = 0
        repeat {
            let end = min(start + Self.maximumReportData, pdu.data.count)
            let isLast = end == pdu.data.count
            var report = HCI.LEExtendedAdvertisingReport.Report(
                eventType: type | (isLast ? 0 : 1 << 5), address: address, rssi: VirtualAir.rssi,
                data: Array(pdu.data[start..<end]))
            report.isResolved = isResolved
            report.primaryPHY = pdu.primaryPHY
            report.secondaryPHY = pdu.secondaryPHY
            report.sid = pdu.sid
            report.transmitPower = pdu.transmitPower
            if let target = pdu.target { report.directAddress = target }
            emit(HCI.LEExtendedAdvertisingReport.layout([report]))
            start = end
        } while start < pdu.data.count
    }
}
