internal import DBus
internal import Octets

// From a connection to a bond.
extension PhoneLink {
    /// The phone may pair from now on; `again` says whether also after it has failed to.
    mutating func pairingAllowed(again: Bool) {
        guard state == .stranger, !device.isPaired, again || !hasFailedToPair else { return }
        pair()
    }

    mutating func pair() {
        state = .pairing
        call(.pair)
    }

    mutating func paired(
        _ result: Result<[BusValue], BusError>, at now: MonotonicInstant
    ) {
        guard state == .pairing else { return }
        switch result {
        case .success:
            // So bluetoothd accepts the phone's other services without asking.
            if !device.isTrusted { call(.trust) }
            becamePaired(at: now)
        case .failure(let error):
            // Whatever the answer, or none: it is paired, perhaps by somebody else.
            if device.isPaired || error.blueZName == "AlreadyExists" {
                return becamePaired(at: now)
            }
            state = .stranger
            // Somebody else pairs it; that it is done will be seen by the property.
            guard !error.isInProgress else { return }
            hasFailedToPair = true
            tell(.pairingFailed(error.pairingFailure))
        }
    }

    mutating func becamePaired(at now: MonotonicInstant) {
        toldIdentity = device.address
        tell(.paired(identity: device.address))
        beginResolving(at: now, mayBeEarly: true)
    }

    /// bluetoothd may learn the identity address after it has said that the phone is paired.
    mutating func tellIdentity() {
        guard device.isPaired, device.address != toldIdentity else { return }
        toldIdentity = device.address
        tell(.paired(identity: device.address))
    }
}
