import ANCS
import BluetoothLE
import LinuxIO
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// A phone whose adapter apps use as well, and an accessory in range.
@Suite("A phone and apps at one adapter")
struct PhoneAndAppsTests {
    private struct Scene {
        let accessory: NotificationConsumer
        let adapter: BluetoothAdapter
        let phone: NotificationProvider
        let app: CentralManager

        init(_ bench: SystemBench) throws {
            var place = HCIConfiguration(.virtual(bench.ports[0]))
            place.toolbox = OpenSSLToolbox(simulatedFrom: 1)
            accessory = try NotificationConsumer(name: "Watch", at: .hci(place))
            var configuration = AdapterConfiguration(
                name: "Phone", controller: HCIConfiguration(.virtual(bench.ports[1])))
            configuration.controller.toolbox = OpenSSLToolbox(simulatedFrom: 2)
            adapter = try BluetoothAdapter(configuration, on: bench.loop)
            phone = try NotificationProvider(ProviderConfiguration(), at: adapter)
            app = CentralManager(adapter)
        }

        /// Starts everybody; returns when the accessory has a session.
        func begin() async throws -> PeerIdentifier {
            await accessory.start()
            await adapter.start()
            await phone.start()
            try await phone.wait { if case .session(_, .started) = $0 { true } else { false } }
            return try #require(await adapter.connectedPeers.first)
        }

        func end() async {
            await accessory.stop()
            await adapter.stop()
        }
    }

    @Test(
        "an app shares the phone's link without traffic on the radio, and releases only its part")
    func shared() async throws {
        try await SystemBench.run { bench in
            let scene = try Scene(bench)
            let peer = try await scene.begin()
            let known = await scene.app.retrievePeripherals(withIdentifiers: [peer])
            let peripheral = try #require(known.first)
            let now = bench.loop.now
            try await scene.app.connect(peripheral)
            #expect(bench.loop.now == now)
            await scene.app.cancelPeripheralConnection(peripheral)
            try await bench.loop.sleep(for: .seconds(60))
            #expect(await scene.adapter.connectedPeers == [peer])
            // The phone goes on serving it.
            try await scene.phone.post(
                ProviderNotification(
                    appIdentifier: .phone, categoryID: .social, title: "Still here"))
            try await scene.phone.wait {
                if case .session(_, .announced) = $0 { true } else { false }
            }
            await scene.phone.stop()
            try await scene.adapter.wait { $0.isDisconnection(of: peer) }
            await scene.end()
        }
    }

    @Test("stopping the phone leaves an app its link")
    func phoneEnds() async throws {
        try await SystemBench.run { bench in
            let scene = try Scene(bench)
            let peer = try await scene.begin()
            let known = await scene.app.retrievePeripherals(withIdentifiers: [peer])
            let peripheral = try #require(known.first)
            try await scene.app.connect(peripheral)
            await scene.phone.stop()
            try await bench.loop.sleep(for: .seconds(60))
            #expect(await scene.adapter.connectedPeers == [peer])
            await scene.app.cancelPeripheralConnection(peripheral)
            try await scene.adapter.wait { $0.isDisconnection(of: peer) }
            await scene.end()
        }
    }

    @Test("a phone that starts later serves the existing links")
    func phoneComesLater() async throws {
        try await SystemBench.run { bench in
            let scene = try Scene(bench)
            let peer = try await scene.begin()
            let known = await scene.app.retrievePeripherals(withIdentifiers: [peer])
            let peripheral = try #require(known.first)
            try await scene.app.connect(peripheral)
            await scene.phone.stop()
            let second = try NotificationProvider(ProviderConfiguration(), at: scene.adapter)
            await second.start()
            // The accessory was told that ANCS was gone, and that it is there again.
            try await second.wait { if case .session(_, .started) = $0 { true } else { false } }
            #expect(await second.accessories.map(\.isConnected) == [true])
            #expect(await scene.adapter.connectedPeers == [peer])
            await second.stop()
            await scene.end()
        }
    }

    @Test("an accessory that an app had connected before does not keep the phone from others")
    func connectedBefore() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let app = try await air.manager(at: adapter)
            let first = try await air.accessory()
            first.advertise()
            let peripheral = try await air.find([Accessory.service], by: app)
            try await app.connect(peripheral)
            let phone = try NotificationProvider(ProviderConfiguration(), at: adapter)
            await phone.start()
            try await air.pass(.seconds(1))
            // It asks for what it has.
            first.advertise(AccessoryFinder.wanted)
            try await air.pass(.seconds(10))
            #expect(first.links.count == 1)
            let second = try await air.accessory()
            second.advertise(AccessoryFinder.wanted)
            try await air.pass(.seconds(30))
            #expect(second.links.count == 1)
            await phone.stop()
        }
    }

    @Test("an adapter that is stopped ends the phone with a reason")
    func adapterStops() async throws {
        try await SystemBench.run { bench in
            let scene = try Scene(bench)
            _ = try await scene.begin()
            await scene.adapter.stop()
            await #expect(throws: DeviceError.controller(.stopped)) {
                for try await _ in scene.phone.events {}
            }
            await scene.end()
        }
    }
}

extension AccessoryFinder {
    /// What an accessory has on air that wants a phone.
    fileprivate static var wanted: Advertisement {
        Advertisement(
            data: AdvertisingData([
                .flags([.generalDiscoverable]), .solicitedServices([.ancs]),
            ]))
    }
}

extension NotificationProvider {
    fileprivate func wait(for isWanted: (ProviderEvent) -> Bool) async throws {
        for try await event in events { if isWanted(event) { return } }
        Issue.record("the phone ended")
    }
}

extension BluetoothAdapter {
    fileprivate func wait(for isWanted: (AdapterEvent) -> Bool) async throws {
        for try await event in events { if isWanted(event) { return } }
        Issue.record("the adapter ended")
    }
}

extension AdapterEvent {
    fileprivate func isDisconnection(of peer: PeerIdentifier) -> Bool {
        if case .peer(peer, .disconnected) = self { true } else { false }
    }
}
