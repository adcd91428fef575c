@testable import BluetoothLE
@testable import HCITransports
import LinuxIO
import Octets
import Testing
import VirtualBluetooth
internal import VirtualTransports

@Suite("A virtual radio on a loop")
struct RadioLoopTests {
    private static let reset = HCIPacket.command(HCICommandPacket(HCI.Reset()).octets)
    private static let resetComplete = HCIPacket.event(
        HCI.CommandComplete(credits: 1, opcode: .reset, returnParameters: [0]).eventPacket)

    /// Runs a body with a loop in virtual time and a radio on it, and ends both.
    private func withRadio<Value: Sendable>(
        _ body: @escaping @Sendable (EventLoop, RadioLoop) async throws -> Value
    ) async throws -> Value {
        let loop = try EventLoop(clock: .virtual)
        defer { loop.shutdown() }
        return try await Task(executorPreference: loop) {
            let radio = RadioLoop(
                configuration: RadioConfiguration(seed: 1), toolbox: AnySecurityToolbox?.none,
                on: loop)
            defer { loop.execute { radio.close() } }
            return try await body(loop, radio)
        }.value
    }

    /// What is done on the loop itself, and not only on its thread's behalf.
    private func on<Value: Sendable>(
        _ loop: EventLoop, _ body: @escaping @Sendable () -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            loop.execute { continuation.resume(returning: body()) }
        }
    }

    @Test("a transport leads to a controller on the same loop")
    func transport() async throws {
        let received = try await withRadio { loop, radio in
            let port = await on(loop) { radio.addController() }
            let owner = Owner(.virtual(port), on: loop)
            await owner.open()
            #expect(await owner.next() == .opened)
            await owner.send(Self.reset)
            return await owner.next()
        }
        #expect(received == .received([Self.resetComplete]))
    }

    @Test("a controller has one host at a time, and a transport's end takes its power")
    func oneHost() async throws {
        try await withRadio { loop, radio in
            let port = await on(loop) { radio.addController() }
            let first = Owner(.virtual(port), on: loop)
            await first.open()
            #expect(await first.next() == .opened)
            let second = Owner(.virtual(port), on: loop)
            await second.open()
            guard case .closed(let error) = await second.next() else {
                Issue.record("a second host was let in")
                return
            }
            #expect(error.code == .busy)
            await first.close()
            let third = Owner(.virtual(port), on: loop)
            await third.open()
            #expect(await third.next() == .opened)
        }
    }

    @Test("the radio lives in the time of its loop")
    func time() async throws {
        let reports = try await withRadio { loop, radio in
            let (advertiser, scanner) = await on(loop) {
                (radio.addController(.bluetooth4_0), radio.addController(.bluetooth4_0))
            }
            return await on(loop) { () -> Counter in
                let counter = Counter()
                try? advertiser.attach { _ in }
                try? scanner.attach { packets in counter.count(packets) }
                for command in [
                    HCICommandPacket(HCI.SetEventMask(mask: .max)),
                    HCICommandPacket(
                        HCI.LESetScanEnable(isEnabled: true, filtersDuplicates: false)),
                ] {
                    scanner.send(.command(command.octets))
                }
                advertiser.send(
                    .command(
                        HCICommandPacket(HCI.LESetAdvertisingEnable(isEnabled: true)).octets))
                return counter
            }.after(.seconds(3600), on: loop)
        }
        // Every 1.28 s and a random delay below 10 ms, for an hour.
        #expect((2790...2813).contains(reports))
    }

    /// Counts the advertising reports among packets.
    private final class Counter: @unchecked Sendable {
        // Unchecked: touched on the loop only.
        private var reports = 0

        func count(_ packets: [HCIPacket]) {
            for case .event(let body) in packets where body.starts(with: [0x3E]) { reports += 1 }
        }

        func after(_ duration: Duration, on loop: EventLoop) async -> Int {
            try? await loop.sleep(for: duration)
            return reports
        }
    }
}
