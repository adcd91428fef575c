internal import ANCS
internal import ANCSEvents
internal import ANCSKit
internal import BluetoothTypes
internal import CommandKit
internal import JSONText
internal import Octets

/// A device as it was heard.
package struct Sighting: Equatable, Sendable {
    /// The address that it uses on air.
    var address: DeviceAddress
    /// Its identifier on this machine.
    var identifier: PeerIdentifier
    var data: AdvertisementData
    /// The strength of its signal in dBm, if the controller knows it.
    var rssi: Int?
    /// The name from an earlier advertisement, if this one has none.
    var knownName: String?

    var name: String? { data.localName ?? knownName }

    /// Whether it accepts connections; `nil` if that is not known, as at bluetoothd.
    var isConnectable: Bool? { data.isConnectable }

    /// The services that it lists or has data for, each once.
    var services: [BluetoothUUID] {
        var services: [BluetoothUUID] = []
        let withData = data.serviceData.keys.sorted { $0.rawValue < $1.rawValue }
        for uuid in data.serviceUUIDs + data.overflowServiceUUIDs + withData
        where !services.contains(uuid) {
            services.append(uuid)
        }
        return services
    }

    /// Whether it solicits ANCS, that is, wants a phone's notifications (R3).
    var wantsANCS: Bool { data.solicitedServiceUUIDs.contains(BluetoothUUID(ANCSUUID.service)) }
}

// MARK: - What it looks like

extension Sighting {
    /// The kind of device, as far as its advertisement shows it, with a question mark if it is a guess.
    var likeness: String? {
        if wantsANCS { return "ANCS accessory" + (looks.map { ", \($0)" } ?? "") }
        return looks
    }

    private var looks: String? {
        let appearance = data.appearance.flatMap(AssignedNumbers.appearance)
        guard let company, let message = data.manufacturerData?.dropFirst(2) else {
            return appearance
        }
        if company == Self.apple {
            // Among Apple's devices, only iPhones advertise the Appearance of a phone.
            if appearance == "phone" { return "iPhone?" }
            if let kind = Self.appleKind(Array(message)) { return kind }
        }
        return appearance ?? AssignedNumbers.company(company).map { "by \($0)" }
    }

    private var company: UInt16? {
        guard let data = data.manufacturerData, data.count >= 2 else { return nil }
        return UInt16(data[0]) | UInt16(data[1]) << 8
    }

    private static let apple: UInt16 = 0x004C

    /// The kind of Apple device, from the type and length of the first message. iBeacon is documented by
    /// Apple; the others were observed by researchers (furiousMAC, "Continuity").
    private static func appleKind(_ message: [UInt8]) -> String? {
        guard message.count >= 2 else { return nil }
        return switch (message[0], message[1]) {
        case (0x02, 0x15): "iBeacon"
        case (0x07, _): "AirPods or Beats"
        case (0x12, _): "Find My"
        case (0x0C, _), (0x0F, _), (0x10, _): "Apple device"
        default: nil
        }
    }
}

// MARK: - JSON

extension Sighting {
    /// All data of the advertisement, octets in hexadecimal.
    var json: JSONValue {
        func list(_ uuids: [BluetoothUUID]) -> JSONValue? {
            uuids.isEmpty ? nil : .array(uuids.map { .string($0.text) })
        }
        let serviceData = data.serviceData.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { JSONValue.Member($0.key.text, .string(Hexadecimal.text($0.value))) }
        return .object(
            [.init("event", "discovered")]
                + [JSONValue.Member](present: ["name": name.map { .string($0) }])
                + address.jsonMembers
                + [JSONValue.Member](present: [
                    "identifier": .string(identifier.text), "rssi": rssi.map { .integer($0) },
                    "connectable": isConnectable.map { .boolean($0) },
                    "services": list(data.serviceUUIDs),
                    "overflowServices": list(data.overflowServiceUUIDs),
                    "solicitedServices": list(data.solicitedServiceUUIDs),
                    "appearance": data.appearance.map { .integer(Int($0)) },
                    "txPower": data.txPowerLevel.map { .integer($0) },
                    "manufacturerData": data.manufacturerData
                        .map { .string(Hexadecimal.text($0)) },
                    "serviceData": serviceData.isEmpty ? nil : .object(serviceData),
                    "likeness": likeness.map { .string($0) },
                ]))
    }
}
