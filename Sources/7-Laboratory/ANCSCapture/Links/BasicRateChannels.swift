internal import BluetoothLE
internal import Octets

/// Follows the signalling channel of a BR/EDR link: which channels are open, and for which protocol.
/// Core Vol 3, Part A, 4.
struct BasicRateChannels: Sendable {
    /// What a command of the signalling channel changed.
    package enum Finding: Equatable, Sendable {
        case channel(CaptureEvent.ChannelEvent)
        /// A channel of the Attribute Protocol has this ATT_MTU, in octets.
        case mtu(Int)
    }

    /// An open channel. Each side has an identifier for it, and PDUs have that of their receiver.
    struct Channel: Equatable, Sendable {
        package var multiplexer: ProtocolMultiplexer
        var opener: CaptureEvent.Side
        fileprivate var local: Endpoint
        fileprivate var remote: Endpoint

        /// Whether PDUs have the payload alone, without the fields of a retransmission mode.
        var isBasic: Bool { local.isBasic && remote.isBasic }

        fileprivate subscript(side: CaptureEvent.Side) -> Endpoint {
            get { side == .local ? local : remote }
            set { if side == .local { local = newValue } else { remote = newValue } }
        }
    }

    /// One side's end of a channel.
    fileprivate struct Endpoint: Equatable, Sendable {
        var identifier: UInt16
        /// The longest payload that this side accepts in octets, and what it proposes instead. Core Vol 3,
        /// Part A, 5.1.
        var mtu = 672
        var proposedMTU: Int?
        var isBasic = true
        var proposesBasic: Bool?
        var isConfigured = false
    }

    private struct Request {
        var identifier: UInt8
        var by: CaptureEvent.Side
        var multiplexer: ProtocolMultiplexer
        var source: UInt16
    }

    /// More than a phone has with a car.
    private static let maximumChannels = 64
    private static let maximumRequests = 32

    private var requests: [Request] = []
    private var channels: [Channel] = []

    /// The channel of a PDU that a side sent with this identifier.
    package func channel(of identifier: L2CAPChannelID, from side: CaptureEvent.Side) -> Channel? {
        channels.first { $0[side.other].identifier == identifier.rawValue }
    }

    /// A C-frame, which may have several commands. Their findings are appended. Throws if it is malformed.
    package mutating func receive(
        _ frame: [UInt8], from side: CaptureEvent.Side, _ findings: inout [Finding]
    ) throws(DecodingError) {
        var rest = frame.span
        while !rest.isEmpty {
            let (code, identifier) = (try rest.takeUInt8(), try rest.takeUInt8())
            let data = try rest.takeOctets(Int(try rest.takeUInt16()))
            try follow(code, identifier, data.span, side, &findings)
        }
    }

    private mutating func follow(
        _ code: UInt8, _ identifier: UInt8, _ parameters: Span<UInt8>, _ side: CaptureEvent.Side,
        _ findings: inout [Finding]
    ) throws(DecodingError) {
        var rest = parameters
        switch code {
        case 0x01:  // L2CAP_COMMAND_REJECT_RSP
            requests.removeAll { $0.identifier == identifier && $0.by == side.other }
        case 0x02:  // L2CAP_CONNECTION_REQ: PSM, source CID
            let multiplexer = try Self.takeMultiplexer(&rest)
            let source = try rest.takeUInt16()
            requests.removeAll { $0.identifier == identifier && $0.by == side }
            if requests.count == Self.maximumRequests { requests.removeFirst() }
            requests.append(
                Request(
                    identifier: identifier, by: side, multiplexer: multiplexer, source: source))
        case 0x03:  // L2CAP_CONNECTION_RSP: destination CID, source CID, result, status
            let (destination, _) = (try rest.takeUInt16(), try rest.takeUInt16())
            answered(identifier, destination, result: try rest.takeUInt16(), side, &findings)
        case 0x04:  // L2CAP_CONFIGURATION_REQ: destination CID, flags, options
            let destination = try rest.takeUInt16()
            try rest.skip(2)
            try propose(rest, to: destination, by: side)
        case 0x05:  // L2CAP_CONFIGURATION_RSP: source CID, flags, result, options
            let source = try rest.takeUInt16()
            try rest.skip(2)
            guard try rest.takeUInt16() == 0 else { break }
            accept(source, of: side.other, &findings)
        case 0x06:  // L2CAP_DISCONNECTION_REQ: destination CID, source CID
            let (destination, _) = (try rest.takeUInt16(), try rest.takeUInt16())
            guard let index = index(of: destination, at: side.other) else { break }
            let closed = channels.remove(at: index)
            findings.append(.channel(.closed(closed.multiplexer, by: side)))
        default: break
        }
    }

    /// Takes a PSM: it ends with the first octet after the first whose lowest bit is 0.
    private static func takeMultiplexer(
        _ rest: inout Span<UInt8>
    ) throws(DecodingError) -> ProtocolMultiplexer {
        var value = UInt32(try rest.takeUInt8())
        var shift: UInt32 = 8
        while true {
            let octet = try rest.takeUInt8()
            if shift < 32 { value |= UInt32(octet) << shift }
            shift = min(32, shift + 8)
            if octet & 1 == 0 { return ProtocolMultiplexer(rawValue: value) }
        }
    }

    private func index(of identifier: UInt16, at side: CaptureEvent.Side) -> Int? {
        channels.firstIndex { $0[side].identifier == identifier }
    }

    /// A side answered a request of the other.
    private mutating func answered(
        _ identifier: UInt8, _ destination: UInt16, result: UInt16, _ side: CaptureEvent.Side,
        _ findings: inout [Finding]
    ) {
        let opener = side.other
        let isPending = result == 1
        guard !isPending,
            let index = requests.firstIndex(where: {
                $0.identifier == identifier && $0.by == opener
            })
        else { return }
        let request = requests.remove(at: index)
        guard result == 0 else {
            findings.append(
                .channel(.refused(request.multiplexer, by: opener, result: result)))
            return
        }
        // An identifier that is used again: the end of the earlier channel is not in the capture.
        channels.removeAll {
            $0[opener].identifier == request.source || $0[side].identifier == destination
        }
        if channels.count == Self.maximumChannels { channels.removeFirst() }
        var channel = Channel(
            multiplexer: request.multiplexer, opener: opener,
            local: Endpoint(identifier: request.source),
            remote: Endpoint(identifier: destination))
        if opener == .remote { swap(&channel.local, &channel.remote) }
        channels.append(channel)
        findings.append(.channel(.opened(request.multiplexer, by: opener)))
    }

    // MARK: Configuration

    /// A side says how it wants to receive: options of type, length and value. Core Vol 3, Part A, 5.
    private mutating func propose(
        _ options: Span<UInt8>, to identifier: UInt16, by side: CaptureEvent.Side
    ) throws(DecodingError) {
        guard let index = index(of: identifier, at: side.other) else { return }
        var rest = options
        while !rest.isEmpty {
            // The highest bit says that the option may be ignored.
            let type = try rest.takeUInt8() & 0x7F
            let value = try rest.takeOctets(Int(try rest.takeUInt8()))
            switch type {
            case 0x01:  // Maximum Transmission Unit
                var number = value.span
                channels[index][side].proposedMTU = Int(try number.takeUInt16())
            case 0x04:  // Retransmission and Flow Control: the mode
                channels[index][side].proposesBasic = value.first == 0
            default: break
            }
        }
    }

    /// What a side proposed for its end of a channel was accepted.
    private mutating func accept(
        _ identifier: UInt16, of side: CaptureEvent.Side, _ findings: inout [Finding]
    ) {
        guard let index = index(of: identifier, at: side) else { return }
        var end = channels[index][side]
        end.mtu = end.proposedMTU ?? end.mtu
        end.isBasic = end.proposesBasic ?? end.isBasic
        end.isConfigured = true
        channels[index][side] = end
        let channel = channels[index]
        guard channel.multiplexer == .attributeProtocol, channel[side.other].isConfigured else {
            return
        }
        // On BR/EDR the ATT_MTU is agreed by configuration, not by a request. Core Vol 3, Part G, 4.3.1.
        findings.append(.mtu(min(channel.local.mtu, channel.remote.mtu)))
    }
}
