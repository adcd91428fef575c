internal import Octets

// Who may be on air: advertising, scanning and initiating share one address, and most controllers do
// not scan while they initiate.
extension Host {
    /// Holds whoever has to wait, and lets go on who need not.
    mutating func arrangeAir(at now: MonotonicInstant) {
        guard case .running = state else { return }
        setAddress(at: now)
        let isReady = ownAddress.isReady
        if isReady, let address = advertiser.address, address != ownAddress.address {
            advertiser.changeAddress(to: ownAddress.address)
        }
        advertiser.setHeld(
            !isReady && !(ownAddress.state == .refused && advertiser.hasAddressOfItsOwn))
        // A controller may refuse to scan and to initiate at once (Core Vol 4, Part E, 7.8.27);
        // whatever it says of itself, one after the other always works.
        initiator.setHeld(!isReady || !scanner.isQuiet)
        scanner.setHeld(!isReady || initiator.address != nil)
    }

    /// Tells the controller its random address, when somebody wants it and nobody is on air.
    private mutating func setAddress(at now: MonotonicInstant) {
        let isWanted =
            advertiser.address != nil || scanner.isWanted || initiator.address != nil
        guard isWanted, advertiser.isQuiet, scanner.isQuiet, initiator.isQuiet,
            ownAddress.begin()
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

    /// The controller did not take the address; without a status it did not answer.
    private mutating func addressRefused(_ status: HCIStatus?, at now: MonotonicInstant) {
        let mayRetry = status == nil || status == .commandDisallowed
        ownAddress.failed(mayRetry: mayRetry, at: now)
        switch ownAddress.state {
        case .unset:
            // Something may still be on air that was believed to be off.
            advertiser.distrust()
            scanner.distrust()
        case .refused:
            let opcode = HCIOpcode.leSetRandomAddress
            scanner.abandon(status.map { .refused(opcode, $0) } ?? .timedOut(opcode))
            initiator.abandon(status.map { .refused($0) } ?? .unanswered)
            // An advertising set has an address of its own.
            if !advertiser.hasAddressOfItsOwn {
                advertiser.abandon(status.map { .refused(opcode, $0) } ?? .timedOut(opcode))
            }
        case .set, .setting: break
        }
    }

    /// Uses another private address when the one on air has been in use long enough.
    mutating func rotateAddress(at now: MonotonicInstant) {
        guard let deadline = ownAddress.deadline, deadline <= now else { return }
        ownAddress.replace(
            with: PrivateAddress.makeResolvable(
                irk: configuration.security.localKeys.identityResolvingKey, using: &toolbox))
    }
}
