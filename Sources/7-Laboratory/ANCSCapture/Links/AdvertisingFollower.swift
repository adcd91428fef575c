internal import BluetoothLE
package import Octets

/// Follows what a host has its controller advertise. It knows what the host asked for: how the controller does it is not
/// in a capture.
package struct AdvertisingFollower: Sendable {
    /// How many advertising sets are followed; further ones are not.
    private static let maximumSets = 8
    /// What is set before it is enabled.
    fileprivate struct Plan: Sendable {
        var interval: ClosedRange<AdvertisingInterval>?
        var reach = CaptureEvent.Advertising.Reach.everyone
        var data: [UInt8] = []
        var response: [UInt8] = []
        /// Whether the data were set, or it is known that there are none.
        var isDataKnown = false
        /// What was reported last, so that it is not reported each time that it begins again.
        var reported: CaptureEvent.Advertising?
    }

    /// The plan of the legacy commands, and those of advertising sets.
    private var legacy = Plan()
    private var sets: [UInt8: Plan] = [:]
    /// Whether the capture has a reset: what was not set since is empty. One that began later does not show what was set.
    private var wasReset = false

    package init() {}

    /// Follows a command in octets; returns what is advertised from now on, if that is new.
    package mutating func receive(
        _ octets: [UInt8]
    ) throws(DecodingError) -> [CaptureEvent.Advertising] {
        try receive(HCICommandPacket(decoding: octets.span))
    }

    /// Follows a command; returns what is advertised from now on, if that is new.
    mutating func receive(
        _ packet: HCICommandPacket
    ) throws(DecodingError) -> [CaptureEvent.Advertising] {
        let parameters = packet.parameters.span
        switch packet.opcode {
        case .reset:
            self = Self()
            wasReset = true
        case .leSetAdvertisingParameters:
            let command = try HCI.LESetAdvertisingParameters(decoding: parameters)
            legacy.plan(command.intervalMinimum, command.intervalMaximum, command.type.reach)
        case .leSetAdvertisingData:
            legacy.data = try HCI.LESetAdvertisingData(decoding: parameters).data
            legacy.isDataKnown = true
        case .leSetScanResponseData:
            legacy.response = try HCI.LESetScanResponseData(decoding: parameters).data
        case .leSetAdvertisingEnable:
            guard try HCI.LESetAdvertisingEnable(decoding: parameters).isEnabled else { break }
            return legacy.begin(wasReset).map { [$0] } ?? []
        case .leSetExtendedAdvertisingParameters:
            let command = try HCI.LESetExtendedAdvertisingParameters(decoding: parameters)
            change(command.set) { plan in
                plan.plan(
                    command.intervalMinimum, command.intervalMaximum, command.properties.reach)
            }
        case .leSetExtendedAdvertisingData:
            let command = try HCI.LESetExtendedAdvertisingData(decoding: parameters)
            change(command.set) { plan in
                plan.data.apply(command.operation, command.data)
                plan.isDataKnown = true
            }
        case .leSetExtendedScanResponseData:
            let command = try HCI.LESetExtendedScanResponseData(decoding: parameters)
            change(command.set) { $0.response.apply(command.operation, command.data) }
        case .leSetExtendedAdvertisingEnable:
            let command = try HCI.LESetExtendedAdvertisingEnable(decoding: parameters)
            guard command.isEnabled else { break }
            return command.sets.compactMap { sets[$0.set]?.begin(wasReset) }
        default: break
        }
        return []
    }

    private mutating func change(_ set: UInt8, _ body: (inout Plan) -> Void) {
        guard sets[set] != nil || sets.count < Self.maximumSets else { return }
        body(&sets[set, default: Plan()])
    }
}

extension AdvertisingFollower.Plan {
    fileprivate mutating func plan(
        _ shortest: AdvertisingInterval, _ longest: AdvertisingInterval,
        _ reach: CaptureEvent.Advertising.Reach
    ) {
        interval = shortest <= longest ? shortest...longest : nil
        self.reach = reach
    }

    /// It is enabled; `wasReset` says that the capture shows all that was set before.
    fileprivate mutating func begin(_ wasReset: Bool) -> CaptureEvent.Advertising? {
        guard let interval else { return nil }
        let advertising = CaptureEvent.Advertising(
            data: AdvertisingData.parse(data.span).data,
            response: AdvertisingData.parse(response.span).data,
            shortest: interval.lowerBound, longest: interval.upperBound, reach: reach,
            isDataKnown: isDataKnown || wasReset)
        guard advertising != reported else { return nil }
        reported = advertising
        return advertising
    }
}

/// The longest data of a set, in octets. Core Vol 4, Part E, 7.8.57.
private let maximumOctets = 1650

extension [UInt8] {
    /// A part of the data of a set. Core Vol 4, Part E, 7.8.54.
    fileprivate mutating func apply(_ operation: UInt8, _ part: [UInt8]) {
        switch operation {
        // The first or the only part.
        case 1, 3: self = part
        // A further one.
        case 0, 2: self = Array((self + part).prefix(maximumOctets))
        // Unchanged data, or what no host sends.
        default: break
        }
    }
}

extension AdvertisingType {
    fileprivate var reach: CaptureEvent.Advertising.Reach {
        switch self {
        case .connectable: .everyone
        case .scannable, .nonConnectable: .nobody
        // The type is open: what else there is, is directed.
        default: .oneDevice
        }
    }
}

extension AdvertisingEventProperties {
    fileprivate var reach: CaptureEvent.Advertising.Reach {
        guard contains(.connectable) else { return .nobody }
        return contains(.directed) ? .oneDevice : .everyone
    }
}
