package import DBus

/// What to do about pairing at bluetoothd, for people.
package enum PairingAdvice {
    /// bluetoothd refused the agent with this error.
    package static func agentRefused(_ error: BusError) -> String {
        "bluetoothd does not let this program pair with you: \(error.text)"
    }
}
