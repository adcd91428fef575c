import ANCSEvents
import BluetoothLE
import DBus
import Testing

@testable import ANCSKit
@testable import BlueZ

@Suite struct SystemScanTests {
    private func bench() -> SystemBench {
        let bench = SystemBench()
        bench.begin()
        return bench
    }

    private static let heartRate = BluetoothUUID(0x180D as UInt16)
    private static let battery = BluetoothUUID(0x180F as UInt16)

    private func request(_ services: BluetoothUUID...) -> ScanRequest {
        var request = ScanRequest()
        request.services = services
        return request
    }

    /// The options of the last filter.
    private func filter(_ bench: SystemBench) -> [String: BusValue]? {
        bench.pending.last { $0.call.member == "SetDiscoveryFilter" }?.call.arguments.first?
            .properties
    }

    private func scan(
        _ bench: SystemBench, _ request: ScanRequest,
        by client: ClientID = SystemBench.app
    ) -> [SystemBench.Line] {
        bench.input { $0.scan(request, by: client, at: $1) }
    }

    private func discovered(_ lines: [SystemBench.Line]) -> [UInt64] {
        lines.compactMap { line in
            if case .event(let said) = line, case .scan(.discovered) = said.event {
                said.client?.rawValue
            } else {
                nil
            }
        }
    }

    @Test func theFilterComesBeforeTheStart() {
        let bench = bench()
        #expect(scan(bench, request(Self.heartRate)) == [.call("SetDiscoveryFilter hci0")])
        #expect(filter(bench)?["UUIDs"]?.strings == ["180D"])
        #expect(filter(bench)?["Transport"]?.string == "le")
        #expect(bench.answer("SetDiscoveryFilter hci0") == [.call("StartDiscovery hci0")])
        #expect(bench.answer("StartDiscovery hci0") == [])
        #expect(
            bench.input { $0.stopScanning(by: SystemBench.app, at: $1) }
                == [.call("StopDiscovery hci0")])
        #expect(bench.answer("StopDiscovery hci0") == [])
    }

    /// 5.87 ends when it compares the services of a device that it hears. Whether an unknown version does is not known.
    @Test(arguments: ["usb:v1D6Bp0246d0557", "", "usb:v1D6Bp0246dXXXX"])
    func whereServicesEndBluetoothdNoneAreNamed(_ modalias: String) {
        let bench = SystemBench()
        bench.begin(modalias: modalias)
        _ = scan(bench, request(Self.heartRate))
        #expect(filter(bench)?["Transport"]?.string == "le")
        #expect(filter(bench)?["UUIDs"] == nil)
        bench.answer("SetDiscoveryFilter hci0")
        bench.answer("StartDiscovery hci0")
        #expect(discovered(bench.addDevice("dev_1")) == [1])
        #expect(discovered(bench.addDevice("dev_2", and: ["UUIDs": .strings(["180F"])])) == [])
    }

    /// The kernel's discovery goes on for ten seconds after bluetoothd was killed; the next one cannot start another.
    @Test func aDiscoveryThatIsInProgressIsNoneOfOurs() {
        let bench = bench()
        _ = scan(bench, request(Self.heartRate))
        bench.answer("SetDiscoveryFilter hci0")
        #expect(bench.refuse("StartDiscovery hci0", "InProgress") == [.call("StopDiscovery hci0")])
        #expect(bench.refuse("StopDiscovery hci0", "Failed") == [])
        #expect(bench.wait(.seconds(4)) == [])
        #expect(bench.wait(.seconds(1)) == [.call("SetDiscoveryFilter hci0")])
        bench.answer("SetDiscoveryFilter hci0")
        bench.answer("StartDiscovery hci0")
        #expect(discovered(bench.addDevice()) == [1])
    }

    @Test func twoClientsHaveOneDiscovery() {
        let bench = bench()
        _ = scan(bench, request(Self.heartRate))
        bench.answer("SetDiscoveryFilter hci0")
        bench.answer("StartDiscovery hci0")
        #expect(
            scan(bench, request(Self.battery), by: SystemBench.otherApp)
                == [.call("SetDiscoveryFilter hci0")])
        #expect(filter(bench)?["UUIDs"]?.strings == ["180D", "180F"])
        bench.answer("SetDiscoveryFilter hci0")
        #expect(discovered(bench.addDevice()) == [1])
        #expect(
            discovered(bench.addDevice("dev_2", and: ["UUIDs": .strings(["180f"])])) == [2])
        #expect(discovered(bench.addDevice("dev_3", and: ["UUIDs": .strings(["1800"])])) == [])
        // What only one of them wants ends with it.
        #expect(
            bench.input { $0.stopScanning(by: SystemBench.app, at: $1) }
                == [.call("SetDiscoveryFilter hci0")])
        #expect(filter(bench)?["UUIDs"]?.strings == ["180F"])
    }

    @Test func whatBluetoothdCannotCompareNeedsAllDevices() {
        let bench = bench()
        var request = request(Self.heartRate)
        request.includesBonded = true
        _ = scan(bench, request)
        #expect(filter(bench)?["UUIDs"] == nil)
        #expect(discovered(bench.addDevice("dev_2", and: ["UUIDs": .strings([])])) == [])
        let bonded = bench.addDevice("dev_3", isPaired: true, and: ["UUIDs": .strings([])])
        #expect(discovered(bonded) == [1])
    }

    @Test func solicitedServicesAreSeen() {
        let bench = bench()
        var request = ScanRequest()
        request.solicitedServices = [Self.battery]
        _ = scan(bench, request)
        let data = BusValue.dictionary(
            [.byte(0x14): .variant(.octets([0x0F, 0x18]))], key: "y", value: "v")
        #expect(discovered(bench.addDevice(and: ["AdvertisingData": data])) == [1])
        #expect(discovered(bench.addDevice("dev_2")) == [])
    }

    @Test func aDeviceIsReportedAgainOnlyWithNews() {
        let bench = bench()
        _ = scan(bench, ScanRequest())
        #expect(discovered(bench.addDevice()) == [1])
        #expect(discovered(bench.changeDevice(["RSSI": .int16(-40)])) == [])
        #expect(discovered(bench.changeDevice(["Name": .string("strap")])) == [1])
        // A new scan reports what is heard at present.
        #expect(discovered(scan(bench, ScanRequest())) == [1])
    }

    @Test func withDuplicatesEachTimeCounts() {
        let bench = bench()
        var request = ScanRequest()
        request.allowsDuplicates = true
        _ = scan(bench, request)
        #expect(filter(bench)?["DuplicateData"]?.bool == true)
        #expect(discovered(bench.addDevice()) == [1])
        #expect(discovered(bench.changeDevice(["RSSI": .int16(-40)])) == [1])
        // A property that has nothing to do with the air.
        #expect(discovered(bench.changeDevice(["Trusted": .bool(true)])) == [])
    }

    @Test func aDeviceThatNobodyHearsIsNotDiscovered() {
        let bench = bench()
        _ = scan(bench, ScanRequest())
        #expect(discovered(bench.addDevice(isConnected: true)) == [])
    }

    @Test func aRefusalEndsTheScan() {
        let bench = bench()
        _ = scan(bench, ScanRequest())
        let lines = bench.refuse("SetDiscoveryFilter hci0", "NotReady", "Resource Not Ready")
        #expect(
            lines == [
                .event(
                    .scanFailed(
                        SystemBench.app, "bluetoothd does not scan: Resource Not Ready"))
            ])
        #expect(bench.nextDeadline == nil)
        // The next one need not wait.
        #expect(
            scan(bench, ScanRequest()) == [.call("SetDiscoveryFilter hci0")])
    }

    @Test func changesWhileItStartsAreMadeUpFor() {
        let bench = bench()
        _ = scan(bench, request(Self.heartRate))
        #expect(scan(bench, request(Self.battery), by: SystemBench.otherApp) == [])
        bench.answer("SetDiscoveryFilter hci0")
        #expect(bench.answer("StartDiscovery hci0") == [.call("SetDiscoveryFilter hci0")])
        #expect(bench.input { $0.dismiss(SystemBench.app, at: $1) } == [])
        #expect(bench.input { $0.dismiss(SystemBench.otherApp, at: $1) } == [])
        #expect(bench.answer("SetDiscoveryFilter hci0") == [.call("StopDiscovery hci0")])
    }

    @Test func aScanEndsWithBluetoothd() {
        let bench = bench()
        _ = scan(bench, ScanRequest())
        bench.answer("SetDiscoveryFilter hci0")
        bench.daemonEnds()
        bench.pending = []
        bench.begin()
        #expect(bench.pending == [])
        #expect(discovered(bench.addDevice()) == [])
    }
}
