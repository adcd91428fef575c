internal import ANCS
internal import ANCSKit
internal import BluetoothLE
internal import JSONText
internal import Octets

/// A device as it was heard.
struct Sighting: Equatable, Sendable {
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

    /// Whether it accepts connections.
    var isConnectable: Bool { data.isConnectable ?? false }

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
        var members: [JSONValue.Member] = [
            .init("event", "discovered"), .init("peer", address.json),
            .init("identifier", .string(identifier.text)),
        ]
        if let name { members.append(.init("name", .string(name))) }
        if let rssi { members.append(.init("rssi", .integer(rssi))) }
        members.append(.init("connectable", .boolean(isConnectable)))
        let lists = [
            ("services", data.serviceUUIDs), ("overflowServices", data.overflowServiceUUIDs),
            ("solicitedServices", data.solicitedServiceUUIDs),
        ]
        for (name, uuids) in lists where !uuids.isEmpty {
            members.append(.init(name, .array(uuids.map { .string($0.text) })))
        }
        if let appearance = data.appearance {
            members.append(.init("appearance", .integer(Int(appearance))))
        }
        if let power = data.txPowerLevel { members.append(.init("txPower", .integer(power))) }
        if let data = data.manufacturerData {
            members.append(.init("manufacturerData", .string(Hexadecimal.text(data))))
        }
        if !data.serviceData.isEmpty {
            let sorted = data.serviceData.sorted { $0.key.rawValue < $1.key.rawValue }
            members.append(
                .init(
                    "serviceData",
                    .object(sorted.map { .init($0.key.text, .string(Hexadecimal.text($0.value))) }))
            )
        }
        if let likeness { members.append(.init("likeness", .string(likeness))) }
        return .object(members)
    }
}
