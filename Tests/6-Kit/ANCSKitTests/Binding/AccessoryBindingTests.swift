import BluetoothLE
import Foundation
import HCITransports
import VirtualTransports
import LinuxIO
import Octets
import Testing
import VirtualBluetooth

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// Binding with whole hosts on one radio: through kill, restart, unbinding, binding again.
@Suite struct AccessoryBindingTests {
    /// An app on a phone that can be killed and launched again.
    private struct App {
        let adapter: BluetoothAdapter
        let manager: CentralManager
        let binding: AccessoryBinding
        let store: BindingStore

        /// A new process on the same machine.
        static func start(
            at port: VirtualPort, named name: String = "app", on air: isolated Air
        ) async throws -> App {
            try await start(
                at: try await air.adapter(at: port, isStored: true), named: name, on: air)
        }

        /// Another app in the same process.
        static func start(
            at adapter: BluetoothAdapter, named name: String, on air: isolated Air
        ) async throws -> App {
            let manager = try await air.manager(at: adapter)
            let store = BindingStore(directory: air.directory)
            let binding = try AccessoryBinding(
                AccessoryBinding.Configuration(
                    app: name, services: [Accessory.service], store: store),
                manager: manager)
            return App(adapter: adapter, manager: manager, binding: binding, store: store)
        }

        /// The process dies: nothing is ended in an orderly way.
        func kill() { adapter.system.close() }

        /// Waits until the binding is in a state for which there is something.
        @discardableResult
        func state<Value>(
            _ take: (AccessoryBinding.State) -> Value?
        ) async throws -> Value {
            for await event in binding.events {
                if case .stateChanged(let state) = event, let value = take(state) { return value }
            }
            throw Air.Missing(what: "a state")
        }

        /// Waits until the binding is in another state than connected.
        func lost() async throws {
            try await state { state in
                if case .connected = state { Bool?.none } else { true }
            }
        }

        /// Waits until the accessory is connected; its identifier.
        @discardableResult
        func connected() async throws -> PeerIdentifier {
            if case .connected(let identifier) = await binding.state { return identifier }
            return try await state { state in
                if case .connected(let identifier) = state { identifier } else { nil }
            }
        }

        /// Reads a protected value, so that the devices pair.
        func pair() async throws {
            let peripheral = try #require(await binding.peripheral)
            let service = try #require(
                try await peripheral.discoverServices([Accessory.service]).first)
            let characteristic = try #require(
                try await peripheral.discoverCharacteristics([Accessory.protected], for: service)
                    .first)
            #expect(try await peripheral.readValue(for: characteristic) == [7])
        }
    }

    private static func accessory(
        on air: isolated Air, _ change: (inout HostConfiguration) -> Void = { _ in }
    ) async throws -> Accessory {
        let accessory = try await air.accessory(change)
        try accessory.addService()
        accessory.advertise(name: "Band")
        return accessory
    }

    @Test("a first launch finds the accessory, connects it and remembers it")
    func firstLaunch() async throws {
        try await Air.run { air in
            let accessory = try await Self.accessory(on: air)
            let app = try await App.start(at: air.port(), on: air)
            #expect(await app.binding.state == .unbound)
            await app.binding.launch()
            #expect(try app.store.binding(of: "app") == .unbound, "not before the link stands")
            let identifier = try await app.connected()
            #expect(accessory.links.count == 1)
            #expect(try app.store.binding(of: "app") == .bound(identifier, name: "Band"))
            #expect(await app.binding.peripheral?.identifier == identifier)
            #expect(await app.binding.peripheral?.state == .connected)
        }
    }

    @Test("an accessory that is out of range can be unbound")
    func unboundWhileAway() async throws {
        try await Air.run { air in
            let accessory = try await Self.accessory(on: air)
            let app = try await App.start(at: air.port(), on: air)
            await app.binding.launch()
            try await app.connected()
            accessory.stopAdvertising()
            accessory.disconnect()
            try await app.lost()
            try await app.binding.unbind()
            #expect(await app.binding.peripheral == nil)
        }
    }

    @Test("after a kill the app connects its accessory again, though another one is in range")
    func killed() async throws {
        try await Air.run { air in
            let port = air.port()
            let accessory = try await Self.accessory(on: air)
            let app = try await App.start(at: port, on: air)
            await app.binding.launch()
            let identifier = try await app.connected()
            app.kill()
            accessory.stopAdvertising()
            let other = try await Self.accessory(on: air)
            let again = try await App.start(at: port, on: air)
            #expect(await again.binding.state == .bound(identifier))
            await again.binding.launch()
            try await air.pass(.seconds(60))
            #expect(other.links.isEmpty)
            accessory.advertise()
            #expect(try await again.connected() == identifier)
            #expect(other.links.isEmpty)
        }
    }

    @Test("after a kill at any moment of the first launch the next launch continues")
    func killedAnywhere() async throws {
        try await Air.run { air in
            let port = air.port()
            let accessory = try await Self.accessory(on: air)
            for step in 0..<40 {
                let store = BindingStore(directory: air.directory)
                try? FileManager.default.removeItem(atPath: store.path)
                let app = try await App.start(at: port, on: air)
                await app.binding.launch()
                try await air.pass(.milliseconds(30 * step))
                app.kill()
                let left = try store.binding(of: "app")
                #expect(left != .justUnbound)
                let again = try await App.start(at: port, on: air)
                await again.binding.launch()
                let identifier = try await again.connected()
                #expect(try store.binding(of: "app") == .bound(identifier, name: "Band"))
                again.kill()
                #expect(accessory.links.count <= 1)
            }
        }
    }

    @Test("unbinding disconnects and forgets, and the next launch does nothing until the user asks")
    func unbinds() async throws {
        try await Air.run { air in
            let port = air.port()
            let accessory = try await Self.accessory(on: air)
            let app = try await App.start(at: port, on: air)
            await app.binding.launch()
            let identifier = try await app.connected()
            try await app.binding.unbind()
            #expect(try app.store.binding(of: "app") == .justUnbound)
            #expect(await app.binding.peripheral == nil)
            #expect(await app.binding.state == .justUnbound)
            try await air.until("the link has fallen") { accessory.links.isEmpty }
            await app.adapter.stop()

            let again = try await App.start(at: port, on: air)
            await again.binding.launch()
            #expect(await again.binding.events.next() == .justUnbound)
            try await air.pass(.seconds(300))
            #expect(accessory.links.isEmpty)
            #expect(await again.binding.state == .justUnbound)

            try await again.binding.bind()
            #expect(try await again.connected() == identifier)
            #expect(try again.store.binding(of: "app") == .bound(identifier, name: "Band"))
        }
    }

    @Test(
        "an accessory that the system keeps connected is unbound by the app alone, and bound again at once"
    )
    func systemStaysConnected() async throws {
        try await Air.run { air in
            let accessory = try await Self.accessory(on: air)
            let app = try await App.start(at: air.port(), on: air)
            await app.binding.launch()
            let identifier = try await app.connected()
            let peer = try #require(app.adapter.system.peer(identifier))
            app.adapter.host?.setReason(.ancs, true, for: peer)
            try await app.binding.unbind()
            try await air.pass(.seconds(60))
            #expect(accessory.links.count == 1, "ANCS is a reason to stay connected")

            // The app is killed and launched again while the system goes on.
            let again = try await App.start(at: app.adapter, named: "app", on: air)
            await again.binding.launch()
            try await air.pass(.seconds(60))
            #expect(await again.binding.state == .justUnbound)
            let users = app.adapter.host?.query { $0.link(of: peer)?.users } ?? nil
            #expect(users?.contains(again.manager.client) == false)

            try await again.binding.bind()
            #expect(try await again.connected() == identifier)
            #expect(accessory.links.count == 1)
        }
    }

    @Test("two apps bind the same accessory, and unbinding it in one does not affect the other")
    func twoApps() async throws {
        try await Air.run { air in
            let accessory = try await Self.accessory(on: air)
            let one = try await App.start(at: air.port(), named: "one", on: air)
            let other = try await App.start(at: one.adapter, named: "other", on: air)
            await one.binding.launch()
            let identifier = try await one.connected()
            await other.binding.launch()
            #expect(try await other.connected() == identifier, "found among the connected ones")
            try await one.binding.unbind()
            try await air.pass(.seconds(60))
            #expect(accessory.links.count == 1)
            #expect(await other.binding.state == .connected(identifier))
            let entries = try one.store.entries()
            #expect(entries.map(\.app) == ["one", "other"])
            #expect(entries.map(\.binding) == [.justUnbound, .bound(identifier, name: "Band")])
        }
    }

    @Test("an accessory that was out of range is connected when it is back")
    func outOfRange() async throws {
        try await Air.run { air in
            let port = air.port()
            let accessory = try await Self.accessory(on: air)
            let app = try await App.start(at: port, on: air)
            await app.binding.launch()
            let identifier = try await app.connected()
            try await air.pass(.seconds(30))
            air.setPath(RadioPath(isInRange: false), port, accessory.port)
            try await app.lost()
            #expect(await app.binding.state == .connecting(identifier))
            try await air.pass(.seconds(900))
            air.setPath(RadioPath(), port, accessory.port)
            #expect(try await app.connected() == identifier)
        }
    }

    @Test("a binding survives a failure of the controller")
    func controllerFails() async throws {
        try await Air.run { air in
            let port = air.port()
            _ = try await Self.accessory(on: air)
            let app = try await App.start(at: port, on: air)
            await app.binding.launch()
            let identifier = try await app.connected()
            air.radio.change { radio, now in radio.fail(port.controller, code: 1, at: now) }
            try await app.lost()
            #expect(try await app.connected() == identifier)
        }
    }

    @Test("a bonded accessory is recognized under another address, also by the next process")
    func rotation() async throws {
        try await Air.run { air in
            let port = air.port()
            let accessory = try await Self.accessory(on: air) {
                $0.ownAddress = .resolvablePrivate(interval: .seconds(60))
            }
            let app = try await App.start(at: port, on: air)
            await app.binding.launch()
            let identifier = try await app.connected()
            try await app.pair()
            app.kill()
            accessory.stopAdvertising()
            try await air.pass(.seconds(300))
            accessory.advertise()
            let again = try await App.start(at: port, on: air)
            await again.binding.launch()
            #expect(try await again.connected() == identifier)
            #expect(accessory.pairings == 1)
        }
    }

    @Test(
        "an accessory with a static address that the system forgot is connected and paired again")
    func forgotten() async throws {
        try await Air.run { air in
            let accessory = try await Self.accessory(on: air)
            let app = try await App.start(at: air.port(), on: air)
            await app.binding.launch()
            let identifier = try await app.connected()
            try await app.pair()
            await app.adapter.forget(identifier)
            try await app.lost()
            #expect(try await app.connected() == identifier)
            try await app.pair()
            #expect(accessory.pairings == 2)
            #expect(try app.store.binding(of: "app") == .bound(identifier, name: "Band"))
        }
    }

    @Test(
        "an accessory with private addresses that the system forgot is a stranger until the user asks"
    )
    func forgottenStranger() async throws {
        try await Air.run { air in
            let accessory = try await Self.accessory(on: air) {
                $0.ownAddress = .resolvablePrivate(interval: .seconds(60))
            }
            let app = try await App.start(at: air.port(), on: air)
            await app.binding.launch()
            let identifier = try await app.connected()
            try await app.pair()
            accessory.stopAdvertising()
            await app.adapter.forget(identifier)
            try await app.lost()
            #expect(await app.binding.state == .connecting(identifier))
            try await air.pass(.seconds(300))
            accessory.advertise(name: "Band")
            try await air.pass(.seconds(300))
            #expect(accessory.links.isEmpty, "nothing can tell that it is the one")
            #expect(await app.binding.state == .connecting(identifier))
            try await app.binding.unbind()
            try await app.binding.bind()
            let new = try await app.connected()
            #expect(new != identifier)
        }
    }

    @Test("an invalid store stops the app before it binds anything")
    func unreadableStore() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let manager = try await air.manager(at: adapter)
            let store = BindingStore(directory: air.directory)
            try store.save(.justUnbound, of: "app")
            try Data("{}".utf8).write(to: URL(filePath: store.path))
            let configuration = AccessoryBinding.Configuration(
                app: "app", services: [Accessory.service], store: store)
            #expect(throws: BindingStore.Failure.self) {
                _ = try AccessoryBinding(configuration, manager: manager)
            }
        }
    }

    @Test("a binding that cannot be stored is reported, and stored with the next link")
    func remembersLater() async throws {
        try await Air.run { air in
            let accessory = try await Self.accessory(on: air)
            let app = try await App.start(at: air.port(), on: air)
            await app.binding.launch()
            // Somebody else's file is in the way.
            try app.store.save(.justUnbound, of: "other")
            let contents = try Data(contentsOf: URL(filePath: app.store.path))
            try Data("{}".utf8).write(to: URL(filePath: app.store.path))
            var warning: String?
            for await event in app.binding.events {
                guard case .warning(let told) = event else { continue }
                warning = told.message
                break
            }
            let identifier = try await app.connected()
            #expect(warning?.contains("could not be stored") == true)
            try contents.write(to: URL(filePath: app.store.path))
            accessory.disconnect()
            try await air.until("the link has fallen") { accessory.links.isEmpty }
            try await air.pass(.seconds(10))
            #expect(await app.binding.state == .connected(identifier))
            #expect(try app.store.binding(of: "app") == .bound(identifier, name: "Band"))
        }
    }

    @Test("if unbinding cannot be stored, the accessory stays bound")
    func unwritableStore() async throws {
        try await Air.run { air in
            let accessory = try await Self.accessory(on: air)
            let app = try await App.start(at: air.port(), on: air)
            await app.binding.launch()
            let identifier = try await app.connected()
            try Data("{}".utf8).write(to: URL(filePath: app.store.path))
            await #expect(throws: BindingStore.Failure.self) { try await app.binding.unbind() }
            try await air.pass(.seconds(10))
            #expect(await app.binding.state == .connected(identifier))
            #expect(accessory.links.count == 1)
        }
    }
}
