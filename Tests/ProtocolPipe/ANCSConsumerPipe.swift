internal import ANCSService
internal import ANCS
internal import ANCSKit
internal import JSONText
internal import Octets

/// `protocol-pipe ancs-consumer`: connects a ``ConsumerSession`` to the pipe.
///
/// Incoming PDUs start with `N` (a Notification Source value) or `D` (a Data Source value), outgoing ones
/// with `C` (a Control Point write). The clock advances only by `{"tick_ms":N}`.
struct ANCSConsumerPipe: ~Copyable, PipeSession {
    /// The subject of a request, for the event that reports its result.
    private enum Subject {
        case notification(NotificationUID)
        case app(AppIdentifier)
        case action(NotificationUID, ActionID)
    }

    private var session = ConsumerSession()
    private var now = MonotonicInstant.zero
    private var subjects: [RequestID: Subject] = [:]
    private var announcedDeadline: MonotonicInstant?
    /// The last Control Point write, to which a result belongs that names no other.
    private var lastCommand: [UInt8] = []

    init() {}

    mutating func receive(_ frame: PipeFrame, frames: PipeFrames) throws(PipeError) {
        switch frame {
        case .pdu(let octets):
            receive(octets, frames)
        case .control(let control):
            for member in control.members ?? [] {
                try receive(member.name, member.value, of: control, frames)
            }
        }
        drain(frames)
    }

    private mutating func receive(_ pdu: [UInt8], _ frames: PipeFrames) {
        let value = Array(pdu.dropFirst())
        switch pdu.first {
        case UInt8(ascii: "N"): session.receive(.notificationSource(value), at: now)
        case UInt8(ascii: "D"): session.receive(.dataSource(value), at: now)
        case _: report("a PDU starts with N or D", frames)
        }
    }

    private mutating func receive(
        _ name: String, _ value: JSONValue, of control: JSONValue, _ frames: PipeFrames
    ) throws(PipeError) {
        switch name {
        case "session": try start(value)
        case "subscribed": session.receive(.subscribed(try characteristic(value)), at: now)
        case "write_result":
            var command = lastCommand
            if let named = control["command"] { command = try octets(named) }
            session.receive(.controlPointWritten(command, try result(value)), at: now)
        case "command": break
        case "tick_ms": try tick(value, frames)
        case "fetch": try fetch(value, control["attributes"], frames)
        case "app": try fetchDisplayName(value, frames)
        case "perform": try perform(value, frames)
        case "ended": end(frames)
        case "attributes": break
        case _: report("'\(name)' is not known", frames)
        }
    }
}

// MARK: - Inputs

extension ANCSConsumerPipe {
    private mutating func start(_ value: JSONValue) throws(PipeError) {
        var configuration = ConsumerSession.Configuration()
        if let milliseconds = value["deadline_ms"]?.integer {
            configuration.deadline = .milliseconds(try Self.checked(milliseconds))
        }
        self = Self()
        session = ConsumerSession(configuration: configuration)
        session.serviceDiscovered(
            hasControlPoint: value["control_point"]?.boolean ?? true,
            hasDataSource: value["data_source"]?.boolean ?? true, at: now)
    }

    private mutating func end(_ frames: PipeFrames) {
        session.end(at: now)
        drain(frames)
        frames.write(control: ["event": "session", "state": "ended"])
    }

    /// Advances the clock, from one deadline to the next.
    private mutating func tick(_ value: JSONValue, _ frames: PipeFrames) throws(PipeError) {
        guard let milliseconds = value.integer else {
            throw PipeError(message: "tick_ms takes a number of milliseconds")
        }
        let end = now + .milliseconds(try Self.checked(milliseconds))
        while let deadline = session.nextDeadline, deadline <= end {
            now = max(now, deadline)
            session.handleTimeout(at: now)
            drain(frames)
        }
        now = end
    }

    private mutating func fetch(
        _ value: JSONValue, _ list: JSONValue?, _ frames: PipeFrames
    ) throws(PipeError) {
        let uid = try uid(value)
        do throws(ConsumerSession.UsageError) {
            let request = try session.fetch(try attributes(list), of: uid, at: now)
            subjects[request] = .notification(uid)
        } catch {
            refuse(.notification(uid), error, frames)
        }
    }

    private mutating func fetchDisplayName(
        _ value: JSONValue, _ frames: PipeFrames
    ) throws(PipeError) {
        guard let text = value.string else { throw PipeError(message: "app takes an identifier") }
        do throws(ControlPointCommand.UsageError) {
            let app = try AppIdentifier(text)
            do throws(ConsumerSession.UsageError) {
                subjects[try session.fetchDisplayName(of: app, at: now)] = .app(app)
            } catch {
                refuse(.app(app), error, frames)
            }
        } catch {
            report("an app identifier is not empty and has no NUL", frames)
        }
    }

    private mutating func perform(_ value: JSONValue, _ frames: PipeFrames) throws(PipeError) {
        guard let pair = value.array, pair.count == 2, let action = pair[1].integer,
            let rawAction = UInt8(exactly: action)
        else { throw PipeError(message: "perform takes [uid, action]") }
        let uid = try uid(pair[0])
        let actionID = ActionID(rawValue: rawAction)
        do throws(ConsumerSession.UsageError) {
            let request = try session.perform(actionID, on: uid, at: now)
            subjects[request] = .action(uid, actionID)
        } catch {
            refuse(.action(uid, actionID), error, frames)
        }
    }

    private func attributes(
        _ list: JSONValue?
    ) throws(ConsumerSession.UsageError) -> [NotificationAttributeRequest] {
        var requests: [NotificationAttributeRequest] = []
        for element in list?.array ?? [] {
            let pair = element.array ?? [element]
            let id = pair.first?.integer.flatMap { UInt8(exactly: $0) }
            let maximum = pair.dropFirst().first?.integer
            guard let id, maximum.map({ UInt16(exactly: $0) != nil }) ?? true else {
                throw .invalidCommand(.noAttributes)
            }
            do throws(ControlPointCommand.UsageError) {
                requests.append(
                    try NotificationAttributeRequest(
                        NotificationAttributeID(rawValue: id),
                        maxLength: maximum.flatMap { UInt16(exactly: $0) }))
            } catch {
                throw .invalidCommand(error)
            }
        }
        return requests
    }

    private func uid(_ value: JSONValue) throws(PipeError) -> NotificationUID {
        guard let number = value.integer.flatMap({ UInt32(exactly: $0) }) else {
            throw PipeError(message: "a notification identifier is a number of 32 bits")
        }
        return NotificationUID(rawValue: number)
    }

    private func characteristic(
        _ value: JSONValue
    ) throws(PipeError) -> ConsumerSession.Characteristic {
        switch value.string {
        case "ns": .notificationSource
        case "ds": .dataSource
        case _: throw PipeError(message: "subscribed takes \"ns\" or \"ds\"")
        }
    }

    private func result(_ value: JSONValue) throws(PipeError) -> ControlPointError? {
        guard let code = value.integer.flatMap({ UInt8(exactly: $0) }) else {
            throw PipeError(message: "write_result takes 0 or an ATT error code")
        }
        return code == 0 ? nil : ControlPointError(rawValue: code)
    }

    private func octets(_ value: JSONValue) throws(PipeError) -> [UInt8] {
        guard let octets = value.string.flatMap({ Hexadecimal.octets($0) }) else {
            throw PipeError(message: "command takes hexadecimal digits")
        }
        return octets
    }

    private static func checked(_ milliseconds: Int) throws(PipeError) -> Int {
        guard (0...1_000_000_000_000).contains(milliseconds) else {
            throw PipeError(message: "\(milliseconds) milliseconds are out of range")
        }
        return milliseconds
    }
}

// MARK: - Outputs

extension ANCSConsumerPipe {
    private mutating func drain(_ frames: PipeFrames) {
        while let output = session.pollOutput() {
            switch output {
            case .link(.subscribe(.dataSource)):
                frames.write(control: ["subscribe": "ds"])
            case .link(.subscribe(.notificationSource)):
                frames.write(control: ["subscribe": "ns"])
            // The pipe never requests that a session begin again, so these do not occur.
            case .link(.unsubscribe), .link(.readSubscription), .report(.livenessChanged),
                .report(.renewing):
                break
            case .link(.writeControlPoint(let value)):
                lastCommand = value
                frames.write(pdu: [UInt8(ascii: "C")] + value)
            case .report(.started):
                frames.write(control: ["event": "session", "state": "started"])
            case .event(let value):
                frames.write(control: .object(value.jsonMembers))
            case .report(.authorizationChanged(let state)):
                frames.write(control: Self.json(state))
            case .completed(let request, let outcome):
                complete(request, outcome, frames)
            case .superseded(_, let response):
                supersede(response, frames)
            case .report(.subscriptionFailed(let code)):
                frames.write(
                    control: [
                        "event": "session", "state": "ended", "attError": .integer(Int(code)),
                    ])
            }
        }
        announceDeadline(frames)
    }

    /// Reports the time until the next deadline whenever it changes.
    private mutating func announceDeadline(_ frames: PipeFrames) {
        let deadline = session.nextDeadline
        guard deadline != announcedDeadline else { return }
        announcedDeadline = deadline
        guard let deadline else { return }
        let (seconds, attoseconds) = (deadline - now).components
        let milliseconds = Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
        frames.write(control: ["deadline_ms": .integer(milliseconds)])
    }

    private mutating func complete(
        _ request: RequestID, _ outcome: RequestOutcome, _ frames: PipeFrames
    ) {
        guard let subject = subjects.removeValue(forKey: request) else { return }
        var members = Self.members(subject)
        switch outcome {
        case .performed:
            break
        case .answered(let response):
            members += Self.members(response)
        case .failed(let failure, let partial):
            members.append(JSONValue.Member("failure", failure.json))
            if case .notification = subject { partial.describe(to: &members) }
        }
        frames.write(control: .object(members))
    }

    private func supersede(_ response: AttributeResponse, _ frames: PipeFrames) {
        let about =
            switch response.identity {
            case .notification(let uid):
                JSONValue.Member("uid", .integer(Int(uid.rawValue)))
            case .app(let app):
                JSONValue.Member("identifier", .string(app.description))
            }
        let event = JSONValue.Member("event", "superseded")
        frames.write(control: .object([event, about] + Self.members(response)))
    }

    private static func members(_ subject: Subject) -> [JSONValue.Member] {
        let members: KeyValuePairs<String, JSONValue?> =
            switch subject {
            case .notification(let uid):
                ["event": "attributes", "uid": .integer(Int(uid.rawValue))]
            case .app(let app): ["event": "app", "identifier": .string(app.description)]
            case .action(let uid, let action):
                [
                    "event": "performed", "uid": .integer(Int(uid.rawValue)),
                    "action": .string(action.description),
                ]
            }
        return [JSONValue.Member](present: members)
    }

    private static func members(_ response: AttributeResponse) -> [JSONValue.Member] {
        switch response.identity {
        case .app:
            guard let name = response[AppAttributeID.displayName] else { return [] }
            return [JSONValue.Member("displayName", .string(name.text))]
        case .notification:
            var members: [JSONValue.Member] = []
            if let app = response[NotificationAttributeID.appIdentifier] {
                members.append(JSONValue.Member("app", ["identifier": .string(app.text)]))
            }
            response.attributes.describe(to: &members)
            return members
        }
    }

    private static func json(_ authorization: ConsumerSession.Authorization) -> JSONValue {
        switch authorization {
        case .unknown:
            ["event": "session", "state": "started"]
        case .authorized:
            ["event": "session", "state": "authorized"]
        case .unauthorized(let error):
            [
                "event": "session", "state": "unauthorized",
                "attError": .integer(Int(error.rawValue)),
            ]
        }
    }

    /// Reports the end of a request that was not accepted.
    private func refuse(
        _ subject: Subject, _ error: ConsumerSession.UsageError, _ frames: PipeFrames
    ) {
        let reason =
            switch error {
            case .notStarted: "notStarted"
            case .invalidCommand: "invalidCommand"
            case .actionUnavailable: "actionUnavailable"
            case .alreadyPerformed: "alreadyPerformed"
            case .notificationGone: "notificationGone"
            case .tooManyRequests: "tooManyRequests"
            }
        frames.write(
            control: .object(
                Self.members(subject) + [
                    JSONValue.Member("failure", ["reason": .string(reason)])
                ]))
    }

    private func report(_ message: String, _ frames: PipeFrames) {
        frames.write(control: ["error": .string(message)])
    }
}
