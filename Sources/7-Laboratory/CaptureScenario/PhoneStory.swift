internal import AMS
internal import ANCS
public import ANCSCapture
internal import BluetoothLE
internal import JSONText
internal import LinuxIO

/// What the phone of a capture did, as a scenario that a virtual phone can play: `ancs decode --scenario`.
///
///     var story = PhoneStory()
///     for try await event in capture { story.receive(event) }
///     let scenario = story.finish()
///
/// The phone is the first whose ANCS an accessory subscribes to; links of other phones are counted and left out. Texts
/// are those that the accessory asked for, cut where it wanted them cut. Its memory use is bounded: after
/// ``maximumSteps`` steps, or ``maximumOctets`` of texts, the rest of the capture is left out.
public struct PhoneStory: Sendable {
    /// How much of a capture becomes steps.
    public static let maximumSteps = 10_000
    /// How many octets of texts are kept.
    public static let maximumOctets = 8 << 20

    private let expectsAccessory: Bool
    // The phone, and its links.
    private(set) var links: Set<Int> = []
    private var identity: DeviceAddress?
    private var addresses: [Int: DeviceAddress] = [:]
    private(set) var mtus: [Int: Int] = [:]
    private var side: CaptureEvent.Side?
    private(set) var othersLinks: Set<Int> = []
    private var isEnding = false
    // What it did.
    var steps: [ScenarioStep] = []
    var notifications: [SeenNotification] = []
    private(set) var apps: [(String, JSONValue)] = []
    private(set) var player = PlayerStory()
    private(set) var sessions: [Session] = []
    private var current: [NotificationUID: Int] = [:]
    private var calls: [Call] = []
    private var hasDataSource = false
    private var isInSession = false
    private var isPublished = true
    private(set) var hadNoService = false
    private var isRefusing = false
    private(set) var hadNoConsent = false
    private(set) var hasRefused = false
    private(set) var lostLinks = 0
    private(set) var isFull = false
    /// How many faults and notifications there are that have no step, and the octets of all texts.
    private var additions = 0
    private var octets = 0
    private(set) var latest: CaptureTime?
    private var lastSuccess: CaptureTime?
    private var hasReservedFlag: Bool?
    private(set) var beganWithReservedFlag = false

    /// A call that rings, or has stopped a moment ago: what becomes of it is announced before or after that.
    private struct Call {
        var index: Int
        /// When it stopped, and the step that says so, if it is one of the phone.
        var end: (time: CaptureTime, step: Int?)?
    }

    /// What a session shows of notifications that were there before.
    struct Session {
        /// When it began, and the step that waits for it.
        var began: CaptureTime
        var step: Int
        /// Those that were there when the session before ended.
        var before: [Int]
        /// Those that are announced as there already.
        var old: [Int] = []
        /// The UID of the first notification.
        var firstUID: NotificationUID?
        /// Whether the phone kept everything back at first (S1).
        var lackedConsent = false
    }

    /// A story that has not begun.
    ///
    /// - Parameter expectsAccessory: Whether what the accessory did becomes part of the scenario, which then fails
    ///   with an accessory that does something else.
    public init(expectsAccessory: Bool = false) { self.expectsAccessory = expectsAccessory }

    /// Takes the next event of the capture.
    public mutating func receive(_ event: CaptureEvent) {
        guard let link = event.place.connection else { return }
        guard !isFull || links.contains(link) else { return }
        let isLong = steps.count + additions >= Self.maximumSteps
        if isLong || octets >= Self.maximumOctets { isFull = true }
        choose(link, event.event)
        guard links.contains(link), !isFull else { return note(event.event, on: link) }
        note(event.event, on: link)
        latest = event.time
        follow(event.event, at: event.time, on: link)
    }

    // MARK: The phone

    /// Whether a link is with the phone: it shows ANCS first, or it is with the same device.
    private mutating func choose(_ link: Int, _ event: CaptureEvent.Event) {
        if case .connected(let facts) = event {
            if let earlier = facts.earlier, links.contains(earlier) { links.insert(link) }
            addresses[link] = facts.identity ?? facts.address
            if let identity, addresses[link] == identity { links.insert(link) }
        }
        guard case .handles(let side, _, _) = event, !links.contains(link) else { return }
        if links.isEmpty {
            links.insert(link)
            self.side = side
            identity = addresses[link]
        } else {
            othersLinks.insert(link)
        }
    }

    /// Keeps what is known of a link before it turns out to be the phone's.
    private mutating func note(_ event: CaptureEvent.Event, on link: Int) {
        switch event {
        case .mtu(let mtu): mtus[link] = mtu
        case .pairing(.identity(of: let of, let address)) where links.contains(link) && of == side:
            identity = address
        case .disconnected:
            addresses[link] = nil
            if !links.contains(link) { mtus[link] = nil }
        case .serviceMissing(_, let service)
        where links.isEmpty && service == BluetoothUUID(ANCSUUID.service):
            hadNoService = true
        default: break
        }
    }

    // MARK: What it did

    private mutating func follow(
        _ event: CaptureEvent.Event, at time: CaptureTime, on link: Int
    ) {
        switch event {
        case .sessionBegan: begin(at: time)
        case .sessionEnded: isInSession = false
        case .subscription(.dataSource, let isOn):
            hasDataSource = isOn
            if isOn, isInSession { wait(for: "subscribed", at: time) }
        case .source(let octets, _): announce(octets, at: time)
        case .answer(let answer, _): take(answer, at: time)
        case .commandResult(let write, let error, _, _):
            confirm(write.command, error, at: time)
        case .commandUnanswered(let write, let since, let ending, _)
        where ending != .link || time - since > .seconds(2):
            inject(.lost, .getNotificationAttributes, of: subject(of: write.command))
        case .serviceChanged(let on, _, let concernsANCS) where on == side:
            change(concernsANCS, at: time)
        case .media(let event): follow(event, at: time)
        case .disconnecting: isEnding = true
        case .disconnected(let reason, _): end(reason, at: time)
        default: break
        }
    }

    private mutating func begin(at time: CaptureTime) {
        if !isPublished { publish(at: time) }
        sessions.append(Session(began: time, step: steps.count, before: current.values.sorted()))
        current = [:]
        isInSession = true
        wait(for: hasDataSource ? "subscribed" : "session", at: time)
    }

    private mutating func wait(for state: String, at time: CaptureTime) {
        steps.append(ScenarioStep(time, waitingFor: state))
    }

    private mutating func change(_ concernsANCS: Bool, at time: CaptureTime) {
        if !isPublished {
            publish(at: time)
        } else if concernsANCS, !sessions.isEmpty {
            isPublished = false
            (isInSession, hasDataSource) = (false, false)
            steps.append(.init(time, "unpublish", true))
        }
    }

    private mutating func publish(at time: CaptureTime) {
        isPublished = true
        steps.append(.init(time, "publish", true))
    }

    private mutating func end(_ reason: HCIStatus?, at time: CaptureTime) {
        let byPhone =
            side == .local ? isEnding : !isEnding && reason == .remoteUserTerminatedConnection
        let isLost = reason == .connectionTimeout
        isEnding = false
        hasDataSource = false
        guard !sessions.isEmpty else { return }
        if isLost {
            lostLinks += 1
            steps.append(
                .init(
                    time,
                    .end([
                        .init("disconnect", true),
                        .init("note", "in the capture the link was lost"),
                    ])))
        } else if byPhone {
            steps.append(.init(time, .end([.init("disconnect", true)])))
        } else {
            steps.append(.init(time, .end([.init("wait", "disconnected"), .init("within", 60)])))
            steps[steps.count - 1].isOfPhone = false
        }
    }

    // MARK: Notifications

    private mutating func announce(_ octets: [UInt8], at time: CaptureTime) {
        guard let source = try? NotificationSourceValue(decoding: octets.span) else { return }
        let uid = source.notificationUID
        switch source.eventID {
        case .added: add(source, at: time)
        case .modified:
            guard let index = current[uid] else { return }
            notifications[index].versions.append(.init())
            step(
                .modify(index, version: notifications[index].versions.count - 1), of: index,
                at: time)
        case .removed:
            guard let index = current.removeValue(forKey: uid) else { return }
            remove(index, at: time)
        // EventID is open (R12): what has no name does not concern a notification that is known.
        default: break
        }
    }

    private mutating func add(_ source: NotificationSourceValue, at time: CaptureTime) {
        compareFlag(source.eventFlags, at: time)
        let index = notifications.count
        additions += 1
        notifications.append(SeenNotification(name: "\(index + 1)", source: source))
        current[source.notificationUID] = index
        if let last = sessions.indices.last, sessions[last].firstUID == nil {
            sessions[last].firstUID = source.notificationUID
        }
        if source.eventFlags.contains(.preExisting), let last = sessions.indices.last {
            if sessions[last].old.isEmpty, time - sessions[last].began > .seconds(1) {
                sessions[last].lackedConsent = true
                steps.append(.init(time, "consent", true))
            }
            return sessions[last].old.append(index)
        }
        if continuesCall(source.categoryID, as: index, at: time) { return }
        let isCall = source.categoryID == .incomingCall
        if isCall { calls.append(Call(index: index)) }
        step(isCall ? .ring(index) : .post(index), of: index, at: time)
    }

    /// Follows bit 5 of the flags, which iOS sets at times (S14).
    private mutating func compareFlag(_ flags: EventFlags, at time: CaptureTime) {
        let isSet = flags.contains(.observedBit5)
        guard isSet != hasReservedFlag else { return }
        if hasReservedFlag == nil {
            beganWithReservedFlag = isSet
        } else {
            steps.append(.init(time, "set", ["reservedFlag": .boolean(isSet)]))
        }
        hasReservedFlag = isSet
    }

    /// Whether a new notification is what became of a call: the phone of the scenario announces it by itself.
    private mutating func continuesCall(
        _ category: CategoryID, as index: Int, at time: CaptureTime
    ) -> Bool {
        guard let remainder = Self.remainders[category] else { return false }
        calls.removeAll { call in call.end.map { time - $0.time > .seconds(1) } ?? false }
        guard let place = calls.firstIndex(where: { $0.end != nil }) ?? calls.indices.last else {
            return false
        }
        let call = calls[place]
        notifications[index].name = notifications[call.index].name + "." + remainder.name
        if let step = call.end?.step {
            steps[step].deed = .verb(remainder.verb, of: call.index)
        } else if !notifications[call.index].actedOn {
            step(.verb(remainder.verb, of: call.index), of: index, at: time)
            notifications[call.index].actedOn = true
        }
        if call.end != nil { calls.remove(at: place) }
        return true
    }

    /// What becomes of a call that rings: its category, the verb, and what is appended to the name.
    private static let remainders: [CategoryID: (verb: String, name: String)] = [
        .missedCall: ("stopRinging", "missed"), .activeCall: ("answer", "active"),
    ]

    private mutating func remove(_ index: Int, at time: CaptureTime) {
        // The phone of the scenario does itself what an action asks for, and what becomes of a call.
        let isDone = notifications[index].actedOn
        if let call = calls.firstIndex(where: { $0.index == index }) {
            calls[call].end = (time, isDone ? nil : steps.count)
        }
        guard !isDone else { return }
        let isActive = notifications[index].name.hasSuffix(".active")
        step(.verb(isActive ? "hangUp" : "remove", of: index), of: index, at: time)
    }

    private mutating func step(_ deed: ScenarioStep.Deed, of index: Int, at time: CaptureTime) {
        notifications[index].lastStep = steps.count
        steps.append(ScenarioStep(time, deed))
    }

    // MARK: Commands

    private mutating func take(_ answer: CaptureEvent.Answer, at time: CaptureTime) {
        guard let attributes = answer.content.attributes else { return }
        octets += attributes.reduce(0) { $0 + $1.octets.count }
        var subject: Int?
        switch answer.content.identity {
        case .notification(let uid)?:
            guard let index = current[uid] else { return }
            let last = notifications[index].versions.count - 1
            notifications[index].versions[last].take(attributes)
            expect("getNotificationAttributes", of: index, at: time)
            subject = index
        case .app(let app)?:
            name(app.description, attributes)
        case nil: return
        }
        // A clock that was set makes any duration.
        guard answer.duration > .seconds(1), answer.duration < .seconds(3600) else { return }
        let seconds = (answer.duration / .milliseconds(100)).rounded() / 10
        inject(.late(seconds), .getNotificationAttributes, of: subject)
    }

    private mutating func name(_ app: String, _ attributes: [AttributeValue]) {
        let name = attributes.first { $0.id == AppAttributeID.displayName.rawValue }
        if let known = apps.firstIndex(where: { $0.0 == app }) {
            apps.remove(at: known)
        } else {
            additions += 1
        }
        let isThere = name.map { !$0.octets.isEmpty } ?? false
        let text = name.map { JSONValue.string(String(decoding: $0.octets, as: UTF8.self)) }
        apps.append((app, isThere ? text ?? .null : .null))
    }

    private mutating func confirm(
        _ command: ControlPointCommand?, _ error: ATTErrorCode?, at time: CaptureTime
    ) {
        if error == .invalidHandle, isPublished { return vanish() }
        if error == nil { lastSuccess = time }
        if error == .writeNotPermitted { return refuse(subject(of: command)) }
        if error == nil, isRefusing {
            isRefusing = false
            steps.append(.init(time, "consent", true))
        }
        if case .performNotificationAction(let action)? = command,
            let index = current[action.notificationUID]
        {
            if error == nil { notifications[index].actedOn = true }
            act(action.actionID, of: index, at: time)
        }
        guard let error else { return }
        let word = ControlPointError(rawValue: error.rawValue)
        // A notification that is gone is refused without being asked to (R61).
        let isAction = if case .performNotificationAction? = command { true } else { false }
        inject(
            .refused(word), isAction ? .performNotificationAction : .getNotificationAttributes,
            of: subject(of: command))
    }

    /// The service is not there any more, and nobody was told.
    private mutating func vanish() {
        guard let lastSuccess else { return }
        isPublished = false
        (isInSession, hasDataSource) = (false, false)
        steps.append(.init(lastSuccess, "unpublish", ["serviceChanged": false]))
    }

    /// The user has not given consent: commands are refused until then (S1).
    private mutating func refuse(_ index: Int?) {
        guard !isRefusing else { return }
        (isRefusing, hasRefused) = (true, true)
        if let step = index.flatMap({ notifications[$0].lastStep }) {
            steps[step].withdrawsConsent = true
        } else if sessions.count == 1 {
            hadNoConsent = true
        }
    }

    /// The notification that a command is about.
    private func subject(of command: ControlPointCommand?) -> Int? {
        switch command {
        case .getNotificationAttributes(let command)?: current[command.notificationUID]
        case .performNotificationAction(let command)?: current[command.notificationUID]
        case .getAppAttributes?, nil: nil
        }
    }

    /// What goes wrong with the answer to a command is injected before the step that led to it.
    private mutating func inject(
        _ kind: ScenarioStep.Fault.Kind, _ command: CommandID, of index: Int?
    ) {
        guard let step = index.flatMap({ notifications[$0].lastStep }) else { return }
        // An answer that did not come is the reason for those that came late.
        if kind == .lost {
            steps[step].faults.removeAll { if case .late = $0.kind { true } else { false } }
        }
        if case .late = kind, steps[step].faults.contains(where: { $0.kind == .lost }) { return }
        additions += 1
        steps[step].faults.append(.init(kind: kind, command: command))
    }

    // MARK: The accessory

    private mutating func act(_ action: ActionID, of index: Int, at time: CaptureTime) {
        guard expectsAccessory else { return }
        expect(
            [.init("action", action == .positive ? "positive" : "negative")], of: index, at: time)
    }

    private mutating func expect(_ command: String, of index: Int, at time: CaptureTime) {
        guard expectsAccessory else { return }
        expect([.init("command", .string(command))], of: index, at: time)
    }

    private mutating func expect(
        _ members: [JSONValue.Member], of index: Int, at time: CaptureTime
    ) {
        var step = ScenarioStep(time, .expect(members, of: index))
        step.isOfPhone = false
        steps.append(step)
    }

    private mutating func follow(_ event: CaptureEvent.MediaEvent, at time: CaptureTime) {
        switch event {
        case .update(let octets):
            guard let update = try? EntityUpdate(decoding: octets.span) else { return }
            player.receive(update, at: time, &steps)
        case .supported(let commands): player.support(commands)
        case .command(_, nil): player.obey(at: time)
        case .value(let attribute?, let octets): player.complete(attribute, octets, &steps)
        case .subscription, .registration, .command, .value, .unread: break
        }
    }
}
