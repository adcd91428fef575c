package import BluetoothTypes
internal import DBus

// bluetoothd's errors have names and texts. Those here are from its src/gatt-client.c
// (create_gatt_dbus_error), src/error.c and src/device.c (new_authentication_return).
extension BusError {
    static let blueZPrefix = "org.bluez.Error."

    /// The name without bluetoothd's prefix; empty for other errors.
    package var blueZName: Substring {
        // Not inlined: it is called in many places.
        @inline(never) get {
            name.hasPrefix(Self.blueZPrefix) ? name.dropFirst(Self.blueZPrefix.count) : ""
        }
    }

    /// The message of the error for people or, without one, its name.
    package var text: String { message.isEmpty ? name : message }

    /// bluetoothd refused the agent with this error: for people.
    package var agentRefusal: String {
        "bluetoothd does not let this program pair with you: \(text)"
    }

    /// No reply within the limit.
    package var isNoReply: Bool { name == Self.noReply }

    /// Whether bluetoothd has answered: not the bus, or this side, in place of a program that does not.
    package var isOfDaemon: Bool {
        switch name {
        case Self.noReply, Self.serviceUnknown, Self.nameHasNoOwner, Self.disconnected: false
        case _: true
        }
    }

    /// The same call is in progress, or has already taken effect.
    package var isInProgress: Bool { blueZName == "InProgress" }

    /// The phone's attributes have changed, and it carries out nothing until it has said so: *Database Out Of Sync*, once,
    /// as bluetoothd has asked for (Robust Caching; Core Vol 3, Part G, 2.5.2.1). Seen in 5.66.
    package var isOutOfSync: Bool { attErrorCodeOfText == 0x12 }

    /// Whether the same call may be answered soon: another program's is in the way, or the phone's attributes were.
    package var isMomentary: Bool { isInProgress || isOutOfSync }

    /// The values of the characteristic already go to a socket.
    package var isAcquired: Bool { blueZName == "NotPermitted" && message == "Notify acquired" }

    /// The device is not connected any more, or not yet for this purpose.
    package var isNotConnected: Bool {
        blueZName == "NotConnected" || (blueZName == "Failed" && message == "Not connected")
    }

    /// The object has disappeared with the service or the device.
    package var isGone: Bool {
        name == Self.unknownObject || name == Self.unknownMethod || name == Self.unknownInterface
    }

    /// The ATT error code of the phone, as far as bluetoothd reports it; *Unlikely Error* for an error that
    /// is not the phone's. Core Vol 3, Part F, 3.4.1.1.
    package var attErrorCode: UInt8 {
        if let code = attErrorCodeOfText { return code }
        return switch (blueZName, message) {
        case ("NotPermitted", "Read not permitted"): 0x02
        case ("NotPermitted", "Not paired"): 0x05
        case ("NotPermitted", _): 0x03
        case ("NotAuthorized", _): 0x08
        case ("InvalidArguments", "Invalid offset"): 0x07
        case ("InvalidArguments", _): 0x0D
        case ("NotSupported", _): 0x06
        case _: 0x0E
        }
    }

    /// Whether it can only be the phone that has refused. Other texts are also bluetoothd's own.
    package var isOfPhone: Bool {
        attErrorCodeOfText != nil || blueZName == "NotAuthorized" || message == "Not paired"
    }

    /// The code in `Operation failed with ATT error: 0xa2`.
    private var attErrorCodeOfText: UInt8? {
        guard blueZName == "Failed", let mark = message.firstRange(of: "ATT error: 0x") else {
            return nil
        }
        return UInt8(message[mark.upperBound...].prefix(2), radix: 16)
    }

    /// Why pairing failed.
    package var pairingFailure: SecurityFailure {
        switch blueZName {
        case "AuthenticationCanceled": .cancelled
        case "AuthenticationRejected": .refused(.numericComparisonFailed)
        case "AuthenticationTimeout": .timedOut
        case "AuthenticationFailed": .refusedByPeer(.unspecified)
        case _: isNoReply ? .timedOut : .refusedByPeer(.unspecified)
        }
    }
}
