internal import DBus
internal import Glibc
internal import LinuxIO

/// A socket by which bluetoothd passes on the values of a characteristic, a packet each. It drops what does not
/// fit into the socket, so that everything is read as soon as it comes.
final class ValueSocket {
    enum Event {
        case value([UInt8])
        /// bluetoothd has closed its end. The last event.
        case hangUp
    }

    /// The longest value of an attribute, and one more, so that what is longer is seen to be. Core Vol 3,
    /// Part F, 3.2.9.
    private static let capacity = 513
    /// After how many values the rest of the loop has its turn.
    private static let valuesOfTurn = 64

    private let descriptor: BusDescriptor
    private let loop: EventLoop
    private let take: @Sendable (Event) -> Void
    private var registration: DescriptorRegistration?

    /// Begins to read; `nil` where the descriptor cannot be watched.
    init?(
        _ descriptor: BusDescriptor, on loop: EventLoop, take: @escaping @Sendable (Event) -> Void
    ) {
        self.descriptor = descriptor
        self.loop = loop
        self.take = take
        let reader = Reader(self)
        guard
            let registration = try? loop.register(
                descriptor.number, for: .readable,
                handler: { readiness in reader.socket?.read(readiness) })
        else { return nil }
        self.registration = registration
    }

    /// The net under owners that forget to close.
    deinit {
        guard let registration else { return }
        // The descriptor is not closed before it is not watched any more: its number may be another's then.
        loop.execute { [loop, descriptor] in
            withExtendedLifetime(descriptor) { loop.unregister(registration) }
        }
    }

    /// Ends it: nothing is told any more.
    func close() {
        if let registration { loop.unregister(registration) }
        registration = nil
    }

    private func read(_ readiness: DescriptorReadiness) {
        for _ in 0..<Self.valuesOfTurn {
            guard registration != nil else { return }
            var octets = [UInt8](repeating: 0, count: Self.capacity)
            let count = recv(descriptor.number, &octets, octets.count, CInt(MSG_DONTWAIT))
            switch count {
            case 1..<Self.capacity: take(.value(Array(octets.prefix(count))))
            // What is too long is no value, and says nothing of what comes after it.
            case Self.capacity: continue
            // A packet without octets looks like the end.
            case 0 where !readiness.contains(.hangUp): continue
            case -1 where errno == EINTR: continue
            case -1 where errno == EAGAIN: return
            case _:
                close()
                return take(.hangUp)
            }
        }
    }

    /// The loop does not hold a socket up.
    private final class Reader: @unchecked Sendable {
        // Unchecked: used on the loop's thread only.
        weak var socket: ValueSocket?

        init(_ socket: ValueSocket) { self.socket = socket }
    }
}
