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

    let expectsAccessory: Bool
    // The phone, and its links.
    private(set) var links: Set<Int> = []
    private var identity: DeviceAddress?
    private var addresses: [Int: DeviceAddress] = [:]
    private(set) var mtus: [Int: Int] = [:]
    private(set) var side: CaptureEvent.Side?
    private(set) var othersLinks: Set<Int> = []
    private var isEnding = false
    /// How long nothing is heard before the link is lost.
    private var supervision = Duration.zero
    /// Whether there is a bond, and whether the two have paired on this link.
    private var (hasBond, hasPaired) = (false, false)
    /// Whether there was a session on this link, and when its phone last announced something.
    private var hasBegun = false
    private var lastSource: CaptureTime?
    /// Whether the phone has said that the accessory is not subscribed.
    private var saysForgotten = false
    /// Where the Notification Source is; the step with which it silently went, and where it was.
    private var source: AttributeHandle?
    private var vanished: (step: Int, source: AttributeHandle?)?
    /// Whether notifications of an earlier session came without the flag *PreExisting* (S21).
    var lacksFlag = false
    // What it did.
    var steps: [ScenarioStep] = []
    var notifications: [SeenNotification] = []
    private(set) var apps: [(String, JSONValue)] = []
    var player = PlayerStory()
    var sessions: [Session] = []
    private var current: [NotificationUID: Int] = [:]
    private var calls: [Call] = []
    private var hasDataSource = false
    private var isInSession = false
    private var isPublished = true
    private(set) var hadNoService = false
    private(set) var log = CommandStory()
    private(set) var lostLinks = 0
    private(set) var isFull = false
    /// How many faults and notifications there are that have no step, and the octets of all texts.
    private var additions = 0
    private var octets = 0
    private(set) var latest: CaptureTime?
    private var lastSuccess: CaptureTime?
    private var hasReservedFlag: Bool?
    /// How many notifications of each category the phone last said it has, and how many of them were there all the time
    /// of the first session and not announced.
    private var counts: [CategoryID: UInt8] = [:]
    private(set) var unseen: [CategoryID: Int] = [:]
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
        /// Since when the phone had said nothing, if the accessory subscribed again without another reason (S27), and
        /// whether the phone itself said that it was not subscribed any more: the service was away.
        var silentSince: CaptureTime?
        var wasAway = false
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
        case .connected(let facts): hear(facts.parameters, on: link)
        case .parametersChanged(let parameters): hear(parameters, on: link)
        // The phone shows itself once the link is encrypted.
        case .pairing(.succeeded(let terms)) where links.isEmpty:
            (hasBond, hasPaired) = (terms.isBonding, true)
        case .pairing(.identity(of: let of, let address)) where links.contains(link) && of == side:
            identity = address
        case .disconnected:
            addresses[link] = nil
            if !links.contains(link) { mtus[link] = nil }
        case .serviceMissing(_, let service)
        where links.isEmpty && service == BluetoothUUID(ANCSUUID.service): hadNoService = true
        case .adapter, .lost, .cut, .notShown, .controllerReset, .hardwareError, .advertising,
            .malformed, .connectingFailed, .transport, .basicRate, .parametersWanted,
            .parametersAnswered, .parametersRefused, .encryption, .keyMissing, .name, .services,
            .requestRefused, .requestUnanswered, .strayResponse, .unreadable,
            .serviceChangedSubscription, .pairing, .serviceMissing, .disconnecting, .handles,
            .serviceChanged, .subscription, .subscriptionRead, .sessionBegan, .sessionEnded,
            .source, .command, .commandResult, .commandUnanswered, .answer, .strayAnswer, .media:
            break
        }
    }

    private mutating func hear(_ parameters: CaptureEvent.LinkParameters?, on link: Int) {
        guard let parameters, links.isEmpty || links.contains(link) else { return }
        supervision = parameters.supervisionTimeout.duration
    }

    // MARK: What it did

    private mutating func follow(_ event: CaptureEvent.Event, at time: CaptureTime, on link: Int) {
        switch event {
        case .sessionBegan: begin(at: time)
        case .sessionEnded: isInSession = false
        case .handles(on: let on, let handles, _) where on == side:
            source = handles.notificationSource
        // The accessory found out by itself that the service has moved.
        case .subscription(.notificationSource, isOn: true) where !isPublished: begin(at: time)
        case .subscription(.dataSource, let isOn):
            hasDataSource = isOn
            if isOn, isInSession { wait(for: "subscribed", at: time) }
        case .subscriptionRead(.notificationSource, isOn: false): saysForgotten = isInSession
        case .source(let octets, _): announce(octets, at: time)
        case .command(let write, hasResponse: true):
            additions += 1
            log.write(write, at: time, session: sessions.last?.began ?? time)
        case .answer(let answer, _):
            // A value of the default ATT_MTU has 20 octets: Core Vol 3, Part G, 5.2.1.
            lastSuccess = time
            log.answer(answer, largest: (mtus[link] ?? 23) - 3, at: time)
            take(answer, at: time)
        case .strayAnswer(_, isFromBefore: false): log.stray()
        case .commandResult(let write, let error, _, _):
            log.confirm(write, error, isAboutKnown: isAboutKnown(write.command), at: time)
            confirm(write.command, error, at: time)
        case .commandUnanswered(let write, let since, let ending, _):
            log.abandon(write, since: since, ending, at: time)
        case .pairing(.succeeded(let terms)): pair(isBonding: terms.isBonding)
        case .serviceChanged(let on, _, let concernsANCS) where on == side:
            change(concernsANCS, at: time)
        case .media(let event): follow(event, at: time)
        case .disconnecting: isEnding = true
        case .disconnected(let reason, _): end(reason, at: time)
        case .adapter, .lost, .cut, .notShown, .controllerReset, .hardwareError, .advertising,
            .malformed, .connectingFailed, .transport, .basicRate, .parametersChanged,
            .parametersWanted, .parametersAnswered, .parametersRefused, .encryption, .keyMissing,
            .name, .services, .requestRefused, .requestUnanswered, .strayResponse, .unreadable,
            .serviceChangedSubscription, .connected, .mtu, .pairing, .serviceMissing, .handles,
            .subscription, .subscriptionRead, .command, .strayAnswer, .serviceChanged:
            break
        }
    }

    private mutating func begin(at time: CaptureTime) {
        let isRenewal = hasBegun && isPublished
        if !isPublished { publish(at: time) }
        // One that subscribes again because nothing was answered does that anyway.
        let isForgotten = isRenewal && !log.isWaiting
        sessions.append(Session(began: time, step: steps.count, before: current.values.sorted()))
        if isForgotten {
            let silence = [lastSource, lastSuccess].compactMap(\.self).max()
            sessions[sessions.count - 1].silentSince = saysForgotten ? silence : lastSource
            sessions[sessions.count - 1].wasAway = saysForgotten
        }
        (hasBegun, lastSource, saysForgotten) = (true, time, false)
        current = [:]
        counts = [:]
        isInSession = true
        // To the phone, the accessory is subscribed all the time.
        if isRenewal {
            steps.append(ScenarioStep(time, .pass))
        } else {
            wait(for: hasDataSource ? "subscribed" : "session", at: time)
        }
    }

    private mutating func wait(for state: String, at time: CaptureTime) {
        steps.append(ScenarioStep(time, waitingFor: state))
    }

    private mutating func change(_ concernsANCS: Bool, at time: CaptureTime) {
        hasBegun = hasBegun && !concernsANCS
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
        // What is there on a new link was there before it.
        if let last = steps.last, last.isEnd {
            return steps.append(.init(last.time, "publish", true))
        }
        guard let (step, handle) = exchange(&vanished, with: nil) else {
            return steps.append(.init(time, "publish", true))
        }
        // It came back as silently as it went, perhaps elsewhere: the value comes two handles after the service.
        var members = [JSONValue.Member("serviceChanged", false)]
        if let source, source != handle, source.rawValue > 2 {
            members.append(.init("handle", .integer(Int(source.rawValue) - 2)))
        }
        steps.insert(.init(steps[step].time, "publish", .object(members)), at: step + 1)
    }

    /// The two make a new bond: the phone has forgotten the one before.
    private mutating func pair(isBonding: Bool) {
        if isBonding, hasBond, !hasPaired, let index = steps.lastIndex(where: \.isEnd),
            steps[index].isOfPhone
        {
            steps[index].deed = .end([.init("forgetBond", true)])
        }
        (hasBond, hasPaired) = (isBonding, true)
    }

    private mutating func end(_ reason: HCIStatus?, at time: CaptureTime) {
        let byPhone =
            side == .local ? isEnding : !isEnding && reason == .remoteUserTerminatedConnection
        let isLost = reason == .connectionTimeout
        let isTorn = log.endLink(isLost: isLost, byPhone: byPhone)
        isEnding = false
        hasDataSource = false
        (hasPaired, hasBegun, vanished) = (false, false, nil)
        guard let session = sessions.last else { return }
        if isLost, !isTorn {
            lostLinks += 1
            // What the phone said since nothing was heard any more did not arrive.
            let start = time + (.zero - supervision)
            let place = 1 + (steps.lastIndex { $0.time <= start } ?? -1)
            let step = ScenarioStep(start, .end([.init("disconnect", ["lost": true])]))
            steps.insert(step, at: max(place, min(session.step + 1, steps.count)))
        } else if byPhone, !isTorn {
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
        lastSource = time
        switch source.eventID {
        case .added: add(source, at: time)
        case .modified:
            guard let index = current[uid], notifications[index].hasStep else { return }
            notifications[index].versions.append(.init())
            step(
                .modify(index, version: notifications[index].versions.count - 1), of: index,
                at: time)
        case .removed:
            guard let index = current.removeValue(forKey: uid) else { return }
            counts[source.categoryID] = source.categoryCount
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
        count(source, as: index)
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

    /// Follows how many notifications of the category the phone has: some may not have been announced so far.
    private mutating func count(_ source: NotificationSourceValue, as index: Int) {
        let category = source.categoryID
        let known = current.values.count { notifications[$0].category == category }
        notifications[index].isTogether =
            counts[category].map { Int($0) >= known || $0 == .max } ?? false
        counts[category] = source.categoryCount
        let others = max(0, Int(source.categoryCount) - known)
        if sessions.count == 1 { unseen[category] = min(unseen[category] ?? others, others) }
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
        } else {
            notifications[index].hasStep = false
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
        guard !isDone, notifications[index].hasStep else { return }
        let isActive = notifications[index].name.hasSuffix(".active")
        step(.verb(isActive ? "hangUp" : "remove", of: index), of: index, at: time)
    }

    private mutating func step(_ deed: ScenarioStep.Deed, of index: Int, at time: CaptureTime) {
        var step = ScenarioStep(time, deed)
        step.isTogether = notifications[index].isTogether
        // What was there before the accessory asked is not after that.
        var place = steps.count
        while step.isTogether, place > 0, case .expect = steps[place - 1].deed { place -= 1 }
        steps.insert(step, at: place)
    }

    // MARK: Commands

    private mutating func take(_ answer: CaptureEvent.Answer, at time: CaptureTime) {
        guard let attributes = answer.content.attributes else { return }
        octets += attributes.reduce(0) { $0 + $1.octets.count }
        lastSuccess = time
        switch answer.content.identity {
        case .notification(let uid)?:
            guard let index = current[uid] else { return }
            let last = notifications[index].versions.count - 1
            notifications[index].versions[last].take(attributes)
            // An answer that ended with the link was no success.
            guard answer.content.fault == nil else { return }
            expect("getNotificationAttributes", of: index, at: time)
        case .app(let app)?: name(app.description, attributes)
        case nil: return
        }
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
        guard error != .writeNotPermitted, case .performNotificationAction(let action)? = command,
            let index = current[action.notificationUID]
        else { return }
        if error == nil { notifications[index].actedOn = true }
        act(action.actionID, error, of: index, at: time)
    }

    private func isAboutKnown(_ command: ControlPointCommand?) -> Bool {
        switch command {
        case .getNotificationAttributes(let command)?: current[command.notificationUID] != nil
        case .performNotificationAction(let command)?: current[command.notificationUID] != nil
        case .getAppAttributes?, nil: true
        }
    }

    /// The service is not there any more, and nobody was told.
    private mutating func vanish() {
        guard let lastSuccess else { return }
        (isPublished, hasBegun) = (false, false)
        (isInSession, hasDataSource) = (false, false)
        vanished = (steps.count, source)
        steps.append(.init(lastSuccess, "unpublish", ["serviceChanged": false]))
    }
}
