public import Octets

/// The Media Source's side of AMS on one link with an accessory, which is the phone's: it answers writes and reads, and
/// notifies what the accessory has registered for.
///
/// The owner reports what happened, then calls ``pollOutput(from:at:hasRoom:)`` until it returns `nil`. Values are made
/// only when they are taken: while the link has no room for another value, pass `hasRoom: false`. Of each attribute one
/// value waits, however often it changes.
public struct MediaSourceSession: ~Copyable, Sendable {
    /// What the owner has to do on the link.
    public enum LinkRequest: Hashable, Sendable {
        /// Send a value of a characteristic.
        case notify(MediaCharacteristic, [UInt8])
        /// Respond to the write; `nil` for success.
        case respond(MediaServiceError?)
        /// Answer the read of Entity Attribute with this whole value, of which the link takes as much as was asked for.
        case answerRead([UInt8])
        /// Refuse the read of Entity Attribute.
        case refuseRead(MediaServiceError)
    }

    /// An event on the link.
    public enum LinkReport: Hashable, Sendable {
        /// It subscribed, or it is bonded and its subscription was restored.
        case subscribed(MediaCharacteristic)
        /// It unsubscribed.
        case unsubscribed(MediaCharacteristic)
        /// It wrote to Remote Command, Entity Update or Entity Attribute. One ``LinkRequest/respond(_:)`` follows.
        case remoteCommandWritten([UInt8])
        case entityUpdateWritten([UInt8])
        case entityAttributeWritten([UInt8])
        /// It reads Entity Attribute from the beginning.
        case entityAttributeRead
        /// The ATT_MTU changed.
        case mtuChanged(Int)
    }

    /// What the owner has to do, and what happened.
    public enum Output: Hashable, Sendable {
        /// Do something on the link.
        case link(LinkRequest)
        /// The accessory registered for these attributes, in place of those of the entity before.
        case registered(EntityUpdateRegistration)
        /// The accessory asked for a whole value.
        case asked(MediaAttribute)
        /// The accessory sent a command. If the write succeeded, the player obeys.
        case commanded(RemoteCommandID, MediaServiceError?)
        /// A write was refused because its octets make no sense.
        case malformed([UInt8])
    }

    private var isSubscribedToCommands = false
    private var isSubscribedToUpdates = false
    private var registered: MediaAttributeSet = []
    /// What is to be notified.
    private var due: MediaAttributeSet = []
    private var areCommandsDue = false
    /// The attribute that a read of Entity Attribute is about.
    private var chosen: MediaAttribute?
    private var isReadDue = false
    private var attMTU = 23
    private var outputs = Queue<Output>()

    /// A link on which nothing is subscribed to.
    public init() {}

    /// What changed on the phone: attributes, and what the player supports.
    public mutating func changed(_ attributes: MediaAttributeSet, commands: Bool) {
        if isSubscribedToUpdates { due.formUnion(attributes.intersection(registered)) }
        if isSubscribedToCommands, commands { areCommandsDue = true }
    }

    /// An event on the link.
    public mutating func receive(_ report: LinkReport, from state: borrowing MediaState) {
        switch report {
        case .subscribed(.remoteCommand): (isSubscribedToCommands, areCommandsDue) = (true, true)
        case .subscribed(.entityUpdate): isSubscribedToUpdates = true
        case .unsubscribed(.remoteCommand):
            (isSubscribedToCommands, areCommandsDue) = (false, false)
        case .unsubscribed(.entityUpdate):
            (isSubscribedToUpdates, registered, due) = (false, [], [])
        case .remoteCommandWritten(let octets): command(octets, state.commands)
        case .entityUpdateWritten(let octets): register(octets)
        case .entityAttributeWritten(let octets): choose(octets, from: state)
        case .entityAttributeRead:
            if chosen == nil {
                outputs.append(.link(.refuseRead(.invalidState)))
            } else {
                isReadDue = true
            }
        case .mtuChanged(let mtu): attMTU = max(23, mtu)
        }
    }

    private mutating func command(_ octets: [UInt8], _ supported: RemoteCommandSet) {
        guard octets.count == 1 else { return refuse(octets) }
        let command = RemoteCommandID(rawValue: octets[0])
        let error = supported.contains(command) ? nil : MediaServiceError.invalidCommand
        outputs.append(.commanded(command, error))
        outputs.append(.link(.respond(error)))
    }

    private mutating func register(_ octets: [UInt8]) {
        guard isSubscribedToUpdates else { return outputs.append(.link(.respond(.invalidState))) }
        guard let registration = try? EntityUpdateRegistration(decoding: octets.span) else {
            return refuse(octets)
        }
        var wanted: MediaAttributeSet = []
        for id in registration.attributeIDs {
            let attribute = MediaAttributeSet(MediaAttribute(registration.entityID, id))
            guard !attribute.isEmpty else { return refuse(octets) }
            wanted.formUnion(attribute)
        }
        let entity = MediaAttributeSet.all(of: registration.entityID)
        registered = registered.subtracting(entity).union(wanted)
        // The present values are notified at once (M3).
        due = due.subtracting(entity).union(wanted)
        outputs.append(.registered(registration))
        outputs.append(.link(.respond(nil)))
    }

    private mutating func choose(_ octets: [UInt8], from state: borrowing MediaState) {
        chosen = nil
        guard isSubscribedToUpdates else { return outputs.append(.link(.respond(.invalidState))) }
        guard octets.count == 2 else { return refuse(octets) }
        let attribute = MediaAttribute(MediaEntityID(rawValue: octets[0]), octets[1])
        guard attribute.index != nil else { return refuse(octets) }
        outputs.append(.asked(attribute))
        guard !state.octets(of: attribute, at: .zero).isEmpty else {
            return outputs.append(.link(.respond(.absentAttribute)))
        }
        chosen = attribute
        outputs.append(.link(.respond(nil)))
    }

    private mutating func refuse(_ octets: [UInt8]) {
        outputs.append(.malformed(octets))
        outputs.append(.link(.respond(.invalidCommand)))
    }

    /// Takes the next output, whose values are those of this state. After every input, call it until it returns `nil`.
    public mutating func pollOutput(
        from state: borrowing MediaState, at now: MonotonicInstant, hasRoom: Bool
    ) -> Output? {
        if let output = outputs.popFirst() { return output }
        if isReadDue, let chosen {
            isReadDue = false
            let value = state.octets(of: chosen, at: now)
            return .link(value.isEmpty ? .refuseRead(.absentAttribute) : .answerRead(value))
        }
        guard hasRoom else { return nil }
        if areCommandsDue {
            areCommandsDue = false
            return .link(.notify(.remoteCommand, state.commands.octets))
        }
        guard let attribute = due.first else { return nil }
        due.subtract(MediaAttributeSet(attribute))
        let value = state.octets(of: attribute, at: now)
        // A notification has three octets of ATT, and three of its own (M4).
        let room = attMTU - 3 - EntityUpdate.headerCount
        let update = EntityUpdate(
            attribute, Array(value.prefix(room)), isTruncated: value.count > room)
        return .link(.notify(.entityUpdate, update.octets))
    }
}
