package import ANCSKit

/// The events of a run, and the state of each accessory.
package struct ScenarioTimeline: Sendable {
    /// An event with its time.
    package struct Entry: Sendable {
        /// The number of the entry in the run, from 0.
        package var number: Int
        package var at: MonotonicInstant
        package var event: ProviderEvent
        /// Whether a step has counted it.
        var isCounted = false
        /// ``accessory`` in few octets, because thousands of entries are kept.
        private let accessoryIndex: UInt16?
        /// The notification that it is about.
        package var notification: NotificationID?

        /// The index of the accessory that it is about.
        package var accessory: Int? { accessoryIndex.map { Int($0) } }

        init(number: Int, at: MonotonicInstant, event: ProviderEvent, accessory: Int?) {
            (self.number, self.at, self.event) = (number, at, event)
            accessoryIndex = accessory.flatMap { UInt16(exactly: $0) }
        }
    }

    /// The maximum number of entries that are kept; nothing needs older ones.
    private static let maximumEntries = 20_000

    private(set) var entries: [Entry] = []
    /// What is known of each accessory.
    package private(set) var states: [AccessoryKnowledge]
    /// The index of the accessory that connected last.
    private(set) var latest = 0
    private var count = 0
    private let accessories: [Scenario.Accessory]

    package init(accessories: [Scenario.Accessory]) {
        self.accessories = accessories
        states = accessories.map { _ in AccessoryKnowledge() }
    }

    /// The number of the next entry.
    var nextNumber: Int { count }

    /// The accessory that an event is about. The caller judges the event by what is known so far, and then
    /// records it.
    mutating func accessory(of event: ProviderEvent) -> Int? {
        event.accessory.flatMap { index(of: $0, event) }
    }

    /// Records an event of an accessory, or of none.
    mutating func append(_ event: ProviderEvent, of accessory: Int?, at now: MonotonicInstant) {
        var entry = Entry(number: count, at: now, event: event, accessory: accessory)
        if let accessory {
            if case .peer(_, .connected) = event { latest = accessory }
            entry.notification = notification(of: event, at: accessory)
            states[accessory].follow(event, entry: count, at: now)
        }
        if entries.count == Self.maximumEntries { entries.removeFirst(Self.maximumEntries / 2) }
        entries.append(entry)
        count += 1
    }

    /// Records what the phone does deliberately to some accessories.
    mutating func follow(
        _ effect: ScenarioEffect, at accessories: Range<Int>, _ now: MonotonicInstant
    ) { for index in accessories { states[index].follow(effect, entry: count, at: now) } }

    /// Records whether the user has consented before the first accessory connects (S1).
    mutating func begin(hasConsent: Bool) {
        for index in states.indices { states[index].phone.hasConsent = hasConsent }
    }

    /// The names of the other accessories that are connected.
    func connectedAccessories(besides index: Int) -> [String] {
        states.indices.filter { $0 != index && states[$0].isConnected }.map { accessories[$0].name }
    }

    /// Counts and returns the first entry, starting at a number, that fulfills a condition and that no step
    /// has counted.
    package mutating func take(from number: Int, where condition: (Entry) -> Bool) -> Entry? {
        guard
            let index = entries.firstIndex(where: {
                $0.number >= number && !$0.isCounted && condition($0)
            })
        else { return nil }
        entries[index].isCounted = true
        return entries[index]
    }

    // MARK: Identification

    private mutating func index(of id: AccessoryID, _ event: ProviderEvent) -> Int? {
        if let known = states.firstIndex(where: { $0.id == id }) { return known }
        let description: PeerDescription
        switch event {
        case .peer(_, .connected(let value)): description = value
        // So far it only advertises: names and addresses identify it.
        case .peer(_, .discovered(let value)):
            return accessories.firstIndex { $0.identification.names(value) }
        case .device, .peer, .link, .session, .notification: return nil
        }
        let index =
            accessories.firstIndex { $0.identification.names(description) }
            ?? firstArrival { $0.id == nil } ?? firstArrival { !$0.isConnected }
        if let index { states[index].id = id }
        return index
    }

    private func firstArrival(where isFree: (AccessoryKnowledge) -> Bool) -> Int? {
        accessories.indices.first { index in
            accessories[index].identification == .orderOfArrival && isFree(states[index])
        }
    }

    /// The notification that an event is about, found by the UIDs of its session.
    private func notification(of event: ProviderEvent, at accessory: Int) -> NotificationID? {
        switch event {
        case .session(_, .announced(let id, _)): id
        case .session(_, .action(let request, _)): request.notificationID
        case .session(_, .command(let command)), .session(_, .answered(let command, _)):
            command.notificationUID.flatMap { states[accessory].notifications[$0] }
        case .device, .peer, .link, .session, .notification: nil
        }
    }
}

extension Scenario.Identification {
    /// Whether the entry of the scenario matches the accessory by name or address.
    fileprivate func names(_ description: PeerDescription) -> Bool {
        switch self {
        case .orderOfArrival: false
        case .advertisedName(let name): description.name == name
        case .address(let address):
            description.address.uppercased() == address
                || description.identity?.uppercased() == address
        }
    }
}

extension ProviderSession.Command {
    /// The notification that a command is about.
    package var notificationUID: NotificationUID? {
        switch self {
        case .decoded(.getNotificationAttributes(let get)): get.notificationUID
        case .decoded(.performNotificationAction(let perform)): perform.notificationUID
        case .decoded(.getAppAttributes), .malformed: nil
        }
    }
}

extension ProviderEvent {
    /// The accessory that an event is about.
    package var accessory: AccessoryID? {
        switch self {
        case .peer(let id, _), .link(let id, _), .session(let id, _): id
        case .device, .notification: nil
        }
    }
}
