package import DBus
internal import DBusTestKit
internal import Glibc
internal import LinuxIO

extension DoublePhone {
    /// The Apple Media Service, whose Entity Attribute is at `char0037`.
    package var media: ObjectPath { below(path, "service0030") }
    package var remoteCommand: ObjectPath { below(media, "char0031") }
    package var entityUpdate: ObjectPath { below(media, "char0034") }
}

// The media of a phone, whose values are the test's.
extension BlueZDouble {
    package func addMedia(to path: ObjectPath) {
        guard let phone = phones[path] else { return }
        add(
            phone.media, "org.bluez.GattService1",
            [
                "UUID": .string("89d3502b-0f36-433a-8ef4-c502ad55f8dc"),
                "Device": .objectPath(phone.path),
            ])
        for (path, uuid) in [
            (phone.remoteCommand, "9b3c81d8-57b1-4a8a-b8df-0e56f7ca51c2"),
            (phone.entityUpdate, "2f7cabce-808d-411f-9a0c-bb92ba96c102"),
            (phone.below(phone.media, "char0037"), "c6b2f38c-23ab-46d8-a6ab-a3a870bbd5d7"),
        ] {
            add(
                path, .characteristic,
                ["UUID": .string(uuid), "Service": .objectPath(phone.media)])
        }
    }

    package func removeMedia(of path: ObjectPath) {
        guard let phone = phones[path] else { return }
        for socket in phone.mediaSockets.values { close(socket) }
        phone.mediaSockets = [:]
        for path in objects.keys.sorted(by: { $0.text > $1.text })
        where path == phone.media || path.isBelow(phone.media) {
            remove(path)
        }
    }

    func answerMedia(_ call: BusMethodCall, of phone: DoublePhone, _ reply: BusReply) {
        switch call.member {
        case "AcquireNotify":
            guard let (ours, theirs) = try? makeSocketPair() else {
                return reply.fail(.blueZ("Failed", "no sockets"))
            }
            phone.mediaSockets[call.path] = ours
            reply.succeed([.descriptor(BusDescriptor(owning: theirs)), .uint16(247)])
        case "WriteValue":
            phone.mediaWrites.append(call.arguments.first?.octets ?? [])
            reply.succeed()
        case _: reply.fail(BusError(BusError.unknownMethod, call.member))
        }
    }

    /// The phone sends a value of its media to the program that has the socket.
    package func sendMedia(_ value: [UInt8], of path: ObjectPath, by phone: ObjectPath) {
        guard let socket = phones[phone]?.mediaSockets[path] else { return }
        _ = send(socket, value, value.count, CInt(MSG_DONTWAIT | MSG_NOSIGNAL))
    }
}
