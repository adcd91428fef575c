internal import DeviceCommandKit
package import Kinds

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
        where !services.contains(uuid) { services.append(uuid) }
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

// MARK: - What is printed

extension Sighting {
    /// The lines of `ancs scan`.
    package static let schema = LineSchema(
        "scan", "One object per line on standard output.",
        [
            LineKind("scanning", "the scan begins or ends", ["on": .boolean]),
            LineKind("discovered", "a device was heard", form),
        ])

    /// All data of the advertisement, octets in hexadecimal.
    private static let form = ObjectForm<Sighting>(
        .text("name?", \.name), .text("address", .address, \.address.text),
        .text("addressType", .addressType, \.address.kindName),
        .init("peer", .peerAddress.described("as version 0.1 had the address"), \.address.json),
        .text("identifier", .identifier, \.identifier.text),
        .number("rssi?", .integer.described("in dBm"), \.rssi),
        .flag("connectable?", \.isConnectable),
        .texts("services?", .uuids.filled) { texts($0.data.serviceUUIDs) },
        .texts("overflowServices?", .uuids.filled) { texts($0.data.overflowServiceUUIDs) },
        .texts("solicitedServices?", .uuids.filled) { texts($0.data.solicitedServiceUUIDs) },
        .number("appearance?", .handle) { $0.data.appearance.map { Int($0) } },
        .number("txPower?", .integer.described("in dBm"), \.data.txPowerLevel),
        .text("manufacturerData?", .hexadecimal) {
            $0.data.manufacturerData.map { Hexadecimal.text($0) }
        },
        .init(
            "serviceData?",
            ["type": "object", "additionalProperties": SchemaFragment.hexadecimal.json]
        ) { sighting in
            let data = sighting.data.serviceData.sorted { $0.key.rawValue < $1.key.rawValue }
                .map { JSONValue.Member($0.key.text, .string(Hexadecimal.text($0.value))) }
            return data.isEmpty ? nil : .object(data)
        }, .text("likeness?", \.likeness))

    private static func texts(_ uuids: [BluetoothUUID]) -> [String]? {
        uuids.isEmpty ? nil : uuids.map(\.text)
    }

    /// The device in one line.
    var line: Line {
        let strength = rssi.map { "\($0) dBm" } ?? ""
        let words = [
            name ?? "", likeness ?? "", serviceText,
            isConnectable == false ? "not connectable" : "",
        ]
        return Line(
            "discovered", Self.form.members(of: self),
            address.text + "  " + TerminalText.padded(address.kindWord, to: 14)
                + String(repeating: " ", count: max(0, 10 - strength.count)) + strength + "  "
                + words.filter { !$0.isEmpty }.joined(separator: " · "), .plain)
    }

    /// The services by name: what it has, and what it wants a phone to have.
    var serviceText: String {
        var words = services.map(AssignedNumbers.serviceText)
        let wanted = data.solicitedServiceUUIDs.map(AssignedNumbers.serviceText)
        if !wanted.isEmpty { words.append("wants " + wanted.joined(separator: ", ")) }
        return words.joined(separator: ", ")
    }
}
