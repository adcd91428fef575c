import ANCS
import Board
import Octets

/// A session with the recorded phone, at the limits that 16 KB of RAM allow.
struct Program: ~Copyable {
    private var session: ConsumerSession
    /// The commands that the session wrote since the last step.
    private var writes: [[UInt8]] = []
    /// The last command that was written.
    private var command: [UInt8] = []
    private var shownCount = 0
    private var failureCount = 0

    static var configuration: ConsumerSession.Configuration {
        var configuration = ConsumerSession.Configuration()
        configuration.maximumPendingRequests = 8
        configuration.maximumLateAnswers = 2
        configuration.maximumCachedApps = 4
        configuration.maximumNotifications = 32
        configuration.responseLimits = ResponseLimits(
            maximumValueOctets: 64, maximumOctets: 1024)
        return configuration
    }

    init() { session = ConsumerSession(configuration: Self.configuration) }

    mutating func run() {
        session.serviceDiscovered(hasControlPoint: true, hasDataSource: true, at: .zero)
        drain(at: .zero)
        for number in 0..<Recording.count {
            let step = Recording.step(number)
            let now = MonotonicInstant(nanoseconds: step.milliseconds * 1_000_000)
            if let deadline = session.nextDeadline, deadline <= now {
                session.handleTimeout(at: now)
                drain(at: now)
            }
            if let report = step.report { session.receive(report, at: now) }
            if step.isAccepted { session.receive(.controlPointWritten(command, nil), at: now) }
            drain(at: now)
            check(number, step.writes)
        }
        end()
    }

    private mutating func drain(at now: MonotonicInstant) {
        while let output = session.pollOutput() {
            switch output {
            case .link(.writeControlPoint(let octets)):
                command = octets
                writes.append(octets)
            case .link: break
            case .report(.started): Display.show("subscribed\r\n")
            case .event(let value): announced(value, at: now)
            case .completed(_, let outcome): completed(outcome, at: now)
            case .report, .superseded: break
            }
        }
    }

    private mutating func announced(_ value: NotificationSourceValue, at now: MonotonicInstant) {
        guard value.eventID == .added else { return Display.show("removed\r\n") }
        do throws(ControlPointCommand.UsageError) {
            let attributes: [NotificationAttributeRequest] = [
                .appIdentifier, try .title(maxLength: 16), try .message(maxLength: 32),
            ]
            request(at: now) { session, now throws(ConsumerSession.UsageError) in
                _ = try session.fetch(attributes, of: value.notificationUID, at: now)
            }
        } catch {
            board_stop("a command cannot be made")
        }
    }

    private mutating func completed(_ outcome: RequestOutcome, at now: MonotonicInstant) {
        switch outcome {
        case .answered(let response):
            switch response.identity {
            case .notification(let uid): show(response, of: uid, at: now)
            case .app(let app): show(response, of: app)
            }
        case .performed: Display.show("declined\r\n")
        case .failed:
            failureCount += 1
            Display.show("no answer\r\n")
        }
    }

    private mutating func show(
        _ response: AttributeResponse, of uid: NotificationUID, at now: MonotonicInstant
    ) {
        shownCount += 1
        Display.show("> ")
        Display.show(response[NotificationAttributeID.title]?.octets ?? [])
        Display.show(": ")
        Display.show(response[NotificationAttributeID.message]?.octets ?? [])
        Display.show("\r\n")
        // Decline the call.
        if uid.rawValue == 8 {
            request(at: now) { session, now throws(ConsumerSession.UsageError) in
                _ = try session.perform(.negative, on: uid, at: now)
            }
        }
        guard let octets = response[NotificationAttributeID.appIdentifier]?.octets else { return }
        do throws(ControlPointCommand.UsageError) {
            let app = try AppIdentifier(octets: octets)
            request(at: now) { session, now throws(ConsumerSession.UsageError) in
                _ = try session.fetchDisplayName(of: app, at: now)
            }
        } catch {
            board_stop("an app identifier cannot be named")
        }
    }

    private mutating func show(_ response: AttributeResponse, of app: AppIdentifier) {
        shownCount += 1
        Display.show("  ")
        Display.show(app.octets)
        Display.show(" is ")
        Display.show(response[AppAttributeID.displayName]?.octets ?? [])
        Display.show("\r\n")
    }

    private mutating func request(
        at now: MonotonicInstant,
        _ body: (inout ConsumerSession, MonotonicInstant) throws(ConsumerSession.UsageError) -> Void
    ) {
        do throws(ConsumerSession.UsageError) {
            try body(&session, now)
        } catch {
            board_stop("a request was not taken")
        }
    }

    /// Stops if the session wrote anything other than the expected commands.
    private mutating func check(_ number: Int, _ expected: [[UInt8]]) {
        if writes != expected {
            Display.show("step ")
            Display.show(number)
            Display.show("\r\n")
            board_stop("other commands were written than had to be")
        }
        writes.removeAll(keepingCapacity: true)
    }

    private func end() {
        guard shownCount == 4, failureCount == 1, session.ignoredNotificationSourceValues == 1
        else { board_stop("something else was shown than had to be") }
        Display.show("all commands were right\r\n")
    }
}

/// Called by the board once it is set up.
@c(microbit_main) public func microbitMain() {
    recordedSession()
    for seed: UInt64 in 1...4 {
        var program = HostileProgram(seed: seed)
        program.run(reports: 5_000)
    }
    Display.show("heap: ", board_heap_peak(), of: board_heap_size())
    Display.show("stack: ", board_stack_peak(), of: board_stack_size())
}

/// Its memory is free again when the hostile phones come.
private func recordedSession() {
    var program = Program()
    program.run()
}
