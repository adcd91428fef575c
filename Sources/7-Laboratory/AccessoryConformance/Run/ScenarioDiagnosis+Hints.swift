internal import Printing
internal import ANCSKit
internal import BluetoothLE

extension ScenarioDiagnosis {
    /// Possible reasons for the failure.
    package func hints(instead condition: ScenarioCondition) -> [String] {
        var hints: [String] = []
        switch condition {
        case .expectation(let expectation): add(to: &hints, instead: expectation)
        case .milestone(let milestone): add(to: &hints, instead: milestone)
        case .linkEnded, .restarted, .servicesFound, .time: break
        }
        // Further hints would distract from the first ones.
        return hints.reduce(into: []) { unique, hint in
            if unique.count < 12, !unique.contains(hint) { unique.append(hint) }
        }
    }

    private func add(to hints: inout [String], instead expectation: Expectation) {
        switch expectation {
        case .command(let pattern):
            let wanted = pattern.notification.flatMap { names[$0] }
            let own = deeds.filter { concerns($0, pattern) }
            hints += commandHints(own) + attributeHints(pattern, in: own)
            if hints.isEmpty { hints += obstacles() }
            if hints.isEmpty { hints += nameHints(pattern) + (act(on: wanted).map { [$0] } ?? []) }
            if !hints.isEmpty { break }
            if pattern.notification == nil || wanted != nil {
                hints += announcementHints(about: wanted, besides: own)
            }
            // What was wrong before may be why nothing came.
            if own.isEmpty { hints += commandHints(deeds) + silenceHints(about: wanted) }
            if hints.isEmpty { hints += doubtHints }
        case .action(let wanted, let name):
            hints += actionHints(wanted, name)
            if hints.isEmpty { hints += obstacles(to: .session) }
            if hints.isEmpty { hints += commandHints(deeds) }
            if hints.isEmpty, let act = act(on: name.flatMap { names[$0] }) { hints.append(act) }
            if hints.isEmpty { hints += silenceHints() }
            if hints.isEmpty { hints += buttonHints(wanted, name) }
        case .subscription(let characteristic, true):
            hints += obstacles(to: characteristic.depth)
            if hints.isEmpty, characteristic == .currentTime { hints.append(Self.noClock) }
        case .read(let attribute):
            hints += obstacles(to: .encryption)
            if hints.isEmpty { hints += readHints(attribute) }
        case .absence(of: .action, about: _, for: _):
            hints.append(
                "nobody was to press a button: an accessory performs no action on its own, R48")
        case .absence(of: .disconnection, about: _, for: _):
            hints += commandHints(deeds)
            if hints.isEmpty { hints += silenceHints() }
        // They need no session of ANCS.
        case .parameters, .remoteCommand, .registration, .mediaRead:
            hints += obstacles(to: .encryption)
        case .subscription(_, false), .absence, .binding: hints += commandHints(deeds)
        }
    }

    private func add(to hints: inout [String], instead milestone: Milestone) {
        switch milestone {
        case .connected, .encrypted, .paired, .session: hints += obstacles(to: .session)
        case .subscribed: hints += obstacles()
        case .bonded, .restored: hints += bondHints.isEmpty ? obstacles() : bondHints
        case .command:
            hints += obstacles()
            if hints.isEmpty {
                hints += announcementHints(about: nil, besides: deeds) + silenceHints()
            }
            if hints.isEmpty { hints += doubtHints }
        case .action:
            hints += obstacles(to: .session)
            if hints.isEmpty { hints += silenceHints() }
        case .disconnected: hints += unansweredHints
        case .sessionEnded: break
        }
    }

    /// What is said where nothing else is known: every failure says where to look.
    func lastHint(for course: ScenarioCourse) -> String {
        if case .perform(let deed) = course,
            let act = deed.notifications.compactMap({ act(on: names[$0]) }).first
        {
            return act
        }
        return switch course {
        case .perform(let deed)
        where deed.need == .bond || deed.need != .phone && !state.isConnected:
            absence
                ?? "the step needs the accessory: a step before it can wait until that is connected, or bonded"
        case .perform, .wait(.linkEnded), .wait(.restarted), .wait(.servicesFound), .wait(.time):
            "the phone does this by itself: the reason is in the scenario, or at the phone's controller"
        case .wait(.expectation(.absence)): "the step says that this must not happen"
        case .wait(.milestone(.sessionEnded)) where state.hasSession:
            "its session lasts until it unsubscribes from the Notification Source, or the link ends: R49"
        case .wait where !state.isConnected:
            absence ?? "it may not be on air, not be connectable, or have another name"
        case .wait(.expectation(.remoteCommand)):
            "a user must press this key on the accessory while the step waits"
        case .wait(.expectation(.subscription(_, true))), .wait(.expectation(.registration)),
            .wait(.expectation(.mediaRead)), .wait(.expectation(.read)):
            "it may not use this of what the phone has"
        case .wait(.milestone), .wait(.expectation):
            "the phone saw nothing that explains it: the accessory's own log may, or a capture (--snoop)"
        }
    }

    /// Who ended the last link, if that was the accessory, or it has not come back since.
    private var absence: String? {
        guard let end = ends.last else { return nil }
        return departure
            ?? "it has not come back since the link ended at \((end.at - origin).text): \(end.reason.words)"
    }

    /// That the accessory itself ended the last link, or one after the other while the step waited.
    private var departure: String? {
        let own = ends.filter { $0.reason.isOfPeer }
        guard let last = own.last, state.isConnected || last.number == ends.last?.number else {
            return nil
        }
        let count = own.count { $0.number >= mark }
        guard !state.isConnected || count > 1 else { return nil }
        return "it ended the last link itself at \((last.at - origin).text): \(last.reason.words)"
            + (count > 1 ? ", as it ended \(counted(count - 1, "link")) before" : "")
    }

    /// How far an accessory must have come for what is expected of it.
    enum Depth: Int { case encryption, session, answers }

    /// What stands between the accessory and what is expected of it: the nearest only.
    private func obstacles(to depth: Depth = .answers) -> [String] {
        guard state.isConnected, !writeHints.isEmpty else { return linkHints(depth) }
        return writeHints
    }

    /// What is missing before the accessory has come so far.
    private func linkHints(_ depth: Depth) -> [String] {
        guard state.isConnected else {
            if let failure = state.securityFailure { return [words(of: failure)] }
            if let departure { return [departure] }
            if state.phone.isBondForgotten, state.id != nil {
                return [
                    "the phone has forgotten its bond, and no link has been established since: it may not "
                        + "advertise again"
                ]
            }
            if state.id == nil, !state.isOnAir, !passedOver.isEmpty { return passedOver }
            return isOfANCS && state.id == nil && !isHeard
                ? [
                    "it may not be on air, or not send connectable advertisements that solicit the ANCS "
                        + "UUID: S30"
                ] : []
        }
        if let failure = state.securityFailure { return [words(of: failure)] }
        if let departure { return [departure] }
        guard isOfANCS else { return [] }
        if !state.isEncrypted {
            if let denied = state.deniedAccess {
                return [
                    "it was refused access to handle \(denied.text), and pairing has not ended: it may "
                        + "not answer the Pairing Request of the phone, R7"
                ]
            }
            return [
                "it may neither have requested security nor accessed an attribute that needs it: the "
                    + "characteristics of ANCS are protected, R7"
            ]
        }
        if depth != .encryption, !state.hasSession { return [sessionHint] }
        if depth == .answers, !state.subscriptions.contains(.dataSource) {
            return ["answers arrive over the Data Source, so it must subscribe to that too: S25"]
        }
        return []
    }

    /// What a failure of pairing or encryption means; an accessory that cannot be recognized has not lost its keys.
    private func words(of failure: SecurityFailure) -> String {
        guard isOfANCS else { return failure.message }
        if state.phone.isBondForgotten {
            return failure.message
                + ": the phone has forgotten the bond, and the accessory may not accept another pairing"
        }
        guard failure.keyTrouble != nil else { return failure.message }
        if let disguise = state.disguise { return disguise.sentence + ", S33" }
        guard state.hasEverPaired else { return failure.message }
        return "it did not have the keys of its bond, S30: \(failure.message)"
    }

    /// Why there is no session on an encrypted link.
    private var sessionHint: String {
        guard state.phone.isPublished else {
            return "the phone has withdrawn ANCS, and has not published it again: R5"
        }
        guard !state.owesConfirmation else {
            return
                "it has not confirmed the indication of Service Changed, and before that it gets no "
                + "other (Core Vol 3, Part F, 3.3.2)"
        }
        let appeared: String
        if let returned = state.phone.returned, returned.entry >= linkStart {
            guard returned.isAnnounced else {
                return
                    "ANCS returned without Service Changed: it must look for the service again, R5"
            }
            appeared = "ANCS returned on this link"
        } else if state.phone.isHiddenUntilEncrypted, state.hasPaired {
            appeared = "ANCS appeared when the link was encrypted, S2"
        } else {
            return "it must subscribe to the Notification Source, which starts the session: R49"
        }
        return state.subscriptions.contains(.serviceChanged)
            ? "\(appeared); after Service Changed it must discover and subscribe again: R5"
            : "\(appeared), and it is not subscribed to Service Changed, which reports this: R5"
    }

    /// Why no keys from an earlier pairing are in use.
    private var bondHints: [String] {
        if state.pairsWithoutBonding {
            return [
                "it pairs without bonding: it must set the bonding flag of AuthReq, and keep "
                    + "the keys, S30"
            ]
        }
        if let disguise = state.disguise { return [disguise.sentence + ", S33"] }
        return state.hasPaired && !state.isRestored
            ? ["it paired on this link, instead of reconnecting with its bond: S30"] : []
    }

    /// Hints at the event after which the accessory stopped sending commands.
    private func silenceHints(about wanted: NotificationID? = nil) -> [String] {
        guard let exchange = state.exchanges.last, exchange.number >= sessionStart else {
            return []
        }
        let last = "its last command was \(exchange.command.text(title))"
        switch exchange.outcome {
        // The accessory did send commands during the step, so it is not silent.
        case .refused where !deeds.isEmpty: return []
        case .refused(let error) where error.isAuthorization: return consentHints(about: wanted)
        case .refused(let error):
            return [
                "\(last), refused with \(error.code.nameWithCode): it may have stopped at that, but a "
                    + "refusal is about one command, S28"
            ]
        case .sent where !deeds.isEmpty: return []
        case .sent where exchange.treatment.repetitions > 0:
            return [
                "\(last), answered twice: it may have taken the second answer for that to the next "
                    + "command, S4"
            ]
        case .sent: return []
        case .withheld, .ignored, .abandoned, nil:
            return answerHint(exchange).map { ["\(last), which \($0)"] } ?? []
        case .performed: return []
        }
    }

    /// What may be wrong if nothing else is known: it may not accept the last answer.
    private var doubtHints: [String] {
        guard deeds.isEmpty, let exchange = state.exchanges.last, exchange.number >= sessionStart,
            case .sent(let octets) = exchange.outcome
        else { return [] }
        return [
            "its last command was \(exchange.command.text(title)), answered with "
                + "\(counted(octets, "octet")): it may not accept that answer"
        ]
    }

    /// Writes of the accessory that had no effect.
    private var writeHints: [String] {
        var hints = state.refusedWrites.map { refusal in
            guard let name = state.phone.source(at: refusal.handle),
                refusal.code == AccessRefusal.notWritable
            else { return "it wrote to handle \(refusal.text)" }
            return "it wrote to the \(name), handle \(refusal.text): \(PhoneKnowledge.place)"
        }
        // Where all commands are dropped, those before the step say why none comes.
        let start = state.exchanges.isEmpty ? linkStart : max(mark, linkStart)
        for entry in entries(from: start) {
            guard case .session(_, .commandWithoutResponse) = entry.event else { continue }
            hints.append(
                "it wrote to the Control Point with a Write Command, which the phone drops: only a "
                    + "Write Request is a command, R21")
            break
        }
        return hints
    }

    /// Notifications that the accessory received without requesting their attributes; only that of the step,
    /// if it is about one. `deeds` are the commands that may have been about it.
    private func announcementHints(
        about wanted: NotificationID?, besides deeds: [Deed]
    ) -> [String] {
        guard deeds.isEmpty else { return [] }
        for entry in entries(from: max(mark, sessionStart)).reversed() {
            guard case .session(_, .announced(let id, let source)) = entry.event,
                wanted == nil || id == wanted,
                !isSettled(source.notificationUID, since: entry.number)
            else { continue }
            let beginning = "it was notified that \(title(of: source.notificationUID)) was"
            switch source.eventID {
            case .added where state.session?.tracks[source.notificationUID]?.canBeFetched == false:
                return [
                    "\(beginning) added before it subscribed to the Data Source, where answers arrive: "
                        + "subscribing to that first loses none, S3"
                ]
            case .added: return ["\(beginning) added, and requested nothing\(oddity(of: source))"]
            case .modified:
                return [
                    "\(beginning) modified, and requested nothing: only fetching again shows what "
                        + "has changed, S22"
                ]
            // EventID is open: an accessory need not request what is gone or unknown.
            default: continue
            }
        }
        return []
    }

    /// Whether a notification was asked about since an entry, by any command of the session, or removed.
    private func isSettled(_ uid: NotificationUID, since number: Int) -> Bool {
        entries(from: number + 1).contains { entry in
            switch entry.event {
            case .session(_, .command(let command)): command.notificationUID == uid
            case .session(_, .announced(_, let source)):
                source.eventID == .removed && source.notificationUID == uid
            case .device, .peer, .link, .session, .notification: false
            }
        }
    }

    /// Whether the accessory asks for the names of apps at all.
    private func nameHints(_ pattern: CommandPattern) -> [String] {
        let commands = entries(from: sessionStart).compactMap { entry -> ControlPointCommand? in
            guard case .session(_, .command(.decoded(let command))) = entry.event else {
                return nil
            }
            return command
        }
        guard pattern.command == .getAppAttributes, !commands.isEmpty else { return [] }
        let asked = commands.compactMap { command in
            if case .getAppAttributes(let get) = command {
                get.appIdentifier.description
            } else {
                nil
            }
        }
        if let wanted = pattern.app, let cut = asked.last(where: { wanted.hasPrefix($0) }) {
            return ["it asked for \(cut), and may have cut the identifier: R35"]
        }
        return [
            !asked.isEmpty
                ? "it has requested the names of other apps in this session"
                : "it has requested the name of no app in this session: it may show none, which ANCS allows"
        ]
    }

    /// Unusual properties of an announcement, which the accessory may not handle. It does handle those of a
    /// notification that it has fetched in this session.
    private func oddity(of source: NotificationSourceValue) -> String {
        let fetched = (state.session?.tracks.values).map { $0.filter(\.isFetched) } ?? []
        let handled = Set(fetched.flatMap { FetchChoices.requirements(of: $0.source) })
        let odd = FetchChoices.requirements(of: source).filter { !handled.contains($0) }
        if odd.contains(.acceptsReservedCategories) {
            return
                "; its category, \(source.categoryID.rawValue), is reserved, but in use, which may be why: S15"
        }
        if odd.contains(.acceptsReservedFlags) {
            return "; it has a reserved flag, which is in use, and may be why: S14"
        }
        if source.eventFlags.contains(.preExisting) {
            return "; it existed before the session, and may be ignored: R54"
        }
        // An accessory that has fetched nothing has another reason.
        guard !fetched.isEmpty else { return "" }
        if odd.contains(.handlesIdentifierZero) {
            return "; its UID is 0, which may be why, and is a UID like any other: S18"
        }
        return odd.contains(.handlesLargeIdentifiers)
            ? "; its UID may be why: UIDs are unsigned numbers of 32 bits, S18" : ""
    }

    // MARK: Commands

    /// Faults of a command that should not have been sent.
    package func hints(about command: ProviderSession.Command, at number: Int) -> [String] {
        CommandCritique.critiques(of: command.octets).map(\.sentence)
            + identifierHints(command, at: number)
            + (isRepetition(command, at: number) ? [repetitionHint(command)] : [])
    }

    /// As the grade has it: a repetition after an answer in another order is caused by that, if nothing else is repeated.
    private func repetitionHint(_ command: ProviderSession.Command) -> String {
        if case .decoded(.getNotificationAttributes(let get)) = command,
            state.session?.tracks[get.notificationUID]?.answered[get.attributes] == true
        {
            return
                "everything that it requests was answered before, with the attributes in another "
                + "order: R32, or R55 if it asks twice anyway"
        }
        return "everything that it requests was answered before, and has not changed: R55"
    }

    /// Faults of the commands that were sent, and the phone's answers.
    private func commandHints(_ deeds: [Deed]) -> [String] {
        deeds.flatMap { deed -> [String] in
            let answer = deed.refusal.map { "; the phone answered \($0.code.nameWithCode)" } ?? ""
            let critiques = CommandCritique.critiques(of: deed.command.octets).map(\.sentence)
            let hints = critiques + identifierHints(deed.command, at: deed.number)
            return hints.map { $0 + answer } + outcomeHints(deed)
        }
    }

    /// What became of a command, if that is no fault of its octets.
    private func outcomeHints(_ deed: Deed) -> [String] {
        if let refusal = deed.refusal {
            return refusal.isAuthorization ? consentHints(about: nil) : []
        }
        guard let exchange = state.exchanges.first(where: { $0.number == deed.number }),
            let hint = answerHint(exchange)
        else { return [] }
        return ["\(deed.command.text(title)) \(hint)"]
    }

    /// Hints about a UID that the accessory cannot know, or should have forgotten.
    private func identifierHints(_ command: ProviderSession.Command, at number: Int) -> [String] {
        guard let uid = command.notificationUID, uid != .probe, state.hasSession,
            number >= sessionStart
        else { return [] }
        guard state.notifications[uid] != nil else { return [strangerHint(uid)] }
        let isRemoved = entries(from: sessionStart).contains { entry in
            guard case .session(_, .announced(_, let source)) = entry.event else { return false }
            return entry.number < number && source.eventID == .removed
                && source.notificationUID == uid
        }
        guard isRemoved else { return [] }
        let act = act(on: state.notifications[uid]).map { " (\($0))" } ?? ""
        return ["\(title(of: uid)) was removed before\(act): R19"]
    }

    private func strangerHint(_ uid: NotificationUID) -> String {
        let unknown = "UID \(uid) was not announced in this session: "
        let reversed = NotificationUID(rawValue: uid.rawValue.byteSwapped)
        guard state.notifications[reversed] == nil else {
            return unknown + "\(title(of: reversed)) was, whose octets are in reverse order, R1"
        }
        let isEarlier = entries(from: 0).contains { entry in
            guard case .session(_, .announced(_, let source)) = entry.event else { return false }
            return entry.number < sessionStart && source.notificationUID == uid
        }
        return unknown + (isEarlier ? "it belongs to an earlier session, R51" : "R18")
    }

    /// Whether a command asks again for what was answered and has not changed since.
    private func isRepetition(_ command: ProviderSession.Command, at number: Int) -> Bool {
        guard case .decoded(.getNotificationAttributes(let get)) = command else { return false }
        var isAnswered = false
        for entry in entries(from: sessionStart) where entry.number < number {
            switch entry.event {
            case .session(_, .answered(command, .sent)): isAnswered = true
            case .session(_, .announced(_, let source))
            where source.notificationUID == get.notificationUID: isAnswered = false
            case .device, .peer, .link, .session, .notification: break
            }
        }
        return isAnswered
    }

    private func attributeHints(_ pattern: CommandPattern, in deeds: [Deed]) -> [String] {
        var asked: [NotificationUID: [NotificationAttributeID]] = [:]
        for deed in deeds {
            guard case .decoded(.getNotificationAttributes(let get)) = deed.command else {
                continue
            }
            asked[get.notificationUID, default: []] += get.attributes.map(\.id)
        }
        return asked.sorted(byNumber: { UInt64($0.key.rawValue) }).compactMap { uid, attributes in
            let missing = pattern.attributes.filter { !attributes.contains($0) }
            guard !missing.isEmpty else { return nil }
            return "getNotificationAttributes of \(title(of: uid)) does not request "
                + missing.map(\.description).joined(separator: ", ")
        }
    }

    // MARK: Actions

    /// Hints about actions performed instead of the expected one: another one, or that of another notification.
    private func actionHints(_ wanted: ActionID?, _ name: String?) -> [String] {
        deeds.compactMap { deed in
            guard case .decoded(.performNotificationAction(let perform)) = deed.command else {
                return nil
            }
            if let refusal = deed.refusal {
                return "\(deed.command.text(title)) was refused with \(refusal.code.nameWithCode)"
            }
            let id = state.notifications[perform.notificationUID]
            let isElsewhere = name.map { names[$0] != id } ?? false
            let isOther = wanted.map { $0 != perform.actionID } ?? false
            guard isElsewhere || isOther else { return nil }
            let place = isElsewhere ? " of \(title(of: perform.notificationUID))" : ""
            return "it performed the \(perform.actionID) action\(place) instead"
        }
    }

    /// Hints about the button: a user has to press it, and the notification has to offer it.
    private func buttonHints(_ wanted: ActionID?, _ name: String?) -> [String] {
        guard state.hasSession else { return [] }
        let action = wanted.map { "the \($0) action" } ?? "an action"
        if let name, let flags = announcedFlags(of: name) {
            let labels = wanted.map { [$0] } ?? [.positive, .negative]
            guard labels.contains(where: { $0.flag.map(flags.contains) == true }) else {
                let names = labels.map { "\"\($0)\"" }.joined(separator: " or ")
                return [
                    "\"\(name)\" was announced without \(action): its step needs the label \(names), R43"
                ]
            }
        }
        let notification = name.map { " of \"\($0)\"" } ?? ""
        return [
            "no PerformNotificationAction arrived: a user must choose \(action)\(notification) on "
                + "the accessory while it is shown, R40"
        ]
    }

    /// The flags in the notification's last announcement in this session.
    private func announcedFlags(of name: String) -> EventFlags? {
        for entry in entries(from: sessionStart).reversed() {
            if case .session(_, .announced(let id, let source)) = entry.event, id == names[name] {
                return source.eventFlags
            }
        }
        return nil
    }
}

extension SubscribedCharacteristic {
    /// What it needs.
    fileprivate var depth: ScenarioDiagnosis.Depth {
        switch self {
        case .notificationSource: .session
        case .dataSource: .answers
        case .serviceChanged, .batteryLevel, .currentTime, .remoteCommand, .entityUpdate:
            .encryption
        }
    }
}
