internal import Glibc
internal import Octets

/// Takes a controller away from the kernel's own host: the HCI User Channel can only be opened while the
/// interface is down, and bluetoothd brings it up whenever it can (`AutoEnable`, its default).
///
/// An interface that nothing is connected to is taken down. One with connections is left alone: a
/// keyboard must not die for the sake of notifications.
struct UserChannelOpening {
    /// What to do after an attempt.
    enum Step {
        case opened(OwnedDescriptor)
        case failed(IOError)
        /// The interface was taken down, or changes by itself: try again after this time.
        case retry(after: Duration)
    }

    /// The kernel sets a controller up in less than a second, some with firmware to load in a few.
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

    /// What the user should know: the machine's Bluetooth is not what it was.
    var notice: String {
        "hci\(index) was up and nothing was connected to it: it was taken down, and bluetoothd cannot "
            + "use it while this program runs"
    }

    /// What the user should know where it was taken down in vain, and nothing has started it again.
    var noticeOfFailure: String {
        "hci\(index) was up, was taken down and cannot be used; "
            + "\"sudo btmgmt -i hci\(index) power on\" starts it again"
    }

    /// Tries to open the channel, and removes one obstacle if there is one.
    mutating func attempt(at now: MonotonicInstant) -> Step {
        switch interfaces.openUserChannel(index) {
        case .success(let descriptor): return .opened(descriptor)
        // It says only that the interface is not free; its state says why.
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
        // An interface that comes up is not taken down in the middle: the kernel would be left with a
        // controller that is half set up.
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
        // A host that brings the interface up as often as it is taken down must not spin the loop.
        return .retry(after: max(pause, .milliseconds(1)))
    }

    private func failure(_ error: SystemError) -> IOError {
        HCIUserChannel.failure(index: index, errno: error.errno)
    }
}
