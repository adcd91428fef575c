extension String {
    /// The text in UTF-8.
    ///
    /// `Array(utf8)` also links code for strings in other encodings, which exist only on Apple's systems: 4
    /// KB of a microcontroller's flash.
    package var octets: [UInt8] {
        let octets = utf8Span.span
        return [UInt8](count: octets.count) { output in output.append(octets: octets) }
    }
}
