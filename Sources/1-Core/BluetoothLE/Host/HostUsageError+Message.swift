internal import Octets

extension HostUsageError {
    /// Why the call was refused, for people.
    public var message: String {
        switch self {
        case .notReady: "the controller is not ready"
        case .unknownConnection: "the device is not connected"
        case .addressNotAvailable: "the controller does not have the public address"
        case .alreadyConnected: "it is connected already"
        case .tooManyConnections: "too many connections"
        case .connecting(let error): error.message
        case .advertising(let error): error.message
        case .security(let error): error.message
        case .bearer(let error): error.message
        case .attributes(let error): error.message
        case .signalling(let error): error.message
        case .controllerBusy: "the command queue of the controller is full"
        case .notSupported: "the controller does not support it"
        }
    }
}

extension Initiator.UsageError {
    fileprivate var message: String {
        switch self {
        case .busy(let address): "an attempt to connect to \(address.text) is in progress"
        case .invalidParameters(let fault): fault.message
        }
    }
}

extension Advertiser.UsageError {
    fileprivate var message: String {
        switch self {
        case .data(let error): "the advertising data cannot be encoded: \(error.message)"
        case .scanResponse(let error): "the scan response cannot be encoded: \(error.message)"
        case .extendedNotSupported: "the controller does not support extended advertising"
        case .addressNotAvailable: "the controller does not have the public address"
        }
    }
}

extension AdvertisingData.EncodingError {
    fileprivate var message: String {
        switch self {
        case .tooLong(let excess):
            "it is too long by \(excess == 1 ? "1 octet" : "\(excess) octets")"
        case .structureTooLong: "one of its structures is longer than 254 octets"
        case .uuidTooWide(let uuid): "UUID \(uuid.text) does not fit a list of shorter ones"
        }
    }
}

extension ConnectionParameters.Fault {
    fileprivate var message: String {
        switch self {
        case .interval: "the connection interval is out of range"
        case .latency: "the latency of the connection is out of range"
        case .supervisionTimeout: "the supervision timeout is out of range"
        case .timeoutTooShort:
            "the supervision timeout is too short for the interval and the latency"
        }
    }
}

extension SecurityManager.UsageError {
    fileprivate var message: String {
        switch self {
        case .busy: "pairing or encryption is already in progress"
        case .closed: "pairing took too long on this connection; disconnect and try again"
        case .tooSoon: "pairing failed a short while ago; wait before the next attempt"
        case .notAsked: "pairing did not ask for this answer"
        case .passkeyOutOfRange: "a passkey has at most six digits"
        }
    }
}

extension ATTBearer.UsageError {
    fileprivate var message: String {
        switch self {
        case .closed: "the connection has ended"
        case .queueFull: "too many requests are queued; try again later"
        case .valueTooLong(let limit): "the value is longer than \(limit) octets"
        case .notSubscribed: "the other device has not subscribed"
        case .invalidArgument: "invalid arguments"
        }
    }
}

extension AttributeTable.UsageError {
    fileprivate var message: String {
        switch self {
        case .handleUnavailable(let handle):
            "attribute handle \(Self.text(handle)) is already in use"
        case .rangeUnavailable(let range):
            "attribute handles \(Self.text(range.first)) to \(Self.text(range.last)) "
                + "are already in use"
        case .full: "no attribute handles are left"
        }
    }

    private static func text(_ handle: AttributeHandle) -> String {
        let value = handle.rawValue
        return "0x" + Hexadecimal.text([UInt8(value >> 8), UInt8(truncatingIfNeeded: value)])
    }
}

extension LESignalling.UsageError {
    fileprivate var message: String {
        switch self {
        case .notPeripheral: "only a Peripheral can request connection parameters"
        case .requestOutstanding: "a request for connection parameters is already in progress"
        case .nothingToAnswer: "there is no request for connection parameters to answer"
        case .invalidParameters(let fault): fault.message
        }
    }
}
