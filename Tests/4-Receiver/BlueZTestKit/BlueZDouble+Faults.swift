internal import ANCSProvider
internal import ANCS
package import DBus
internal import Glibc

// What a test has bluetoothd do wrong, and how it is set right again.
extension BlueZDouble {
    /// A call is never answered from now on.
    package func ignore(_ call: String) { unanswered.insert(call) }

    /// A call is answered again.
    package func stopIgnoring(_ call: String) { unanswered.remove(call) }

    /// It ends when it is called for this, from now on.
    package func end(at call: String) { deadly.insert(call) }

    /// A call is refused from now on.
    package func refuse(_ call: String, with error: BusError) { refusals[call] = error }

    /// A call is not refused any more.
    package func stopRefusing(_ call: String) { refusals[call] = nil }

    /// Sends any octets by the sockets of the Data Source.
    package func sendData(_ value: [UInt8]) {
        for phone in phones.values {
            guard let socket = phone.socket else { continue }
            _ = send(socket, value, value.count, CInt(MSG_NOSIGNAL))
        }
    }

    /// bluetoothd closes its ends of the sockets.
    package func hangUp() {
        for phone in phones.values {
            phone.closeSocket(on: loop)
            report(phone, .unsubscribed(.dataSource))
        }
    }
}
