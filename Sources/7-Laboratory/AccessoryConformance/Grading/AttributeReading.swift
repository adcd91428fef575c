internal import ANCS

/// Finds a text that was requested without its maximum, in a command that can be read nevertheless: the phone then
/// takes the next two octets for the maximum. `01 02 40 00`, meant as the title and 64 octets of the subtitle, is
/// 16,386 octets of the title, and the app identifier (R25).
enum AttributeReading {
    /// Maxima from here on are no texts of a notification, but two attributes that were read as a number.
    private static let implausible: UInt16 = 4096

    /// The first text without a maximum, if the command must have been meant so: read as written, it requests an
    /// attribute twice or an implausibly long text, and there is another reading without either. Or its octets are
    /// nothing but attributes in ascending order: `01 02 03 05` is written by those who know of no maxima, and not by
    /// those who want 770 octets of the title, and the date.
    static func textWithoutMaximum(
        in command: GetNotificationAttributes
    ) -> NotificationAttributeID? {
        let attributes = command.attributes
        let isDoubled = Set(attributes.map(\.id)).count < attributes.count
        let isTooLong = attributes.contains { attribute in
            attribute.maxLength.map { $0 >= implausible && isText(UInt8($0 & 0xFF)) } == true
        }
        var octets: [UInt8] = []
        for attribute in attributes {
            octets.append(attribute.id.rawValue)
            if let length = attribute.maxLength {
                octets += [UInt8(length & 0xFF), UInt8(length >> 8)]
            }
        }
        guard isDoubled || isTooLong || isList(octets) else { return nil }
        return reading(of: octets[...], [], nil)
    }

    /// Whether the octets are attributes in ascending order, at least two of them texts.
    private static func isList(_ octets: [UInt8]) -> Bool {
        octets.allSatisfy { $0 <= 7 } && zip(octets, octets.dropFirst()).allSatisfy(<)
            && octets.count(where: isText) > 1
    }

    private static func isText(_ octet: UInt8) -> Bool {
        NotificationAttributeID(rawValue: octet).takesMaximumLength
    }

    /// A reading of the octets with each attribute at most once and at least one text without a maximum. There are
    /// eight attributes, three of them texts, so that there is little to try.
    private static func reading(
        of octets: ArraySlice<UInt8>, _ seen: Set<UInt8>, _ bare: NotificationAttributeID?
    ) -> NotificationAttributeID? {
        guard let first = octets.first else { return bare }
        guard first <= 7, !seen.contains(first) else { return nil }
        let seen = seen.union([first])
        let rest = octets.dropFirst()
        guard isText(first) else { return reading(of: rest, seen, bare) }
        if let length = rest.first, let high = rest.dropFirst().first {
            let maximum = UInt16(length) | UInt16(high) << 8
            if maximum > 0, maximum < implausible,
                let found = reading(of: rest.dropFirst(2), seen, bare)
            {
                return found
            }
        }
        return reading(of: rest, seen, bare ?? NotificationAttributeID(rawValue: first))
    }
}

extension NotificationAttributeRequest {
    /// The attribute with its maximum, as in `title:64`.
    var text: String { id.description + (maxLength.map { ":\($0)" } ?? "") }
}
