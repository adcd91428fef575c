import ANCSService
import BluetoothTypes
import JSONText
import EventLines
import Testing

@testable import ANCSCommands
@testable import ANCSEvents
@testable import ANCSReceiver
@testable import Printing

/// What `ancs receive` says while phones pair, and when their keys do not fit.
@Suite struct ReceivePairingTests {
    private typealias Samples = ReceiveReportTests

    @Test(
        "a phone that is not allowed to pair is reported in one sentence, with advice to its owner")
    func refusal() throws {
        let text = try Samples.report("--name", "Desk")
        let json = try Samples.report("--json", "--name", "Desk")
        for isBonded in [false, true] {
            let event: ConsumerEvent =
                isBonded
                ? .peer(Samples.phone, .keyTrouble(KeyTrouble(.missing)))
                : .peer(Samples.phone, .pairingRefused)
            let lines = text.told(event).output
            #expect(lines.count == 1)
            #expect(lines[0].contains("type 'pair' here") && lines[0].contains("'Desk'"))
            let object = try JSONValue(parsing: try #require(json.told(event).output.first))
            #expect(object["event"]?.string == (isBonded ? "keyTrouble" : "pairingRefused"))
            #expect(object["keys"]?.string == (isBonded ? "missing" : nil))
            #expect(object["text"]?.string.map { lines[0].hasSuffix($0) } == true)
        }
        let lines = text.reportOfPairingWindow(seconds: 120, isFull: false).output
        #expect(lines == ["● phones can pair for 120 seconds: choose 'Desk' on the phone"])
        let full = text.reportOfPairingWindow(seconds: 120, isFull: true).output.joined()
        #expect(full.contains("--phones"))
        #expect(json.reportOfPairingWindow(seconds: 120, isFull: true).output.isEmpty)
        let open = try Samples.report("--pair").told(.device(.ready)).output
        #expect(open == ["● pairing is open (--pair)"])
    }

    @Test("the pairing dialogue adds only advice, and causes without an event")
    func dialogue() throws {
        let text = try Samples.report("--name", "Desk")
        func lines(_ kind: PairingStep.Kind) -> [String] {
            text.report(of: PairingStep(kind, at: text.pairingSetting)).output
        }
        #expect(lines(.otherApp) == ["  " + PairingAdvice.otherApp(for: "Desk")])
        #expect(lines(.otherCauses).count == 1)
        #expect(lines(.ended(.failed(.noDevice(receiving: [])))).count == 1)
        for silent: PairingStep.Kind in [
            .onAir, .connected, .noDigits, .paired(replaced: nil), .ended(.receiving),
            .ended(.failed(.consentMissing)),
        ] { #expect(lines(silent).isEmpty) }
        let json = try Samples.report("--json", "--name", "Desk")
        #expect(
            json.report(of: PairingStep(.otherApp, at: json.pairingSetting)).output.isEmpty)
    }

    @Test("a stranger that connects a hundred times gets seven lines, not five for each link")
    func stranger() throws {
        var report = try Samples.report("--name", "Desk")
        func lines(_ events: ConsumerEvent...) -> [String] {
            events.flatMap { report.report(of: $0).output }
        }
        func visit(_ number: UInt64, _ digest: String) -> [String] {
            let id = PhoneID(rawValue: number)
            return lines(
                .peer(id, .connected(.init(address: "A", identity: nil, digest: digest))),
                .peer(id, .pairingRefused), .peer(id, .disconnected(.mayNotPair)),
                .device(.advertising(true)))
        }
        #expect(visit(1, "S").count == 5)
        let others = (2...100).flatMap { visit($0, "S") }
        #expect(
            others == [
                "● devices that are not paired have connected 10 times",
                "● devices that are not paired have connected 100 times",
            ])
        // A device that changes its address is another one, three times.
        #expect((101...900).flatMap { visit($0, "S\($0)") }.count == 10)
        // Whoever opens pairing looks for a device.
        #expect(lines(.device(.pairingWindow(isOpen: true))).count == 1)
        #expect(visit(901, "S").count == 5)
        // One that pairs is no stranger.
        #expect(visit(902, "S").isEmpty)
        let id = PhoneID(rawValue: 903)
        #expect(
            lines(
                .peer(id, .connected(.init(address: "A", identity: nil, digest: "S"))),
                .peer(
                    id,
                    .paired(
                        .init(address: "A", identity: "B", digest: "D"), isBonded: true,
                        replacing: nil)),
                .peer(id, .disconnected(.linkEnded))
            ).count == 2)
    }

    @Test("failures to pair are reported at most five times for each opening of pairing")
    func failuresToPair() throws {
        var report = try Samples.report("--name", "Desk")
        func fail() -> Int {
            report.report(of: .peer(Samples.phone, .securityFailed(.timedOut))).output.count
        }
        #expect((1...100).map { _ in fail() }.reduce(0, +) == 5)
        _ = report.report(of: .device(.pairingWindow(isOpen: true)))
        #expect(fail() == 1)
    }

    @Test("digits of a passkey are six")
    func digits() throws {
        #expect(
            try Samples.report().told(.peer(Samples.phone, .pairing(.display(PasskeyDisplay(42)))))
                .output
                == ["● type 000042 on the iPhone"])
        #expect(
            try Samples.report().told(
                .peer(Samples.phone, .pairing(.compare(NumericComparison(999_999))))
            )
            .output
                == ["● does the iPhone show 999999? yes or no:"])
    }

    @Test("a paired phone is reported even if the bond could not be stored")
    func pairing() throws {
        for option in ["--json", "--verbose", "--remember"] {
            let lines = try Samples.report(option).told(
                .peer(
                    Samples.phone,
                    .paired(
                        .init(address: "A", identity: "B", digest: "D"), isBonded: true,
                        replacing: nil)))
            #expect((lines.output + lines.diagnostics).allSatisfy { !$0.contains("stored") })
        }
    }

    @Test("a phone whose keys do not work is one line for all its links, until they work")
    func keyTrouble() throws {
        var report = try Samples.report("--name", "Desk")
        let description = PeerDescription(address: "A", identity: "B", digest: "D")
        func lines(_ events: ConsumerEvent...) -> [String] {
            events.flatMap { report.report(of: $0).output }
        }
        let first = lines(
            .peer(Samples.phone, .connected(description)),
            .peer(Samples.phone, .keyTrouble(KeyTrouble(.different))),
            .peer(Samples.phone, .disconnected(.link(.micFailure))))
        #expect(
            first == [
                "● connected to B",
                "● the phone has another key than this device, or another device claims to be it: "
                    + "its bond is kept, and nothing is to be done yet",
            ])
        for _ in 1...70 {
            let others = lines(
                .peer(Samples.phone, .connected(description)),
                .peer(Samples.phone, .disconnected(.link(.micFailure))))
            #expect(others.isEmpty)
        }
        let lasting = lines(
            .peer(Samples.phone, .connected(description)),
            .peer(Samples.phone, .keyTrouble(KeyTrouble(.different, isLasting: true))))
        #expect(lasting.count == 1)
        #expect(lasting[0].contains("if it goes on, forget 'Desk' on the phone, type 'pair' here"))
        let healed = lines(
            .peer(
                Samples.phone,
                .secured(
                    LinkProtection(
                        isEncrypted: true, isAuthenticated: true, usesSecureConnections: true))),
            .peer(Samples.phone, .disconnected(.linkEnded)))
        #expect(healed.count == 1)
    }

    @Test(
        "only lasting trouble gives the advice to forget a bond, and names the side",
        arguments: [true, false])
    func advice(isAtBlueZ: Bool) {
        let removal = isAtBlueZ ? "'bluetoothctl remove A' here" : nil
        for kind in [KeyTrouble.Kind.missing, .different, .unknown] {
            for isLasting in [true, false] where kind != .unknown || !isLasting {
                let text = KeyTrouble(kind, isLasting: isLasting).message(
                    of: "Desk", pairing: "run 'ancs pair'", removal: removal)
                #expect(text.contains("forget 'Desk' on the phone") == isLasting)
                #expect(text.contains("if it goes on") == isLasting)
                let removes = isAtBlueZ && (isLasting || kind == .missing)
                #expect(text.contains("bluetoothctl remove") == removes)
            }
        }
    }

    @Test("a face is named while pairing is open, and only with '--verbose'")
    func face() throws {
        let report = try Samples.report("--verbose", "--face", "heart-rate")
        let open = report.told(.device(.pairingWindow(isOpen: true)))
        #expect(
            open.diagnostics == [
                "ancs: pairing is open: the advertisement shows the UUID of a heart rate monitor"
            ])
        #expect(open.output == ["● pairing is open"])
        for event in [
            ConsumerEvent.device(.pairingWindow(isOpen: false)), .device(.advertising(true)),
        ] {
            #expect(report.told(event).diagnostics.allSatisfy { !$0.contains("heart") })
        }
        let plain = try Samples.report("--verbose").told(.device(.pairingWindow(isOpen: true)))
        #expect(plain.diagnostics == ["ancs: pairing is open"])
    }
}
