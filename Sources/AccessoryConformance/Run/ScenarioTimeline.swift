package import ANCS
package import ANCSKit
internal import BluetoothLE
internal import Octets

/// The events of a run, and the state of each accessory.
package struct ScenarioTimeline: Sendable {
    /// An event with its time.
    package struct Entry: Sendable {
        /// The number of the entry in the run, from 0.
        package var number: Int
        package var at: MonotonicInstant
        package var event: ProviderEvent
        /// The index of the accessory that it is about.
        package var accessory: Int?
        /// The notification that it is about.
        package var notification: NotificationID?
        /// Whether a step has counted it.
        var isCounted = false
    }

    /// The state of an accessory.
    package struct AccessoryState: Sendable {
        /// The identifier; `nil` until the accessory has connected.
        package var id: AccessoryID?
        package var isOnAir = false
        package var isConnected = false
        package var isEncrypted = false
        var hasPaired = false
        /// Whether its keys are stored, so that a later link is encrypted with them.
        package var isBonded = false
        /// Whether its last pairing, on this link or an earlier one, was without bonding.
        var pairsWithoutBonding = false
        var isRestored = false
        package var subscriptions: Set<SubscribedCharacteristic> = []
        var hasSession = false
        var hadSession = false
        /// Why securing the link last failed.
        var securityFailure: SecurityFailure?
        /// The last access refused on this link for lack of protection.
        var deniedAccess: AccessRefusal?
        /// The first few writes refused on this link for other reasons.
        var refusedWrites: [AccessRefusal] = []
        /// The notifications of the session.
        package var notifications: [NotificationUID: NotificationID] = [:]
    }

    /// The maximum number of entries that are kept; nothing needs older ones.
    private static let maximumEntries = 20_000

    private(set) var entries: [Entry] = []
    package private(set) var states: [AccessoryState]
    /// The index of the accessory that connected last.
    private(set) var latest = 0
    private var count = 0
    private let accessories: [Scenario.Accessory]

    package init(accessories: [Scenario.Accessory]) {
        self.accessories = accessories
        states = accessories.map { _ in AccessoryState() }
    }

    /// The number of the next entry.
    var nextNumber: Int { count }

    /// Records an event. Returns the accessory that it is about.
    package mutating func append(_ event: ProviderEvent, at now: MonotonicInstant) -> Int? {
        var accessory: Int?
        if let id = event.accessory { accessory = index(of: id, event) }
        var entry = Entry(number: count, at: now, event: event, accessory: accessory)
        if let accessory {
            if case .peer(_, .connected) = event { latest = accessory }
            entry.notification = notification(of: event, at: accessory)
            states[accessory].follow(event)
        }
        if entries.count == Self.maximumEntries {
            entries.removeFirst(Self.maximumEntries / 2)
        }
        entries.append(entry)
        count += 1
        return accessory
    }

    /// Counts and returns the first entry, starting at a number, that fulfills a condition and that no step
    /// has counted.
    package mutating func take(
        from number: Int, where condition: (Entry) -> Bool
    ) -> Entry? {
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
        case .device, .peer, .session, .notification: return nil
        }
        let index =
            accessories.firstIndex { $0.identification.names(description) }
            ?? firstArrival { $0.id == nil } ?? firstArrival { !$0.isConnected }
        if let index { states[index].id = id }
        return index
    }

    private func firstArrival(where isFree: (AccessoryState) -> Bool) -> Int? {
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
        case .device, .peer, .session, .notification: nil
        }
    }
}

extension ScenarioTimeline.AccessoryState {
    /// Updates the state after an event of the accessory.
    package mutating func follow(_ event: ProviderEvent) {
        switch event {
        case .peer(_, let event): follow(event)
        case .session(_, let event): follow(event)
        case .device, .notification: break
        }
    }

    private mutating func follow(_ event: PeerEvent) {
        switch event {
        case .discovered: isOnAir = true
        case .connected:
            self = Self(
                id: id, isOnAir: true, isConnected: true, pairsWithoutBonding: pairsWithoutBonding)
        case .secured(let protection): isEncrypted = protection.isEncrypted
        case .paired(_, let isBonded, _):
            hasPaired = true
            self.isBonded = isBonded
            pairsWithoutBonding = !isBonded
            securityFailure = nil
        case .bondRestored:
            isRestored = true
            isBonded = true
            pairsWithoutBonding = false
            securityFailure = nil
        case .securityFailed(let failure): securityFailure = failure
        case .disconnected:
            self = Self(
                id: id, pairsWithoutBonding: pairsWithoutBonding,
                hadSession: hadSession || hasSession, securityFailure: securityFailure)
        case .accessDenied(let handle, let code):
            let refusal = AccessRefusal(handle, code)
            if refusal.asksForProtection {
                deniedAccess = refusal
            } else if refusedWrites.count < 3, !refusedWrites.contains(refusal) {
                refusedWrites.append(refusal)
            }
        case .connectingFailed, .named, .linkParameters, .mtuChanged, .pairing,
            .pairingWithdrawn, .identified, .pairingRefused, .keyTrouble:
            break
        }
    }

    private mutating func follow(_ event: ProviderEvent.SessionEvent) {
        switch event {
        case .subscriptionChanged(let characteristic, let isSubscribed):
            setSubscribed(isSubscribed, to: SubscribedCharacteristic(characteristic))
        case .serviceChangedSubscription(let isSubscribed):
            setSubscribed(isSubscribed, to: .serviceChanged)
        case .attributeSubscription(let attribute, let isSubscribed):
            guard let characteristic = SubscribedCharacteristic(attribute) else { break }
            setSubscribed(isSubscribed, to: characteristic)
        case .started:
            hasSession = true
            hadSession = true
            notifications = [:]
        case .ended: hasSession = false
        case .announced(let id, let source): notifications[source.notificationUID] = id
        case .attributeRead, .command, .commandWithoutResponse, .answered, .action: break
        }
    }
}

extension ScenarioTimeline.AccessoryState {
    private mutating func setSubscribed(
        _ isSubscribed: Bool, to characteristic: SubscribedCharacteristic
    ) {
        if isSubscribed {
            subscriptions.insert(characteristic)
        } else {
            subscriptions.remove(characteristic)
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
        case .peer(let id, _), .session(let id, _): id
        case .device, .notification: nil
        }
    }
}
