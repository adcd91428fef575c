internal import JSONText

/// A known peer as JSON: its identifier, its last address, its identity and its name.
extension KnownPeer {
    var json: JSONValue {
        .object(present: [
            "identifier": .string(identifier.text), "on air": DeviceState.json(of: address),
            "identity": identity.map(DeviceState.json), "ancs": offersANCS ? true : nil,
            "name": name.map { .string($0) },
        ])
    }

    /// The peer; `nil` if the value is not a valid one.
    init?(json: JSONValue) {
        guard let identifier = json["identifier"]?.string.flatMap(PeerIdentifier.init(text:)),
            let address = try? DeviceState.address(json["on air"], "on air")
        else { return nil }
        self.identifier = identifier
        self.address = address
        if let value = json["identity"] {
            guard let identity = try? DeviceState.address(value, "identity"), identity.canBeIdentity
            else { return nil }
            self.identity = identity
        }
        // Earlier versions did not store it; the phone will show it again.
        offersANCS = json["ancs"]?.boolean ?? false
        // A name has at most 248 octets. Core Vol 3, Part C, 12.1.
        name = json["name"]?.string.flatMap { $0.utf8.count <= 248 ? $0 : nil }
    }
}
