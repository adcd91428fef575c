internal import ANCSCapture
internal import JSONText
internal import LinuxIO

// The scenario of what was followed.
extension PhoneStory {
    /// The scenario, and what it does not say; `nil` if the capture shows no session of ANCS.
    public mutating func finish() -> ScenarioText? {
        guard !sessions.isEmpty else { return nil }
        settle()
        followSizes()
        let refusesFirst = followCommands()
        let first = sessions[0]
        // A run ends with the link.
        if case .end? = steps.last?.deed { steps.removeLast() }
        var members: [JSONValue.Member] = []
        // Without an exchange it is 23: Core Vol 3, Part G, 5.2.1.
        members.append(.init("mtu", .integer(links.min().flatMap { mtus[$0] } ?? 23)))
        // A run may take ten minutes unless it says otherwise.
        if let start = steps.first?.time, let latest, latest - start > .seconds(300) {
            let seconds = Int(min((latest - start) / .seconds(1), 40_000))
            members.append(.init("timeout", .integer(2 * seconds + 600)))
        }
        var behavior: [JSONValue.Member] = []
        if hadNoService { behavior.append(.init("hiddenUntilEncrypted", true)) }
        if let uid = first.firstUID, uid.rawValue != 0 { behavior.append(Self.first(uid)) }
        if log.commands.contains(where: \.isForbidden) {
            behavior.append(.init("announceWithoutConsent", true))
        }
        if lacksFlag { behavior.append(.init("preExistingFlag", false)) }
        if beganWithReservedFlag { behavior.append(.init("reservedFlag", true)) }
        if unseen.values.contains(where: { $0 > 0 }) {
            let count = first.old.count
            behavior.append(.init("preExisting", count == 0 ? "none" : .integer(count)))
        }
        // Other notifications say themselves that they have none.
        let dates = notifications.filter { $0.category == .incomingCall }.compactMap(\.texts[.date])
        if !dates.isEmpty, dates.allSatisfy(\.isEmpty) {
            behavior.append(.init("dates", "allButIncomingCalls"))
        }
        if !behavior.isEmpty { members.append(.init("behavior", .object(behavior))) }
        if refusesFirst || first.lackedConsent { members.append(.init("consent", false)) }
        if !apps.isEmpty { members.append(.init("apps", .object(apps.map { .init($0.0, $0.1) }))) }
        let others = unseen.sorted { $0.key.rawValue < $1.key.rawValue }
            .flatMap { category, count in
                (0..<count).map { SeenNotification(category, unseen: $0 + 1).members }
            }
        return ScenarioText(
            members: members, old: others + first.old.map { notifications[$0].members },
            beginning: player.beginning, steps: steps, end: latest, notifications: notifications,
            remarks: remarks)
    }

    /// Finds the notifications of earlier sessions again, and lets the phone do the rest while it is away.
    private mutating func settle() {
        let flags = notifications.contains { $0.flags.contains(.preExisting) }
        for number in sessions.indices.reversed() {
            if !flags { takeUnflagged(in: number) }
            guard number > 0 else { break }
            let session = sessions[number]
            var left = session.before
            var new: [ScenarioStep] = []
            let before = session.step > 0 ? steps[session.step - 1].time : session.began
            let time = session.silentSince ?? before
            let silent: JSONValue = ["serviceChanged": false]
            if session.wasAway {
                new.append(ScenarioStep(time, "unpublish", silent))
            } else if session.silentSince != nil {
                let fault: JSONValue = [
                    "fault": "droppedSubscriptions", "characteristic": "notificationSource",
                ]
                new.append(ScenarioStep(time, "inject", fault))
            }
            for index in session.old {
                if let place = left.firstIndex(where: {
                    notifications[index].mayBe(notifications[$0])
                }) {
                    let known = left.remove(at: place)
                    notifications[index].original = known
                    notifications[known].learn(notifications[index].versions[0])
                } else {
                    new.append(ScenarioStep(time, .post(index)))
                }
            }
            new += left.map { ScenarioStep(time, .verb("remove", of: $0)) }
            if session.lackedConsent { new.append(ScenarioStep(time, "consent", false)) }
            if let uid = session.firstUID, uid != sessions[number - 1].firstUID {
                new.append(ScenarioStep(time, "set", .object([Self.first(uid)])))
            }
            if session.wasAway { new.append(ScenarioStep(time, "publish", silent)) }
            let place = steps[..<session.step].lastIndex { $0.time <= time }.map { $0 + 1 }
            steps.insert(contentsOf: new, at: place ?? session.step)
        }
        for index in notifications.indices {
            guard let original = notifications[index].original else { continue }
            notifications[index].name = notifications[original].name
            notifications[index].hasStep = notifications[original].hasStep
        }
    }

    /// What a later session begins with may have been there before without a flag that says so (S21).
    private mutating func takeUnflagged(in number: Int) {
        let session = sessions[number]
        var left = session.before
        var index = session.step
        if index < steps.count, steps[index].isWait { index += 1 }
        while index < steps.count {
            let isLate = steps[index].time - session.began >= .seconds(1)
            guard case .post(let post) = steps[index].deed else {
                if isLate, steps[index].isOfPhone { break }
                index += 1
                continue
            }
            let known = left.firstIndex { notifications[post].mayBe(notifications[$0]) }
            let isFirst = index + 1 < steps.count && steps[index + 1].isPostTogether(notifications)
            guard notifications[post].isTogether || !isLate && (known != nil || isFirst) else {
                break
            }
            if let known { left.remove(at: known) }
            lacksFlag = true
            sessions[number].old.append(post)
            steps.remove(at: index)
        }
    }

    /// Counts in MessageSize what the phone counts there (S11).
    private mutating func followSizes() {
        var unit = "octets"
        for index in steps.indices {
            let texts: SeenNotification.Texts? =
                switch steps[index].deed {
                case .post(let post): notifications[post].versions[0]
                case .modify(let of, let version): notifications[of].versions[version]
                case .ring, .verb, .other, .wait, .pass, .end, .expect: nil
                }
            guard let now = texts?.messageSizeUnit(after: unit), now != unit else { continue }
            unit = now
            steps[index].preceding.append([.init("set", ["messageSize": .string(unit)])])
        }
    }

    /// Lets go wrong with commands what went wrong. Returns whether the user had not given consent from the beginning.
    private mutating func followCommands() -> Bool {
        var before: [CommandID: CaptureTime] = [:]
        var (last, isForbidden, refusesFirst) = (CaptureTime?.none, false, false)
        var places = FaultPlaces(isOfPhone: side == .local)
        for (index, command) in log.commands.enumerated() {
            let id = command.decoded.commandID
            places.advance(to: command.time, steps)
            if command.isForbidden != isForbidden {
                isForbidden = command.isForbidden
                if index == 0 {
                    refusesFirst = true
                } else {
                    let consent = JSONValue.boolean(!isForbidden)
                    places.put([.init("consent", consent)], after: last, command, &steps)
                }
            }
            for fault in command.faults {
                places.put(fault.members(for: id), after: before[id], command, &steps)
            }
            // The next one may have come before its answer.
            let next = index + 1 < log.commands.count ? log.commands[index + 1].time : command.time
            last = command.ended.map { $0 <= next ? $0 : command.time } ?? command.time
            before[id] = last
        }
        steps = places.merged(into: steps)
        return refusesFirst
    }

    /// The setting for the UID of the first notification of a session (S18).
    private static func first(_ uid: NotificationUID) -> JSONValue.Member {
        .init("firstUID", .integer(Int(uid.rawValue)))
    }

    private var remarks: [String] {
        var remarks: [String] = []
        if lostLinks > 0 {
            remarks.append(
                "a link that was lost is ended by the phone, unless its controller is virtual")
        }
        if !othersLinks.isEmpty { remarks.append("links with other phones are left out") }
        if isFull { remarks.append("what follows \(steps.count) steps is left out") }
        if notifications.contains(where: { $0.versions == [.init()] }) {
            remarks.append("notifications that the accessory did not ask about have no texts")
        }
        return remarks
    }
}
