public import BluetoothTypes

/// Why a call to a manager, a `Peripheral` or a subscriber failed, with the errors of Core Bluetooth:
/// ``Code`` has the cases of `CBError.Code`, and ``Code/attribute(_:)`` those of `CBATTError.Code`.
///
///     do { try await peripheral.readValue(for: characteristic) } catch {
///         guard error.code == .attribute(.readNotPermitted) else { throw error }
///         …
///     }
///
/// All these calls use typed throws, so `error` has this type in a `catch`. (Swift 6.3.1 crashes on some
/// functions with a `catch where` for it.)
public struct BluetoothError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Equatable, Sendable {
        /// Any other failure; see the message.
        case unknown
        /// The call does not accept an argument.
        case invalidParameters
        /// The peripheral does not have the service, characteristic or descriptor, or no longer has it.
        case invalidHandle
        /// The peripheral is not connected for this manager.
        case notConnected
        /// A queue is full.
        case outOfSpace
        /// The caller, or another call of this manager, cancelled the operation.
        case operationCancelled
        /// The peripheral did not answer in time, or the link was lost because no packets arrived.
        case connectionTimeout
        /// The link ended; ``BluetoothError/reason`` says why.
        case peripheralDisconnected
        /// Apps may not publish the UUID, because the system does.
        case uuidNotAllowed
        /// This manager is already advertising.
        case alreadyAdvertising
        /// The link could not be established.
        case connectionFailed
        /// The limit of links is reached, of the controller or of its configuration.
        case connectionLimitReached
        /// The adapter does not know the peripheral. (`CBError.Code.unknownDevice`)
        case unknownDevice
        /// The peripheral, the characteristic or the host does not support this.
        case operationNotSupported
        /// The peripheral has lost the keys of its bond, or has different ones; see the message.
        case peerRemovedPairingInformation
        /// The link could not be encrypted in time, or pairing failed.
        case encryptionTimedOut
        /// There is no room for another bond.
        case tooManyLEPairedDevices
        /// Another program of this machine has the characteristic for itself, at bluetoothd. Not in Core Bluetooth.
        case takenByAnotherProgram
        /// The adapter is not powered on. Core Bluetooth only writes to its log.
        case notPoweredOn
        /// The server, or the app that serves the attribute, refused: `CBATTError.Code`.
        case attribute(ATTErrorCode)
    }

    /// The kind of failure.
    public var code: Code
    /// Why a link ended or could not be established, if the controller reported it. Core Vol 1, Part F.
    public var reason: HCIStatus?
    /// One sentence for people, without a full stop.
    public var message: String

    /// A failure with this code; the message defaults to that of the code.
    public init(_ code: Code, reason: HCIStatus? = nil, _ message: String? = nil) {
        self.code = code
        self.reason = reason
        self.message = message ?? (reason.map { "\(code.message): \($0.message)" } ?? code.message)
    }

    /// The failure of what needs an adapter that is on; the message says why it is not, if that is known.
    package init(notPoweredOnBecause reason: String?) {
        self.init(.notPoweredOn, reason.map { "\(Code.notPoweredOn.message): \($0)" })
    }

    /// The message.
    public var description: String { message }
}

extension BluetoothError.Code {
    /// The meaning of the code, for people.
    var message: String {
        switch self {
        case .unknown: "unknown error"
        case .invalidParameters: "invalid arguments"
        case .invalidHandle: "the peripheral no longer has this attribute"
        case .notConnected: "the peripheral is not connected"
        case .outOfSpace: "queue full"
        case .operationCancelled: "the operation was cancelled"
        case .connectionTimeout: "the peripheral did not answer in time"
        case .peripheralDisconnected: "the peripheral is disconnected"
        case .uuidNotAllowed: "the system publishes this UUID itself"
        case .alreadyAdvertising: "already advertising"
        case .connectionFailed: "the connection failed"
        case .connectionLimitReached: "too many connections"
        case .unknownDevice: "unknown device"
        case .operationNotSupported: "not supported"
        case .peerRemovedPairingInformation:
            "the peripheral has lost its pairing; forget it here, and pair again"
        case .encryptionTimedOut: "the connection was not encrypted in time"
        case .tooManyLEPairedDevices: "too many paired devices"
        case .takenByAnotherProgram: "another program of this machine uses it"
        case .notPoweredOn: "Bluetooth is not on"
        case .attribute(let code): "the peer refused: \(code.nameWithCode)"
        }
    }
}
