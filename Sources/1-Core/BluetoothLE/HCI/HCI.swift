public import Octets

/// The PDUs of the Host Controller Interface, Core Vol 4, Part E. Commands (7.1 to 7.8) and events
/// (7.7) carry the name that the specification gives them, without `HCI_`.
public enum HCI: Sendable {}

/// A command from the host to the controller; encodes the parameters, without opcode and length.
public protocol HCICommand: OctetEncodable, Equatable, Sendable {
    /// The return parameters in HCI_Command_Complete; `HCIStatus` if they are only the status, or if the
    /// command is answered by HCI_Command_Status.
    associatedtype ReturnParameters: HCIReturnParameters = HCIStatus
    /// The opcode of the command.
    static var opcode: HCIOpcode { get }
    /// Decodes the parameters; octets that follow them are ignored.
    init(decoding parameters: Span<UInt8>) throws(DecodingError)
}

/// The return parameters of a command; the first is the status.
public protocol HCIReturnParameters: OctetEncodable, Equatable, Sendable {
    /// Decodes the parameters, the status included; octets that follow them are ignored.
    init(decoding parameters: Span<UInt8>) throws(DecodingError)
}

/// The return parameters of a command about a connection: the status and the connection.
public struct HCIConnectionStatus: HCIReturnParameters, PDUStructure {
    /// The status of the command.
    public var status: HCIStatus
    /// The connection.
    public var handle: ConnectionHandle

    package static let layout = inOrder(Self.init) { ($0.status, $0.handle) }
}

/// The parameters of an event, without its code and length (and subevent code).
public protocol HCIEventParameters: OctetEncodable, Equatable, Sendable {
    /// The code of the event.
    static var code: HCIEventCode { get }
    /// Decodes the parameters; octets that follow them are ignored, because some controllers append some.
    init(decoding parameters: Span<UInt8>) throws(DecodingError)
}

/// A command packet of any kind. Core Vol 4, Part E, 5.4.1.
///
///     octet  0..1      2                       3..
///            Opcode    Parameter_Total_Length  parameters
public struct HCICommandPacket: Equatable, Sendable {
    /// The opcode of the command.
    public var opcode: HCIOpcode
    /// The parameters, at most 255 octets.
    public var parameters: [UInt8]

    /// A command whose parameters have been encoded; they can be at most 255 octets long.
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
    /// Decodes a complete packet, without the H4 indicator.
    public init(decoding packet: Span<UInt8>) throws(DecodingError) {
        var rest = packet
        opcode = HCIOpcode(rawValue: try rest.takeUInt16())
        parameters = try rest.takeOctets(Int(try rest.takeUInt8()))
        try rest.expectEnd()
    }

    /// The length in octets: 3, and that of the parameters.
    public var encodedCount: Int { 3 + parameters.count }

    /// Appends opcode, length and parameters.
    public func encode(into output: inout OutputSpan<UInt8>) {
        output.append(littleEndian: opcode.rawValue)
        output.append(UInt8(truncatingIfNeeded: parameters.count))
        output.append(octets: parameters)
    }
}
