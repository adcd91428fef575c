internal import ANCS
/// Maxima whose octets look exchanged (R1): 64, 32 and 300, written with the most significant octet first, arrive as
/// 16384, 8192 and 11265.
struct SwappedMaxima: Equatable, Sendable {
    /// Maxima from here on are longer than any title or message.
    private static let implausible: UInt16 = 4096

    private let maxima: [(id: NotificationAttributeID, maximum: UInt16)]

    /// `nil` unless a maximum is implausibly long as it was written, and each is plausible in the other order. What is
    /// the same in both, as 0xFFFF, tells nothing.
    init?(_ attributes: [NotificationAttributeRequest]) {
        maxima = attributes.compactMap { attribute in
            attribute.maxLength.map { (attribute.id, $0) }
        }.filter { $0.1 != $0.1.byteSwapped }
        guard maxima.contains(where: { $0.maximum >= Self.implausible }),
            maxima.allSatisfy({ 1..<Self.implausible ~= $0.maximum.byteSwapped })
        else { return nil }
    }

    static func == (one: Self, other: Self) -> Bool { one.sentence == other.sentence }

    /// An accessory that has memory for 16,384 octets may ask for as many of each text.
    var isCertain: Bool {
        maxima.contains { $0.maximum & 0xFF != 0 } || Set(maxima.map(\.maximum)).count > 1
    }

    /// `requested at most 11265 octets of message: looks byte-swapped: 0x012C = 300`
    var sentence: String {
        let texts = maxima.map { id, maximum in
            let meant = maximum.byteSwapped
            return "\(maximum) octets of \(id), looks byte-swapped: 0x"
                + String(repeating: "0", count: 4 - String(meant, radix: 16).count)
                + String(meant, radix: 16, uppercase: true) + " = \(meant)"
        }
        return "requested at most " + texts.joined(separator: "; ")
    }
}
