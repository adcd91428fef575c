internal import BlueZ

// Which bonds are accepted, beyond the end of this program.
extension BlueZPort {
    /// Before bluetoothd is met.
    func readBonds() {
        do throws(StoreFailure) {
            if let bondMemory {
                guard let decisions = try bondMemory.read() else { return }
                runner.step { machine, _ in machine.decided(decisions) }
            }
        } catch {
            let message = "which phones are accepted is not known, and counts as nothing: "
            warn(.storage, message + error.message)
        }
        earlierPhones = nil
    }

    /// Who was received from before there was such a file was accepted.
    func acceptEarlierBonds() {
        guard let earlierPhones else { return }
        self.earlierPhones = nil
        let digests = earlierPhones()
        let bonds = digests.isEmpty ? [] : runner.query { $0.knownBonds }
        keep(nil, nil)
        for bond in bonds where digests.contains(self.digests.digest(of: bond.address)) {
            runner.step { $0.decide(bond, isAccepted: true, at: $1) }
        }
    }

    func keep(_ bond: BondIdentity?, _ isAccepted: Bool?) {
        guard let bondMemory else { return }
        do throws(StoreFailure) { try bondMemory.keep(bond, isAccepted) } catch {
            guard !exchange(&hasReportedBondMemory, with: true) else { return }
            let message = "which phones are accepted will not be remembered after this run: "
            warn(.storage, message + error.message)
        }
    }
}
