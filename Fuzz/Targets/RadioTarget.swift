import Octets

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver
@testable import BluetoothLE
@testable import VirtualBluetooth

/// Virtual controllers on a radio: two with a ``Host`` each, and one with a host that sends arbitrary
/// packets. Packets are also inserted between those of the hosts.
struct RadioTarget: ~Copyable {
    private var input: FuzzInput
    private var radio: VirtualRadio
    private var controllers: [ControllerID] = []
    private let hosts: [ScriptedHost]
    private var rules: [ControllerRules] = []
    private var now = MonotonicInstant.zero

    static func run(_ script: [UInt8]) throws {
        var target = Self(FuzzInput(script))
        for index in target.hosts.indices {
            try target.send(target.hosts[index].start(at: target.now), from: index)
        }
        while !target.input.isAtEnd { try target.event() }
        try check(target.radio.linkCount <= 48, "\(target.radio.linkCount) links")
    }

    private init(_ script: FuzzInput) {
        input = script
        let toolbox: OpenSSLToolbox? =
            input.choice(4) > 0 ? OpenSSLToolbox(simulatedFrom: 3) : nil
        let configuration = RadioConfiguration(
            seed: UInt64(input.octet()), timing: input.flag() ? .immediate : .connectionEvents,
            latency: input.element(of: [.zero, .milliseconds(3), .seconds(1)]),
            path: RadioPath(loss: input.element(of: [0, 0, 0.1, 0.9])))
        radio = VirtualRadio(configuration: configuration, toolbox: toolbox)
        let abilities: [VirtualControllerAbilities] = [.bluetooth5_3, .bluetooth4_2, .bluetooth4_0]
        for _ in 0..<3 { controllers.append(radio.addController(input.element(of: abilities))) }
        rules = controllers.map { _ in ControllerRules() }
        hosts = [ScriptedHost(&input, seed: 1), ScriptedHost(&input, seed: 2)]
    }

    // MARK: Events

    private mutating func event() throws {
        let index = input.choice(3)
        switch input.choice(16) {
        case 0...4:
            guard index < hosts.count else { return try send([command()], from: index) }
            try send(hosts[index].act(&input, at: now), from: index)
        case 5, 6: try send([command()], from: index)
        case 7:
            let packets = ScriptedTraffic.packets(&input, isSent: true)
            try send(packets.map { .acl($0.octets) }, from: index)
        case 8:
            try send([input.flag() ? .acl(input.octets()) : .command(input.octets())], from: index)
        case 9...11: try pass(input.duration())
        case 12: try pass(.milliseconds(100))
        case 13: try change(index)
        default: try meet()
        }
    }

    /// The two hosts connect in the shortest way.
    private mutating func meet() throws {
        var script = FuzzInput([0, 0, 0, 1, 1])
        try send(hosts[0].act(&script, at: now), from: 0)
        script = FuzzInput([0, 3])
        try send(hosts[1].act(&script, at: now), from: 1)
        try pass(.milliseconds(200))
        script = FuzzInput([1, 1, 0, 0, 30])
        try send(hosts[1].act(&script, at: now), from: 1)
        try pass(.milliseconds(200))
    }

    private mutating func command() -> HCIPacket {
        let opcode = HCIOpcode(
            rawValue: input.choice(16) > 0
                ? input.element(of: Self.opcodes) : input.number(UInt16.self))
        let parameters = input.flag() ? input.octets() : input.take(32)
        return .command(HCICommandPacket(opcode: opcode, parameters: parameters).octets)
    }

    private mutating func change(_ index: Int) throws {
        let id = controllers[index]
        let other = controllers[(index + 1) % 3]
        switch input.choice(5) {
        case 0:
            rules[index].lostPower()
            radio.powerCycle(id, at: now)
        case 1:
            rules[index].lostPower()
            radio.fail(id, code: input.octet(), at: now)
        case 2:
            let path = RadioPath(
                loss: input.element(of: [0, 0.5, 1]), isInRange: input.choice(4) > 0)
            radio.setPath(path, between: id, and: other, at: now)
        case 3: radio.move(id, to: RadioRoom(rawValue: UInt32(input.choice(2))), at: now)
        default: radio.cut(between: id, and: other, at: now)
        }
        try drain()
    }

    // MARK: Packets

    private mutating func send(_ packets: [HCIPacket], from index: Int) throws {
        for packet in packets {
            try rules[index].sent(packet)
            radio.receive(packet, at: controllers[index], at: now)
        }
        try drain()
    }

    /// Exchanges packets between hosts and controllers until there are no more.
    private mutating func drain() throws {
        var count = 0
        while let output = radio.pollOutput() {
            count += 1
            try check(count < 20_000, "one input brings outputs without end")
            switch output {
            case .send(let packet, let id):
                trace("controller \(id.index): \(packet)")
                try rules[id.index].received(packet)
                guard id.index < hosts.count else { continue }
                for packet in try hosts[id.index].receive(packet, at: now) {
                    try rules[id.index].sent(packet)
                    radio.receive(packet, at: id, at: now)
                }
            case .fault(let fault, let id): trace("controller \(id.index): \(fault)")
            }
        }
        for index in rules.indices { try rules[index].rests() }
    }

    // MARK: Time

    private mutating func pass(_ duration: Duration) throws {
        let end = now + duration
        var clock = ClockRule()
        for _ in 0..<100 {
            var deadline = radio.nextDeadline
            for host in hosts { deadline = .earliest(deadline, host.host.nextDeadline) }
            guard let deadline, deadline <= end else { break }
            now = max(now, deadline)
            try clock.wake(at: now)
            radio.handleTimeout(at: now)
            try drain()
            for (index, host) in hosts.enumerated() {
                try send(host.handleTimeout(at: now), from: index)
            }
        }
        now = max(now, end)
        radio.handleTimeout(at: now)
        try drain()
    }

    /// Every command known to the project.
    private static let opcodes: [UInt16] = [
        0x0406, 0x041D, 0x0C01, 0x0C03, 0x0C31, 0x0C33, 0x0C35, 0x0C63, 0x0C6D, 0x0C7B, 0x0C7C,
        0x1001, 0x1002, 0x1003, 0x1005, 0x1009, 0x1405, 0x2001, 0x2002, 0x2003, 0x2005, 0x2006,
        0x2007, 0x2008, 0x2009, 0x200A, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2010, 0x2011,
        0x2012, 0x2013, 0x2014, 0x2015, 0x2016, 0x2017, 0x2018, 0x2019, 0x201A, 0x201B, 0x201C,
        0x2020, 0x2021, 0x2022, 0x2023, 0x2024, 0x2025, 0x2026, 0x2027, 0x2028, 0x2029, 0x202A,
        0x202B, 0x202C, 0x202D, 0x202E, 0x202F, 0x2030, 0x2031, 0x2032, 0x2035, 0x2036, 0x2037,
        0x2038, 0x2039, 0x203A, 0x203B, 0x203C, 0x203D, 0x2041, 0x2042, 0x2043, 0x204B, 0x204E,
        0x2060,
    ]
}
