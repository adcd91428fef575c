internal import ANCS

extension EvidenceOctets {
    /// The most fields that are drawn: more follow only on what is wrong from its beginning.
    private static let maximumCount = 24

    /// The fields of a value, as a phone reads them, with those marked that break the requirement; empty if none does.
    static func fields(of value: [UInt8], breaking requirement: Requirement) -> [Self] {
        var fields = Fields(rest: value[...], requirement: requirement)
        fields.take("CommandID", 1, [.usesKnownCommands])
        switch value.first.map(CommandID.init) {
        case .getNotificationAttributes?:
            fields.takeNotificationAttributes(WholeCommand(command(in: value)))
        case .getAppAttributes?: fields.takeAppAttributes()
        case .performNotificationAction?:
            fields.takeIdentifier()
            fields.take(
                "ActionID", 1, [.performsKnownActions, .actsOnlyWithFlag, .actsOnlyWhenAsked])
            if !fields.rest.isEmpty { fields.take("excess", fields.rest.count, [requirement]) }
        // CommandID is open: any octet can be written, or none.
        default: if !fields.rest.isEmpty { fields.take("…", fields.rest.count) }
        }
        let all = fields.fields
        return all.contains(where: \.isWrong) ? Array(all.prefix(maximumCount)) : []
    }

    private static func command(in value: [UInt8]) -> GetNotificationAttributes? {
        guard
            case .getNotificationAttributes(let get)? = try? ControlPointCommand(
                decoding: value.span)
        else { return nil }
        return get
    }
}

/// What the whole of a GetNotificationAttributes shows of its fields.
private struct WholeCommand {
    /// A text that must have been meant without its maximum.
    var bare: NotificationAttributeID?
    /// Whether its maxima look as if their octets were exchanged.
    var isSwapped = false

    init(_ command: GetNotificationAttributes?) {
        guard let command else { return }
        bare = AttributeReading.textWithoutMaximum(in: command)
        isSwapped = SwappedMaxima(command.attributes) != nil
    }
}

/// Takes fields from the front of a value.
private struct Fields {
    var rest: ArraySlice<UInt8>
    let requirement: Requirement
    private(set) var fields: [EvidenceOctets] = []

    /// The requirements that a field breaks which is not whole.
    private static let shapes: Set<Requirement> = [
        .usesKnownCommands, .sendsWholeNotificationCommands, .givesMaximaWhereNeeded,
        .asksForAttributes, .sendsWholeAppCommands, .sendsWholeActions,
    ]

    /// A field with so many octets, which is wrong if it breaks one of these requirements, or is not whole.
    mutating func take(_ name: String, _ count: Int, _ breaking: Set<Requirement> = []) {
        let octets = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
        fields.append(
            EvidenceOctets(
                name: name, octets: octets, missing: count - octets.count,
                isWrong: breaking.contains(requirement)
                    || (octets.count < count && Self.shapes.contains(requirement))))
    }

    /// A UID is in the wrong order of octets, unless the maxima are.
    mutating func takeIdentifier(isInOrder: Bool = false) {
        let about: Set<Requirement> = [
            .usesAnnouncedIdentifiers, .forgetsEarlierSessions, .asksNothingAboutRemoved,
        ]
        take("NotificationUID", 4, isInOrder ? about : about.union([.keepsOctetOrder]))
    }

    mutating func takeNotificationAttributes(_ shape: WholeCommand) {
        takeIdentifier(isInOrder: shape.isSwapped)
        if rest.isEmpty, requirement == .asksForAttributes { take("AttributeID", 1) }
        while let id = rest.first.map(NotificationAttributeID.init) {
            let isReserved = id.rawValue > 7
            take("\(id)", 1, isReserved ? [.asksForKnownAttributes, .givesMaximaWhereNeeded] : [])
            guard id.takesMaximumLength else { continue }
            take("maximum", 2, faults(ofMaximumOf: id, shape))
        }
    }

    /// What the next two octets may break, as the maximum of a text.
    private func faults(
        ofMaximumOf id: NotificationAttributeID, _ shape: WholeCommand
    ) -> Set<Requirement> {
        let maximum = Array(rest.prefix(2))
        if maximum.allSatisfy({ $0 == 0 }) { return [.asksForOctets] }
        if id == shape.bare { return [.givesMaximaWhereNeeded] }
        return shape.isSwapped && maximum.first != maximum.last ? [.keepsOctetOrder] : []
    }

    mutating func takeAppAttributes() {
        let end = rest.firstIndex(of: 0) ?? rest.endIndex
        let isText = String(validating: rest[..<end], as: UTF8.self) != nil
        take("AppIdentifier", end - rest.startIndex, isText ? [] : [.sendsWholeAppCommands])
        take("NUL", 1)
        if rest.isEmpty, requirement == .asksForAttributes { take("AttributeID", 1) }
        while let id = rest.first {
            take(
                id == 0 ? "displayName" : "reserved\(id)", 1,
                id == 0 ? [] : [.asksForKnownAppAttributes])
        }
    }
}
