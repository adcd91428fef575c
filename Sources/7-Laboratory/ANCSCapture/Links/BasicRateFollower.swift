internal import BluetoothLE
internal import Octets

/// Follows what only a BR/EDR link has: the channels that it opens, and pairing by the controllers. What flows
/// in channels of other protocols than ATT is counted and not kept.
struct BasicRateFollower: Sendable {
    /// The fixed channels of a BR/EDR link. Core Vol 3, Part A, table 2.1.
    static let signalling = L2CAPChannelID(rawValue: 0x0001)
    static let securityManager = L2CAPChannelID(rawValue: 0x0007)
    /// The first identifier of the channels that are opened; those before are fixed.
    static let firstDynamic = L2CAPChannelID(rawValue: 0x0040)

    /// The largest number of protocols that are counted apart.
    private static let maximumCounts = 16

    private var channels = BasicRateChannels()
    private var counts: [CaptureEvent.NotShown] = []
    package var pairing = BasicRatePairing()
    /// What the peer says it is.
    package var deviceClass: DeviceClass?
    /// Whether a side opened a channel for ATT, as phones do.
    private var hasATT = false

    /// A C-frame of the signalling channel.
    package mutating func receive(
        signalling frame: [UInt8], from side: CaptureEvent.Side,
        _ attributes: inout AttributesFollower, _ log: inout StoryLog
    ) {
        var findings: [BasicRateChannels.Finding] = []
        do throws(DecodingError) {
            try channels.receive(frame, from: side, &findings)
        } catch {
            log.report(.unreadable(channel: "L2CAP signalling", octets: frame.count))
        }
        for finding in findings {
            switch finding {
            case .channel(let event): follow(event, &attributes, &log)
            case .mtu(let mtu): attributes.agree(mtu: mtu, &log)
            }
        }
    }

    private mutating func follow(
        _ event: CaptureEvent.ChannelEvent, _ attributes: inout AttributesFollower,
        _ log: inout StoryLog
    ) {
        switch event {
        case .opened(.attributeProtocol, _): hasATT = true
        case .closed(.attributeProtocol, _): attributes.end(.channel, &log)
        // Other protocols come and go: that they came is enough.
        case .closed: return
        case .opened, .refused: break
        }
        log.report(.channel(event))
    }

    /// A PDU of a channel that was opened.
    package mutating func receive(
        _ pdu: L2CAPPDU, from side: CaptureEvent.Side, _ attributes: inout AttributesFollower,
        _ log: inout StoryLog
    ) {
        let channel = channels.channel(of: pdu.channel, from: side)
        guard let channel, channel.multiplexer == .attributeProtocol, channel.isBasic else {
            count(Self.name(channel), octets: pdu.payload.count)
            return
        }
        attributes.receive(pdu.payload, side, &log)
    }

    /// Something of a channel that could not be reassembled. Returns whether it is worth a line.
    package mutating func dropped(
        _ identifier: L2CAPChannelID, octets: Int, from side: CaptureEvent.Side
    ) -> Bool {
        guard identifier != Self.signalling, identifier != Self.securityManager else {
            return true
        }
        let channel = channels.channel(of: identifier, from: side)
        if channel?.multiplexer == .attributeProtocol { return true }
        count(Self.name(channel), octets: octets)
        return false
    }

    /// Counts a packet that is not shown.
    package mutating func count(_ what: String, octets: Int) {
        var place = counts.firstIndex { $0.what == what }
        if place == nil {
            let isFull = counts.count >= Self.maximumCounts - 1
            let name = isFull ? "other protocols" : what
            place = counts.firstIndex { $0.what == name } ?? counts.endIndex
            if place == counts.endIndex {
                counts.append(.init(what: name, packets: 0, octets: 0))
            }
        }
        guard let place else { return }
        counts[place].packets += 1
        counts[place].octets += octets
    }

    private static func name(_ channel: BasicRateChannels.Channel?) -> String {
        guard let channel else { return "unknown channels" }
        return channel.isBasic || channel.multiplexer != .attributeProtocol
            ? channel.multiplexer.text : "ATT with retransmission"
    }

    /// The link or the capture ended.
    package mutating func end(_ log: inout StoryLog) {
        pairing.end(&log)
        let counts = exchange(&counts, with: [])
        if !counts.isEmpty { log.report(.notShown(counts)) }
    }

    /// What is to be said about this link, whose peer has this name and address, and no keys for Low Energy.
    package func verdict(
        name: String?, _ address: DeviceAddress?, ownName: String?
    ) -> CaptureEvent.BasicRateVerdict? {
        if deviceClass?.isSomethingElse ?? false { return nil }
        guard !pairing.isPaired else {
            return deviceClass?.isAccessory ?? false
                ? .accessoryPairedOnly(name: name, address)
                : .pairedOnly(name: name, address, ownName: ownName)
        }
        return pairing.hasBegun || hasATT || deviceClass?.isPhone ?? false ? .notPaired : nil
    }
}
