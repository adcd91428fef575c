/// A report about an advertiser, from either event.
struct ScanReport: Equatable, Sendable {
    /// Whether more data follow. Core Vol 4, Part E, 7.7.65.13.
    enum DataStatus: Equatable, Sendable { case complete, moreToCome, truncated }

    var address: DeviceAddress
    /// The advertising SID; 0xFF for legacy PDUs.
    var sid: UInt8
    var rssi: Int8?
    var isConnectable: Bool
    var isDirected: Bool
    var isScanResponse: Bool
    var status: DataStatus
    var data: [UInt8]

    init(_ report: HCI.LEAdvertisingReport.Report) {
        address = report.address
        sid = 0xFF
        rssi = Self.known(report.rssi)
        isConnectable = report.eventType == 0 || report.eventType == 1
        isDirected = report.eventType == 1
        isScanResponse = report.eventType == 4
        status = .complete
        data = report.data
    }

    /// `nil` if the advertiser is anonymous.
    init?(_ report: HCI.LEExtendedAdvertisingReport.Report) {
        guard let address = report.address else { return nil }
        self.address = address
        sid = report.sid
        rssi = Self.known(report.rssi)
        isConnectable = report.eventType & 1 << 0 != 0
        isDirected = report.eventType & 1 << 2 != 0
        isScanResponse = report.eventType & 1 << 3 != 0
        status =
            switch report.eventType >> 5 & 0b11 {
            case 0: .complete
            case 1: .moreToCome
            default: .truncated
            }
        data = report.data
    }

    /// 127: not available. Core Vol 4, Part E, 7.7.65.2.
    private static func known(_ rssi: Int8) -> Int8? { rssi == 127 ? nil : rssi }

    /// Whether both reports have parts of the same data.
    func continues(_ other: ScanReport) -> Bool {
        address == other.address && sid == other.sid && isScanResponse == other.isScanResponse
    }
}

/// Joins the reports about each device: fragments, and advertising data with scan responses. Bounded: the
/// oldest device is dropped if there are too many.
struct ScanReports: Sendable {
    /// Identifies an advertiser.
    private struct Key: Hashable, Sendable {
        let address: DeviceAddress
        let sid: UInt8

        init(of report: ScanReport) {
            address = report.address
            sid = report.sid
        }
    }

    private struct Device: Sendable {
        let key: Key
        var discovery: Discovery
        /// Whether the discovery has something that was not reported.
        var isNews = true
        private var advertisement: [UInt8] = []
        private var scanResponse: [UInt8] = []

        init(of report: ScanReport) {
            key = Key(of: report)
            // A scan response alone does not show whether the device accepts connections.
            discovery = Discovery(address: report.address, isConnectable: report.isConnectable)
        }

        mutating func learn(_ report: ScanReport) {
            discovery.rssi = report.rssi
            var next = discovery
            next.isTruncated = report.status != .complete
            var hasNewData = false
            if report.isScanResponse {
                next.hasScanResponse = true
                hasNewData = exchange(&scanResponse, with: report.data) != report.data
            } else {
                next.isConnectable = report.isConnectable
                next.isDirected = report.isDirected
                hasNewData = exchange(&advertisement, with: report.data) != report.data
            }
            // Most reports repeat what is known; their structures are neither parsed nor compared.
            isNews =
                isNews || hasNewData || next.isTruncated != discovery.isTruncated
                || next.hasScanResponse != discovery.hasScanResponse
                || next.isConnectable != discovery.isConnectable
                || next.isDirected != discovery.isDirected
            if hasNewData {
                let first = AdvertisingData.parse(advertisement.span).data.structures
                let second = AdvertisingData.parse(scanResponse.span).data.structures
                next.advertisement = AdvertisingData(first + second)
            }
            discovery = next
        }
    }

    /// How many advertisements may be incomplete at a time; controllers rarely interleave them.
    private static let maximumFragmented = 8
    /// The maximum length of advertising data in octets. Core Vol 6, Part B, 4.4.2.
    private static let maximumDataLength = 1650

    private let maximumDevices: Int
    private var devices: [Device] = []
    /// The position of each device; a search would compare hundreds for each report in a busy place.
    private var positions: [Key: Int] = [:]
    /// The position of the oldest device, once the table is full.
    private var oldest = 0
    private var fragmented: [ScanReport] = []

    init(maximumDevices: Int) { self.maximumDevices = max(1, maximumDevices) }

    mutating func removeAll() {
        devices = []
        positions = [:]
        oldest = 0
        fragmented = []
    }

    /// Makes the next report about this device news again; `false` if it is not known.
    mutating func forget(_ address: DeviceAddress) -> Bool {
        var isKnown = false
        for index in devices.indices where devices[index].key.address == address {
            devices[index].isNews = true
            isKnown = true
        }
        return isKnown
    }

    /// The joined discovery; `nil` if it is incomplete or not news.
    mutating func receive(_ report: ScanReport, filtersDuplicates: Bool) -> Discovery? {
        guard let report = assemble(report) else { return nil }
        let index = indexOfDevice(of: report)
        devices[index].learn(report)
        let isNews = exchange(&devices[index].isNews, with: false)
        return isNews || !filtersDuplicates ? devices[index].discovery : nil
    }

    private mutating func indexOfDevice(of report: ScanReport) -> Int {
        if let known = positions[Key(of: report)] { return known }
        let device = Device(of: report)
        if devices.count < maximumDevices {
            positions[device.key] = devices.count
            devices.append(device)
            return devices.count - 1
        }
        defer { oldest = (oldest + 1) % maximumDevices }
        positions[devices[oldest].key] = nil
        positions[device.key] = oldest
        devices[oldest] = device
        return oldest
    }

    /// The complete data of a fragmented report; `nil` if more fragments follow.
    private mutating func assemble(_ report: ScanReport) -> ScanReport? {
        var report = report
        if let index = fragmented.firstIndex(where: report.continues) {
            let beginning = fragmented.remove(at: index)
            report.data = beginning.data + report.data
        }
        if report.data.count > Self.maximumDataLength {
            report.data.removeLast(report.data.count - Self.maximumDataLength)
            report.status = .truncated
        }
        guard report.status == .moreToCome else { return report }
        if fragmented.count == Self.maximumFragmented { fragmented.removeFirst() }
        fragmented.append(report)
        return nil
    }
}
