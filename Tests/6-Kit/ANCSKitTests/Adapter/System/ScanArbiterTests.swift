import BluetoothLE
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// One scanner for several clients, without a controller.
@Suite("The arbiter of scans")
struct ScanArbiterTests {
    private static let one = ClientID(rawValue: 1)
    private static let other = ClientID(rawValue: 2)
    private static let peer = PeerKey(rawValue: 7)

    private static func discovery(rssi: Int8 = -40) -> Discovery {
        var discovery = Discovery(address: DeviceAddress(0xC0FF_EE00_0001, kind: .random))
        discovery.rssi = rssi
        return discovery
    }

    /// What comes out after something happened, a line each.
    private static func after(
        _ arbiter: inout ScanArbiter, _ body: (inout ScanArbiter) -> Void
    ) -> [String] {
        body(&arbiter)
        var lines: [String] = []
        while let output = arbiter.pollOutput() {
            switch output {
            case .start(let parameters):
                lines.append("start" + (parameters.filtersDuplicates ? "" : " with duplicates"))
            case .stop: lines.append("stop")
            case .report(let client, .changed(let isScanning)):
                lines.append("\(client.rawValue): scanning \(isScanning)")
            case .report(let client, .failed): lines.append("\(client.rawValue): failed")
            case .report(let client, .discovered): lines.append("\(client.rawValue): discovered")
            case .report(let client, .passedOver): lines.append("\(client.rawValue): passed over")
            }
        }
        return lines
    }

    @Test(
        "the controller scans as long as any client does, and reports to the last one when it has stopped"
    )
    func shared() {
        var arbiter = ScanArbiter()
        #expect(Self.after(&arbiter) { $0.scan(ScanRequest(), by: Self.one) } == ["start"])
        #expect(Self.after(&arbiter) { $0.started() } == ["1: scanning true"])
        let greedy = ScanRequest(allowsDuplicates: true)
        #expect(
            Self.after(&arbiter) { $0.scan(greedy, by: Self.other) } == [
                "start with duplicates", "2: scanning true",
            ])
        #expect(
            Self.after(&arbiter) { $0.stop(by: Self.other) } == ["start", "2: scanning false"])
        #expect(Self.after(&arbiter) { $0.stop(by: Self.one) } == ["stop"])
        #expect(Self.after(&arbiter) { $0.stopped() } == ["1: scanning false"])
    }

    @Test("a scan for bonded peers reports them with any advertisement")
    func bonded() {
        var arbiter = ScanArbiter()
        let request = ScanRequest(services: [.ancs], includesBonded: true)
        _ = Self.after(&arbiter) { $0.scan(request, by: Self.one) }
        let stranger = Self.discovery()
        var bonded = stranger
        bonded.identity = DeviceAddress(1, kind: .public)
        #expect(!arbiter.looks(for: stranger))
        #expect(Self.after(&arbiter) { $0.heard(Self.peer, stranger) } == [])
        #expect(arbiter.looks(for: bonded))
        #expect(Self.after(&arbiter) { $0.heard(Self.peer, bonded) } == ["1: discovered"])
    }

    @Test("a scan that starts again before the controller has stopped continues")
    func comesBack() {
        var arbiter = ScanArbiter()
        _ = Self.after(&arbiter) { $0.scan(ScanRequest(), by: Self.one) }
        _ = Self.after(&arbiter) { $0.started() }
        _ = Self.after(&arbiter) { $0.stop(by: Self.one) }
        #expect(Self.after(&arbiter) { $0.scan(ScanRequest(), by: Self.one) } == ["start"])
    }

    @Test(
        "a repeated advertisement is not reported, unless the client wants duplicates or the peer was forgotten"
    )
    func news() {
        var arbiter = ScanArbiter()
        _ = Self.after(&arbiter) { $0.scan(ScanRequest(), by: Self.one) }
        _ = Self.after(&arbiter) { arbiter in
            arbiter.scan(ScanRequest(allowsDuplicates: true), by: Self.other)
        }
        let both = ["1: discovered", "2: discovered"]
        #expect(Self.after(&arbiter) { $0.heard(Self.peer, Self.discovery()) } == both)
        #expect(
            Self.after(&arbiter) { $0.heard(Self.peer, Self.discovery(rssi: -20)) } == [
                "2: discovered"
            ])
        _ = Self.after(&arbiter) { $0.forget(Self.peer) }
        #expect(Self.after(&arbiter) { $0.heard(Self.peer, Self.discovery()) } == both)
    }

    @Test("a scan that the controller refuses ends all scans, and a client may start again")
    func refused() {
        var arbiter = ScanArbiter()
        _ = Self.after(&arbiter) { $0.scan(ScanRequest(), by: Self.one) }
        #expect(Self.after(&arbiter) { $0.failed(.controllerLost) } == ["1: failed"])
        #expect(!arbiter.isScanning(Self.one))
        #expect(Self.after(&arbiter) { $0.scan(ScanRequest(), by: Self.one) } == ["start"])
    }

    @Test("the connection queue scans at the same time as clients")
    func listening() {
        var arbiter = ScanArbiter()
        #expect(Self.after(&arbiter) { $0.setListening(true) } == ["start"])
        #expect(Self.after(&arbiter) { $0.started() } == [])
        #expect(
            Self.after(&arbiter) { $0.scan(ScanRequest(), by: Self.one) } == [
                "start", "1: scanning true",
            ])
        #expect(Self.after(&arbiter) { $0.stop(by: Self.one) }.contains("1: scanning false"))
        #expect(Self.after(&arbiter) { $0.setListening(false) } == ["stop"])
    }
}
