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
        /// It reads Entity Attribute from an octet of the value on: from 0, and with long reads from others.
        case entityAttributeRead(from: Int)
        /// The ATT_MTU changed.
        case mtuChanged(Int)
    }

    /// What the owner has to do, and what happened.
    public enum Output: Hashable, Sendable {
        /// Do something on the link.
        case link(LinkRequest)
        /// Something that the accessory did, or was sent.
        case event(MediaSourceEvent)
        /// Drop the link, because of a fault (``MediaFault/linkLoss``).
        case dropLink
        /// Withdraw the service, because of a fault (``MediaFault/vanishing``).
        case withdraw
    }

    /// Where the phone differs from a faithful one, from now on.
    public var quirks: MediaQuirks = []
    /// The longest value of an attribute. Core Vol 3, Part F, 3.2.9.
    private static let maximumValue = 512

    private var isSubscribedToCommands = false
    private var isSubscribedToUpdates = false
    private var registered: MediaAttributeSet = []
    /// What is to be notified.
    private var due: MediaAttributeSet = []
    private var areCommandsDue = false
    /// The attribute that a read of Entity Attribute is about.
    private var chosen: MediaAttribute?
    /// Its value when a read began, of which a long read takes parts.
    private var chosenValue: [UInt8] = []
    /// From which octet on it is to be read.
    private var readStart: Int?
    /// Faults that have not taken effect.
    private var faults: [MediaFault] = []
    /// How many more times the values of a registration are sent, and which.
    private var burst = (count: 0, attributes: MediaAttributeSet())
    private var attMTU = 23
    private var outputs = Queue<Output>()

    /// Whether values wait for the link.
    public var hasValues: Bool { areCommandsDue || !due.isEmpty || burst.count > 0 }

    /// A link on which nothing is subscribed to.
    public init() {}

    /// What changed on the phone: attributes, and what the player supports.
    public mutating func changed(_ attributes: MediaAttributeSet, commands: Bool) {
        var attributes = attributes
        if quirks.contains(.silentTracks), !attributes.isDisjoint(with: .all(of: .track)) {
            attributes.subtract(MediaAttributeSet(.playbackInfo))
        }
        if isSubscribedToUpdates { due.formUnion(attributes.intersection(registered)) }
        if isSubscribedToCommands, commands, !quirks.contains(.staleCommands) {
            areCommandsDue = true
        }
    }

    /// Something goes wrong the next time that it can. At most 16 faults wait.
    public mutating func inject(_ fault: MediaFault) {
        if faults.count < 16 { faults.append(fault) }
    }

    /// Removes the faults that have not taken effect.
    public mutating func clearFaults() { faults = [] }

    private mutating func takeFault(_ wanted: (MediaFault) -> Bool) -> MediaFault? {
        faults.firstIndex(where: wanted).map { faults.remove(at: $0) }
    }

    /// An event on the link.
    public mutating func receive(_ report: LinkReport, from state: borrowing MediaState) {
        switch report {
        case .subscribed(let characteristic): subscribed(true, to: characteristic)
        case .unsubscribed(let characteristic): subscribed(false, to: characteristic)
        case .remoteCommandWritten(let octets): command(octets, state.commands)
        case .entityUpdateWritten(let octets): register(octets)
        case .entityAttributeWritten(let octets): choose(octets, from: state)
        case .entityAttributeRead(let start):
            if chosen == nil {
                outputs.append(.link(.refuseRead(.invalidState)))
            } else {
                readStart = start
            }
        case .mtuChanged(let mtu): attMTU = max(23, mtu)
        }
    }

    private mutating func subscribed(_ isOn: Bool, to characteristic: MediaCharacteristic) {
        let wasOn: Bool
        switch characteristic {
        case .remoteCommand:
            wasOn = exchange(&isSubscribedToCommands, with: isOn)
            areCommandsDue = isOn
        case .entityUpdate:
            wasOn = exchange(&isSubscribedToUpdates, with: isOn)
            if !isOn { (registered, due, chosen, burst.count) = ([], [], nil, 0) }
        }
        if wasOn != isOn { outputs.append(.event(.subscriptionChanged(characteristic, isOn))) }
    }

    private mutating func command(_ octets: [UInt8], _ supported: RemoteCommandSet) {
        guard octets.count == 1 else { return refuse(octets) }
        let command = RemoteCommandID(rawValue: octets[0])
        let error = supported.contains(command) ? nil : MediaServiceError.invalidCommand
        outputs.append(.link(.respond(error)))
        outputs.append(.event(.commanded(command, error)))
    }

    private mutating func register(_ octets: [UInt8]) {
        guard let registration = try? EntityUpdateRegistration(decoding: octets.span) else {
            return refuse(octets, isSubscribedToUpdates ? .invalidCommand : .invalidState)
        }
        guard isSubscribedToUpdates else { return refuse(registration, .invalidState) }
        var wanted: MediaAttributeSet = []
        for id in registration.attributeIDs {
            let attribute = MediaAttributeSet(MediaAttribute(registration.entityID, id))
            guard !attribute.isEmpty else { return refuse(registration, .invalidCommand) }
            wanted.formUnion(attribute)
        }
        if wanted.contains(.playerName), takeFault({ $0 == .linkLoss }) != nil {
            outputs.append(.event(.registered(registration, nil)))
            return outputs.append(.dropLink)
        }
        let entity = MediaAttributeSet.all(of: registration.entityID)
        registered = registered.subtracting(entity).union(wanted)
        // The present values are notified at once (M3).
        due = due.subtracting(entity).union(wanted)
        let fault = takeFault { fault in if case .burst = fault { true } else { false } }
        if case .burst(let count)? = fault { burst = (count, wanted) }
        outputs.append(.event(.registered(registration, nil)))
        outputs.append(.link(.respond(nil)))
    }

    private mutating func refuse(
        _ registration: EntityUpdateRegistration, _ error: MediaServiceError
    ) {
        outputs.append(.event(.registered(registration, error)))
        outputs.append(.link(.respond(error)))
    }

    private mutating func choose(_ octets: [UInt8], from state: borrowing MediaState) {
        chosen = nil
        guard octets.count == 2 else {
            return refuse(octets, isSubscribedToUpdates ? .invalidCommand : .invalidState)
        }
        let attribute = MediaAttribute(MediaEntityID(rawValue: octets[0]), octets[1])
        var error: MediaServiceError?
        if !isSubscribedToUpdates {
            error = .invalidState
        } else if attribute.index == nil {
            error = .invalidCommand
        } else if value(of: attribute, from: state, at: .zero).isEmpty {
            error = .absentAttribute
        } else {
            chosen = attribute
        }
        outputs.append(.event(.asked(attribute, error)))
        outputs.append(.link(.respond(error)))
    }

    private mutating func refuse(_ octets: [UInt8], _ error: MediaServiceError = .invalidCommand) {
        outputs.append(.event(.malformed(octets)))
        outputs.append(.link(.respond(error)))
    }

    // MARK: Values

    private func value(
        of attribute: MediaAttribute, from state: borrowing MediaState, at now: MonotonicInstant
    ) -> [UInt8] {
        if attribute == .volume, quirks.contains(.silentVolume) { return [] }
        let value = state.octets(of: attribute, at: now)
        guard quirks.contains(.decimalComma), attribute.hasDecimals else { return value }
        return value.map { $0 == UInt8(ascii: ".") ? UInt8(ascii: ",") : $0 }
    }

    /// Takes the next output, whose values are those of this state. After every input, call it until it returns `nil`.
    public mutating func pollOutput(
        from state: borrowing MediaState, at now: MonotonicInstant, hasRoom: Bool
    ) -> Output? {
        if let output = outputs.popFirst() { return output }
        if let chosen, let start = exchange(&readStart, with: nil) {
            return read(chosen, from: start, state, at: now)
        }
        guard hasRoom else { return nil }
        if areCommandsDue {
            areCommandsDue = false
            outputs.append(.event(.offered(state.commands)))
            return .link(.notify(.remoteCommand, state.commands.octets))
        }
        if due.isEmpty, burst.count > 0 {
            burst.count -= 1
            due = burst.attributes
        }
        guard let attribute = due.first else { return nil }
        due.subtract(MediaAttributeSet(attribute))
        if attribute == .volume, quirks.contains(.silentVolume) {
            return pollOutput(from: state, at: now, hasRoom: hasRoom)
        }
        let value = value(of: attribute, from: state, at: now)
        // A notification has three octets of ATT, and three of its own (M4).
        let room = attMTU - 3 - EntityUpdate.headerCount
        var part = Array(value.prefix(room))
        if part.count < value.count, !quirks.contains(.cutCharacters) { part.dropCutCharacter() }
        let update = EntityUpdate(attribute, part, isTruncated: part.count < value.count)
        outputs.append(.event(.updated(update)))
        return .link(.notify(.entityUpdate, update.octets))
    }

    /// A long read takes parts of the value that there was when it began.
    private mutating func read(
        _ attribute: MediaAttribute, from start: Int, _ state: borrowing MediaState,
        at now: MonotonicInstant
    ) -> Output {
        if start == 0 {
            let value = value(of: attribute, from: state, at: now)
            chosenValue = Array(value.prefix(Self.maximumValue))
            if chosenValue.count < value.count { chosenValue.dropCutCharacter() }
        }
        let end = min(start + attMTU - 1, chosenValue.count)
        if start > 0 || end == chosenValue.count, takeFault({ $0 == .vanishing }) != nil {
            outputs.append(.link(.refuseRead(MediaServiceError(rawValue: 0x01))))
            return .withdraw
        }
        guard !chosenValue.isEmpty else { return .link(.refuseRead(.absentAttribute)) }
        let part = start..<max(start, end)
        outputs.append(.event(.read(attribute, part, of: chosenValue.count)))
        return .link(.answerRead(chosenValue))
    }
}

extension MediaAttribute {
    /// Whether its value has decimals.
    fileprivate var hasDecimals: Bool {
        self == .playbackInfo || self == .volume || self == .duration
    }
}

extension [UInt8] {
    /// Drops a character at the end of which octets are missing.
    fileprivate mutating func dropCutCharacter() {
        guard UTF8Text.endsWithinCharacter(self),
            let start = lastIndex(where: { $0 & 0xC0 != 0x80 })
        else { return }
        removeSubrange(start...)
    }
}
