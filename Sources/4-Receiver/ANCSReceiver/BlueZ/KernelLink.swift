package import BlueZ
internal import CLinux
internal import Glibc
/// The links of a controller that the kernel's own host drives, and a raw HCI socket past that host, which sends
/// `LinkUpdateCommand` and hears what answers it. Sending needs the capability `CAP_NET_RAW`. On the loop only.
package final class KernelLink: @unchecked Sendable {
    // Unchecked: used on the loop's thread only, which the loop checks when it is opened and closed.

    /// How many events are read before the rest of the loop may run.
    private static let eventsOfTurn = 64
    /// `BT_CONNECTED` and `BT_CONFIG`: the link is established; in other states it is starting or ending.
    private static let standingStates: Set<UInt16> = [1, 7]
    /// More than a controller has links.
    private static let maximumConnections = 64

    private let descriptor: OwnedDescriptor
    private let loop: EventLoop
    private let take: @Sendable (LinkUpdateEvent) -> Void
    private var registration: DescriptorRegistration?

    /// Opens the socket of `hci<index>`; events go to `take`.
    package init(
        index: UInt16, on loop: EventLoop, take: @escaping @Sendable (LinkUpdateEvent) -> Void
    ) throws(IOError) {
        let number = clinux_hci_raw_open(index, LinkUpdateCommand.opcode)
        guard number >= 0 else { throw IOError("cannot open hci\(index)", errno: errno) }
        descriptor = OwnedDescriptor(number)
        self.loop = loop
        self.take = take
        registration = try loop.register(number, for: .readable) { [weak self] _ in self?.read() }
    }

    /// For owners that did not call ``close()``.
    deinit {
        guard let registration else { return }
        // The descriptor is closed only after it is no longer watched: its number could be reused.
        loop.execute { [loop, descriptor] in
            loop.unregister(registration)
            descriptor.close()
        }
    }

    /// Closes the socket; no more events follow.
    package func close() {
        if let registration { loop.unregister(registration) }
        registration = nil
        descriptor.close()
    }

    /// Sends a command. Throws with `EPERM` without the capability.
    package func send(_ command: LinkUpdateCommand) throws(IOError) {
        // HCI UART transport layer, the indicator of a command: Core Vol 4, Part A, 2.
        let octets = [0x01] + command.octets
        let count = uninterrupted { write(descriptor.number, octets, octets.count) }
        guard count == octets.count else {
            throw IOError("cannot send a command to a controller", errno: errno)
        }
    }

    /// The handle of the LE link that a Central with this address (`F0:F1:F2:F3:F4:F5`) established to
    /// `hci<index>`; `nil` if there is none, or more than one: an address may be both package and random.
    package static func link(from address: String, to index: UInt16) -> ConnectionHandle? {
        connection(from: address, to: index).map { ConnectionHandle(rawValue: $0.handle) }
    }

    /// Whether that link is encrypted, as the kernel tells every user; `nil` if there is none, or more than one.
    package static func isLinkEncrypted(from address: String, to index: UInt16) -> Bool? {
        connection(from: address, to: index).map { $0.is_encrypted != 0 }
    }

    private static func connection(
        from address: String, to index: UInt16
    ) -> clinux_hci_connection? {
        var list = [clinux_hci_connection](
            repeating: clinux_hci_connection(), count: maximumConnections)
        let count = clinux_hci_connections(index, &list, CInt(list.count))
        guard count > 0 else { return nil }
        let leLink: UInt8 = 0x80
        let links = list.prefix(Int(count)).filter { connection in
            connection.type == leLink && connection.is_outgoing == 0
                && standingStates.contains(connection.state)
                && text(of: connection) == address
        }
        return links.count == 1 ? links.first : nil
    }

    private static func text(of connection: clinux_hci_connection) -> String {
        let octets = withUnsafeBytes(of: connection.address) { Array($0) }
        let value = octets.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        // The text is the same for both kinds.
        return DeviceAddress(value, kind: .public).text
    }

    private func read() {
        for _ in 0..<Self.eventsOfTurn {
            guard registration != nil else { return }
            // The indicator, and the longest event.
            var octets = [UInt8](repeating: 0, count: 1 + 2 + 255)
            let count = uninterrupted { recv(descriptor.number, &octets, octets.count, 0) }
            if count < 0, errno == EAGAIN { return }
            // The interface is gone.
            guard count > 0 else { return close() }
            let event = octets[..<count].dropFirst()
            guard octets[0] == 0x04, let event = LinkUpdateEvent(decoding: Array(event).span) else {
                continue
            }
            take(event)
        }
    }
}
