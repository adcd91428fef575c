package import DBus
internal import Glibc
internal import LinuxIO

/// A device with a GATT server behind the double: what a Central finds. A link to it has one request at a time, as ATT
/// has; one that is refused for want of security stays, as bluetoothd keeps it, and everything waits behind it.
package final class DoublePeripheral: @unchecked Sendable {
    // Unchecked: confined to the loop of its double.

    /// A characteristic, which has a declaration, a value, and a configuration if it can notify.
    package struct Characteristic: Sendable {
        package var declaration: UInt16
        package var uuid: String
        package var flags: [String]
        package var value: [UInt8]
        /// Whether it needs a bond.
        package var isProtected: Bool

        package init(
            _ declaration: UInt16, _ uuid: String, _ flags: [String], value: [UInt8] = [],
            isProtected: Bool = false
        ) {
            self.declaration = declaration
            self.uuid = uuid
            self.flags = flags
            self.value = value
            self.isProtected = isProtected
        }

        package var canNotify: Bool { flags.contains("notify") || flags.contains("indicate") }
    }

    /// A request that was made of it.
    struct Request {
        let call: BusMethodCall
        let reply: BusReply
    }

    /// bluetoothd's end of a socket.
    struct Socket {
        let descriptor: CInt
        let watch: DescriptorRegistration?
        let client: String
    }

    package let path: ObjectPath
    package let address: String
    package static let service: UInt16 = 0x0010
    package let serviceUUID: String
    package var characteristics: [Characteristic]
    /// Whether the radio reaches it.
    package var isInRange = true
    package var isPaired = false
    /// How long it takes to answer a request.
    package var requestTime = Duration.milliseconds(30)
    package internal(set) var isConnected = false
    /// What was written to it.
    package internal(set) var written: [[UInt8]] = []
    /// The programs that have ended its link.
    package internal(set) var enders: [String] = []
    var connectReply: BusReply?
    var pairingReply: BusReply?
    var isDisconnecting = false
    /// The requests, of which the first is under way.
    var requests: [Request] = []
    var isRequesting = false
    /// The programs with `StartNotify`, by the characteristic.
    var subscribers: [ObjectPath: Set<String>] = [:]
    var sockets: [ObjectPath: Socket] = [:]
    /// Whether bluetoothd keeps an `AcquireNotify` that waits when the link ends, as it does with one that waits for
    /// security (`bt_att_chan_free` in src/shared/att.c): it is never answered, and excludes every later one.
    package var keepsSockets = false
    /// What it keeps.
    var kept: [ObjectPath: BusReply] = [:]
    /// The number of the link, for what comes too late.
    var link = 0

    package init(
        _ name: String, address: String, serviceUUID: String, _ characteristics: [Characteristic]
    ) {
        path = BlueZDouble.path(name)
        self.address = address
        self.serviceUUID = serviceUUID
        self.characteristics = characteristics
    }

    static func hexadecimal(_ handle: UInt16) -> String {
        let digits = String(handle, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    private static func below(_ path: ObjectPath, _ name: String, _ handle: UInt16) -> ObjectPath {
        ObjectPath("\(path.text)/\(name)\(hexadecimal(handle))") ?? .root
    }

    var servicePath: ObjectPath { Self.below(path, "service", Self.service) }

    /// The object of a characteristic.
    package func path(of characteristic: Characteristic) -> ObjectPath {
        Self.below(servicePath, "char", characteristic.declaration)
    }

    func index(at path: ObjectPath) -> Int? {
        characteristics.firstIndex { self.path(of: $0) == path }
    }

    /// The objects of its attributes.
    func attributes(mtu: UInt16) -> [(ObjectPath, String, BlueZDouble.Properties)] {
        var objects: [(ObjectPath, String, BlueZDouble.Properties)] = [
            (
                servicePath, "org.bluez.GattService1",
                [
                    "UUID": .string(serviceUUID), "Device": .objectPath(path),
                    "Primary": .bool(true), "Includes": .array([], of: "o"),
                ]
            )
        ]
        for characteristic in characteristics {
            let place = self.path(of: characteristic)
            var properties: BlueZDouble.Properties = [
                "UUID": .string(characteristic.uuid), "Service": .objectPath(servicePath),
                "Flags": .strings(characteristic.flags), "MTU": .uint16(mtu),
            ]
            if characteristic.canNotify {
                properties["Notifying"] = .bool(false)
                properties["NotifyAcquired"] = .bool(false)
            }
            objects.append((place, .characteristic, properties))
            guard characteristic.canNotify else { continue }
            objects.append(
                (
                    Self.below(place, "desc", characteristic.declaration + 2),
                    "org.bluez.GattDescriptor1",
                    ["UUID": .string("2902"), "Characteristic": .objectPath(place)]
                ))
        }
        return objects
    }
}

// Other programs, of which a test needs only the traces.
extension DoublePeripheral {
    /// The programs that are subscribed by signals.
    package func subscriberNames(of path: ObjectPath) -> Set<String> { subscribers[path] ?? [] }
}
