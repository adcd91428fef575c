public import BluetoothLE

/// A scan of a manager, and what it has reported.
struct PeripheralScan {
    /// What was reported of a peripheral.
    private struct Report {
        var hasScanResponse: Bool
        var data: AdvertisementData
    }

    let services: [BluetoothUUID]
    let options: ScanOptions
    private var reports: [PeerKey: Report] = [:]
    /// Advertisers that change their address are new ones each time; at this limit, all become news again.
    private static let limit = 1024

    init(services: [BluetoothUUID], options: ScanOptions) {
        self.services = services
        self.options = options
    }

    /// The data to report for a discovery; `nil` if it is not news.
    mutating func report(_ peer: PeerKey, _ discovery: Discovery) -> AdvertisementData? {
        let data = AdvertisementData(discovery, askedFor: services)
        // The system reports only changes in this case.
        if options.allowsDuplicates || options.reportsChanges { return data }
        if let report = reports[peer] {
            // Only the scan response is news, and only if it adds something.
            guard discovery.hasScanResponse != false, !report.hasScanResponse else { return nil }
            // Where they are not kept apart, whatever is added came with the scan response.
            guard discovery.hasScanResponse == true || data != report.data else { return nil }
            reports[peer]?.hasScanResponse = true
            return data == report.data ? nil : data
        }
        if reports.count >= Self.limit { reports = [:] }
        reports[peer] = Report(hasScanResponse: discovery.hasScanResponse == true, data: data)
        return data
    }
}

extension CentralManager {
    /// Scans for peripherals until ``stopScan()``: those that advertise one of the services, also in the
    /// overflow area of an app in the background (not at bluetoothd), or all devices if `services` is `nil` or
    /// empty. A second call replaces the first, and reports every device again.
    /// (`scanForPeripherals(withServices:options:)`)
    ///
    /// Without duplicates, a peripheral is reported once, and again when its scan response arrives and adds
    /// something; Core Bluetooth does not specify how often. With duplicates, it is reported every time it is
    /// received.
    public func scanForPeripherals(
        withServices services: [BluetoothUUID]?, options: ScanOptions = ScanOptions()
    ) throws(BluetoothError) {
        guard state == .poweredOn else { throw notPoweredOn }
        scan = PeripheralScan(services: services ?? [], options: options)
        var request = ScanRequest()
        request.services = services ?? []
        request.solicitedServices = options.solicitedServices
        request.includesBonded = options.includesBonded
        request.allowsDuplicates = options.allowsDuplicates
        system.scan(request, by: client)
    }

    /// Stops scanning. (`stopScan()`)
    public func stopScan() {
        guard scan != nil else { return }
        scan = nil
        system.stopScanning(by: client)
    }

    /// Whether this manager is scanning. (`isScanning`)
    public var isScanning: Bool { scan != nil }

    // MARK: Events of the system

    func discovered(_ peer: PeerKey, _ discovery: Discovery) {
        guard let data = scan?.report(peer, discovery), let peripheral = peripheral(peer) else {
            return
        }
        report(.discovered(peripheral, data, rssi: discovery.rssi.map { Int($0) }))
    }

    func scanningFailed(_ error: BluetoothError) {
        guard scan != nil else { return }
        scan = nil
        report(.scanningStopped(error))
    }
}
