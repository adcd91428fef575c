/// An advertisement in the form of HCI commands.
struct AdvertisingContent: Equatable, Sendable {
    /// What cannot change while advertising.
    struct Parameters: Equatable, Sendable {
        var interval: AdvertisingInterval
        var isConnectable: Bool
        var isScannable: Bool
        var usesLegacyPDUs: Bool
        var ownAddressType: OwnAddressType
    }

    var parameters: Parameters
    var data: [UInt8]
    var scanResponse: [UInt8]
    var address: DeviceAddress

    /// The only advertising set in use.
    static let set: UInt8 = 0
    /// `Operation`: the data are complete. Core Vol 4, Part E, 7.8.54.
    private static let complete: UInt8 = 0x03
    /// `Fragment_Preference`: the controller should not fragment.
    private static let unfragmented: UInt8 = 0x01
    /// The most octets that one command carries; connectable extended advertising allows no more.
    static let maximumDataLength = 251

    var legacyParameters: HCI.LESetAdvertisingParameters {
        let type: AdvertisingType =
            parameters.isConnectable
            ? .connectable : parameters.isScannable ? .scannable : .nonConnectable
        return HCI.LESetAdvertisingParameters(
            intervalMinimum: parameters.interval, intervalMaximum: parameters.interval, type: type,
            ownAddressType: parameters.ownAddressType, peerAddress: DeviceAddress(0, kind: .public),
            channels: .all, filterPolicy: 0)
    }

    var extendedParameters: HCI.LESetExtendedAdvertisingParameters {
        var properties: AdvertisingEventProperties = []
        if parameters.isConnectable { properties.insert(.connectable) }
        if parameters.isScannable { properties.insert(.scannable) }
        if parameters.usesLegacyPDUs { properties.insert(.legacy) }
        let noPreference: Int8 = 127
        return HCI.LESetExtendedAdvertisingParameters(
            set: Self.set, properties: properties, intervalMinimum: parameters.interval,
            intervalMaximum: parameters.interval, channels: .all,
            ownAddressType: parameters.ownAddressType, peerAddress: DeviceAddress(0, kind: .public),
            filterPolicy: 0, transmitPower: noPreference, primaryPHY: .le1M,
            secondaryMaximumSkip: 0, secondaryPHY: .le1M, sid: 0, notifiesScanRequests: false)
    }

    var extendedData: HCI.LESetExtendedAdvertisingData {
        HCI.LESetExtendedAdvertisingData(
            set: Self.set, operation: Self.complete, fragmentPreference: Self.unfragmented,
            data: data)
    }

    var extendedScanResponse: HCI.LESetExtendedScanResponseData {
        HCI.LESetExtendedScanResponseData(
            set: Self.set, operation: Self.complete, fragmentPreference: Self.unfragmented,
            data: scanResponse)
    }
}

extension AdvertisingContent {
    init(
        _ advertisement: Advertisement, from address: DeviceAddress, abilities: ControllerAbilities
    ) throws(Advertiser.UsageError) {
        if address.kind == .public, address != abilities.publicAddress {
            throw .addressNotAvailable
        }
        do throws(AdvertisingData.EncodingError) {
            data = try advertisement.data.encoded(
                limit: Self.limit(of: advertisement, abilities: abilities))
        } catch { throw .data(error) }
        do throws(AdvertisingData.EncodingError) {
            scanResponse = try advertisement.scanResponse.encoded(
                limit: advertisement.usesLegacyPDUs ? AdvertisingData.legacyLimit : 0)
        } catch { throw .scanResponse(error) }
        parameters = Parameters(
            interval: advertisement.interval, isConnectable: advertisement.isConnectable,
            isScannable: advertisement.usesLegacyPDUs
                && (advertisement.isConnectable || !scanResponse.isEmpty),
            usesLegacyPDUs: advertisement.usesLegacyPDUs,
            ownAddressType: OwnAddressType(address.kind))
        self.address = address
    }

    private static func limit(
        of advertisement: Advertisement, abilities: ControllerAbilities
    ) -> Int {
        advertisement.usesLegacyPDUs
            ? AdvertisingData.legacyLimit
            : min(abilities.maximumAdvertisingDataLength, maximumDataLength)
    }
}
