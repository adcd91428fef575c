import ANCSEvents
import BluetoothLE
import DBus

@testable import BlueZ

// The Apple Media Service, for a service that is used beside ANCS.
extension BluetoothUUID {
    static let media = BluetoothUUID(text: "89D3502B-0F36-433A-8EF4-C502AD55F8DC") ?? "180D"
    static let command = BluetoothUUID(text: "9B3C81D8-57B1-4A8A-B8DF-0E56F7CA51C2") ?? "2A37"
    static let update = BluetoothUUID(text: "2F7CABCE-808D-411F-9A0C-BB92BA96C102") ?? "2A38"
    static let entity = BluetoothUUID(text: "C6B2F38C-23AB-46D8-A6AB-A3A870BBD5D7") ?? "2A39"
}

extension Bench {
    /// The objects of the media, in the order in which bluetoothd publishes them.
    static func mediaObjects(
        of name: String, service: String = "service0030"
    ) -> [(ObjectPath, String, [String: BusValue])] {
        let service = path("\(name)/\(service)")
        var objects: [(ObjectPath, String, [String: BusValue])] = [
            (
                service, "org.bluez.GattService1",
                ["UUID": .string(BluetoothUUID.media.text), "Device": .objectPath(path(name))]
            )
        ]
        for (last, uuid, flags) in [
            ("1", BluetoothUUID.command, ["write", "notify"]), ("4", .update, ["write", "notify"]),
            ("7", .entity, ["read", "write"]),
        ] {
            objects.append(
                (
                    ObjectPath("\(service.text)/char003\(last)") ?? .root, characteristic,
                    [
                        "UUID": .string(uuid.text), "Service": .objectPath(service),
                        "Flags": .strings(flags),
                    ]
                ))
        }
        return objects
    }

    @discardableResult
    func addMedia(to name: String = "dev_1", service: String = "service0030") -> [Line] {
        Self.mediaObjects(of: name, service: service).flatMap { add($0, $1, $2) }
    }

    @discardableResult
    func removeMedia(from name: String = "dev_1", service: String = "service0030") -> [Line] {
        Self.mediaObjects(of: name, service: service).reversed().flatMap { remove($0.0) }
    }

    @discardableResult
    func ask(_ request: CompanionRequest, of phone: UInt64 = 1) -> [Line] {
        input { $0.request(request, of: PhoneID(rawValue: phone), at: $1) }
    }

    /// A phone is served, and its media are found.
    func useMedia() {
        serve()
        addMedia()
        ask(.find(.media))
        wait(PhoneLink.completionTime)
    }
}

extension CompanionEvent {
    /// The characteristics of a service that is available.
    var parts: Set<BluetoothUUID>? {
        if case .available(let parts) = self { Set(parts) } else { nil }
    }
}

extension [Bench.Line] {
    /// What is said of the service that is used beside ANCS.
    var companionEvents: [CompanionEvent] {
        compactMap { if case .companion(_, let event) = $0 { event } else { nil } }
    }
}
