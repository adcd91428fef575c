// swift-format-ignore-file
// The code of Sources/1-Core/ANCS/ANCS.docc/Driving-a-session.md.
import ANCS
import Octets

/// What the Bluetooth stack has to do.
protocol Stack {
    /// Carries out a request, then reports the result to `Receiver.reported(_:at:)`.
    func perform(_ request: ConsumerSession.LinkRequest)
    /// Calls `Receiver.deadlinePassed(at:)` at the deadline; `nil` means never.
    func wake(at deadline: MonotonicInstant?)
}

struct Receiver: ~Copyable {
    var feed = NotificationFeed()
    let stack: any Stack

    mutating func serviceFound(at now: MonotonicInstant) {
        feed.serviceDiscovered(hasControlPoint: true, hasDataSource: true, at: now)
        drain()
    }

    mutating func reported(_ report: ConsumerSession.LinkReport, at now: MonotonicInstant) {
        feed.receive(report, at: now)
        drain()
    }

    mutating func deadlinePassed(at now: MonotonicInstant) {
        feed.handleTimeout(at: now)
        drain()
    }

    private mutating func drain() {
        while let output = feed.pollOutput() {
            switch output {
            case .link(let request): stack.perform(request)
            case .notification(let delivery):
                print(delivery.source.notificationUID.rawValue, delivery[.title] != nil)
            default: break
            }
        }
        stack.wake(at: feed.nextDeadline)
    }
}
