internal import ANCS
internal import JSONText
internal import LinuxIO

// The scenario of what was followed.
extension PhoneStory {
    /// The scenario, and what it does not say; `nil` if the capture shows no session of ANCS.
    public mutating func finish() -> ScenarioText? {
        guard let first = sessions.first else { return nil }
        settle()
        // A run ends with the link.
        if case .end? = steps.last?.deed { steps.removeLast() }
        var members: [JSONValue.Member] = []
        // Without an exchange it is 23: Core Vol 3, Part G, 5.2.1.
        members.append(.init("mtu", .integer(links.min().flatMap { mtus[$0] } ?? 23)))
        var behavior: [JSONValue.Member] = []
        if hadNoService { behavior.append(.init("hiddenUntilEncrypted", true)) }
        if let uid = first.firstUID, uid.rawValue != 0 { behavior.append(Self.first(uid)) }
        if hasRefused { behavior.append(.init("announceWithoutConsent", true)) }
        if beganWithReservedFlag { behavior.append(.init("reservedFlag", true)) }
        if !behavior.isEmpty { members.append(.init("behavior", .object(behavior))) }
        if hadNoConsent || first.lackedConsent { members.append(.init("consent", false)) }
        if !apps.isEmpty { members.append(.init("apps", .object(apps.map { .init($0.0, $0.1) }))) }
        return ScenarioText(
            members: members, old: first.old.map { notifications[$0].members },
            beginning: player.beginning, steps: steps, end: latest, notifications: notifications,
            remarks: remarks)
    }

    /// Finds the notifications of earlier sessions again, and lets the phone do the rest while it is away.
    private mutating func settle() {
        for number in sessions.indices.dropFirst().reversed() {
            let session = sessions[number]
            var left = session.before
            var new: [ScenarioStep] = []
            let time = session.step > 0 ? steps[session.step - 1].time : steps[session.step].time
            for index in session.old {
                if let place = left.firstIndex(where: {
                    notifications[index].mayBe(notifications[$0])
                }) {
                    notifications[index].name = notifications[left.remove(at: place)].name
                } else {
                    new.append(ScenarioStep(time, .post(index)))
                }
            }
            new += left.map { ScenarioStep(time, .verb("remove", of: $0)) }
            if session.lackedConsent { new.append(ScenarioStep(time, "consent", false)) }
            if let uid = session.firstUID, uid != sessions[number - 1].firstUID {
                new.append(ScenarioStep(time, "set", .object([Self.first(uid)])))
            }
            steps.insert(contentsOf: new, at: session.step)
        }
    }

    /// The setting for the UID of the first notification of a session (S18).
    private static func first(_ uid: NotificationUID) -> JSONValue.Member {
        .init("firstUID", .integer(Int(uid.rawValue)))
    }

    private var remarks: [String] {
        var remarks: [String] = []
        if lostLinks > 0 {
            remarks.append("a link that was lost is ended by the phone in the scenario")
        }
        if !othersLinks.isEmpty { remarks.append("links with other phones are left out") }
        if isFull { remarks.append("what follows \(steps.count) steps is left out") }
        if notifications.contains(where: { $0.versions == [.init()] }) {
            remarks.append("notifications that the accessory did not ask about have no texts")
        }
        return remarks
    }
}
