public import BluetoothTypes

extension HCIStatus: HCIReturnParameters {
    /// Decodes one octet.
    public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
        var rest = parameters
        self = try rest.take()
    }

    /// The length in octets: 1.
    public var encodedCount: Int { 1 }

    /// Appends the code.
    public func encode(into output: inout OutputSpan<UInt8>) { output.append(rawValue) }
}
