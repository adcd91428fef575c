@testable import BluetoothLE
import Octets
import Testing

/// What a scanner makes of the reports of the controller.
@Suite struct ScanReportTests: ScannerTesting {
    static let address = DeviceAddress(0xE0F1_F2F3_F4F5, kind: .random)
    static let flags: [UInt8] = [0x02, 0x01, 0x06]
    static let name: [UInt8] = [0x05, 0x09, 0x44, 0x65, 0x73, 0x6B]

    func scanning(
        isExtended: Bool = false, filtersDuplicates: Bool = true, maximumDevices: Int = 256
    ) -> Scanner {
        var configuration = Scanner.Configuration(
            abilities: isExtended ? Self.extendedAbilities : ControllerAbilities())
        configuration.maximumDevices = maximumDevices
        var scanner = Scanner(configuration: configuration)
        scanner.start(ScanParameters(filtersDuplicates: filtersDuplicates))
        _ = scanner.run()
        return scanner
    }

    func report(
        _ data: [UInt8], type: UInt8 = 0, from address: DeviceAddress = ScanReportTests.address,
        rssi: Int8 = -40
    ) -> HCI.LEAdvertisingReport.Report {
        .init(eventType: type, address: address, data: data, rssi: rssi)
    }

    func heard(
        _ scanner: inout Scanner, _ reports: HCI.LEAdvertisingReport.Report...
    ) -> [Discovery] {
        scanner.receive(HCI.LEAdvertisingReport(reports: reports))
        return discoveries(&scanner)
    }

    /// A report of an extended event; `status` is 0 complete, 1 more to come, 2 truncated.
    func heard(
        _ scanner: inout Scanner, _ data: [UInt8], status: UInt16, type: UInt16 = 1,
        from address: DeviceAddress? = ScanReportTests.address
    ) -> [Discovery] {
        scanner.receive(
            HCI.LEExtendedAdvertisingReport(reports: [
                .init(eventType: type | status << 5, address: address, rssi: -40, data: data)
            ]))
        return discoveries(&scanner)
    }

    private func discoveries(_ scanner: inout Scanner) -> [Discovery] {
        scanner.run().events.compactMap { output in
            if case .discovered(let discovery) = output { discovery } else { nil }
        }
    }

    @Test("the scan response is added to the advertisement")
    func merged() throws {
        var scanner = scanning()
        let first = try #require(heard(&scanner, report(Self.flags)).first)
        #expect(first.advertisement.structures.count == 1)
        #expect(first.isConnectable == true && first.hasScanResponse == false && first.rssi == -40)
        let second = try #require(
            heard(&scanner, report(Self.name, type: 4, rssi: 127)).first)
        #expect(second.advertisement.localName == "Desk")
        #expect(second.advertisement.flags == [.generalDiscoverable, .brEDRNotSupported])
        #expect(
            second.isConnectable == true && second.hasScanResponse == true && second.rssi == nil)
    }

    @Test("one event may report several devices")
    func several() {
        var scanner = scanning()
        let other = DeviceAddress(0x0011_2233_4455, kind: .public)
        let found = heard(
            &scanner, report(Self.flags), report([], type: 1, from: other),
            report(Self.name, type: 4), report(Self.name, type: 2, from: other))
        #expect(found.map(\.address) == [Self.address, other, Self.address, other])
        #expect(found.map(\.isConnectable) == [true, true, true, false])
        #expect(found.map(\.isDirected) == [false, true, false, false])
    }

    @Test("repetitions are reported only if wanted", arguments: [false, true])
    func duplicates(filtersDuplicates: Bool) {
        var scanner = scanning(filtersDuplicates: filtersDuplicates)
        #expect(heard(&scanner, report(Self.flags)).count == 1)
        let repetition = heard(&scanner, report(Self.flags, rssi: -50))
        #expect(repetition.map(\.rssi) == (filtersDuplicates ? [] : [-50]))
        #expect(heard(&scanner, report(Self.flags + Self.name)).count == 1)
        #expect(heard(&scanner, report(Self.flags + Self.name, type: 3)).count == 1)
    }

    @Test("a device that was left is news again, and so is every device after a restart")
    func forgotten() {
        var scanner = scanning()
        #expect(heard(&scanner, report(Self.flags)).count == 1)
        scanner.forget(DeviceAddress(0x0011_2233_4455, kind: .public))
        #expect(scanner.run().commands.isEmpty)
        scanner.forget(Self.address)
        // The controller has filtered it out as well.
        #expect(scanner.run().commands == [Self.disable, Self.enable])
        #expect(heard(&scanner, report(Self.flags)).count == 1)
        #expect(heard(&scanner, report(Self.flags)).isEmpty)
        scanner.start(ScanParameters())
        _ = scanner.run()
        #expect(heard(&scanner, report(Self.flags)).count == 1)
    }

    @Test("a structure that lies about its length does not hide those before it")
    func malformed() throws {
        var scanner = scanning()
        let first = try #require(heard(&scanner, report(Self.flags + [0x1E, 0x09, 0x44])).first)
        #expect(first.advertisement.flags == [.generalDiscoverable, .brEDRNotSupported])
        // Nor does it reach into the scan response, or hide it.
        let second = try #require(heard(&scanner, report(Self.name, type: 4)).first)
        #expect(second.advertisement.structures.count == 2)
        #expect(second.advertisement.localName == "Desk")
    }

    @Test("nothing is reported before the start, after the stop, or unless requested")
    func ignored() {
        var idle = legacy()
        #expect(heard(&idle, report(Self.flags)).isEmpty)
        var starting = legacy()
        starting.start(ScanParameters())
        starting.receive(HCI.LEAdvertisingReport(reports: [report(Self.flags)]))
        #expect(starting.run().events == [.started])
        var stopping = scanning()
        stopping.stop()
        stopping.receive(HCI.LEAdvertisingReport(reports: [report(Self.flags)]))
        #expect(stopping.run().events == [.stopped])
        #expect(heard(&stopping, report(Self.flags)).isEmpty)
    }

    @Test("of more devices than there is room for the oldest is forgotten")
    func bounded() {
        var scanner = scanning(maximumDevices: 4)
        func address(_ index: UInt64) -> DeviceAddress { DeviceAddress(index, kind: .public) }
        for index in 0..<5 {
            #expect(heard(&scanner, report(Self.flags, from: address(UInt64(index)))).count == 1)
        }
        #expect(heard(&scanner, report(Self.flags, from: address(1))).isEmpty)
        #expect(heard(&scanner, report(Self.flags, from: address(0))).count == 1)
        #expect(heard(&scanner, report(Self.flags, from: address(1))).count == 1)
    }

    // MARK: Extended reports

    @Test("fragments are put together, those of two devices side by side")
    func fragments() throws {
        var scanner = scanning(isExtended: true)
        let other = DeviceAddress(0x0011_2233_4455, kind: .public)
        let data = Self.flags + Self.name
        #expect(heard(&scanner, Array(data[..<4]), status: 1).isEmpty)
        #expect(heard(&scanner, Array(data[..<2]), status: 1, from: other).isEmpty)
        #expect(heard(&scanner, Array(data[4..<6]), status: 1).isEmpty)
        let first = try #require(heard(&scanner, Array(data[6...]), status: 0).first)
        #expect(first.advertisement.localName == "Desk" && !first.isTruncated)
        let second = try #require(
            heard(&scanner, Array(data[2...]), status: 2, from: other).first)
        #expect(second.advertisement.localName == "Desk" && second.isTruncated)
    }

    @Test("a scan response through extended events belongs to its advertisement")
    func extendedScanResponse() throws {
        var scanner = scanning(isExtended: true)
        #expect(heard(&scanner, Self.flags, status: 0, type: 0x13).count == 1)
        let merged = try #require(heard(&scanner, Self.name, status: 0, type: 0x1B).first)
        #expect(merged.hasScanResponse == true && merged.isConnectable == true)
        #expect(merged.advertisement.structures.count == 2)
    }

    @Test("fragments without end are cut, and do not grow anything")
    func endless() {
        var scanner = scanning(isExtended: true)
        var told: [Discovery] = []
        for _ in 0..<100 {
            told += heard(&scanner, [UInt8](repeating: 0x01, count: 229), status: 1)
        }
        #expect(!told.isEmpty)
        for discovery in told {
            #expect(discovery.isTruncated)
            #expect(discovery.advertisement.structures.count <= 1650 / 2)
        }
        // A hundred devices in the middle of their fragments: only the last few are completed.
        for index in 0..<100 {
            let address = DeviceAddress(UInt64(index), kind: .public)
            #expect(heard(&scanner, [0x02], status: 1, from: address).isEmpty)
        }
        let last = heard(
            &scanner, [0x01, 0x06], status: 0, from: DeviceAddress(99, kind: .public))
        #expect(last.first?.advertisement.flags != nil)
        let first = heard(
            &scanner, [0x01, 0x06], status: 0, from: DeviceAddress(0, kind: .public))
        #expect(first.first?.advertisement.flags == nil)
    }

    @Test("an anonymous advertiser cannot be connected to")
    func anonymous() {
        var scanner = scanning(isExtended: true)
        #expect(heard(&scanner, Self.flags, status: 0, type: 0, from: nil).isEmpty)
    }
}
