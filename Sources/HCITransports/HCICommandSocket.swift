public import LinuxIO
public import BluetoothLE
internal import CLinux
internal import Glibc
internal import Octets

/// A raw HCI socket: sends commands of one kind to a controller that the kernel's own host drives, past that
/// host, and hears their status and the events of Bluetooth Low Energy. Sending needs the capability
/// `CAP_NET_RAW`. On the loop only.
public final class HCICommandSocket: @unchecked Sendable {
    // Unchecked: used on the loop's thread only, which the loop checks when it is opened and closed.

    /// How many events are read before the rest of the loop may run.
    private static let eventsOfTurn = 64

    private let descriptor: OwnedDescriptor
    private let loop: EventLoop
    private let take: @Sendable (HCIEvent) -> Void
    private var registration: DescriptorRegistration?

    /// Opens the socket of `hci<index>` for commands with this opcode; events go to `take`.
    public init(
        index: UInt16, opcode: HCIOpcode, on loop: EventLoop,
        take: @escaping @Sendable (HCIEvent) -> Void
    ) throws(IOError) {
        let number = clinux_hci_raw_open(index, opcode.rawValue)
        guard number >= 0 else { throw IOError("cannot open hci\(index)", errno: errno) }
        descriptor = OwnedDescriptor(number)
        self.loop = loop
        self.take = take
        let reader = Reader(self)
        registration = try loop.register(
            number, for: .readable, handler: { _ in reader.socket?.read() })
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
    public func close() {
        if let registration { loop.unregister(registration) }
        registration = nil
        descriptor.close()
    }

    /// Sends a command. Throws with `EPERM` without the capability.
    public func send(_ command: some HCICommand) throws(IOError) {
        // HCI UART transport layer, the indicator of a command: Core Vol 4, Part A, 2.
        let octets = [0x01] + HCICommandPacket(command).octets
        let count = uninterrupted { write(descriptor.number, octets, octets.count) }
        guard count == octets.count else {
            throw IOError("cannot send a command to a controller", errno: errno)
        }
    }

    /// The handle of the LE link that a Central with this address (`F0:F1:F2:F3:F4:F5`) established to
    /// `hci<index>`; `nil` if there is none, or more than one: an address may be both public and random.
    public static func link(from address: String, to index: UInt16) -> ConnectionHandle? {
        connection(from: address, to: index).map { ConnectionHandle(rawValue: $0.handle) }
    }

    /// Whether that link is encrypted, as the kernel tells every user; `nil` if there is none, or more than one.
    public static func isLinkEncrypted(from address: String, to index: UInt16) -> Bool? {
        connection(from: address, to: index).map { $0.is_encrypted != 0 }
    }

    private static func connection(
        from address: String, to index: UInt16
    ) -> clinux_hci_connection? {
        var list = [clinux_hci_connection](
            repeating: clinux_hci_connection(), count: LinuxHCIInterfaces.maximumConnections)
        let count = clinux_hci_connections(index, &list, CInt(list.count))
        guard count > 0 else { return nil }
        let leLink: UInt8 = 0x80
        let links = list.prefix(Int(count)).filter { connection in
            connection.type == leLink && connection.is_outgoing == 0
                && LinuxHCIInterfaces.standingStates.contains(connection.state)
                && LinuxHCIInterfaces.text(
                    of: withUnsafeBytes(of: connection.address) { Array($0) }) == address
        }
        return links.count == 1 ? links.first : nil
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
            guard octets[0] == 0x04, let event = try? HCIEvent(decoding: Array(event).span) else {
                continue
            }
            take(event)
        }
    }

    /// The loop must not keep a socket alive.
    private final class Reader: @unchecked Sendable {
        // Unchecked: used on the loop's thread only.
        weak var socket: HCICommandSocket?

        init(_ socket: HCICommandSocket) { self.socket = socket }
    }
}
