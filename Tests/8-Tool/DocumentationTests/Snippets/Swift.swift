// swift-format-ignore-file
import ANCSKit

// The code of Documentation/Swift.md.
enum SwiftSnippets {
    static func firstProgram() async {
        do throws(DeviceError) {
            let consumer = try NotificationConsumer(name: "Desk", at: .bluez())
            for try await notification in consumer.notifications { print(notification.title) }
        } catch { print(error.message) }                        // no bus, no adapter, no permission, …
    }

    static func act(on consumer: NotificationConsumer) async throws {
        try await consumer.run { session in                     // once for each ANCS session with a phone
            for await event in session.events {
                guard case .notification(let call) = event, call.event == .added,
                    call.category == .incomingCall
                else { continue }
                print("\(call.app): \(call.title)", call.actions.negative ?? "cannot be declined")
                do throws(RequestError) {
                    try await session.perform(.negative, on: call.uid)
                } catch { print(error.message) }                // refused, gone, the session ended, …
            }
        }
    }

    static func phone() async throws {
        let phone = try NotificationProvider(at: .hci("hci-socket:1"))
        let chat = try AppIdentifier("com.example.chat")
        try await phone.install(chat, displayName: "Chat")
        let lunch = ProviderNotification(
            appIdentifier: chat, categoryID: .social, title: "Ada", message: "Lunch?")
        try await phone.post(lunch, actions: .init(negative: .init("Clear") { phone, id in
            (try? await phone.remove(id)) != nil                // false: the accessory gets 0xA3
        }))
        await phone.start()
        for try await event in phone.events {
            if case .session(let accessory, .action(let request, performed: true)) = event {
                print(accessory, request.actionID)
            }
        }
    }

    static func managers() async throws {
        let state = "desk-state"                               // keeps bonds and bindings
        let adapter = try BluetoothAdapter(
            name: "Desk", at: .hci("hci-socket:0", store: BondStore(directory: state)))
        await adapter.start()

        let central = CentralManager(adapter)
        let binding = try AccessoryBinding(                    // finds it, connects it, remembers it
            .init(app: "org.example.band", services: ["180D"], store: BindingStore(directory: state)),
            manager: central)
        await binding.launch()

        let peripheral = PeripheralManager(adapter)
        let profileUUID: BluetoothUUID = "C0DE0000-B5CE-4E99-A40F-4B1E122D0000"
        let email = MutableCharacteristic(
            type: "2A87", properties: [.read, .notifyEncryptionRequired],
            permissions: .readEncryptionRequired)              // a central that asks has to pair first
        let profile = MutableService(type: profileUUID)
        profile.characteristics = [email]
        try await peripheral.add(profile)
        for await event in peripheral.events {
            switch event {
            case .stateUpdated(.poweredOn):                    // not before: it would throw
                try await peripheral.startAdvertising(
                    AdvertisementData(localName: "Desk", serviceUUIDs: [profileUUID]))
            case .didReceiveRead(let request):
                request.value = Array("ada@example.org".utf8)
                await peripheral.respond(to: request, withResult: .success)
            default: break
            }
        }
    }
}
