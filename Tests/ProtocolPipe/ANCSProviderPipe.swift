internal import ANCS
internal import ANCSProvider
internal import JSONText
internal import Octets

/// `protocol-pipe ancs-provider`: connects a ``ProviderSession`` and its store to the pipe.
///
/// Incoming PDUs start with `C` (a Control Point write), outgoing ones with `N` (a Notification Source value)
/// or `D` (a Data Source value). The clock advances only by `{"tick_ms":N}`.
struct ANCSProviderPipe: ~Copyable, PipeSession {
    private var store = NotificationStore()
    private var session = ProviderSession()
    private var now = MonotonicInstant.zero
    /// Whether requested actions succeed.
    private var performsActions = true

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
        guard pdu.first == UInt8(ascii: "C") else { return report("a PDU starts with C", frames) }
        let value = Array(pdu.dropFirst())
        receive(.controlPointWritten(value))
    }

    private mutating func receive(_ report: ProviderSession.LinkReport) {
        session.receive(report, store: store, at: now)
    }

    private mutating func receive(
        _ name: String, _ value: JSONValue, of control: JSONValue, _ frames: PipeFrames
    ) throws(PipeError) {
        switch name {
        case "phone": try start(value, mtu: control["mtu"], frames)
        case "mtu":
            if control["phone"] == nil { receive(.mtuChanged(try number(value, "mtu"))) }
        case "install": try install(value, frames)
        case "uninstall": try uninstall(value, frames)
        case "post": try post(value, frames)
        case "modify": try modify(value, control["notification"], frames)
        case "remove": try remove(value, frames)
        case "subscribed": receive(.subscribed(try characteristic(value, name)))
        case "unsubscribed": receive(.unsubscribed(try characteristic(value, name)))
        case "lost": session.loseSubscription(to: try characteristic(value, name))
        case "consent": session.consentChanged(try boolean(value, name))
        case "actions_succeed": performsActions = try boolean(value, name)
        case "ended": session.disconnected()
        case "tick_ms": try tick(value, frames)
        case "notification": break
        case _: report("'\(name)' is not known", frames)
        }
    }
}

// MARK: - Inputs

extension ANCSProviderPipe {
    /// Creates a phone, and an accessory that subscribes to both sources at once unless `subscribed` names
    /// one.
    private mutating func start(
        _ value: JSONValue, mtu: JSONValue?, _ frames: PipeFrames
    ) throws(PipeError) {
        self = Self()
        var behavior = ProviderBehavior()
        let firstUID = value["first_uid"] ?? value["notifications"]?.array?.first?["uid"]
        if let uid = firstUID?.integer {
            behavior.firstUID = NotificationUID(rawValue: UInt32(clamping: uid))
        }
        session = ProviderSession(
            behavior: behavior, isConsented: value["consent"]?.boolean ?? true)
        if let mtu { receive(.mtuChanged(try number(mtu, "mtu"))) }
        if let apps = value["apps"] { try install(apps, frames) }
        for notification in value["notifications"]?.array ?? [] { try post(notification, frames) }
        for source in value["subscribed"]?.array ?? ["ds", "ns"] {
            receive(.subscribed(try characteristic(source, "subscribed")))
        }
    }

    private mutating func install(_ value: JSONValue, _ frames: PipeFrames) throws(PipeError) {
        for member in value.members ?? [] {
            let app = try AppIdentifier(json: .string(member.name))
            let name = member.value.string ?? ""
            change(frames) { store throws(StoreError) in
                try store.install(app, displayName: name)
                return nil
            }
        }
    }

    private mutating func uninstall(_ value: JSONValue, _ frames: PipeFrames) throws(PipeError) {
        let app = try AppIdentifier(json: value)
        change(frames) { store throws(StoreError) in
            try store.uninstall(app)
            return nil
        }
    }

    private mutating func post(_ value: JSONValue, _ frames: PipeFrames) throws(PipeError) {
        let notification = try ProviderNotification(json: value)
        change(frames) { store throws(StoreError) in try store.post(notification) }
    }

    /// Replaces those properties of the notification that `json` contains.
    private mutating func modify(
        _ uid: JSONValue, _ json: JSONValue?, _ frames: PipeFrames
    ) throws(PipeError) {
        guard let id = try notificationID(uid, frames), var notification = store[id] else { return }
        try notification.apply(json ?? .null)
        change(frames) { store throws(StoreError) in try store.replace(id, with: notification) }
    }

    private mutating func remove(_ uid: JSONValue, _ frames: PipeFrames) throws(PipeError) {
        guard let id = try notificationID(uid, frames) else { return }
        change(frames) { store throws(StoreError) in try store.remove(id) }
    }

    private mutating func change(
        _ frames: PipeFrames,
        _ body: (inout NotificationStore) throws(StoreError) -> StoreChange?
    ) {
        do throws(StoreError) {
            if let change = try body(&store) { session.storeChanged(change) }
        } catch {
            report("the store refuses: \(error)", frames)
        }
    }

    /// Advances the clock, from one deadline to the next.
    private mutating func tick(_ value: JSONValue, _ frames: PipeFrames) throws(PipeError) {
        let milliseconds = try number(value, "tick_ms")
        guard (0...1_000_000_000_000).contains(milliseconds) else {
            throw PipeError(message: "\(milliseconds) milliseconds are out of range")
        }
        let end = now + .milliseconds(milliseconds)
        while let deadline = session.nextDeadline, deadline <= end {
            now = max(now, deadline)
            session.handleTimeout(at: now)
            drain(frames)
        }
        now = end
    }

    private func notificationID(
        _ value: JSONValue, _ frames: PipeFrames
    ) throws(PipeError) -> NotificationID? {
        guard let number = value.integer.flatMap({ UInt32(exactly: $0) }) else {
            throw PipeError(message: "a notification identifier is a number of 32 bits")
        }
        let id = session.notificationID(of: NotificationUID(rawValue: number))
        if id == nil { report("there is no notification \(number)", frames) }
        return id
    }

    private func number(_ value: JSONValue, _ name: String) throws(PipeError) -> Int {
        guard let number = value.integer else {
            throw PipeError(message: "\(name) takes a number")
        }
        return number
    }

    private func boolean(_ value: JSONValue, _ name: String) throws(PipeError) -> Bool {
        guard let boolean = value.boolean else {
            throw PipeError(message: "\(name) takes true or false")
        }
        return boolean
    }

    private func characteristic(
        _ value: JSONValue, _ name: String
    ) throws(PipeError) -> NotifyingCharacteristic {
        switch value.string {
        case "ns": .notificationSource
        case "ds": .dataSource
        case _: throw PipeError(message: "\(name) takes \"ns\" or \"ds\"")
        }
    }
}

// MARK: - Outputs

extension ANCSProviderPipe {
    private mutating func drain(_ frames: PipeFrames) {
        while let output = session.pollOutput(from: store) {
            switch output {
            case .link(.notify(.notificationSource, let value)):
                frames.write(pdu: [UInt8(ascii: "N")] + value)
            case .link(.notify(.dataSource, let value)):
                frames.write(pdu: [UInt8(ascii: "D")] + value)
            case .link(.respond(let error)):
                frames.write(control: ["att": .integer(Int(error?.rawValue ?? 0))])
            case .perform(let request):
                frames.write(
                    control: [
                        "event": "action", "uid": .integer(Int(request.notificationUID.rawValue)),
                        "action": .string(request.actionID.description),
                    ])
                session.actionFinished(request, performed: performsActions)
            case .started:
                frames.write(control: ["event": "session", "state": "started"])
            case .ended:
                frames.write(control: ["event": "session", "state": "ended"])
            case .dropLink:
                frames.write(control: ["event": "dropLink"])
            case .commandReceived, .answered:
                // Both are visible in the frames.
                break
            }
        }
    }

    private func report(_ message: String, _ frames: PipeFrames) {
        frames.write(control: ["error": .string(message)])
    }
}
