internal import BluetoothLE

/// Follows what only a BR/EDR link has: pairing by the controllers. What flows in its channels is counted and not
/// shown, because ANCS is had over Low Energy only.
struct BasicRateFollower: Sendable {
    /// The fixed channels of a BR/EDR link. Core Vol 3, Part A, table 2.1.
    static let signalling = L2CAPChannelID(rawValue: 0x0001)
    static let securityManager = L2CAPChannelID(rawValue: 0x0007)
    /// The first identifier of the channels that are opened; those before are fixed.
    static let firstDynamic = L2CAPChannelID(rawValue: 0x0040)

    package var pairing = BasicRatePairing()
    /// What the peer says it is.
    package var deviceClass: DeviceClass?
    private var channels = CaptureEvent.NotShown(what: "other channels", packets: 0, octets: 0)

    /// Counts a PDU of a channel that is not followed.
    package mutating func count(_ channel: L2CAPChannelID?, octets: Int) {
        if let channel, channel.rawValue < Self.firstDynamic.rawValue { return }
        channels.packets += 1
        channels.octets += octets
    }

    /// The link or the capture ended.
    package mutating func end(_ log: inout StoryLog) {
        pairing.end(&log)
        if channels.packets > 0 { log.report(.notShown([channels])) }
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
        return pairing.hasBegun || deviceClass?.isPhone ?? false ? .notPaired : nil
    }
}
