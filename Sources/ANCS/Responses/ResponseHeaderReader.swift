/// Reads the start of an answer up to its identity, and resumes at any octet.
struct ResponseHeaderReader: Sendable {
    private var octets: [UInt8] = []

    /// Whether `value` goes on where what has been read of an answer with this identity ends.
    func isContinued(by value: Span<UInt8>, to identity: ResponseIdentity) -> Bool {
        let header = identity.header
        guard header.starts(with: octets) else { return false }
        for (index, octet) in header.dropFirst(octets.count).enumerated() where index < value.count
        {
            guard value[index] == octet else { return false }
        }
        return true
    }

    /// Takes octets from the front up to the end of the header; the identity is there when the header
    /// is. A command that is not answered is left in `rest`.
    mutating func take(
        _ rest: inout Span<UInt8>
    ) throws(ResponseFailure) -> ResponseIdentity? {
        while !rest.isEmpty {
            let octet = rest[0]
            if octets.isEmpty, octet > CommandID.getAppAttributes.rawValue {
                throw .unexpectedCommand(CommandID(rawValue: octet))
            }
            rest = rest.extracting(droppingFirst: 1)
            octets.append(octet)
            if let identity { return identity }
            guard octets.count < ControlPointCommand.maximumCount else { throw .tooLong }
        }
        return nil
    }

    private var identity: ResponseIdentity? {
        guard octets[0] == CommandID.getAppAttributes.rawValue else {
            guard octets.count == 5 else { return nil }
            let uid = octets[1...].reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
            return .notification(NotificationUID(rawValue: uid))
        }
        guard octets.count > 1, octets[octets.count - 1] == 0 else { return nil }
        return .app(AppIdentifier(received: Array(octets[1..<(octets.count - 1)])))
    }
}
