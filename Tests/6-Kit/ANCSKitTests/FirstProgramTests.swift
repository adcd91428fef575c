// One import, as in the README.
import ANCSKit
import Testing

/// What the README shows, with nothing else imported.
@Suite struct FirstProgramTests {
    func everyNotification() async throws {
        let consumer = try NotificationConsumer(name: "Desk", at: .hci("hci-socket:0"))
        for try await notification in consumer.notifications { print(notification.title) }
    }

    func declineCalls(_ consumer: NotificationConsumer) async throws {
        try await consumer.run { session in
            for await event in session.events {
                guard case .notification(let call) = event, call.event == .added,
                    call.category == .incomingCall
                else { continue }
                print("\(call.app): \(call.title)", call.actions.negative ?? "cannot be declined")
                do throws(RequestError) {
                    try await session.perform(.negative, on: call.uid)
                } catch { print(error.message) }
            }
        }
    }

    func lunch() async throws {
        let phone = try NotificationProvider(at: .hci("hci-socket:1"))
        let chat = try AppIdentifier("com.example.chat")
        try await phone.install(chat, displayName: "Chat")
        let lunch = ProviderNotification(
            appIdentifier: chat, categoryID: .social, title: "Ada", message: "Lunch?")
        try await phone.post(
            lunch,
            actions: .init(
                negative: .init("Clear") { phone, id in
                    (try? await phone.remove(id)) != nil
                }))
        await phone.start()
        for try await event in phone.events {
            if case .session(let accessory, .action(let request, performed: true)) = event {
                print(accessory, request.actionID)
            }
        }
    }

    func apps(keepingBondsIn state: String) async throws {
        let adapter = try BluetoothAdapter(
            name: "Desk", at: .hci("hci-socket:0", store: BondStore(directory: state)))
        await adapter.start()

        let central = CentralManager(adapter)
        let binding = try AccessoryBinding(
            .init(
                app: "org.example.band", services: ["180D"],
                store: BindingStore(directory: state)),
            manager: central)
        await binding.launch()

        let peripheral = PeripheralManager(adapter)
        let profileUUID: BluetoothUUID = "C0DE0000-B5CE-4E99-A40F-4B1E122D0000"
        let email = MutableCharacteristic(
            type: "2A87", properties: [.read, .notifyEncryptionRequired],
            permissions: .readEncryptionRequired)
        let profile = MutableService(type: profileUUID)
        profile.characteristics = [email]
        try await peripheral.add(profile)
        for await event in peripheral.events {
            switch event {
            case .stateUpdated(.poweredOn):
                try await peripheral.startAdvertising(
                    AdvertisementData(localName: "Desk", serviceUUIDs: [profileUUID]))
            case .didReceiveRead(let request):
                request.value = Array("ada@example.org".utf8)
                await peripheral.respond(to: request, withResult: .success)
            default: break
            }
        }
    }

    @Test("an invalid moniker throws where it is used, and the error lists the valid forms")
    func invalidPlace() throws {
        let error = #expect(throws: DeviceError.self) {
            try NotificationConsumer(name: "Desk", at: .hci("hci-sockets:0"))
        }
        #expect(error?.message.contains("unknown transport \"hci-sockets\"") == true)
        #expect(throws: DeviceError.self) { try NotificationProvider(at: .hci("")) }
        #expect(throws: DeviceError.self) { try BluetoothAdapter(name: "Desk", at: .hci("tcp")) }
    }
}
