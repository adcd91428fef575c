/// Reads the start of an answer up to its identity. It can stop and resume at any octet.
struct ResponseHeaderReader: Sendable {
    private(set) var octets: [UInt8] = []

    /// Takes octets from the front up to the end of the header, and returns whether the header is complete.
    /// An unexpected command identifier stays in `rest`.
    mutating func take(_ rest: inout Span<UInt8>) throws(ResponseFailure) -> Bool {
        while !rest.isEmpty {
            let octet = rest[0]
            if octets.isEmpty, octet > CommandID.getAppAttributes.rawValue {
                throw .unexpectedCommand(CommandID(rawValue: octet))
            }
            rest = rest.extracting(droppingFirst: 1)
            octets.append(octet)
            if isWhole { return true }
            guard octets.count < ControlPointCommand.maximumCount else { throw .tooLong }
        }
        return false
    }

    /// Begins again, with the storage that there is.
    mutating func reset() { octets.removeAll(keepingCapacity: true) }

    private var isWhole: Bool {
        if octets[0] == CommandID.getAppAttributes.rawValue {
            octets.count > 1 && octets[octets.count - 1] == 0
        } else {
            octets.count == 5
        }
    }

    /// What the answer is about; only valid for a complete header.
    var identity: ResponseIdentity { ResponseIdentity(header: octets.span) }
}
