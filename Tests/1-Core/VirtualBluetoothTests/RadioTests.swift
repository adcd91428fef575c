@testable import BluetoothLE
import Octets
import OpenSSLSecurity
import Testing
@testable import VirtualBluetooth

/// What the radio does to links: time, loss, range, power.
@Suite struct RadioTests {
    @Test("data waits for connection events, an answer takes two intervals")
    func connectionEvents() throws {
        let bench = ProbeBench()
        let link = try bench.connected()
        bench.advance(by: .milliseconds(100))
        link.central.sendData([1, 2, 3], on: link.atCentral)
        let start = bench.now
        #expect(bench.advance { !link.peripheral.data.isEmpty })
        #expect(bench.now - start <= .milliseconds(30))
        #expect(bench.now > start)
        let heard = bench.now
        link.peripheral.sendData([4], on: link.atPeripheral)
        #expect(bench.advance { !link.central.data.isEmpty })
        #expect(bench.now - heard == .milliseconds(30))
    }

    @Test("a Peripheral that may skip events is reached when it listens")
    func peripheralLatency() throws {
        let bench = ProbeBench()
        var parameters = RadioBench.parameters
        parameters.latency = 9
        let link = try bench.connected(.bluetooth4_0, parameters: parameters)
        bench.advance(by: .seconds(1))
        var times: [Duration] = []
        for _ in 0..<4 {
            let start = bench.now
            link.central.received = []
            link.central.sendData([1], on: link.atCentral)
            #expect(bench.advance { link.central.completedPackets == 1 })
            times.append(bench.now - start)
        }
        #expect(times.dropFirst().allSatisfy { $0 == .milliseconds(300) })
        // What the Peripheral has to say does not wait.
        link.peripheral.sendData([2], on: link.atPeripheral)
        let start = bench.now
        #expect(bench.advance { !link.central.data.isEmpty })
        #expect(bench.now - start <= .milliseconds(30))
    }

    @Test("an immediate radio takes no time, one with latency exactly that")
    func timing() throws {
        let immediate = ProbeBench(RadioConfiguration(timing: .immediate))
        let link = try immediate.connected()
        link.central.sendData([1], on: link.atCentral)
        #expect(link.peripheral.data.map(\.data) == [[1]])
        #expect(link.central.completedPackets == 1)
        let late = ProbeBench(
            RadioConfiguration(timing: .immediate, latency: .milliseconds(700)))
        let slow = try late.connected()
        late.advance(by: .seconds(10))
        let start = late.now
        slow.central.sendData([1], on: slow.atCentral)
        slow.central.sendData([2], on: slow.atCentral)
        #expect(late.advance { slow.peripheral.data.map(\.data) == [[1], [2]] })
        #expect(late.now - start == .milliseconds(700))
    }

    @Test("every PDU arrives once and in order on a lossy radio", arguments: [0.05, 0.3, 0.6])
    func loss(_ probability: Double) throws {
        let bench = ProbeBench(RadioConfiguration(seed: 7))
        var parameters = RadioBench.parameters
        parameters.supervisionTimeout = SupervisionTimeout(rawValue: 3200)
        let link = try bench.connected(parameters: parameters)
        bench.radio.setPath(
            RadioPath(loss: probability), between: link.central.controller,
            and: link.peripheral.controller, at: bench.now)
        for number in 0..<UInt8(200) {
            link.central.sendData([number], on: link.atCentral)
            link.peripheral.sendData([number, 1], on: link.atPeripheral)
            #expect(
                bench.advance {
                    link.central.completedPackets > Int(number)
                        && link.peripheral.completedPackets > Int(number)
                })
        }
        #expect(link.peripheral.data.map(\.data) == (0..<UInt8(200)).map { [$0] })
        #expect(link.central.data.map(\.data) == (0..<UInt8(200)).map { [$0, 1] })
        #expect(bench.faults.isEmpty)
    }

    @Test("out of range both ends find out by themselves, after the supervision timeout")
    func outOfRange() throws {
        let bench = ProbeBench()
        let link = try bench.connected()
        bench.advance(by: .seconds(3))
        let start = bench.now
        bench.radio.move(link.peripheral.controller, to: RadioRoom(rawValue: 1), at: bench.now)
        bench.advance(by: .milliseconds(1900))
        #expect(link.central.endings.isEmpty && link.peripheral.endings.isEmpty)
        #expect(
            bench.advance {
                link.central.endings == [.connectionTimeout]
                    && link.peripheral.endings == [.connectionTimeout]
            })
        #expect(bench.now - start <= .milliseconds(2000))
        #expect(bench.radio.linkCount == 0)
    }

    @Test("a device that returns before the supervision timeout is still connected")
    func backInRange() throws {
        let bench = ProbeBench()
        let link = try bench.connected()
        bench.radio.move(link.peripheral.controller, to: RadioRoom(rawValue: 1), at: bench.now)
        link.central.sendData([9], on: link.atCentral)
        bench.advance(by: .milliseconds(1500))
        #expect(link.peripheral.data.isEmpty)
        bench.radio.move(link.peripheral.controller, to: .first, at: bench.now)
        bench.advance(by: .seconds(60))
        #expect(link.peripheral.data.map(\.data) == [[9]])
        #expect(link.central.endings.isEmpty && link.peripheral.endings.isEmpty)
    }

    @Test("a link on which nothing gets through times out")
    func totalLoss() throws {
        let bench = ProbeBench()
        let link = try bench.connected()
        bench.radio.setPath(
            RadioPath(loss: 1), between: link.central.controller,
            and: link.peripheral.controller, at: bench.now)
        bench.advance(by: .seconds(5))
        #expect(link.central.endings == [.connectionTimeout])
        #expect(link.peripheral.endings == [.connectionTimeout])
    }

    @Test("a controller without power is missed, and comes back empty")
    func power() throws {
        let bench = ProbeBench()
        let link = try bench.connected()
        bench.radio.powerCycle(link.peripheral.controller, at: bench.now)
        #expect(bench.advance { link.central.endings == [.connectionTimeout] })
        #expect(link.peripheral.endings.isEmpty)
        #expect(
            link.peripheral.send(
                HCI.ReadRSSI(handle: link.atPeripheral)) == .unknownConnectionIdentifier)
    }

    @Test("a cut ends both ends at once, with its reason")
    func cut() throws {
        let bench = ProbeBench()
        let link = try bench.connected()
        bench.radio.cut(
            between: link.central.controller, and: link.peripheral.controller,
            reason: .llResponseTimeout, at: bench.now)
        bench.drain()
        #expect(link.central.endings == [.llResponseTimeout])
        #expect(link.peripheral.endings == [.llResponseTimeout])
    }

    @Test("a Peripheral that does not take the connection was never there")
    func notEstablished() throws {
        let bench = ProbeBench()
        let central = bench.add(.bluetooth4_2)
        let peripheral = bench.add(.bluetooth4_2)
        // Only who is in the empty filter accept list may connect.
        peripheral.advertise(as: .public, filterPolicy: 2)
        central.initiate(to: DeviceAddress(0xC0FF_EE00_0002, kind: .public), as: .public)
        #expect(bench.advance { central.endings == [.connectionFailedToBeEstablished] })
        #expect(peripheral.handle == nil)
    }

    @Test("the same seed gives the same traffic, octet by octet")
    func determinism() throws {
        func story(seed: UInt64) throws -> [[HCIPacket]] {
            let bench = ProbeBench(RadioConfiguration(seed: seed))
            let link = try bench.connected()
            bench.radio.setPath(
                RadioPath(loss: 0.2), between: link.central.controller,
                and: link.peripheral.controller, at: bench.now)
            let scanner = bench.add()
            scanner.scan(filtersDuplicates: false)
            link.peripheral.send(HCI.LESetAdvertisingEnable(isEnabled: true))
            for number in 0..<UInt8(20) {
                link.central.sendData([number], on: link.atCentral)
                bench.advance(by: .milliseconds(45))
            }
            link.central.send(HCI.LERand())
            return bench.probes.map(\.received)
        }
        #expect(try story(seed: 1) == story(seed: 1))
        #expect(try story(seed: 1) != story(seed: 2))
    }

    @Test(
        "with two thousand advertisers, nothing is scheduled without a scanner, and a scanner hears all"
    )
    func scale() {
        let bench = ProbeBench()
        for _ in 0..<2000 { bench.add(.bluetooth4_0).advertise(as: .public) }
        bench.advance(by: .seconds(1))
        #expect(bench.radio.nextDeadline == nil)
        let scanner = bench.add()
        scanner.scan()
        bench.advance(by: .seconds(1))
        #expect(scanner.reports.count == 2000)
    }

    @Test("a device in another room is not heard")
    func rooms() {
        let bench = ProbeBench()
        let elsewhere = bench.add(in: RadioRoom(rawValue: 5))
        elsewhere.advertise(as: .public)
        let scanner = bench.add()
        scanner.scan()
        bench.advance(by: .seconds(2))
        #expect(scanner.reports.isEmpty)
        bench.radio.move(scanner.controller, to: RadioRoom(rawValue: 5), at: bench.now)
        bench.advance(by: .seconds(2))
        #expect(scanner.reports.count == 1)
    }

    @Test("a host that switches advertising on and off again and again leaves nothing behind")
    func restarts() {
        let bench = ProbeBench()
        let scanner = bench.add()
        scanner.scan(filtersDuplicates: false)
        let probe = bench.add(.bluetooth4_0)
        for _ in 0..<10_000 {
            probe.send(HCI.LESetAdvertisingEnable(isEnabled: true))
            probe.send(HCI.LESetAdvertisingEnable(isEnabled: false))
        }
        scanner.received = []
        probe.send(HCI.LESetAdvertisingEnable(isEnabled: true))
        bench.advance(by: .seconds(10))
        #expect((7...9).contains(scanner.reports.count))
    }
}
