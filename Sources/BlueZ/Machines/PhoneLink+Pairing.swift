internal import DBus
internal import Octets

// From the connection to the bond.
extension PhoneLink {
    /// The phone may pair from now on; with `again`, also after a failure.
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
            // A trusted device makes bluetoothd accept the phone's other services without asking.
            if !device.isTrusted { call(.trust) }
            becamePaired(at: now)
        case .failure(let error):
            // Whatever the reply, it is paired, perhaps by another program.
            if device.isPaired || error.blueZName == "AlreadyExists" {
                return becamePaired(at: now)
            }
            state = .stranger
            // Another program is pairing with it; the property will show the result.
            guard !error.isInProgress else { return }
            hasFailedToPair = true
            report(.pairingFailed(error.pairingFailure))
        }
    }

    mutating func becamePaired(at now: MonotonicInstant) {
        reportedIdentity = device.address
        report(.paired(identity: device.address))
        beginResolving(at: now, mayBeEarly: true)
    }

    /// bluetoothd may learn the identity address after it has reported the phone as paired.
    mutating func reportIdentity() {
        guard device.isPaired, device.address != reportedIdentity else { return }
        reportedIdentity = device.address
        report(.paired(identity: device.address))
    }
}
