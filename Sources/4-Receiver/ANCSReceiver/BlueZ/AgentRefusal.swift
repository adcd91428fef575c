internal import BlueZ
package import DBus

extension BusError {
    /// bluetoothd refused the agent with this error: for people.
    package var agentRefusal: String {
        "bluetoothd does not let this program pair with you: \(text)"
    }
}
