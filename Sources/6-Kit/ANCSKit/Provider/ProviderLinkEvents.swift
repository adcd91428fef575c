public import BluetoothLE

/// A fault in the phone's next answers to requests for connection parameters.
public enum ParameterFault: String, CaseIterable, Sendable {
    /// The phone refuses.
    case refuse
    /// It accepts, and never applies them.
    case acceptOnly
    /// It does not answer.
    case ignore
    /// It applies them, and then puts its own back: 30 ms, latency 0, 720 ms.
    case overwrite
}

extension ProviderEvent {
    /// An event of an accessory's advertising and of the parameters of its link.
    public enum LinkEvent: Equatable, Sendable {
        /// The phone has received this advertisement, of an accessory that it is about to connect to or that
        /// accepts no connection; only if it differs from the last one.
        indirect case advertised(ReceivedAdvertisement)
        /// The phone has another address on air than on its last link to the accessory, which resolves it if they
        /// are bonded.
        case phoneAddressChanged
        /// It requested connection parameters, and was answered. At most 64 times on a link.
        indirect case parametersRequested(ParametersRequest)
        /// The parameters of the link have changed. At most 64 times on a link.
        indirect case parametersUpdated(LinkParameters)
        /// Its primary services, as ``NotificationProvider/discoverServices(of:)`` found them. Empty if it refused.
        case servicesFound([BluetoothUUID])
        /// It has bonded, and there are bonds with others: the name of one that distributed the same identity resolving
        /// key, untrusted; `nil` if its key is its own.
        case identityKeyCompared(sharedWith: String?)
    }
}

/// What a phone received of an accessory's advertising.
public struct ReceivedAdvertisement: Equatable, Sendable {
    /// What an advertiser accepts. Core Vol 6, Part B, 2.3.1.
    public enum Reach: Equatable, Sendable {
        /// Connections of any device (ADV_IND).
        case everyone
        /// Connections of one device (ADV_DIRECT_IND); there are no data.
        case oneDevice
        /// No connections (ADV_NONCONN_IND, ADV_SCAN_IND).
        case nobody
    }

    /// The advertising data (ADV_IND).
    public var advertising: AdvertisingData
    /// The scan response; empty if none was received.
    public var response = AdvertisingData()
    /// The measured interval; `nil` if it was not measured.
    public var interval: Duration?
    /// One of Apple's intervals that it has instead if it was heard only every second or third time.
    package var alternativeInterval: Duration?
    /// Whose connections it accepts.
    public var reach = Reach.everyone
    /// Whether the phone was bonded with it when it connected, and needs nothing of the data.
    package var isOfBonded = false

    /// An advertisement.
    public init(
        advertising: AdvertisingData, response: AdvertisingData = AdvertisingData(),
        interval: Duration? = nil, reach: Reach = .everyone
    ) {
        (self.advertising, self.response, self.interval) = (advertising, response, interval)
        self.reach = reach
    }
}

/// A request for connection parameters, by L2CAP or by the link layer, and how the phone answered it.
public struct ParametersRequest: Equatable, Sendable {
    /// What was requested.
    public var parameters: ConnectionParameters
    /// Apple's requirements that it breaks.
    public var breaches: [LinkRequirements.Breach]
    /// The answer.
    public var answer: ParameterAnswer
    /// The fault that determined the answer; `nil` if the phone followed its behavior.
    public var fault: ParameterFault?

    /// A request with its answer.
    public init(
        _ parameters: ConnectionParameters, breaking breaches: [LinkRequirements.Breach],
        answer: ParameterAnswer, fault: ParameterFault? = nil
    ) {
        (self.parameters, self.breaches, self.answer) = (parameters, breaches, answer)
        self.fault = fault
    }
}
