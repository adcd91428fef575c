internal import ANCSKit
internal import Foundation

extension BluetoothError {
    /// The answer to everything about channels of L2CAP.
    static var noChannels: Self {
        Self(.operationNotSupported, "there are no channels of L2CAP on Linux")
    }

    /// The same failure, as Core Bluetooth says it.
    var cb: any Error {
        let userInfo = [NSLocalizedDescriptionKey: message]
        if case .attribute(let code) = code {
            return CBATTError(number: Int(code.rawValue), userInfo: userInfo)
        }
        return CBError(code.cb, userInfo: userInfo)
    }
}

extension BluetoothError.Code {
    /// The code of the same name, or the most similar one.
    fileprivate var cb: CBError.Code {
        switch self {
        case .unknown, .attribute, .takenByAnotherProgram, .notPoweredOn: .unknown
        case .invalidParameters: .invalidParameters
        case .invalidHandle: .invalidHandle
        case .notConnected: .notConnected
        case .outOfSpace: .outOfSpace
        case .operationCancelled: .operationCancelled
        case .connectionTimeout: .connectionTimeout
        case .peripheralDisconnected: .peripheralDisconnected
        case .uuidNotAllowed: .uuidNotAllowed
        case .alreadyAdvertising: .alreadyAdvertising
        case .connectionFailed: .connectionFailed
        case .connectionLimitReached: .connectionLimitReached
        case .unknownDevice: .unknownDevice
        case .operationNotSupported: .operationNotSupported
        case .peerRemovedPairingInformation: .peerRemovedPairingInformation
        case .encryptionTimedOut: .encryptionTimedOut
        case .tooManyLEPairedDevices: .tooManyLEPairedDevices
        }
    }
}
