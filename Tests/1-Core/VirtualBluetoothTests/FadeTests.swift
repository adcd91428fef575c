@testable import BluetoothLE
import Octets
import Testing
import VirtualBluetooth

/// Fades: nothing is heard for a time, and then all is well again.
@Suite struct FadeTests {
    private static func parameters(timeout: Duration) -> ConnectionParameters {
        var parameters = RadioBench.parameters
        parameters.supervisionTimeout = SupervisionTimeout(
            rawValue: UInt16(timeout / .milliseconds(10)))
        return parameters
    }

    /// The link fades; nothing else does.
    private func fade(_ link: ProbeLink, for length: Duration) {
        let bench = link.central.bench
        bench.radio.fade(
            between: link.central.controller, and: link.peripheral.controller, for: length,
            at: bench.now)
    }

    @Test(
        "a link outlasts a fade that is shorter than its supervision timeout",
        arguments: [false, true])
    func shorter(isOfAll: Bool) throws {
        let bench = ProbeBench()
        let link = try bench.connected(parameters: Self.parameters(timeout: .seconds(6)))
        bench.advance(by: .seconds(1))
        if isOfAll {
            bench.radio.fade(for: .milliseconds(5900), at: bench.now)
        } else {
            fade(link, for: .milliseconds(5900))
        }
        link.central.sendData([1], on: link.atCentral)
        bench.advance(by: .milliseconds(5899))
        #expect(link.peripheral.data.isEmpty)
        bench.advance(by: .milliseconds(100))
        #expect(link.peripheral.data.map(\.data) == [[1]])
        bench.advance(by: .seconds(60))
        #expect(link.central.endings.isEmpty && link.peripheral.endings.isEmpty)
    }

    @Test("a fade of 0.9 s ends a link with an iPhone's timeout of 720 ms, at both ends")
    func longer() throws {
        let bench = ProbeBench()
        let link = try bench.connected(parameters: Self.parameters(timeout: .milliseconds(720)))
        bench.advance(by: .seconds(1))
        fade(link, for: .milliseconds(900))
        bench.advance(by: .milliseconds(900))
        #expect(link.central.endings == [.connectionTimeout])
        #expect(link.peripheral.endings == [.connectionTimeout])
    }

    @Test("a fade of one pair does not affect others, and a fade of all prevents discovery")
    func others() throws {
        let bench = ProbeBench()
        let link = try bench.connected()
        let advertiser = bench.add()
        advertiser.advertise(as: .public)
        let scanner = bench.add()
        fade(link, for: .seconds(1))
        scanner.scan(filtersDuplicates: false)
        bench.advance(by: .milliseconds(500))
        #expect(!scanner.reports.isEmpty)
        scanner.received = []
        bench.radio.fade(for: .seconds(1), at: bench.now)
        bench.advance(by: .milliseconds(999))
        #expect(scanner.reports.isEmpty)
        bench.advance(by: .seconds(1))
        #expect(!scanner.reports.isEmpty)
    }

    @Test("a fade within a longer one ends with the longer one")
    func overlapping() throws {
        let bench = ProbeBench()
        let link = try bench.connected(parameters: Self.parameters(timeout: .seconds(6)))
        bench.advance(by: .seconds(1))
        fade(link, for: .seconds(3))
        fade(link, for: .seconds(1))
        bench.radio.fade(for: .seconds(2), at: bench.now)
        link.central.sendData([1], on: link.atCentral)
        bench.advance(by: .milliseconds(2999))
        #expect(link.peripheral.data.isEmpty)
        bench.advance(by: .milliseconds(100))
        #expect(link.peripheral.data.map(\.data) == [[1]])
    }

    @Test("fades that come by themselves come once in each period, with a seed of their own")
    func periodic() throws {
        func endings(_ fades: RadioFades?, seed: UInt64) throws -> Int {
            let bench = ProbeBench(RadioConfiguration(seed: seed, fades: fades))
            var count = 0
            for _ in 0..<20 {
                let link = try bench.connected(
                    parameters: Self.parameters(timeout: .milliseconds(720)))
                let end = bench.now + .seconds(30)
                while bench.now < end, link.central.endings.isEmpty {
                    bench.advance(by: .milliseconds(100))
                }
                count += link.central.endings.isEmpty ? 0 : 1
                bench.advance(by: end - bench.now)
                if link.central.endings.isEmpty {
                    bench.radio.cut(
                        between: link.central.controller, and: link.peripheral.controller,
                        at: bench.now)
                }
            }
            return count
        }
        let fades = RadioFades(length: .milliseconds(900), period: .seconds(30))
        // Each link lives for one period, so it meets a fade; a few meet it while they connect.
        #expect(try endings(fades, seed: 1) >= 15)
        #expect(try endings(nil, seed: 1) == 0)
    }

    @Test("a radio without a host has no fades planned, and one that slept does not catch up")
    func rest() {
        let bench = ProbeBench(
            RadioConfiguration(fades: RadioFades(length: .seconds(1), period: .seconds(30))))
        #expect(bench.radio.nextDeadline == nil)
        _ = bench.add()
        bench.now = bench.now + .seconds(1_000_000)
        bench.radio.handleTimeout(at: bench.now)
        let deadline = bench.radio.nextDeadline
        #expect(deadline.map { $0 > bench.now } == true)
    }

    @Test(
        "a host asks its virtual controller for a fade, of one link or of all",
        arguments: [false, true])
    func asked(isOfAll: Bool) throws {
        let bench = RadioBench()
        let pair = try HostsOnRadioTests().connected(bench)
        bench.advance(by: .seconds(1))
        try pair.central.host.fade(
            isOfAll ? nil : pair.atCentral, for: .milliseconds(2500), at: bench.now)
        bench.advance(by: .milliseconds(2000))
        #expect(pair.central.endings == [.connectionTimeout])
        #expect(pair.peripheral.endings == [.connectionTimeout])
        #expect(throws: HostUsageError.unknownConnection) {
            try pair.central.host.fade(pair.atCentral, for: .seconds(1), at: bench.now)
        }
        bench.advance(by: .milliseconds(500))
        _ = try bench.connect(pair.central, to: pair.peripheral)
    }

    @Test("a fade has a length, at most a day, and a link that exists")
    func refusals() throws {
        let bench = ProbeBench()
        let link = try bench.connected()
        let cases: [(ConnectionHandle, UInt64, HCIStatus)] = [
            (link.atCentral, 0, .invalidCommandParameters),
            (link.atCentral, 86_400_001, .invalidCommandParameters),
            (link.atCentral, .max, .invalidCommandParameters),
            (ConnectionHandle(rawValue: 0x0700), 1, .unknownConnectionIdentifier),
            (HCI.VirtualFade.wholeRadio, 1, .success), (link.atCentral, 1, .success),
        ]
        for (handle, milliseconds, status) in cases {
            let answer = link.central.send(
                HCI.VirtualFade(handle: handle, milliseconds: milliseconds))
            #expect(answer == status, "\(milliseconds) ms")
        }
    }

    @Test("a Central changes the parameters of a link by itself, and both hosts learn of it")
    func parametersChanged() throws {
        let bench = ProbeBench()
        let link = try bench.connected()
        bench.radio.setParameters(
            Self.parameters(timeout: .seconds(6)), between: link.central.controller,
            and: link.peripheral.controller, at: bench.now)
        bench.advance(by: .seconds(1))
        for probe in [link.central, link.peripheral] {
            let updates = probe.all(HCI.LEConnectionUpdateComplete.self)
            #expect(updates.map(\.supervisionTimeout.rawValue) == [600])
        }
        fade(link, for: .milliseconds(5900))
        bench.advance(by: .seconds(10))
        #expect(link.central.endings.isEmpty && link.peripheral.endings.isEmpty)
    }
}
