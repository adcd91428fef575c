internal import LinuxIO
internal import Glibc

/// Opens the HCI User Channel of a controller that the kernel's own host uses. That is only possible while
/// the interface is down, and bluetoothd brings it up whenever possible (`AutoEnable`, its default).
///
/// An interface without connections is taken down. One with connections is left alone: a keyboard must not be
/// disconnected for the sake of notifications.
struct UserChannelOpening {
    /// The result of an attempt.
    enum Step {
        case opened(OwnedDescriptor)
        case failed(IOError)
        /// The interface was taken down, or is changing: try again after this time.
        case retry(after: Duration)
    }

    /// The kernel sets a controller up in less than a second, one that needs firmware in a few.
    static let patience = Duration.seconds(10)
    private static let interval = Duration.milliseconds(100)

    private let index: UInt16
    private let interfaces: any HCIInterfaces
    private let deadline: MonotonicInstant
    /// Whether the interface was up, and this process took it down.
    private(set) var hasTakenDown = false
    /// Whether it has been down since.
    private(set) var isLeftDown = false

    init(index: UInt16, interfaces: any HCIInterfaces, at now: MonotonicInstant) {
        self.index = index
        self.interfaces = interfaces
        deadline = now + Self.patience
    }

    /// The message that the machine's Bluetooth has changed.
    var notice: String {
        "hci\(index) was up and nothing was connected to it: it was taken down, and bluetoothd cannot "
            + "use it while this program runs"
    }

    /// The message that it was taken down without success, and is still down.
    var noticeOfFailure: String {
        "hci\(index) was taken down, but cannot be opened; "
            + "\"sudo btmgmt -i hci\(index) power on\" starts it again"
    }

    /// Tries to open the channel, and removes an obstacle if there is one.
    mutating func attempt(at now: MonotonicInstant) -> Step {
        switch interfaces.openUserChannel(index) {
        case .success(let descriptor): return .opened(descriptor)
        // The error only says that the interface is not free; its state says why.
        case .failure(let error) where error.errno == EBUSY:
            isLeftDown = false
            return makeFree(at: now)
        case .failure(let error): return .failed(failure(error))
        }
    }

    private mutating func makeFree(at now: MonotonicInstant) -> Step {
        let interface: HCIInterface
        switch interfaces.interface(index) {
        case .success(let found): interface = found
        case .failure(let error): return .failed(failure(error))
        }
        guard interface.connections.isEmpty else {
            return .failed(HCIUserChannel.connected(index: index, to: interface.connections))
        }
        // An interface that is coming up is not taken down: the kernel would be left with a half-initialized
        // controller.
        guard interface.isUp else { return retry(at: now, after: Self.interval) }
        switch interfaces.takeDown(index) {
        case .success:
            hasTakenDown = true
            isLeftDown = true
            return retry(at: now, after: .zero)
        case .failure(let error) where error.errno == EBUSY:
            return .failed(HCIUserChannel.held(index: index))
        case .failure(let error): return .failed(failure(error))
        }
    }

    private func retry(at now: MonotonicInstant, after pause: Duration) -> Step {
        guard now < deadline else { return .failed(HCIUserChannel.restless(index: index)) }
        // A host that brings the interface up as often as it is taken down must not cause a busy loop.
        return .retry(after: max(pause, .milliseconds(1)))
    }

    private func failure(_ error: SystemError) -> IOError {
        HCIUserChannel.failure(index: index, errno: error.errno)
    }
}
