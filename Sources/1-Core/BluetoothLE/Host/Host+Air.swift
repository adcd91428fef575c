internal import Octets

// Arbitration of the air: advertising, scanning and initiating share one address, and most controllers cannot
// scan while they initiate.
extension Host {
    /// Pauses the machines that have to wait, and continues the others.
    mutating func arrangeAir(at now: MonotonicInstant) {
        guard case .running = state else { return }
        setAddress(at: now)
        let isReady = ownAddress.isReady
        if isReady, let address = advertiser.address, address != ownAddress.address {
            advertiser.changeAddress(to: ownAddress.address)
        }
        advertiser.setHeld(
            !isReady && !(ownAddress.state == .refused && advertiser.hasAddressOfItsOwn))
        central?.arrange(hasAddress: isReady)
    }

    /// Sets the controller's random address, if a machine needs it and none is on air.
    private mutating func setAddress(at now: MonotonicInstant) {
        guard ownAddress.needsCommand, advertiser.address != nil || central?.isWanted == true,
            advertiser.isQuiet, central?.isQuiet != false, ownAddress.begin()
        else { return }
        if case .running(let abilities) = state, abilities.supports(.leSetRandomAddress) {
            let command = HCI.LESetRandomAddress(address: ownAddress.address)
            submit(HCICommandPacket(command), for: .ownAddress, at: now)
        } else {
            addressRefused(.unknownCommand, at: now)
        }
    }

    /// The command that sets the address ended.
    mutating func addressCommandEnded(_ result: HCICommandResult, at now: MonotonicInstant) {
        guard result.isSuccess else { return addressRefused(result.status, at: now) }
        ownAddress.succeeded(at: now)
    }

    /// The controller did not accept the address; without a status it did not answer.
    private mutating func addressRefused(_ status: HCIStatus?, at now: MonotonicInstant) {
        let mayRetry = status == nil || status == .commandDisallowed
        ownAddress.failed(mayRetry: mayRetry, at: now)
        switch ownAddress.state {
        case .unset:
            // The controller may still be doing something that it was believed to have stopped.
            advertiser.distrust()
            central?.distrust()
        case .refused:
            central?.addressRefused(status)
            // An advertising set has its own address.
            if !advertiser.hasAddressOfItsOwn {
                let opcode = HCIOpcode.leSetRandomAddress
                advertiser.abandon(status.map { .refused(opcode, $0) } ?? .timedOut(opcode))
            }
        case .set, .setting: break
        }
    }

    /// Replaces the private address at the end of its lifetime.
    mutating func rotateAddress(at now: MonotonicInstant) {
        guard let deadline = ownAddress.deadline, deadline <= now else { return }
        replaceAddress()
    }

    /// Uses another private address.
    mutating func replaceAddress() {
        ownAddress.replace(
            with: PrivateAddress.makeResolvable(
                irk: configuration.security.localKeys.identityResolvingKey, using: &toolbox))
    }
}
