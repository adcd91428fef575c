import ANCS
@testable import ANCSService
import Octets

/// The popups of a desktop, with a server that answers when it is told to.
struct DesktopBench: ~Copyable {
    typealias Output = DesktopNotifications.Output

    var popups: DesktopNotifications
    var now = MonotonicInstant(nanoseconds: 1_000_000_000_000)
    /// The number of the next popup.
    var nextID: UInt32 = 1

    /// Capabilities of a server that shows names, icons and buttons itself.
    static let ofPlasma = [
        "actions", "body", "body-hyperlinks", "body-markup", "icon-static", "persistence",
    ]

    init(
        capabilities: [String]? = ofPlasma,
        limits: DesktopNotifications.Limits = DesktopNotifications.Limits(),
        _ configure: (inout ServiceConfiguration.DesktopSection) -> Void = { _ in }
    ) {
        var configuration = ServiceConfiguration.DesktopSection()
        configure(&configuration)
        popups = DesktopNotifications(configuration, limits: limits)
        if let capabilities { appear(capabilities) }
    }

    mutating func appear(_ capabilities: [String] = ofPlasma) {
        popups.serverAppeared("Plasma", version: "6.3.4", capabilities: capabilities, at: now)
    }

    /// What it wants, with every `Notify` left without an answer.
    mutating func drain() -> [Output] {
        var outputs: [Output] = []
        while let output = popups.pollOutput() { outputs.append(output) }
        return outputs
    }

    /// What it wants, with every `Notify` answered with a new number or that of the popup it replaces.
    mutating func settle() -> [Output] {
        var outputs: [Output] = []
        while let output = popups.pollOutput() {
            outputs.append(output)
            guard case .post(let token, let popup) = output else { continue }
            popups.posted(token, number(for: popup), at: now)
        }
        return outputs
    }

    private mutating func number(for popup: DesktopPopup) -> UInt32 {
        guard popup.replaces == 0 else { return popup.replaces }
        defer { nextID += 1 }
        return nextID
    }

    /// Something happens, and the server does what it is asked to.
    @discardableResult
    mutating func receive(_ event: ServiceEvent) -> [Output] {
        popups.receive(event, at: now)
        return settle()
    }

    /// A popup of a record, as it is shown.
    mutating func add(_ record: Record) -> DesktopPopup? { receive(.added(record)).posts.first }

    /// Whether the server owes no answer.
    mutating func isIdle() -> Bool { popups.isIdle }

    mutating func close(
        _ id: UInt32, _ reason: DesktopNotifications.ClosingReason = .dismissed
    ) -> [Output] {
        popups.closed(id, reason, at: now)
        return settle()
    }

    mutating func press(_ id: UInt32, _ key: String) -> [Output] {
        popups.actionInvoked(id, key, at: now)
        return settle()
    }

    /// Time passes; what it does at its deadlines meanwhile.
    mutating func pass(_ duration: Duration) -> [Output] {
        let end = now + duration
        var outputs: [Output] = []
        while let deadline = popups.nextDeadline, deadline <= end {
            now = max(now, deadline)
            popups.handleTimeout(at: now)
            outputs += settle()
        }
        now = end
        return outputs
    }
}

extension [DesktopNotifications.Output] {
    /// The popups that were posted.
    var posts: [DesktopPopup] {
        compactMap { output in
            guard case .post(_, let popup) = output else { return nil }
            return popup
        }
    }

    /// What was asked of the phone.
    var actions: [DesktopNotifications.Output] {
        filter { output in
            if case .perform = output { true } else { false }
        }
    }

    /// The numbers of the popups that were taken off the screen.
    var closings: [UInt32] {
        compactMap { output in
            switch output {
            case .close(let id), .withdraw(let id): return id
            case _: return nil
            }
        }
    }

    var token: DesktopNotifications.PostToken? {
        for case .post(let token, _) in self { return token }
        return nil
    }
}
