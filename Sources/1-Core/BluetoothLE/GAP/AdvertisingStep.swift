/// The set of advertising commands to use; the two must not be mixed (Core Vol 4, Part E, 3.1.1).
enum AdvertisingMethod: Equatable, Sendable {
    case legacy, extended

    /// The command that disables advertising.
    var disable: HCICommandPacket { enable(false) }

    fileprivate func enable(_ isEnabled: Bool) -> HCICommandPacket {
        switch self {
        case .legacy: HCICommandPacket(HCI.LESetAdvertisingEnable(isEnabled: isEnabled))
        case .extended:
            HCICommandPacket(
                HCI.LESetExtendedAdvertisingEnable(
                    isEnabled: isEnabled, sets: [.init(set: AdvertisingContent.set)]))
        }
    }
}

/// A command that an ``Advertiser`` sends in order to advertise, and its effect.
enum AdvertisingStep: Equatable, Sendable {
    case setParameters(AdvertisingContent)
    case setSetAddress(DeviceAddress)
    case setData(AdvertisingContent)
    case setScanResponse(AdvertisingContent)
    case enable

    func command(with method: AdvertisingMethod) -> HCICommandPacket {
        switch (self, method) {
        case (.setSetAddress(let address), _):
            HCICommandPacket(
                HCI.LESetAdvertisingSetRandomAddress(
                    set: AdvertisingContent.set, address: address))
        case (.enable, _): method.enable(true)
        case (.setParameters(let content), .legacy): HCICommandPacket(content.legacyParameters)
        case (.setParameters(let content), .extended): HCICommandPacket(content.extendedParameters)
        case (.setData(let content), .legacy):
            HCICommandPacket(HCI.LESetAdvertisingData(data: content.data))
        case (.setData(let content), .extended): HCICommandPacket(content.extendedData)
        case (.setScanResponse(let content), .legacy):
            HCICommandPacket(HCI.LESetScanResponseData(data: content.scanResponse))
        case (.setScanResponse(let content), .extended):
            HCICommandPacket(content.extendedScanResponse)
        }
    }

    var isEnable: Bool {
        switch self {
        case .enable: true
        case .setParameters, .setSetAddress, .setData, .setScanResponse: false
        }
    }
}
