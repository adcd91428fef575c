public import BluetoothTypes

extension KeyTrouble.Kind {
    /// The name in JSON: `missing`, `different` or `unknown`.
    public var name: String {
        switch self {
        case .missing: "missing"
        case .different: "different"
        case .unknown: "unknown"
        }
    }
}

extension KeyTrouble {
    /// What happened with the keys of a phone, and which side has to forget what, in one sentence. `name` is
    /// the name of this device, `pairing` says how to open pairing here (`run 'ancs pair'`), and `removal` how
    /// to remove the bond here, if it is not replaced by pairing again.
    ///
    /// Forgetting is advised only when the trouble lasts: a device that only uses the phone's address must not
    /// cost the phone its bond.
    public func message(of name: String, pairing: String, removal: String? = nil) -> String {
        let seen =
            switch kind {
            case .missing: "has no keys for this device"
            case .different: "has another key than this device"
            case .unknown: "asked for the key of another bond this time"
            }
        let start = "the phone " + (isLasting ? "still " : "") + seen
        guard kind != .unknown else {
            return start + ": its bond is kept, and nothing is to be done"
        }
        return start + ", or another device claims to be it: "
            + advice(of: name, pairing: pairing, removal: removal)
    }

    private func advice(of name: String, pairing: String, removal: String?) -> String {
        let again = "\(pairing), and choose '\(name)' there again"
        guard !isLasting else {
            let here = removal.map { $0 + ", " } ?? ""
            return "if it goes on, \(here)forget '\(name)' on the phone, \(again)"
        }
        guard kind == .missing else { return "its bond is kept, and nothing is to be done yet" }
        // Pairing again does not replace a bond that has to be removed first.
        let here = removal.map { $0 + ", " } ?? ""
        return "if you removed '\(name)' on the phone, \(here)\(again)"
    }
}
