package import ANCSKit
package import BluetoothLE

/// What was seen of an accessory and the link to it: by a phone, or in a capture of either side.
package enum LinkObservation: Sendable {
    /// It advertises so.
    case advertised(ReceivedAdvertisement)
    /// A link was established, with these parameters if they are known. `isWhole` says that its beginning was seen.
    case connected(LinkParameters?, isWhole: Bool)
    /// The link has ended; `isLost` says that it timed out.
    case disconnected(isLost: Bool)
    /// It requests connection parameters, which breaks these requirements.
    case requested(ConnectionParameters, breaking: [LinkRequirements.Breach])
    /// Its last request was answered; `isGranted` says that the link gets what was requested, and keeps it.
    case answered(isGranted: Bool)
    /// The link has other parameters.
    case inForce(LinkParameters)
    /// Either side refused a request of the other, as long as the link has no more protection.
    case refusedAccess
    /// It asks the phone to encrypt or to pair, without having tried it itself.
    case asksForSecurity
    /// The two begin to pair.
    case pairs
    /// Keys were made by pairing.
    case paired
    /// The link is encrypted with keys of an earlier pairing.
    case bondRestored
    /// It does not know the keys of an earlier pairing, or wants to pair again.
    case bondUnknown
    /// The phone has another address on this link than on the one before.
    case phoneAddressChanged
    /// Its primary services were discovered; none if it refuses that.
    case servicesFound([BluetoothUUID])
    /// Its identity resolving key was compared with those of others: it is that of the one with this name, or its own.
    case identityKeyCompared(sharedWith: String?)
}
