import BluetoothLE
import Octets
import Testing
import VirtualBluetooth
internal import VirtualTransports

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver
@testable import HCITransports
@testable import LinuxIO

/// A controller that can stop hearing its host.
private final class DeafPort: @unchecked Sendable {
    // Unchecked: touched on the loop's thread only.

    var isDeaf = false
    private let inner: VirtualPort
    private let loop: EventLoop
    private(set) lazy var port = VirtualPort(
        inner.index, on: loop,
        toController: { [unowned self] packet in if !isDeaf { inner.send(packet) } },
        powerCycle: {})

    init(before inner: VirtualPort, on loop: EventLoop) throws {
        self.inner = inner
        self.loop = loop
        try inner.attach { [unowned self] packets in port.deliver(packets) }
    }
}

/// A controller that is unplugged and comes back.
@Suite struct LostControllerTests {
    private static let lost = IOError(.hangUp, "lost")
    private static let absent = IOError(.notFound, "there is none")

    @Test("links end, and everything continues when the controller is back")
    func comesBack() async throws {
        try await SystemBench.run { bench in
            let desk = try await bench.start(0, "Desk")
            let phone = try await bench.start(1, "Phone")
            try desk.advertise("Desk", forGood: true)
            phone.system.connect(try await phone.find("Desk"), by: phone.id, timeout: nil)
            await desk.wait(for: "link up")
            _ = desk.take()
            bench.ports[0].unplug()
            await desk.wait(for: "resetting")
            #expect(desk.take().contains("link down"))
            try await bench.loop.sleep(for: .seconds(3_600))
            #expect(desk.take() == [], "that it is still away is no news")
            bench.ports[0].plugIn()
            let before = bench.loop.now
            await desk.wait(for: "poweredOn")
            #expect(bench.loop.now - before <= ReturningDevice.longestPause + .seconds(1))
            try desk.advertise("Desk", forGood: true)
            phone.system.connect(try await phone.find("Desk"), by: phone.id, timeout: nil)
            await desk.wait(for: "link up")
        }
    }

    @Test("an obstacle is reported once, and that it has passed")
    func obstacle() async throws {
        try await SystemBench.run { bench in
            let desk = try await bench.start(0, "Desk")
            bench.ports[0].unplug()
            await desk.wait(for: "resetting")
            bench.ports[0].plugIn()
            try bench.ports[0].attach { _ in }
            try await bench.loop.sleep(for: .seconds(600))
            #expect(desk.take().filter { $0 == "warning" }.count == 1)
            bench.ports[0].detach()
            await desk.wait(for: "poweredOn")
        }
    }

    @Test("a controller that returns but does not answer is opened again")
    func mute() async throws {
        try await SystemBench.run { bench in
            let deaf = try DeafPort(before: bench.ports[0], on: bench.loop)
            let desk = try await bench.start(0, "Desk") {
                $0.controller.moniker = .virtual(deaf.port)
            }
            deaf.port.unplug()
            deaf.port.plugIn()
            deaf.isDeaf = true
            try await bench.loop.sleep(for: .seconds(600))
            #expect(desk.take().contains("warning"))
            #expect(desk.system.state == .resetting)
            deaf.isDeaf = false
            await desk.wait(for: "poweredOn")
        }
    }

    @Test("stopping while the controller is missing ends at once")
    func stopped() async throws {
        try await Air.run { air in
            let port = air.port()
            let adapter = try await air.adapter(at: port)
            port.unplug()
            try await air.pass(.seconds(100))
            let before = air.loop.now
            await adapter.stop()
            #expect(air.loop.now == before)
            port.plugIn()
            try await air.pass(.seconds(100))
            try port.attach { _ in }
        }
    }

    @Test("a controller that is missing from the start is not waited for")
    func neverThere() {
        var device = ReturningDevice()
        #expect(device.lost(Self.absent, at: .zero) == nil)
    }

    @Test("the pauses grow to their limit, and are short again only after a time without failures")
    func pauses() {
        var device = ReturningDevice()
        var now = MonotonicInstant.zero
        device.ready(at: now)
        now = now + .seconds(60)
        #expect(device.lost(Self.lost, at: now) == .init(pause: .milliseconds(500), news: .lost))
        let pauses = (0..<8).map { _ in device.lost(Self.absent, at: now)!.pause }
        #expect(pauses == [1, 2, 4, 8, 16, 30, 30, 30].map { .seconds($0) })
        device.ready(at: now)
        #expect(!device.isAway)
        now = now + .seconds(1)
        #expect(device.lost(Self.lost, at: now) == .init(pause: .seconds(30), news: .lost))
        device.ready(at: now)
        now = now + .seconds(30)
        #expect(device.lost(Self.lost, at: now)?.pause == .milliseconds(500))
    }
}
