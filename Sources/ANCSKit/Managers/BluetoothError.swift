public import BluetoothLE

/// Why a manager, a ``Peripheral`` or a subscriber could not do what it was asked to, in the words of
/// Core Bluetooth: ``Code`` has the cases of `CBError.Code`, and ``Code/attribute(_:)`` those of
/// `CBATTError.Code`.
///
///     do { try await peripheral.readValue(for: characteristic) } catch {
///         guard error.code == .attribute(.readNotPermitted) else { throw error }
///         …
///     }
///
/// The calls throw nothing else, so that `error` has this type there. (Swift 6.3.1 crashes on some
/// functions with a `catch where` for it.)
public struct BluetoothError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Hashable, Sendable {
        /// What has no name here; the message says what it was.
        case unknown
        /// An argument is not one that the call takes.
        case invalidParameters
        /// The service, characteristic or descriptor is not, or no longer, one of the peripheral.
        case invalidHandle
        /// The peripheral is not connected for this manager.
        case notConnected
        /// Too much waits already.
        case outOfSpace
        /// The caller, or another call of this manager, gave the operation up.
        case operationCancelled
        /// The peripheral did not answer in time, or a link was lost for want of packets.
        case connectionTimeout
        /// The link ended; ``BluetoothError/reason`` is the Core Specification's.
        case peripheralDisconnected
        /// The UUID may not be published by an app: it is the system's.
        case uuidNotAllowed
        /// This manager advertises already.
        case alreadyAdvertising
        /// The link could not be made.
        case connectionFailed
        /// The controller, or its configuration, takes no more links.
        case connectionLimitReached
        /// The adapter does not know the peripheral. (`CBError.Code.unknownDevice`)
        case unknownDevice
        /// The peripheral, the characteristic or the host cannot do this.
        case operationNotSupported
        /// The peripheral has lost the keys of its bond, or has others; the message says which.
        case peerRemovedPairingInformation
        /// The link could not be encrypted in time, or pairing failed.
        case encryptionTimedOut
        /// There is no room for another bond.
        case tooManyLEPairedDevices
        /// The adapter is not powered on. Core Bluetooth only complains in its log.
        case notPoweredOn
        /// The server refused, or an app did: `CBATTError.Code`.
        case attribute(ATTErrorCode)
    }

    /// The kind of failure.
    public var code: Code
    /// Why a link ended or was not made, where the controller said so. Core Vol 1, Part F.
    public var reason: HCIStatus?
    /// One sentence for a user, without a full stop.
    public var message: String

    /// A failure; its message is that of the code unless there is more to say.
    public init(_ code: Code, reason: HCIStatus? = nil, _ message: String? = nil) {
        self.code = code
        self.reason = reason
        self.message =
            message ?? (reason.map { "\(code.message): \($0.message)" } ?? code.message)
    }

    /// The message.
    public var description: String { message }
}

extension BluetoothError.Code {
    /// What the code means, for a user.
    var message: String {
        switch self {
        case .unknown: "something went wrong"
        case .invalidParameters: "the arguments do not fit"
        case .invalidHandle: "the peripheral does not have it any more"
        case .notConnected: "the peripheral is not connected"
        case .outOfSpace: "too much waits already"
        case .operationCancelled: "it was given up"
        case .connectionTimeout: "the peripheral did not answer in time"
        case .peripheralDisconnected: "the peripheral is disconnected"
        case .uuidNotAllowed: "the system publishes this UUID itself"
        case .alreadyAdvertising: "it advertises already"
        case .connectionFailed: "the connection failed"
        case .connectionLimitReached: "there are as many connections as there can be"
        case .unknownDevice: "nobody knows this device"
        case .operationNotSupported: "this cannot be done"
        case .peerRemovedPairingInformation:
            "the peripheral has lost its pairing: forget it here, and pair again"
        case .encryptionTimedOut: "the connection could not be secured"
        case .tooManyLEPairedDevices: "there is no room for another pairing"
        case .notPoweredOn: "Bluetooth is not on"
        case .attribute(let code): "the peer refused: \(code.nameWithCode)"
        }
    }
}

extension BluetoothError {
    /// The host does not take a service.
    init(notPublished error: HostUsageError) { self.init(.outOfSpace, error.message) }

    /// The host does not take a value.
    init(notSent error: HostUsageError) {
        self.init(.unknown, "the value was not sent: \(error.message)")
    }

    /// The controller does not scan, or no longer.
    init(_ failure: Scanner.Failure) {
        let reason =
            switch failure {
            case .refused(_, let status): status.message
            case .timedOut: "it does not answer"
            case .controllerLost: "it is gone, or was reset"
            }
        self.init(.unknown, "the controller does not scan: \(reason)")
    }

    /// The controller does not advertise.
    init(_ failure: Advertiser.Failure) {
        switch failure {
        case .refused(_, let status): self.init(.unknown, status.message)
        case .timedOut: self.init(.unknown, "it does not answer")
        }
    }
}
