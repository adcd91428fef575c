import BluetoothLE
import LinuxIO
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

@Suite("Values that centrals subscribe to")
struct SubscriptionTests {
    /// A value that is notified and one that is indicated.
    struct Clock: Sendable {
        let service = MutableService(type: BluetoothUUID(UInt16(0xFFE0)))
        let seconds = MutableCharacteristic(
            type: BluetoothUUID(UInt16(0xFFE1)), properties: .notify, permissions: [])
        let alarm = MutableCharacteristic(
            type: BluetoothUUID(UInt16(0xFFE2)), properties: .indicate, permissions: [])

        init() { service.characteristics = [seconds, alarm] }
    }

    static func publish(at bench: isolated ManagerBench) async throws -> Clock {
        let clock = Clock()
        try await bench.manager.add(clock.service)
        return clock
    }

    static func subscribe(
        _ central: TestCentral, to characteristic: MutableCharacteristic, _ value: String = "0100",
        at bench: isolated ManagerBench
    ) async throws {
        let descriptor = await bench.descriptor(of: characteristic)
        #expect(try await central.answer(to: "12" + descriptor + value) == "13")
    }

    @Test("two centrals with different subscriptions get their own values")
    func twoCentrals() async throws {
        try await ManagerBench.run { bench in
            let clock = try await Self.publish(at: bench)
            let one = try await bench.connectedCentral()
            let other = try await bench.connectedCentral()
            try await Self.subscribe(one, to: clock.seconds, at: bench)
            try await Self.subscribe(other, to: clock.seconds, at: bench)
            try await Self.subscribe(other, to: clock.alarm, "0200", at: bench)
            let subscribers = clock.seconds.subscribedCentrals
            #expect(subscribers.count == 2)
            #expect(clock.alarm.subscribedCentrals == [subscribers[1]])
            let manager = bench.manager
            #expect(await manager.updateValue([1], for: clock.seconds))
            #expect(await manager.updateValue([2], for: clock.alarm))
            #expect(
                await manager.updateValue(
                    [3], for: clock.seconds, onSubscribedCentrals: [subscribers[0]]))
            try await bench.wait("all arrives") {
                let counts = (await one.updates.count, await other.updates.count)
                return counts == (2, 2)
            }
            #expect(await one.updates == [[1], [3]])
            #expect(await other.updates == [[1], [2]])

            try await Self.subscribe(one, to: clock.seconds, "0000", at: bench)
            #expect(
                bench.events.last == .didUnsubscribe(subscribers[0], from: clock.seconds))
            try await other.disconnect()
            try await bench.wait("it has left") { clock.seconds.subscribedCentrals.isEmpty }
            #expect(
                bench.events.suffix(2) == [
                    .didUnsubscribe(subscribers[1], from: clock.seconds),
                    .didUnsubscribe(subscribers[1], from: clock.alarm),
                ])
        }
    }

    @Test("each central gets as much of a value as its ATT_MTU allows")
    func truncation() async throws {
        try await ManagerBench.run { bench in
            let clock = try await Self.publish(at: bench)
            let small = try await bench.connectedCentral()
            let large = try await bench.connectedCentral()
            #expect(try await large.answer(to: "026400").hasPrefix("03"))
            for central in [small, large] {
                try await Self.subscribe(central, to: clock.seconds, at: bench)
            }
            #expect(
                clock.seconds.subscribedCentrals.map(\.maximumUpdateValueLength) == [20, 97])
            let value = [UInt8](0..<100)
            #expect(await bench.manager.updateValue(value, for: clock.seconds))
            try await bench.wait("all arrives") {
                let counts = (await small.updates.count, await large.updates.count)
                return counts == (1, 1)
            }
            #expect(await small.updates == [Array(value.prefix(20))])
            #expect(await large.updates == [Array(value.prefix(97))])
        }
    }

    /// Sends numbers until all have gone, going on when the manager says so.
    static func sendAll(
        _ count: Int, of characteristic: MutableCharacteristic, at bench: isolated ManagerBench
    ) async throws -> (refusals: Int, readies: Int) {
        let next = Lock(0)
        let refusals = Lock(0)
        let readies = Lock(0)
        let send: @Sendable (isolated PeripheralManager) -> Void = { manager in
            while next.withLock({ $0 }) < count {
                let number = next.withLock { $0 }
                let value = [UInt8(number & 0xFF), UInt8(number >> 8)]
                guard manager.updateValue(value, for: characteristic) else {
                    refusals.withLock { $0 += 1 }
                    return
                }
                next.withLock { $0 += 1 }
            }
        }
        bench.setApp { event, manager in
            guard case .isReadyToUpdateSubscribers = event else { return }
            readies.withLock { $0 += 1 }
            send(manager)
        }
        await bench.manager.enter(send)
        try await bench.wait("all is sent", for: .seconds(600)) { next.withLock { $0 } == count }
        return (refusals.withLock { $0 }, readies.withLock { $0 })
    }

    static func numbers(_ count: Int) -> [[UInt8]] {
        (0..<count).map { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }

    @Test(
        "a full link is reported, and when it has room again; nothing is lost, repeated or reordered"
    )
    func backPressure() async throws {
        try await ManagerBench.run { bench in
            let clock = try await Self.publish(at: bench)
            let near = try await bench.connectedCentral()
            let far = try await bench.connectedCentral()
            for central in [near, far] {
                try await Self.subscribe(central, to: clock.seconds, at: bench)
            }
            let (refusals, readies) = try await Self.sendAll(1_000, of: clock.seconds, at: bench)
            #expect(refusals > 1)
            #expect(readies >= refusals)
            try await bench.wait("all arrives", for: .seconds(600)) {
                let counts = (await near.updates.count, await far.updates.count)
                return counts == (1_000, 1_000)
            }
            #expect(await near.updates == Self.numbers(1_000))
            #expect(await far.updates == Self.numbers(1_000))
        }
    }

    @Test("an indication waits for the confirmation of the one before it")
    func indications() async throws {
        try await ManagerBench.run { bench in
            let clock = try await Self.publish(at: bench)
            let central = try await bench.connectedCentral()
            try await Self.subscribe(central, to: clock.alarm, "0200", at: bench)
            let (refusals, readies) = try await Self.sendAll(5, of: clock.alarm, at: bench)
            #expect(refusals == 4)
            #expect(readies == 4)
            try await bench.wait("all arrives") { await central.updates.count == 5 }
            #expect(await central.updates == Self.numbers(5))
        }
    }

    @Test("when a link ends, clients that wait for room on it may continue")
    func endOfFullLink() async throws {
        try await ManagerBench.run { bench in
            let clock = try await Self.publish(at: bench)
            let central = try await bench.connectedCentral()
            try await Self.subscribe(central, to: clock.seconds, at: bench)
            let manager = bench.manager
            while await manager.updateValue([1], for: clock.seconds) {}
            bench.clearEvents()
            try await central.disconnect()
            try await bench.wait("it has left") { clock.seconds.subscribedCentrals.isEmpty }
            try await bench.wait("there is room") {
                bench.events.contains(.isReadyToUpdateSubscribers)
            }
            #expect(await manager.updateValue([1], for: clock.seconds))
        }
    }

    @Test("an unconfirmed indication of a removed service does not block others")
    func removedWhileUnconfirmed() async throws {
        try await ManagerBench.run { bench in
            let clock = try await Self.publish(at: bench)
            let other = MutableCharacteristic(
                type: BluetoothUUID(UInt16(0xFFE4)), properties: .indicate, permissions: [])
            let service = MutableService(type: BluetoothUUID(UInt16(0xFFE3)))
            service.characteristics = [other]
            try await bench.manager.add(service)
            let central = try await bench.connectedCentral()
            try await Self.subscribe(central, to: clock.alarm, "0200", at: bench)
            try await Self.subscribe(central, to: other, "0200", at: bench)
            let manager = bench.manager
            #expect(await manager.updateValue([1], for: clock.alarm))
            #expect(await !manager.updateValue([2], for: other))
            bench.clearEvents()
            await manager.remove(clock.service)
            #expect(bench.events.last == .isReadyToUpdateSubscribers)
            #expect(await manager.updateValue([3], for: other))
            try await bench.wait("both arrive") { await central.updates.contains([3]) }
        }
    }
}

extension PeripheralManager {
    fileprivate func enter(_ body: @Sendable (isolated PeripheralManager) -> Void) { body(self) }
}
