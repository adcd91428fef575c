import BluetoothLE
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

@Suite("Advertising for several clients")
struct AdvertisingArbiterTests {
    private static let refusal = Advertiser.Failure.refused(
        HCI.LESetAdvertisingEnable.opcode, .commandDisallowed)
    private static let clock = ClientID(rawValue: 1)
    private static let lamp = ClientID(rawValue: 2)
    private static let heartRate = BluetoothUUID(UInt16(0x180D))
    private static let battery = BluetoothUUID(UInt16(0x180F))

    /// A request that goes on while a device is connected.
    private static func lasting(
        _ services: [BluetoothUUID] = [heartRate], maximumCentrals: Int? = nil
    ) -> AdvertisingArbiter.Request {
        AdvertisingArbiter.Request(
            wanted: .init(services: services), stopsOnConnection: false,
            maximumCentrals: maximumCentrals)
    }

    /// A request that ends when a device connects.
    private static func single(_ services: [BluetoothUUID] = [battery])
        -> AdvertisingArbiter.Request
    {
        AdvertisingArbiter.Request(wanted: .init(services: services))
    }

    private static func start(
        _ services: [BluetoothUUID], every interval: AdvertisingInterval = .minimum
    ) throws -> AdvertisingArbiter.Output {
        var advertisement = try AdvertisementPlan(.init(services: services)).advertisement
        advertisement.interval = interval
        return .start(advertisement)
    }

    private static func air(maximumLinks: Int = 8) -> AdvertisingArbiter {
        var configuration = AdvertisingArbiter.Configuration()
        configuration.maximumLinks = maximumLinks
        return AdvertisingArbiter(configuration)
    }

    private static func onAir(
        _ request: AdvertisingArbiter.Request = lasting(), maximumLinks: Int = 8
    ) throws -> AdvertisingArbiter {
        var air = Self.air(maximumLinks: maximumLinks)
        air.ready(at: .zero)
        try air.set(request, of: Self.clock, at: .zero)
        air.started(at: .zero)
        _ = air.drain()
        return air
    }

    // MARK: One client

    @Test(
        "advertising starts when a client wants it and the controller is ready, and stops when none wants it"
    )
    func life() throws {
        var air = Self.air()
        try air.set(Self.lasting(), of: Self.clock, at: .zero)
        #expect(air.drain().isEmpty)
        #expect(air.advertisingState == .waiting)
        let start = try Self.start([Self.heartRate])
        #expect(air.after { $0.ready(at: .zero) } == [start])
        #expect(air.after { $0.started(at: .zero) } == [.report(Self.clock, true)])
        let plan = try AdvertisementPlan(.init(services: [Self.heartRate]))
        #expect(air.advertisingState == .onAir(plan))
        #expect(air.after { $0.remove(Self.clock) } == [.report(Self.clock, false), .stop])
        #expect(air.advertisingState == .off)
        #expect(air.after { $0.stopped(.requested, at: .zero) }.isEmpty)
        #expect(air.nextDeadline == nil)
    }

    @Test("the interval is slow until a time, or until the pause is withdrawn")
    func slow() throws {
        func intervals(_ outputs: [AdvertisingArbiter.Output]) -> [AdvertisingInterval] {
            outputs.compactMap { output in
                if case .start(let advertisement) = output {
                    advertisement.interval
                } else {
                    nil
                }
            }
        }
        let slow = AdvertisingInterval.milliseconds(1285)
        // The schedule's own, after its first 30 s.
        let usual = AdvertisingSchedule.mains
        let end = MonotonicInstant.zero + .seconds(30)
        var air = try Self.onAir()
        #expect(intervals(air.after { $0.slowDown(until: .zero + .seconds(2)) }) == [slow])
        // A longer pause changes nothing on air.
        #expect(air.after { $0.slowDown(until: end) }.isEmpty)
        #expect(air.nextDeadline == end)
        #expect(air.after { $0.handleTimeout(at: .zero + .seconds(29)) }.isEmpty)
        #expect(intervals(air.after { $0.handleTimeout(at: end) }) == [usual])
        #expect(intervals(air.after { $0.slowDown(until: end + .seconds(9)) }) == [slow])
        #expect(intervals(air.after { $0.slowDown(until: nil) }) == [usual])
    }

    @Test("advertising that is stopped while it starts can start again")
    func stopWhileStarting() throws {
        var air = Self.air()
        air.ready(at: .zero)
        try air.set(Self.lasting(), of: Self.clock, at: .zero)
        _ = air.drain()
        #expect(air.after { $0.remove(Self.clock) } == [.stop])
        try air.set(Self.lasting(), of: Self.clock, at: .zero)
        #expect(air.drain() == [try Self.start([Self.heartRate])])
        #expect(air.after { $0.started(at: .zero) } == [.report(Self.clock, true)])
    }

    @Test("advertising that is wanted again before it has stopped starts again then")
    func wantedAgain() throws {
        var air = try Self.onAir()
        _ = air.after { $0.remove(Self.clock) }
        try air.set(Self.lasting([Self.battery]), of: Self.clock, at: .zero)
        #expect(air.drain().isEmpty)
        #expect(
            air.after { $0.stopped(.requested, at: .zero) } == [try Self.start([Self.battery])])
        #expect(air.after { $0.started(at: .zero) } == [.report(Self.clock, true)])
    }

    @Test("advertising data changes at once, without an event")
    func change() throws {
        var air = try Self.onAir()
        try air.set(Self.lasting([Self.battery]), of: Self.clock, at: .zero)
        #expect(air.drain() == [try Self.start([Self.battery])])
        try air.set(Self.lasting([Self.battery]), of: Self.clock, at: .zero)
        #expect(air.drain().isEmpty)
    }

    @Test("advertising with a time limit ends then, on air or not", arguments: [true, false])
    func timeLimit(isReady: Bool) throws {
        var air = Self.air()
        if isReady { air.ready(at: .zero) }
        var request = Self.lasting()
        request.endsAt = .seconds(5)
        try air.set(request, of: Self.clock, at: .zero)
        if isReady { air.started(at: .zero) }
        _ = air.drain()
        #expect(air.nextDeadline == .seconds(5))
        let early = MonotonicInstant.zero + (.seconds(5) - .nanoseconds(1))
        #expect(air.after { $0.handleTimeout(at: early) }.isEmpty)
        let end = AdvertisingArbiter.Output.end(Self.clock, .timeLimit)
        #expect(
            air.after { $0.handleTimeout(at: .seconds(5)) }
                == (isReady ? [end, .stop] : [end]))
        #expect(air.nextDeadline == nil)
    }

    // MARK: Connections

    /// The host tells of the link first, then that the advertisement is off air.
    @Test("advertising for one connection ends with it")
    func connection() throws {
        var air = try Self.onAir(Self.single())
        #expect(
            air.after { $0.centralConnected(links: 1, centrals: 1, at: .zero) }
                == [.end(Self.clock, .connected), .stop])
        #expect(air.after { $0.stopped(.connected, at: .zero) }.isEmpty)
        #expect(air.after { $0.linksChanged(links: 0, centrals: 0, at: .zero) }.isEmpty)
    }

    @Test("a connection before the controller confirmed advertising counts as well")
    func connectionWhileStarting() throws {
        var air = Self.air()
        air.ready(at: .zero)
        try air.set(Self.lasting(), of: Self.clock, at: .zero)
        _ = air.drain()
        _ = air.after { $0.centralConnected(links: 1, centrals: 1, at: .zero) }
        #expect(
            air.after { $0.stopped(.connected, at: .zero) } == [try Self.start([Self.heartRate])])
    }

    @Test("with one link allowed, advertising pauses while a central is connected")
    func oneCentral() throws {
        var air = try Self.onAir(Self.lasting(maximumCentrals: 1))
        #expect(
            air.after { $0.centralConnected(links: 1, centrals: 1, at: .zero) }
                == [.stop, .report(Self.clock, false)])
        #expect(air.after { $0.stopped(.connected, at: .zero) }.isEmpty)
        #expect(air.nextDeadline == nil)
        #expect(air.advertisingState == .waiting)
        #expect(
            air.after { $0.linksChanged(links: 0, centrals: 0, at: .zero) }
                == [try Self.start([Self.heartRate])])
    }

    @Test(
        "with more links allowed, advertising continues during a link, unless the controller cannot do that"
    )
    func severalCentrals() throws {
        var air = try Self.onAir()
        #expect(air.after { $0.centralConnected(links: 1, centrals: 1, at: .zero) }.isEmpty)
        let start = try Self.start([Self.heartRate])
        #expect(
            air.after { $0.stopped(.connected, at: .zero) } == [.report(Self.clock, false), start])
        #expect(
            air.after { $0.failed(Self.refusal, at: .zero) } == [.warn(Self.clock, Self.refusal)])
        #expect(air.nextDeadline == nil, "it is not tried again and again")
        #expect(air.after { $0.linksChanged(links: 0, centrals: 0, at: .zero) } == [start])
    }

    @Test("links that this device made count as well")
    func room() throws {
        var air = try Self.onAir(Self.lasting(maximumCentrals: 1), maximumLinks: 2)
        #expect(air.after { $0.linksChanged(links: 1, centrals: 0, at: .zero) }.isEmpty)
        #expect(
            air.after { $0.linksChanged(links: 2, centrals: 0, at: .zero) }
                == [.stop, .report(Self.clock, false)])
        #expect(air.after { $0.stopped(.requested, at: .zero) }.isEmpty)
    }

    // MARK: Several clients

    @Test("two clients share one advertisement, and it continues for one when the other stops")
    func twoClients() throws {
        var air = try Self.onAir()
        try air.set(Self.single(), of: Self.lamp, at: .zero)
        let both = try Self.start([Self.heartRate, Self.battery])
        #expect(air.drain() == [both, .report(Self.lamp, true)])
        let one = try Self.start([Self.heartRate])
        #expect(
            air.after { $0.centralConnected(links: 1, centrals: 1, at: .zero) }
                == [.end(Self.lamp, .connected), one])
        #expect(
            air.after { $0.stopped(.connected, at: .zero) } == [.report(Self.clock, false), one])
        #expect(air.after { $0.started(at: .zero) } == [.report(Self.clock, true)])
    }

    @Test("data that does not fit beside that of others is refused, and nothing changes")
    func tooMuch() throws {
        var air = try Self.onAir(
            AdvertisingArbiter.Request(
                wanted: .init(solicitedServices: [BluetoothUUID(UInt128(1))])))
        #expect(throws: AdvertisementPlan.PlanningError.extensionsTooLong(excess: 6)) {
            try air.set(
                AdvertisingArbiter.Request(
                    wanted: .init(solicitedServices: [BluetoothUUID(UInt128(2))])),
                of: Self.lamp, at: .zero)
        }
        #expect(air.drain().isEmpty)
        #expect(air.nextDeadline == .seconds(30))
    }

    @Test("whether the device advertises is reported when it changes, not when it is renewed")
    func onAir() throws {
        var air = Self.air()
        air.ready(at: .zero)
        try air.set(Self.lasting(), of: Self.clock, at: .zero)
        air.started(at: .zero)
        #expect(air.drainAll().filter(\.isForEverybody) == [.onAir(true)])
        air.resumed(at: .zero)
        air.stopped(.requested, at: .zero)
        air.started(at: .zero)
        #expect(air.drainAll().filter(\.isForEverybody).isEmpty)
        air.remove(Self.clock)
        #expect(air.drainAll().filter(\.isForEverybody).isEmpty)
        air.stopped(.requested, at: .zero)
        #expect(air.drainAll() == [.onAir(false)])
    }

    @Test("advertising that the host cannot start is not tried again")
    func impossible() throws {
        var air = Self.air()
        air.ready(at: .zero)
        try air.set(Self.lasting(), of: Self.clock, at: .zero)
        _ = air.drain()
        #expect(air.after { $0.impossible() } == [.end(Self.clock, .impossible)])
        #expect(air.nextDeadline == nil)
    }

    // MARK: Failures

    @Test("advertising is renewed from time to time, without an event")
    func refresh() throws {
        var air = try Self.onAir()
        let slow = try Self.start([Self.heartRate], every: AdvertisingSchedule.mains)
        #expect(air.after { $0.handleTimeout(at: .seconds(30)) } == [slow])
        #expect(air.nextDeadline == .seconds(600))
        for round in 1...3 as ClosedRange<Int64> {
            let now = MonotonicInstant.seconds(600 * round)
            #expect(air.after { $0.handleTimeout(at: now) } == [.stop])
            #expect(
                air.after { $0.stopped(.requested, at: now) } == [slow])
            #expect(air.after { $0.started(at: now) }.isEmpty)
        }
    }

    // MARK: How often

    @Test(
        "the longer interval comes after 30 s on air, without an event, and another client changes nothing"
    )
    func pace() throws {
        var air = try Self.onAir()
        let early = MonotonicInstant.zero + (.seconds(30) - .nanoseconds(1))
        #expect(air.after { $0.handleTimeout(at: early) }.isEmpty)
        let slow = try Self.start([Self.heartRate], every: AdvertisingSchedule.mains)
        #expect(air.after { $0.handleTimeout(at: .seconds(30)) } == [slow])
        #expect(air.after { $0.handleTimeout(at: .seconds(31)) }.isEmpty)
        try air.set(Self.lasting([Self.battery]), of: Self.clock, at: .seconds(32))
        #expect(
            air.drain() == [try Self.start([Self.battery], every: AdvertisingSchedule.mains)],
            "what a client changes does not begin it again")
        try air.set(Self.single(), of: Self.lamp, at: .seconds(40))
        #expect(
            air.drain() == [try Self.start([Self.battery]), .report(Self.lamp, true)],
            "another client does")
    }

    @Test("a link that ends makes it fast, unless three were lost within a minute")
    func lostLinks() throws {
        var air = try Self.onAir(Self.lasting(maximumCentrals: 1))
        let fast = try Self.start([Self.heartRate])
        let slow = try Self.start([Self.heartRate], every: AdvertisingSchedule.mains)
        for (second, start) in [(10, fast), (20, fast), (30, slow), (95, fast)]
            as [(Int64, AdvertisingArbiter.Output)]
        {
            let now = MonotonicInstant.seconds(second)
            _ = air.after { $0.centralConnected(links: 1, centrals: 1, at: now) }
            _ = air.after { $0.stopped(.connected, at: now) }
            air.linkLost(at: now)
            #expect(
                air.after { $0.linksChanged(links: 0, centrals: 0, at: now) } == [start],
                "at \(second) s")
            _ = air.after { $0.started(at: now) }
        }
    }

    @Test("after the machine was suspended, advertising is renewed at once")
    func suspension() throws {
        var air = try Self.onAir()
        #expect(air.after { $0.resumed(at: .zero) } == [.stop])
        #expect(
            air.after { $0.stopped(.requested, at: .zero) }
                == [try Self.start([Self.heartRate])])
    }

    @Test("a central that connects during a renewal ends it")
    func connectedWhileRefreshing() throws {
        var air = try Self.onAir(Self.lasting(maximumCentrals: 1))
        _ = air.after { $0.resumed(at: .zero) }
        #expect(
            air.after { $0.centralConnected(links: 1, centrals: 1, at: .zero) }
                == [.report(Self.clock, false)])
        #expect(air.after { $0.stopped(.requested, at: .zero) }.isEmpty)
        #expect(air.nextDeadline == nil)
    }

    @Test("advertising that the controller ends or refuses starts again after a pause")
    func refused() throws {
        var air = try Self.onAir()
        let start = try Self.start([Self.heartRate])
        #expect(
            air.after { $0.stopped(.ended(.advertisingTimeout), at: .zero) }
                == [.report(Self.clock, false)])
        #expect(air.nextDeadline == .seconds(1))
        #expect(air.after { $0.handleTimeout(at: .seconds(1)) } == [start])
        #expect(
            air.after { $0.failed(Self.refusal, at: .seconds(1)) }
                == [.warn(Self.clock, Self.refusal)])
        #expect(air.after { $0.handleTimeout(at: .seconds(5)) }.isEmpty)
        #expect(air.after { $0.handleTimeout(at: .seconds(6)) } == [start])
    }

    @Test("after a failure of the controller no advertising is wanted")
    func reset() throws {
        var air = try Self.onAir()
        air.reset()
        #expect(air.nextDeadline == nil)
        #expect(air.advertisingState == .off)
        #expect(air.after { $0.ready(at: .zero) }.isEmpty)
        try air.set(Self.lasting(), of: Self.clock, at: .zero)
        #expect(air.drain() == [try Self.start([Self.heartRate])])
    }
}

extension AdvertisingArbiter {
    /// What is to be done and told to clients.
    fileprivate mutating func drain() -> [Output] { drainAll().filter { !$0.isForEverybody } }

    fileprivate mutating func drainAll() -> [Output] {
        var outputs: [Output] = []
        while let output = pollOutput() { outputs.append(output) }
        return outputs
    }

    fileprivate mutating func after(_ input: (inout AdvertisingArbiter) -> Void) -> [Output] {
        input(&self)
        return drain()
    }
}

extension AdvertisingArbiter.Output {
    fileprivate var isForEverybody: Bool {
        switch self {
        case .onAir: true
        case .start, .stop, .report, .end, .warn: false
        }
    }
}
