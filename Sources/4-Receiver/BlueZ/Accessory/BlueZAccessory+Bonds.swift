package import ANCSEvents
package import DBus

// Whose bonds count. bluetoothd says neither who made a bond nor how: any program of any local user may have, with a
// device that asks for nothing. So a bond that this program did not make is asked about, once, when the device offers
// ANCS.
extension BlueZAccessory {
    /// A question about a bond. It outlives the link: the answer is for the bond.
    struct BondQuestion: Equatable, Sendable {
        let id: UInt64
        let bond: BondIdentity
        let path: ObjectPath
        /// Where the device was met last.
        var phone: PhoneID
    }

    /// The questions about bonds have numbers that those of pairing never reach.
    static let firstBondQuestion: UInt64 = 1 << 63

    // MARK: What earlier runs have decided

    /// What earlier runs of this program have kept. Call it before the owner of the name is reported.
    package mutating func decided(_ decisions: [BondIdentity: Bool]) { bonds = BondBook(decisions) }

    /// The bonds of all adapters.
    package var knownBonds: [BondIdentity] {
        tree.paired.compactMap { path in tree.devices[path].flatMap { bond(of: path, $0.object) } }
    }

    /// The user accepts a bond, or does not.
    package mutating func decide(_ bond: BondIdentity, isAccepted: Bool, at now: MonotonicInstant) {
        let path = tree.devices.first { self.bond(of: $0.key, $0.value.object) == bond }?.key
        bonds.decide(bond, at: path, isAccepted: isAccepted)
        output(.report(.decided(bond, isAccepted: isAccepted)))
        withdrawQuestion { $0.bond == bond }
        pairedPhoneCount = nil
        updateAcceptance(at: now)
        settle(at: now)
    }

    // MARK: Which bonds count

    func bond(of path: ObjectPath, _ device: DeviceObject) -> BondIdentity? {
        guard let adapter = tree.adapters.first(where: { path.isBelow($0.key) })?.value else {
            return nil
        }
        return BondIdentity(
            adapter: adapter.address, address: device.address, type: device.addressType)
    }

    func isAccepted(_ path: ObjectPath, _ device: DeviceObject) -> Bool {
        if configuration.bonds == .any || acquaintances[path]?.isPairedHere == true { return true }
        return bond(of: path, device).flatMap { bonds.decisions[$0] } == true
    }

    /// Handles the reply, whether the phone is still connected or not. What the user has answered belongs to the
    /// link on which `Pair` was called: the next one may already pair.
    package mutating func pairReplied(
        _ result: BusResult, of phone: PhoneID, _ path: ObjectPath, at now: MonotonicInstant
    ) {
        pairedPhoneCount = nil
        var isAuthenticated = false
        if let index = index(of: phone) {
            isAuthenticated = desk.agent.ended(path)
            phones[index].link.isAuthenticated = isAuthenticated
        }
        let hasSucceeded = if case .success = result { true } else { false }
        notePairing(of: path, isAuthenticated: isAuthenticated, hasSucceeded: hasSucceeded, at: now)
    }

    /// Pairing that this program has begun, or answered, has ended. Whatever `Pair` returns, a bond for which the user
    /// has compared digits here was made here.
    mutating func notePairing(
        of path: ObjectPath, isAuthenticated: Bool, hasSucceeded: Bool, at now: MonotonicInstant
    ) {
        guard let device = tree.devices[path]?.object,
            isAuthenticated || !configuration.requiresAuthentication,
            hasSucceeded || isAuthenticated && device.isPaired
        else { return }
        acquaintances[path, default: Acquaintance()].isPairedHere = true
        if device.isPaired, let bond = bond(of: path, device) { noteOwnBond(bond, path) }
        if let index = index(at: path) { phones[index].link.isAccepted = true }
    }

    /// This program made the bond, as soon as its identity is known.
    private mutating func noteOwnBond(_ bond: BondIdentity, _ path: ObjectPath) {
        guard acquaintances[path]?.isPairedHere == true, bonds.decisions[bond] != true,
            tree.devices[path]?.object.hasIdentity == true
        else { return }
        bonds.decide(bond, at: path, isAccepted: true)
        output(.report(.decided(bond, isAccepted: true)))
        withdrawQuestion { $0.bond == bond }
    }

    private mutating func updateAcceptance(at now: MonotonicInstant) {
        for index in phones.indices {
            let isAccepted = isAccepted(phones[index].path, phones[index].link.device)
            phones[index].link.acceptanceChanged(to: isAccepted, isRoomLeft: hasRoom, at: now)
        }
    }

    // MARK: When a decision is void

    mutating func noteBondsOfAdapter(_ path: ObjectPath, at now: MonotonicInstant) {
        bonds.adapterChanged(path, address: tree.adapters[path]?.address, at: now)
    }

    mutating func noteBond(of path: ObjectPath, at now: MonotonicInstant) {
        let device = tree.devices[path]?.object
        let bond = device.flatMap { self.bond(of: path, $0) }
        let isPaired = device?.isPaired == true
        if !isPaired { withdrawQuestion { $0.path == path } }
        if let gone = bonds.deviceChanged(path, bond, isPaired: isPaired, at: now) {
            if !isPaired { acquaintances[path]?.isPairedHere = false }
            void(gone, at: now)
        }
        if isPaired, let bond { noteOwnBond(bond, path) }
    }

    /// All objects of bluetoothd are listed.
    mutating func noteListedBonds(at now: MonotonicInstant) {
        for path in tree.adapters.keys { noteBondsOfAdapter(path, at: now) }
        for path in tree.devices.keys { noteBond(of: path, at: now) }
    }

    mutating func voidOverdueBonds(at now: MonotonicInstant) {
        // Devices beyond the limit of the tree are not seen, and may be there.
        let isComplete = tree.devices.count < ObjectTree.limit
        for bond in bonds.overdue(at: now) where isComplete { void(bond, at: now) }
        if !isComplete { bonds.forgetAbsences() }
    }

    private mutating func void(_ bond: BondIdentity, at now: MonotonicInstant) {
        bonds.void(bond)
        pairedPhoneCount = nil
        output(.report(.decided(bond, isAccepted: nil)))
        updateAcceptance(at: now)
    }

    // MARK: Who waits

    /// Gives places to those that wait for one, and says of the others why they are not received from. Returns
    /// whether one has got a place.
    mutating func noteUnserved(at now: MonotonicInstant) -> Bool {
        var isNews = false
        for index in phones.indices {
            if phones[index].link.waitsForPlace, hasRoom {
                phones[index].link.placeIsFree(at: now)
                isNews = true
            }
            let reason = unserved(phones[index])
            guard exchange(&phones[index].unserved, with: reason) != reason, let reason else {
                continue
            }
            report(.peer(.unserved(reason)), of: phones[index].id)
            if reason == .notAccepted, configuration.bonds == .ask { ask(about: phones[index]) }
        }
        return isNews
    }

    private func unserved(_ phone: Phone) -> Unserved? {
        if phone.link.waitsForPlace { return .noPlace }
        guard phone.link.state == .unaccepted, phone.link.device.isPaired else { return nil }
        let decision = bond(of: phone.path, phone.link.device).flatMap { bonds.decisions[$0] }
        return decision == nil ? .notAccepted : .declined
    }

    private mutating func ask(about phone: Phone) {
        guard let bond = bond(of: phone.path, phone.link.device) else { return }
        let known = bondQuestions.firstIndex { $0.bond == bond }
        lastBondQuestion += known == nil ? 1 : 0
        let question = BondQuestion(
            id: known.map { bondQuestions[$0].id } ?? lastBondQuestion, bond: bond,
            path: phone.path, phone: phone.id)
        bondQuestions.removeAll { $0.bond == bond }
        bondQuestions.append(question)
        report(
            .askAboutBond(question.id, address: bond.address, name: phone.link.device.name),
            of: phone.id)
    }

    /// The user wants to pair: those that are connected and were declined are asked about again.
    mutating func askAgain() {
        guard configuration.bonds == .ask else { return }
        for index in phones.indices where phones[index].unserved == .declined {
            guard let bond = bond(of: phones[index].path, phones[index].link.device) else {
                continue
            }
            bonds.void(bond)
            phones[index].unserved = nil
        }
    }

    mutating func withdrawQuestion(where isMeant: (BondQuestion) -> Bool) {
        for question in bondQuestions where isMeant(question) {
            report(.peer(.pairingWithdrawn), of: question.phone)
        }
        bondQuestions.removeAll(where: isMeant)
    }
}
