/// The state of the keys that a phone and an accessory share.
enum Bond {
    /// Both have shown that they store the keys.
    case kept
    /// The accessory has lost its keys, and the phone does not know.
    case lostByAccessory
    /// The phone's user has forgotten the accessory, and the two have not paired since.
    case forgotten
}

// A bond lasts until one of the two loses its keys, or the phone's user forgets the accessory.
extension Referee {
    /// An ANCS session has started. That requires encryption, so both sides have the keys and have had time
    /// to store them. A session that starts on a link about to end, because the accessory was forgotten,
    /// proves nothing.
    mutating func bondProved(_ pair: Pair) {
        if bonds[pair] != .forgotten { bonds[pair] = .kept }
    }

    /// The phone's user has forgotten an accessory.
    mutating func forgot(_ accessory: Int, by phone: Int) {
        bonds[Pair(phone: phone, accessory: accessory)] = .forgotten
    }

    /// A device returns with a new identity and without keys.
    mutating func isReborn(_ device: Plan.Device) {
        bonds = bonds.filter { pair, _ in
            switch device {
            case .phone(let index): pair.phone != index
            case .accessory(let index): pair.accessory != index
            }
        }
    }

    /// An accessory has lost its keys but keeps its identity.
    mutating func lostKeys(_ accessory: Int) {
        for (pair, bond) in bonds where pair.accessory == accessory && bond == .kept {
            bonds[pair] = .lostByAccessory
        }
    }

    /// A phone has paired with an accessory.
    mutating func paired(_ phone: Int, with accessory: Int) {
        let pair = Pair(phone: phone, accessory: accessory)
        switch bonds.removeValue(forKey: pair) {
        case .kept: violate("paired again, although no key was lost", "\(pair)")
        case .lostByAccessory where refusesLostKeys[phone]:
            violate("paired with an accessory whose key is lost", "\(pair)")
        case .lostByAccessory, .forgotten, nil: break
        }
    }

    /// A phone could not secure the link to an accessory, and its user has to help.
    mutating func securityFailed(_ reason: String, of phone: Int, with accessory: Int) {
        let pair = Pair(phone: phone, accessory: accessory)
        if case .kept = bonds[pair] { violate("keys that do not fit", "\(pair): \(reason)") }
    }
}
