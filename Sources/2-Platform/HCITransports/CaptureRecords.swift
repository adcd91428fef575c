/// The records of a capture file in one format, which says how long a record is and what it contains.
protocol CaptureRecords: Sendable {
    /// The format of the file.
    var format: CaptureFormat { get }
    /// How many octets of a record say how long it is.
    static var headerCount: Int { get }
    /// The number of octets of the record that starts with these octets, at least one. Called with ``headerCount``
    /// octets or more.
    func recordCount(_ rest: ArraySlice<UInt8>) throws(CaptureReader.Failure.Reason) -> Int
    /// Reads a whole record at this offset in the file; `nil` if it says nothing about packets.
    mutating func read(
        _ record: ArraySlice<UInt8>, at offset: UInt64
    ) throws(CaptureReader.Failure.Reason) -> CaptureReader.Record?
}

extension CaptureRecords {
    /// The longest plausible record, in octets. An ACL packet has at most 65,539 octets; notes are shorter.
    static var maximumCount: Int { 1 << 17 }
}

extension CaptureFormat.ByteOrder {
    /// The number in four octets at an offset from the start of `octets`.
    func number(_ octets: ArraySlice<UInt8>, at offset: Int) -> UInt32 {
        let field = octets.dropFirst(offset).prefix(4)
        let value = field.reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        return self == .bigEndian ? value : value.byteSwapped
    }

    /// The number in two octets.
    func shortNumber(_ octets: ArraySlice<UInt8>, at offset: Int) -> UInt16 {
        let field = octets.dropFirst(offset).prefix(2)
        let value = field.reduce(0 as UInt16) { $0 << 8 | UInt16($1) }
        return self == .bigEndian ? value : value.byteSwapped
    }
}
