extension String {
    /// The text as a valid D-Bus string: NUL and noncharacters, which sd-bus refuses, are replaced by U+FFFD.
    package var fitForBus: String {
        replacing { $0.value == 0 || $0.properties.isNoncharacterCodePoint }
    }

    /// The text with U+FFFD in place of these scalars.
    func replacing(_ isUnfit: (Unicode.Scalar) -> Bool) -> String {
        guard unicodeScalars.contains(where: isUnfit) else { return self }
        return String(UnicodeScalarView(unicodeScalars.map { isUnfit($0) ? "\u{FFFD}" : $0 }))
    }
}
