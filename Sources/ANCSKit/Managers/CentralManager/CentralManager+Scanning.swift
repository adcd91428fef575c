public import BluetoothLE

/// One scan of a manager, and of whom it has been told.
struct PeripheralScan {
    /// What a peripheral was told to have said.
    private struct Report {
        var hasScanResponse: Bool
        var data: AdvertisementData
    }

    let services: [BluetoothUUID]
    let options: ScanOptions
    private var reports: [PeerKey: Report] = [:]
    /// Advertisers with changing addresses are new ones each time; beyond this many, all are news again.
    private static let limit = 1024

    init(services: [BluetoothUUID], options: ScanOptions) {
        self.services = services
        self.options = options
    }

    /// What to tell of somebody who was heard, if anything.
    mutating func report(
        _ peer: PeerKey, _ discovery: Discovery
    ) -> AdvertisementData? {
        let data = AdvertisementData(discovery, askedFor: services)
        // With changes only, the system has seen to it that there is one.
        if options.allowsDuplicates || options.tellsChanges { return data }
        if let report = reports[peer] {
            // Only the scan response is news, and only what it adds.
            guard discovery.hasScanResponse, !report.hasScanResponse else { return nil }
            reports[peer]?.hasScanResponse = true
            return data == report.data ? nil : data
        }
        if reports.count >= Self.limit { reports = [:] }
        reports[peer] = Report(hasScanResponse: discovery.hasScanResponse, data: data)
        return data
    }
}

extension CentralManager {
    /// Looks for peripherals until ``stopScan()``: those that advertise one of the services, also in the
    /// overflow area of an app in the background, or everybody where `services` is `nil` or empty. A
    /// second call takes the place of the first, and everybody is news to it.
    /// (`scanForPeripherals(withServices:options:)`)
    ///
    /// Unless duplicates are allowed, a peripheral is told of once, and once more when its scan response
    /// has come and says more; Core Bluetooth leaves it open how often that is. With duplicates it is told
    /// of each time the controller hears it.
    public func scanForPeripherals(
        withServices services: [BluetoothUUID]?, options: ScanOptions = ScanOptions()
    ) throws(BluetoothError) {
        guard state == .poweredOn else { throw BluetoothError(.notPoweredOn) }
        scan = PeripheralScan(services: services ?? [], options: options)
        var request = ScanRequest()
        request.services = services ?? []
        request.solicitedServices = options.solicitedServices
        request.allowsDuplicates = options.allowsDuplicates
        system.scan(request, by: client)
    }

    /// Looks no longer. (`stopScan()`)
    public func stopScan() {
        guard scan != nil else { return }
        scan = nil
        system.stopScanning(by: client)
    }

    /// Whether this manager looks for peripherals. (`isScanning`)
    public var isScanning: Bool { scan != nil }

    // MARK: What the system tells

    func discovered(_ peer: PeerKey, _ discovery: Discovery) {
        guard let data = scan?.report(peer, discovery), let peripheral = peripheral(peer) else {
            return
        }
        tell(.discovered(peripheral, data, rssi: discovery.rssi.map { Int($0) }))
    }

    func scanningFailed(_ failure: Scanner.Failure) {
        guard scan != nil else { return }
        scan = nil
        tell(.scanningStopped(BluetoothError(failure)))
    }
}
