extension String {
    /// The text as a valid D-Bus string: NUL and noncharacters, which sd-bus refuses, are replaced by U+FFFD.
    package var fitForBus: String {
        guard unicodeScalars.contains(where: \.isUnfitForBus) else { return self }
        var scalars = String.UnicodeScalarView()
        for scalar in unicodeScalars { scalars.append(scalar.isUnfitForBus ? "\u{FFFD}" : scalar) }
        return String(scalars)
    }
}

extension Unicode.Scalar {
    fileprivate var isUnfitForBus: Bool {
        value == 0 || (0xFDD0...0xFDEF).contains(value) || value & 0xFFFE == 0xFFFE
    }
}
