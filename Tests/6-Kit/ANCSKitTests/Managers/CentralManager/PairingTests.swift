import BluetoothLE
import LinuxIO
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// Values that are protected, and peers that are known by more than their address.
@Suite struct PairingTests {
    static func connect(
        to accessory: Accessory, by manager: CentralManager, on air: isolated Air
    ) async throws -> Peripheral {
        let peripheral = try await air.find([Accessory.service], by: manager)
        try await manager.connect(peripheral)
        return peripheral
    }

    static func protected(of peripheral: Peripheral) async throws -> Characteristic {
        let service = try #require(
            try await peripheral.discoverServices([Accessory.service]).first)
        return try #require(
            try await peripheral.discoverCharacteristics([Accessory.protected], for: service).first)
    }

    /// What an app does with a protected value.
    enum Access: CaseIterable { case read, write, subscribe }

    @Test(
        "every access that needs encryption makes the devices pair, and is then performed",
        arguments: Access.allCases)
    func pairsOnDemand(_ access: Access) async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let manager = try await air.manager(at: adapter)
            let accessory = try await air.accessory()
            try accessory.addService()
            accessory.advertise()
            let peripheral = try await Self.connect(to: accessory, by: manager, on: air)
            let characteristic = try await Self.protected(of: peripheral)
            #expect(accessory.pairings == 0)
            switch access {
            case .read: #expect(try await peripheral.readValue(for: characteristic) == [7])
            case .write:
                try await peripheral.writeValue([8], for: characteristic, type: .withResponse)
                #expect(accessory.writes.map(\.value) == [[8]])
            case .subscribe:
                try await peripheral.setNotifyValue(true, for: characteristic)
                #expect(accessory.subscriptions.last == .notification)
            }
            #expect(accessory.pairings == 1)
            #expect(await adapter.bonds.map(\.identifier) == [peripheral.identifier])
        }
    }

    @Test("several operations that need encryption make the devices pair once")
    func pairsOnce() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let manager = try await air.manager(at: adapter)
            let accessory = try await air.accessory()
            try accessory.addService()
            accessory.advertise()
            let peripheral = try await Self.connect(to: accessory, by: manager, on: air)
            let characteristic = try await Self.protected(of: peripheral)
            async let subscribed: Void = peripheral.setNotifyValue(true, for: characteristic)
            async let value = peripheral.readValue(for: characteristic)
            try await subscribed
            #expect(try await value == [7])
            #expect(accessory.pairings == 1)
        }
    }

    @Test("if pairing is not allowed, the error has the reason")
    func refused() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port()) {
                $0.controller.pairing.policy = .never
            }
            let manager = try await air.manager(at: adapter)
            let accessory = try await air.accessory()
            try accessory.addService()
            accessory.advertise()
            let peripheral = try await Self.connect(to: accessory, by: manager, on: air)
            let characteristic = try await Self.protected(of: peripheral)
            await #expect(throws: BluetoothError(.attribute(.insufficientAuthentication))) {
                try await peripheral.readValue(for: characteristic)
            }
            #expect(accessory.pairings == 0)
        }
    }

    @Test("if the peer refuses to pair, the error states it")
    func refusedByThePeer() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let manager = try await air.manager(at: adapter)
            let accessory = try await air.accessory { $0.security.pairing = .never }
            try accessory.addService()
            accessory.advertise()
            let peripheral = try await Self.connect(to: accessory, by: manager, on: air)
            let characteristic = try await Self.protected(of: peripheral)
            do throws(BluetoothError) {
                try await peripheral.readValue(for: characteristic)
                Issue.record("it was read")
            } catch {
                #expect(error.code == .attribute(.insufficientAuthentication))
                #expect(error.message.contains("refused to pair"))
            }
            #expect(await peripheral.state == .connected)
        }
    }

    @Test("the user is asked for the code that the accessory shows, and the read waits for it")
    func code() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port()) {
                $0.controller.pairing.ability = .keyboard
            }
            let manager = try await air.manager(at: adapter)
            let accessory = try await air.accessory { configuration in
                configuration.security.ioCapability = .displayOnly
                configuration.security.authentication.insert(.mitmProtection)
                configuration.security.passkeySource = .fixed(123_456)
            }
            try accessory.addService()
            accessory.advertise()
            let peripheral = try await Self.connect(to: accessory, by: manager, on: air)
            let characteristic = try await Self.protected(of: peripheral)
            let reading = Task(executorPreference: air.loop) {
                try await peripheral.readValue(for: characteristic)
            }
            for try await event in adapter.events {
                guard case .peer(let peer, .pairing(.enter(let entry))) = event else { continue }
                #expect(peer == peripheral.identifier)
                entry.enter(123_456)
                break
            }
            #expect(try await reading.value == [7])
            #expect(await adapter.bonds.map(\.isAuthenticated) == [true])
        }
    }

    @Test("a peer that has lost its keys is distinguished from one that has only disconnected")
    func lostKeys() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let manager = try await air.manager(at: adapter)
            let accessory = try await air.accessory()
            try accessory.addService()
            accessory.advertise()
            let peripheral = try await Self.connect(to: accessory, by: manager, on: air)
            let characteristic = try await Self.protected(of: peripheral)
            try await peripheral.readValue(for: characteristic)
            accessory.close()
            let forgetful = try await air.accessory(at: accessory.port)
            try forgetful.addService()
            forgetful.advertise()
            _ = try await air.next(of: manager) { event in
                if case .disconnected = event { true } else { nil }
            }
            try await manager.connect(peripheral)
            let error = try await air.next(of: manager) { event in
                if case .disconnected(_, let error) = event { error } else { nil }
            }
            #expect(error.code == .peerRemovedPairingInformation)
        }
    }

    @Test("a stranger that pairing reveals as a known peer is that peer for its apps too")
    func identified() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let manager = try await air.manager(at: adapter)
            let accessory = try await air.accessory()
            try accessory.addService()
            accessory.advertise()
            let known = try await Self.connect(to: accessory, by: manager, on: air).identifier
            accessory.close()
            let same = try await air.accessory(at: accessory.port) {
                $0.ownAddress = .resolvablePrivate()
            }
            try same.addService()
            same.advertise()
            _ = try await air.next(of: manager) { event in
                if case .disconnected = event { true } else { nil }
            }
            let peripheral = try await Self.connect(to: same, by: manager, on: air)
            let stranger = peripheral.identifier
            #expect(stranger != known)
            let characteristic = try await Self.protected(of: peripheral)
            try await peripheral.readValue(for: characteristic)
            let former = try await air.next(of: manager) { event in
                if case .identified(peripheral, let former) = event { former } else { nil }
            }
            #expect(former == stranger)
            #expect(peripheral.identifier == known)
            #expect(try await peripheral.readValue(for: characteristic) == [7])
            await manager.cancelPeripheralConnection(peripheral)
            try await air.until("the link has fallen") { same.links.isEmpty }
        }
    }

    @Test("a pending connection is made when another app's pairing reveals the peer")
    func identifiedForOthers() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let one = try await air.manager(at: adapter)
            let other = try await air.manager(at: adapter)
            let accessory = try await air.accessory()
            try accessory.addService()
            accessory.advertise()
            let known = try await Self.connect(to: accessory, by: one, on: air)
            accessory.close()
            let same = try await air.accessory(at: accessory.port) {
                $0.ownAddress = .resolvablePrivate()
            }
            try same.addService()
            same.advertise()
            _ = try await air.next(of: one) { event in
                if case .disconnected = event { true } else { nil }
            }
            let waiting = Task(executorPreference: air.loop) { try await one.connect(known) }
            try await air.pass(.seconds(60))
            #expect(same.links.isEmpty)
            let stranger = try await Self.connect(to: same, by: other, on: air)
            let characteristic = try await Self.protected(of: stranger)
            try await stranger.readValue(for: characteristic)
            try await waiting.value
            #expect(same.links.count == 1)
            #expect(stranger.identifier == known.identifier)
            let own = try await Self.protected(of: known)
            #expect(try await known.readValue(for: own) == [7])
            await other.cancelPeripheralConnection(stranger)
            try await air.pass(.seconds(10))
            #expect(same.links.count == 1, "the one who waited uses it")
        }
    }

    @Test("a bonded peer keeps its identifier under every address, and through a restart")
    func rotation() async throws {
        try await Air.run { air in
            let port = air.port()
            let adapter = try await air.adapter(at: port, isStored: true)
            let manager = try await air.manager(at: adapter)
            let accessory = try await air.accessory {
                $0.ownAddress = .resolvablePrivate(interval: .seconds(60))
            }
            try accessory.addService()
            accessory.advertise()
            let peripheral = try await Self.connect(to: accessory, by: manager, on: air)
            let identifier = peripheral.identifier
            let characteristic = try await Self.protected(of: peripheral)
            try await peripheral.readValue(for: characteristic)
            let first = try #require(adapter.host?.link(to: peripheral.peer)?.peerAddress)
            await manager.cancelPeripheralConnection(peripheral)
            try await air.pass(.seconds(120))
            #expect(try await air.find([Accessory.service], by: manager) === peripheral)
            try await manager.connect(peripheral)
            let second = try #require(adapter.host?.link(to: peripheral.peer)?.peerAddress)
            #expect(second != first)
            await adapter.stop()

            try await air.pass(.seconds(120))
            let restarted = try await air.adapter(at: port, isStored: true)
            let other = try await air.manager(at: restarted)
            let same = try #require(
                await other.retrievePeripherals(withIdentifiers: [identifier]).first)
            try await other.connect(same)
            let third = try #require(restarted.host?.link(to: same.peer)?.peerAddress)
            #expect(third != second && third != first)
            let again = try await Self.protected(of: same)
            #expect(try await same.readValue(for: again) == [7])
            #expect(accessory.pairings == 1)
        }
    }
}
