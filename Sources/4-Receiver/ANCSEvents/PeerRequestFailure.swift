package import BluetoothTypes

/// Why a request to a peer failed.
package enum PeerRequestFailure: Error, Equatable, Sendable {
    /// The peer refused it, or the link did not last. bluetoothd does not tell *Insufficient Authentication*,
    /// *Authorization* and *Encryption* apart, and *Unlikely Error* stands for its own errors; `transactionTimedOut` means
    /// that it does not answer, and that nothing is answered on this link any more.
    case gatt(GATTFailure)
    /// The host of our own cannot send it now, for a reason in words for people.
    case notSent(String)
    /// bluetoothd has no method for this.
    case notSupported
    /// Another program has the values of the characteristic, or its writes, for itself.
    case takenByAnotherProgram
    /// bluetoothd keeps the characteristic for an earlier request of this program, which it has never answered: a write,
    /// or before 5.84 a subscription. Only a restart of bluetoothd or the removal of the device ends that.
    case keptByBluetoothd
    /// Too many requests wait.
    case tooManyRequests
}
