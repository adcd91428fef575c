package import DBus
internal import Glibc

/// A socket on which bluetoothd sends the values of a characteristic, one packet each. bluetoothd drops
/// values while the socket is full, so everything is read as soon as it arrives.
package final class ValueSocket: @unchecked Sendable {
    // Unchecked: used on the loop's thread only.

    /// What a socket tells.
    package enum Event {
        /// A value of at most 512 octets.
        case value([UInt8])
        /// bluetoothd closed its end. The last event.
        case hangUp
    }

    /// One octet more than the longest attribute value, so that a longer one is recognized. Core Vol 3, Part
    /// F, 3.2.9.
    private static let capacity = 513
    /// How many values are read before the rest of the loop may run.
    private static let valuesOfTurn = 64
    /// More values than a socket's buffer holds: 208 KiB (`net.core.wmem_default`), of which each takes over 700 octets.
    private static let maximumPending = 512

    private let descriptor: BusDescriptor
    private let loop: EventLoop
    private let take: @Sendable (Event) -> Void
    private var registration: DescriptorRegistration?

    /// Starts reading; `nil` if the descriptor cannot be watched.
    package init?(
        _ descriptor: BusDescriptor, on loop: EventLoop, take: @escaping @Sendable (Event) -> Void
    ) {
        (self.descriptor, self.loop, self.take) = (descriptor, loop, take)
        registration = try? loop.register(descriptor.number, for: .readable) {
            [weak self] readiness in self?.read(readiness)
        }
        if registration == nil { return nil }
    }

    /// For owners that did not call ``close()``.
    deinit {
        guard let registration else { return }
        // The descriptor is closed only after it is no longer watched: its number could be reused.
        loop.execute { [loop, descriptor] in
            withExtendedLifetime(descriptor) { loop.unregister(registration) }
        }
    }

    /// Closes the socket; no more events follow.
    package func close() {
        if let registration { loop.unregister(registration) }
        registration = nil
    }

    /// Reads all values that have arrived.
    package func readPending() { read(.readable, atMost: Self.maximumPending) }

    private func read(_ readiness: DescriptorReadiness, atMost maximum: Int = valuesOfTurn) {
        for _ in 0..<maximum {
            guard registration != nil else { return }
            var octets = [UInt8](repeating: 0, count: Self.capacity)
            let count = recv(descriptor.number, &octets, octets.count, CInt(MSG_DONTWAIT))
            switch count {
            case 1..<Self.capacity: take(.value(Array(octets.prefix(count))))
            // A value that is too long is invalid, but the next one is not affected.
            case Self.capacity: continue
            // A packet without octets looks like the end of the stream.
            case 0 where !readiness.contains(.hangUp): continue
            case -1 where errno == EINTR: continue
            case -1 where errno == EAGAIN: return
            case _:
                close()
                return take(.hangUp)
            }
        }
    }
}
