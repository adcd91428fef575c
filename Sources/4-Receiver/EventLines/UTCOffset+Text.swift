package import ANCS
internal import Printing

extension UTCOffset {
    /// Parses `+09:00`; `nil` for any other text.
    package init?(_ text: some StringProtocol) {
        let octets = Array(text.utf8)
        guard octets.count == 6, octets[3] == UInt8(ascii: ":"),
            let hours = DecimalText.number(String(decoding: octets[1...2], as: UTF8.self)),
            let minutes = DecimalText.number(String(decoding: octets[4...5], as: UTF8.self)),
            minutes < 60
        else { return nil }
        switch octets[0] {
        case UInt8(ascii: "+"): self.init(minutes: hours * 60 + minutes)
        case UInt8(ascii: "-"): self.init(minutes: -(hours * 60 + minutes))
        default: return nil
        }
    }
}
