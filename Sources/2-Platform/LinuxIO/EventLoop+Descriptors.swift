internal import CLinux
internal import Glibc

/// The kinds of readiness that a descriptor is watched for.
public struct DescriptorInterest: OptionSet, Hashable, Sendable {
    /// The interests as bits.
    public var rawValue: UInt8

    /// The interests that these bits stand for.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Reading: there is input, or the end of the stream.
    public static let readable = DescriptorInterest(rawValue: 1)
    /// Writing: there is room for output.
    public static let writable = DescriptorInterest(rawValue: 2)

    var events: UInt32 {
        (contains(.readable) ? EPOLLIN.rawValue : 0) | (contains(.writable) ? EPOLLOUT.rawValue : 0)
    }
}

/// The readiness of a descriptor.
public struct DescriptorReadiness: OptionSet, Hashable, Sendable {
    /// The kinds of readiness as bits.
    public var rawValue: UInt8

    /// The kinds of readiness that these bits stand for.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// There is input, or the end of the stream.
    public static let readable = DescriptorReadiness(rawValue: 1)
    /// There is room for output.
    public static let writable = DescriptorReadiness(rawValue: 2)
    /// The peer is gone, or the descriptor has an error. Always reported.
    public static let hangUp = DescriptorReadiness(rawValue: 4)

    package init(events: UInt32) {
        self = []
        if events & EPOLLIN.rawValue != 0 { insert(.readable) }
        if events & EPOLLOUT.rawValue != 0 { insert(.writable) }
        if events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { insert(.hangUp) }
    }
}

/// The registration of a descriptor with a loop.
public struct DescriptorRegistration: Equatable, Sendable { let key: UInt64 }

/// The loop's state of a registration.
struct DescriptorHandler {
    package let descriptor: CInt
    package let body: @Sendable (DescriptorReadiness) -> Void
}

extension EventLoop {
    /// Watches a descriptor, level-triggered, and calls `handler` on the loop's thread whenever it is ready.
    /// The caller keeps the descriptor, and has to call ``unregister(_:)`` before closing it. On the loop
    /// only.
    ///
    /// A descriptor that has hung up and has no more input is reported once and then no longer watched,
    /// because epoll would report it without end.
    public func register(
        _ descriptor: CInt, for interest: DescriptorInterest,
        handler: @escaping @Sendable (DescriptorReadiness) -> Void
    ) throws(IOError) -> DescriptorRegistration {
        checkIsolated()
        let key = nextDescriptorKey
        guard watch(descriptor, events: interest.events, key: key) == 0 else {
            throw IOError("cannot watch a descriptor", errno: errno)
        }
        nextDescriptorKey += 1
        descriptors[key] = DescriptorHandler(descriptor: descriptor, body: handler)
        return DescriptorRegistration(key: key)
    }

    /// Changes what a descriptor is watched for. On the loop only.
    public func update(_ registration: DescriptorRegistration, for interest: DescriptorInterest) {
        checkIsolated()
        guard let handler = descriptors[registration.key] else { return }
        var event = epoll_event(events: interest.events, data: epoll_data_t(u64: registration.key))
        epoll_ctl(epollDescriptor, EPOLL_CTL_MOD, handler.descriptor, &event)
    }

    /// Stops watching a descriptor; its handler is not called again, not even for earlier events. On the loop
    /// only.
    public func unregister(_ registration: DescriptorRegistration) {
        checkIsolated()
        guard let handler = descriptors.removeValue(forKey: registration.key) else { return }
        epoll_ctl(epollDescriptor, EPOLL_CTL_DEL, handler.descriptor, nil)
    }

    /// Runs `body` at the end of the current turn, before the loop waits. Used to combine the writes of one
    /// turn. On the loop only.
    package func afterThisTurn(_ body: @escaping @Sendable () -> Void) {
        checkIsolated()
        afterwards.append(body)
    }

    @discardableResult func watch(_ descriptor: CInt, events: UInt32, key: UInt64) -> CInt {
        var event = epoll_event(events: events, data: epoll_data_t(u64: key))
        return epoll_ctl(epollDescriptor, EPOLL_CTL_ADD, descriptor, &event)
    }

    func descriptorIsReady(_ event: epoll_event) {
        // An earlier event of the same batch may have ended this registration.
        let registration = DescriptorRegistration(key: event.data.u64)
        guard let handler = descriptors[registration.key] else { return }
        let readiness = DescriptorReadiness(events: event.events)
        handler.body(readiness)
        if readiness.contains(.hangUp) && !readiness.contains(.readable) {
            unregister(registration)
        }
    }
}
