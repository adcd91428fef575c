internal import BluetoothLE

/// Follows the Attribute Protocol on one bearer, where both sides may have a server and a client: the fixed
/// channel of an LE link, or a channel that a BR/EDR link opened for it.
struct AttributesFollower: ~Copyable, Sendable {
    private var localServer: ServerFollower
    private var remoteServer: ServerFollower
    private var mtu = 23

    /// Creates the follower of a bearer, with what an earlier one showed about the same peer.
    package init(_ memory: PeerMemory.Memory?) {
        localServer = ServerFollower(side: .local, memory)
        remoteServer = ServerFollower(side: .remote, memory)
    }

    /// The attributes of a side's server.
    func map(of side: CaptureEvent.Side) -> GATTMap {
        switch side {
        case .local: localServer.map
        case .remote: remoteServer.map
        }
    }

    /// Where ANCS is on a side.
    func handles(of side: CaptureEvent.Side) -> ANCSHandles? {
        switch side {
        case .local: localServer.handles
        case .remote: remoteServer.handles
        }
    }

    /// The attributes of each side's server.
    var maps: [CaptureEvent.Side: GATTMap] { [.local: localServer.map, .remote: remoteServer.map] }

    /// Where ANCS is on each side.
    package var handles: [CaptureEvent.Side: ANCSHandles] {
        [CaptureEvent.Side.local: localServer.handles, .remote: remoteServer.handles]
            .compactMapValues(\.self)
    }

    /// A PDU from a side. Clients send requests to the server on the other side; servers notify values of
    /// their own.
    package mutating func receive(_ pdu: [UInt8], _ side: CaptureEvent.Side, _ log: inout StoryLog)
    {
        do throws(DecodingError) {
            if let request = try ATTClientPDU(decoding: pdu.span) {
                switch side {
                case .local: remoteServer.receive(request, &log)
                case .remote: localServer.receive(request, &log)
                }
            } else if let response = try ATTServerPDU(decoding: pdu.span) {
                switch side {
                case .local: localServer.receive(response, &log)
                case .remote: remoteServer.receive(response, &log)
                }
            }
        } catch { log.report(.unreadable(channel: "ATT", octets: pdu.count)) }
        let agreed = max(mtu, localServer.mtu, remoteServer.mtu)
        if agreed != mtu { log.report(.mtu(agreed)) }
        mtu = agreed
    }

    /// The bearer, the link or the capture ended.
    package mutating func end(_ ending: CaptureEvent.Ending, _ log: inout StoryLog) {
        localServer.end(ending, &log)
        remoteServer.end(ending, &log)
    }
}
