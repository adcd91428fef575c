public import Octets

/// The PDUs of the Host Controller Interface, Core Vol 4, Part E. Commands (7.1 to 7.8) and events
/// (7.7) carry the name that the specification gives them, without `HCI_`.
public enum HCI: Sendable {}

/// A command of the host to its controller: the parameters after opcode and length.
public protocol HCICommand: OctetEncodable, Hashable, Sendable {
    /// What HCI_Command_Complete returns; ``HCIStatus`` where it is the status alone, or where the
    /// command is answered by HCI_Command_Status.
    associatedtype ReturnParameters: HCIReturnParameters = HCIStatus
    /// Names the command.
    static var opcode: HCIOpcode { get }
    /// Decodes the parameters; octets that follow them are ignored.
    init(decoding parameters: Span<UInt8>) throws(DecodingError)
}

/// The return parameters of a command; the first is the status.
public protocol HCIReturnParameters: OctetEncodable, Hashable, Sendable {
    /// Decodes the parameters, the status included; octets that follow them are ignored.
    init(decoding parameters: Span<UInt8>) throws(DecodingError)
}

/// What a command about a connection returns: the status and which connection it was about.
public struct HCIConnectionStatus: HCIReturnParameters, HCIFieldSequence {
    /// How the command ended.
    public var status: HCIStatus
    /// The connection.
    public var handle: ConnectionHandle

    /// A value of its fields.
    public init(status: HCIStatus, handle: ConnectionHandle) {
        self.status = status
        self.handle = handle
    }

    init(from rest: inout Span<UInt8>) throws(DecodingError) {
        try self.init(status: rest.take(), handle: rest.take())
    }

    var fields: some HCIField { inOrder(status, handle) }
}

/// The parameters of an event, after its code and length (and after its subevent code).
public protocol HCIEventParameters: OctetEncodable, Hashable, Sendable {
    /// Names the event.
    static var code: HCIEventCode { get }
    /// Decodes the parameters; octets that follow them are ignored, since controllers append some.
    init(decoding parameters: Span<UInt8>) throws(DecodingError)
}

/// A command as it goes to the controller, whatever it is. Core Vol 4, Part E, 5.4.1.
///
///     octet  0..1      2                       3..
///            Opcode    Parameter_Total_Length  parameters
public struct HCICommandPacket: Hashable, Sendable {
    /// Names the command.
    public var opcode: HCIOpcode
    /// The parameters, at most 255 octets.
    public var parameters: [UInt8]

    /// A command whose parameters are encoded already; no parameters can be longer than 255 octets.
    public init(opcode: HCIOpcode, parameters: [UInt8]) {
        self.opcode = opcode
        self.parameters = parameters
    }

    /// The packet of a command.
    public init<Command: HCICommand>(_ command: Command) {
        self.init(opcode: Command.opcode, parameters: command.octets)
    }
}

extension HCICommandPacket: OctetEncodable {
    /// Decodes a whole packet, without the H4 indicator.
    public init(decoding packet: Span<UInt8>) throws(DecodingError) {
        var rest = packet
        opcode = HCIOpcode(rawValue: try rest.takeUInt16())
        parameters = try rest.takeOctets(Int(try rest.takeUInt8()))
        try rest.expectEnd()
    }

    /// 3 octets and the parameters.
    public var encodedCount: Int { 3 + parameters.count }

    /// Appends opcode, length and parameters.
    public func encode(into output: inout OutputSpan<UInt8>) {
        output.append(littleEndian: opcode.rawValue)
        output.append(UInt8(truncatingIfNeeded: parameters.count))
        output.append(octets: parameters)
    }
}
