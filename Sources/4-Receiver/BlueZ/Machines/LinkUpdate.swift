public import BluetoothTypes

/// `HCI_LE_Connection_Update`. Core Vol 4, Part E, 7.8.18. The only command that this module sends to a
/// controller, so it does not need the commands of a host.
public struct LinkUpdateCommand: Equatable, Sendable, OctetEncodable {
    /// OGF 0x08, OCF 0x0013.
    public static let opcode: UInt16 = 0x2013
    /// Two octets each: the handle, both intervals, the latency, the timeout, and two hints for the length of
    /// connection events, which are 0.
    private static var parameterCount: Int { 14 }

    /// The link.
    public var handle: ConnectionHandle
    /// The parameters to ask for.
    public var parameters: ConnectionParameters

    /// The length in octets: 17, without the H4 indicator.
    public var encodedCount: Int { 3 + Self.parameterCount }

    /// Appends the complete packet, without the H4 indicator.
    public func encode(into output: inout OutputSpan<UInt8>) {
        output.append(littleEndian: Self.opcode)
        output.append(UInt8(truncatingIfNeeded: Self.parameterCount))
        output.append(littleEndian: handle.rawValue)
        output.append(littleEndian: parameters.intervalMinimum.rawValue)
        output.append(littleEndian: parameters.intervalMaximum.rawValue)
        output.append(littleEndian: parameters.latency)
        output.append(littleEndian: parameters.supervisionTimeout.rawValue)
        output.append(littleEndian: UInt32(0))
    }
}

/// What a link has after a change of its parameters.
public struct LinkUpdate: Equatable, Sendable {
    /// The link.
    public var handle: ConnectionHandle
    /// The time between two connection events.
    public var interval: ConnectionInterval
    /// How many connection events in a row the Peripheral may skip.
    public var latency: UInt16
    /// The time without a packet after which the link is lost.
    public var supervisionTimeout: SupervisionTimeout
}

/// The events of a controller that answer a ``LinkUpdateCommand``.
public enum LinkUpdateEvent: Equatable, Sendable {
    /// `HCI_Command_Status`, for this command. Core Vol 4, Part E, 7.7.15.
    case status(HCIStatus)
    /// `HCI_LE_Connection_Update_Complete`. Core Vol 4, Part E, 7.7.65.3.
    case complete(HCIStatus, LinkUpdate)

    private static var commandStatus: UInt8 { 0x0F }
    private static var leMeta: UInt8 { 0x3E }
    private static var leConnectionUpdateComplete: UInt8 { 0x03 }

    /// The event in a complete packet, without the H4 indicator; `nil` for any other event, and for one that is
    /// too short.
    public init?(decoding packet: Span<UInt8>) {
        guard let event = try? Self.decode(packet) else { return nil }
        self = event
    }

    private static func decode(_ packet: Span<UInt8>) throws(DecodingError) -> Self? {
        var rest = packet
        let code = try rest.takeUInt8()
        let length = Int(try rest.takeUInt8())
        try rest.require(length)
        var parameters = rest.extracting(first: length)
        if code == commandStatus {
            let status = HCIStatus(rawValue: try parameters.takeUInt8())
            // How many more commands the host may send.
            try parameters.skip(1)
            guard try parameters.takeUInt16() == LinkUpdateCommand.opcode else { return nil }
            return .status(status)
        }
        guard code == leMeta, try parameters.takeUInt8() == leConnectionUpdateComplete else {
            return nil
        }
        let status = HCIStatus(rawValue: try parameters.takeUInt8())
        return .complete(
            status,
            LinkUpdate(
                handle: ConnectionHandle(rawValue: try parameters.takeUInt16()),
                interval: ConnectionInterval(rawValue: try parameters.takeUInt16()),
                latency: try parameters.takeUInt16(),
                supervisionTimeout: SupervisionTimeout(rawValue: try parameters.takeUInt16())))
    }
}
