import BluetoothLE
import Octets
import Testing

@testable import ANCSKit

@Suite("An accessory on air")
struct AirTimeTests {
    private static let refusal = Advertiser.Failure.refused(
        HCI.LESetAdvertisingEnable.opcode, .commandDisallowed)

    private static func onAir(maximumLinks: Int = 1) -> AirTime {
        var configuration = AirTime.Configuration()
        configuration.maximumLinks = maximumLinks
        var air = AirTime(configuration)
        air.ready()
        air.started(at: .zero)
        _ = air.drain()
        return air
    }

    @Test(
        "it goes on air when the controller is ready, off while a phone is connected, and on again")
    func life() {
        var air = AirTime()
        #expect(air.drain().isEmpty)
        #expect(air.after { $0.ready() } == [.start])
        #expect(air.after { $0.started(at: .zero) } == [.tell(true)])
        #expect(air.after { $0.linksChanged(to: 1) }.isEmpty)
        #expect(air.after { $0.stopped(.connected, at: .zero) } == [.tell(false)])
        #expect(air.nextDeadline == nil)
        #expect(air.after { $0.linksChanged(to: 0) } == [.start])
    }

    @Test("an advertisement is renewed from time to time, and nobody is told")
    func refresh() {
        var air = Self.onAir()
        #expect(air.nextDeadline == .seconds(600))
        for round in 1...3 as ClosedRange<Int64> {
            let now = MonotonicInstant.seconds(600 * round)
            #expect(air.after { $0.handleTimeout(at: now) } == [.stop])
            #expect(air.after { $0.stopped(.requested, at: now) } == [.start])
            #expect(air.after { $0.started(at: now) }.isEmpty)
        }
    }

    @Test("a machine that was suspended renews it at once")
    func suspension() {
        var air = Self.onAir()
        #expect(air.after { $0.resumed() } == [.stop])
        #expect(air.after { $0.stopped(.requested, at: .zero) } == [.start])
    }

    @Test("a phone that connects while it is being renewed ends it")
    func connectedWhileRefreshing() {
        var air = Self.onAir()
        _ = air.after { $0.resumed() }
        #expect(air.after { $0.linksChanged(to: 1) }.isEmpty)
        #expect(air.after { $0.stopped(.requested, at: .zero) } == [.tell(false)])
        #expect(air.nextDeadline == nil)
    }

    @Test("what the controller ends or refuses is put back after a while")
    func refused() {
        var air = Self.onAir()
        #expect(air.after { $0.stopped(.ended(.advertisingTimeout), at: .zero) } == [.tell(false)])
        #expect(air.nextDeadline == .seconds(1))
        #expect(air.after { $0.handleTimeout(at: .seconds(1)) } == [.start])
        #expect(air.after { $0.failed(Self.refusal, at: .seconds(1)) } == [.warn(Self.refusal)])
        #expect(air.after { $0.handleTimeout(at: .seconds(5)) }.isEmpty)
        #expect(air.after { $0.handleTimeout(at: .seconds(6)) } == [.start])
    }

    @Test("with room for more phones it goes on beside a link, unless the controller cannot")
    func severalPhones() {
        var air = Self.onAir(maximumLinks: 2)
        // In the order in which the host tells it.
        #expect(air.after { $0.linksChanged(to: 1) }.isEmpty)
        #expect(air.after { $0.stopped(.connected, at: .zero) } == [.tell(false), .start])
        #expect(air.after { $0.failed(Self.refusal, at: .zero) } == [.warn(Self.refusal)])
        #expect(air.nextDeadline == nil, "it is not tried again and again")
        #expect(air.after { $0.linksChanged(to: 0) } == [.start])
    }

    @Test("a reset controller starts from nothing, and an end is an end")
    func resetAndEnd() {
        var air = Self.onAir()
        air.reset()
        #expect(air.nextDeadline == nil)
        #expect(air.after { $0.ready() } == [.start])
        #expect(air.after { $0.end() } == [.stop])
        #expect(air.after { $0.linksChanged(to: 0) }.isEmpty)
        #expect(air.after { $0.ready() }.isEmpty)
    }
}

extension AirTime {
    fileprivate mutating func drain() -> [Output] {
        var outputs: [Output] = []
        while let output = pollOutput() { outputs.append(output) }
        return outputs
    }

    fileprivate mutating func after(_ input: (inout AirTime) -> Void) -> [Output] {
        input(&self)
        return drain()
    }
}
