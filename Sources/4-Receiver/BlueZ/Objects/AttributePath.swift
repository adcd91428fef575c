package import BluetoothTypes
package import DBus

/// The place of an attribute of a device, as bluetoothd writes it in the path of its object:
/// `/org/bluez/hci0/dev_F0_F1_F2_F3_F4_F5/service000e/char000f/desc0011`. The numbers are the handles of the
/// declarations of the service and of the characteristic, and of the descriptor (src/gatt-client.c); the property
/// `Handle`, since 5.69, says the same.
package struct AttributePath: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case service
        case characteristic(service: AttributeHandle)
        /// Of the characteristic with this declaration.
        case descriptor(characteristic: AttributeHandle)

        /// What it belongs to.
        var owner: AttributeHandle? {
            switch self {
            case .service: nil
            case .characteristic(let owner), .descriptor(let owner): owner
            }
        }

        /// The interface of its object.
        var interface: String {
            switch self {
            case .service: AttributeObject.service
            case .characteristic: AttributeObject.characteristic
            case .descriptor: AttributeObject.descriptor
            }
        }
    }

    package let device: ObjectPath
    package let handle: AttributeHandle
    package let kind: Kind

    /// The place in a path; `nil` for the path of anything else. Each value that is read or notified comes with one.
    package init?(_ path: ObjectPath) {
        let octets = path.text.utf8Span.span
        var end = octets.count
        let descriptor = Self.cut("/desc", from: octets, &end)
        let characteristic = Self.cut("/char", from: octets, &end)
        guard let service = Self.cut("/service", from: octets, &end), let device = path.prefix(end),
            device.lastElement.hasPrefix("dev_")
        else { return nil }
        self.device = device
        switch (characteristic, descriptor) {
        case (nil, nil): (handle, kind) = (service, .service)
        case (let characteristic?, nil):
            (handle, kind) = (characteristic, .characteristic(service: service))
        case (let characteristic?, let descriptor?):
            (handle, kind) = (descriptor, .descriptor(characteristic: characteristic))
        case (nil, .some): return nil
        }
    }

    /// Removes the last element of the path before `end` if it is this name and a handle of four digits.
    private static func cut(
        _ name: StaticString, from path: Span<UInt8>, _ end: inout Int
    ) -> AttributeHandle? {
        let digits = end - 4
        let start = digits - name.utf8CodeUnitCount
        guard start > 0 else { return nil }
        let isNamed = name.withUTF8Buffer { name in
            name.indices.allSatisfy { path[start + $0] == name[$0] }
        }
        guard isNamed else { return nil }
        var number: UInt16 = 0
        for index in digits..<end {
            guard let digit = Hexadecimal.value(ofDigit: path[index]) else { return nil }
            number = number << 4 | UInt16(digit)
        }
        guard number > 0 else { return nil }
        end = start
        return AttributeHandle(number)
    }
}

extension ObjectPath {
    /// Whether this path of an attribute is that of a descriptor.
    var isOfDescriptor: Bool { lastElement.hasPrefix("desc") }
}
