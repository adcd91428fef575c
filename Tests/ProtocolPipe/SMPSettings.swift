internal import ANCSKit
internal import BluetoothLE
internal import JSONText
internal import Octets

/// Reads the members of `{"smp":{…}}`. Keys and numbers are written as in the specification, most significant
/// octet first.
struct SMPSettings {
    var json: JSONValue

    func role() throws(PipeError) -> SecurityManager.Role {
        switch json["role"]?.string {
        case "initiator": .initiator
        case "responder": .responder
        default: throw PipeError(message: "\"role\" is neither initiator nor responder")
        }
    }

    /// The address that a device uses on air.
    func address(_ name: String) throws(PipeError) -> DeviceAddress {
        let device = json[name]
        let kind: DeviceAddress.Kind = device?["random"]?.boolean == true ? .random : .public
        guard let text = device?["address"]?.string,
            let address = DeviceAddress(text: text, kind: kind)
        else { throw PipeError(message: "\"\(name)\" has no \"address\"") }
        return address
    }

    /// The identity address, if one is given. It counts as public unless it equals the address on air or is
    /// declared random.
    private func identity(of name: String) throws(PipeError) -> DeviceAddress? {
        guard let text = json[name]?["identity"]?.string else { return nil }
        let isRandom = json[name]?["identity_random"]?.boolean
        guard let identity = DeviceAddress(text: text, kind: isRandom == true ? .random : .public)
        else { throw PipeError(message: "\"identity\" of \"\(name)\" is not an address") }
        let onAir = try address(name)
        return isRandom == nil && onAir.rawValue == identity.rawValue ? onAir : identity
    }

    func number(_ name: String, octets count: Int) throws(PipeError) -> UInt128? {
        guard let member = json[name], member != .null else { return nil }
        if let integer = member.integer, let number = UInt128(exactly: integer) { return number }
        guard let octets = member.string.flatMap({ Hexadecimal.octets($0) }),
            octets.count == count
        else {
            throw PipeError(
                message: "\"\(name)\" must be \(count) octets in hexadecimal, or a number from 0")
        }
        return octets.reduce(0) { $0 << 8 | UInt128($1) }
    }

    func toolbox() throws(PipeError) -> PipeToolbox {
        var toolbox = PipeToolbox()
        if let text = json["private_key"]?.string {
            guard let octets = Hexadecimal.octets(text), octets.count == 32 else {
                throw PipeError(message: "\"private_key\" is not 32 octets in hexadecimal")
            }
            let privateKey = P256Scalar(
                high: octets.prefix(16).reduce(0) { $0 << 8 | UInt128($1) },
                low: octets.suffix(16).reduce(0) { $0 << 8 | UInt128($1) })
            guard let pair = toolbox.base.keyPair(privateKey: privateKey) else {
                throw PipeError(message: "\"private_key\" is not a private key of P-256")
            }
            toolbox.keyPair = pair
        }
        for value in json["random"]?.array ?? [] {
            let reader = SMPSettings(json: ["random": value])
            toolbox.randoms.append(try reader.number("random", octets: 16) ?? 0)
        }
        return toolbox
    }

    func configuration() throws(PipeError) -> SecurityConfiguration {
        var configuration = SecurityConfiguration()
        configuration.ioCapability = try ioCapability()
        configuration.authentication = AuthenticationRequirements(
            rawValue: octet("auth_req", default: 0x09))
        configuration.initiatorKeys = KeyDistribution(rawValue: octet("init_keys", default: 3))
        configuration.responderKeys = KeyDistribution(rawValue: octet("resp_keys", default: 3))
        configuration.minimumKeySize = json["min_key_size"]?.integer ?? 7
        configuration.maximumKeySize = json["max_key_size"]?.integer ?? 16
        configuration.announcesOutOfBandData = json["oob"]?.boolean ?? (json["oob"]?.string != nil)
        configuration.outOfBandKey = try number(
            json["oob"]?.string == nil ? "tk" : "oob", octets: 16)
        configuration.passkeySource = passkeySource
        // Test vectors use the sample key pair of the specification, which is the debug key pair.
        configuration.acceptsDebugKeys = json["debug_keys"]?.boolean ?? true
        configuration.requiresSecureConnections = json["sc_only"]?.boolean ?? false
        configuration.requiredAuthentication =
            json["mitm_only"]?.boolean ?? false ? .always : .none
        if json["pairable"]?.boolean == false { configuration.pairing = .never }
        configuration.rePairing = configuration.pairing
        configuration.localKeys = SecurityConfiguration.LocalKeys(
            identityAddress: try identity(of: "own"),
            identityResolvingKey: try number("irk", octets: 16) ?? 0,
            longTermKey: try number("ltk", octets: 16),
            ediversifier: json["ediv"]?.integer.map { UInt16(clamping: $0) },
            random: try number("rand", octets: 8).map { UInt64($0) },
            signatureResolvingKey: try number("csrk", octets: 16))
        return configuration
    }

    /// With fixed random values, the passkey is an input too.
    private var passkeySource: SecurityConfiguration.PasskeySource {
        if let passkey = json["passkey"]?.integer { return .fixed(UInt32(clamping: passkey)) }
        return json["random"] == nil ? .random : .chosenByOwner
    }

    private func ioCapability() throws(PipeError) -> IOCapability {
        switch json["io"]?.string {
        case "none", nil: .noInputNoOutput
        case "display": .displayOnly
        case "keyboard": .keyboardOnly
        case "yesno": .displayYesNo
        case "keyboardDisplay": .keyboardDisplay
        case .some(let text): throw PipeError(message: "there is no \"io\" \"\(text)\"")
        }
    }

    private func octet(_ name: String, default value: UInt8) -> UInt8 {
        json[name]?.integer.map { UInt8(clamping: $0) } ?? value
    }

    /// The stored bond of the peer, if `"bond"` is given.
    func bond() throws(PipeError) -> Bond? {
        guard let json = json["bond"] else { return nil }
        let reader = SMPSettings(json: json)
        let key = Bond.LongTermKey(
            value: try reader.number("ltk", octets: 16) ?? 0,
            ediversifier: UInt16(clamping: json["ediv"]?.integer ?? 0),
            random: UInt64(try reader.number("rand", octets: 8) ?? 0))
        let (own, peer) = (try address("own"), try address("peer"))
        return Bond(
            identityAddress: try identity(of: "peer") ?? peer,
            localIdentityAddress: try identity(of: "own") ?? own,
            localLongTermKey: key, peerLongTermKey: key,
            keySize: json["key_size"]?.integer ?? 16,
            isAuthenticated: json["authenticated"]?.boolean ?? false,
            usesSecureConnections: json["secure_connections"]?.boolean ?? true)
    }
}

extension Bond {
    /// `ltk`, `ediv` and `rand` are used for encryption in this role; `irk`, `csrk` and `identity` are the
    /// peer's; the keys distributed by this side are in `own`.
    func json(role: SecurityManager.Role) -> JSONValue {
        func keys(
            _ key: LongTermKey?, irk: UInt128?, csrk: UInt128?
        ) -> [JSONValue.Member] {
            [JSONValue.Member](present: [
                "ltk": key.map { .string(hexadecimal($0.value)) },
                "ediv": key.map { .integer(Int($0.ediversifier)) },
                "rand": key.map { .string(hexadecimal($0.random)) },
                "irk": irk.map { .string(hexadecimal($0)) },
                "csrk": csrk.map { .string(hexadecimal($0)) },
            ])
        }
        func peer(_ key: LongTermKey?) -> [JSONValue.Member] {
            keys(key, irk: identityResolvingKey, csrk: signatureResolvingKey)
        }
        let own = keys(
            localLongTermKey, irk: localIdentityResolvingKey, csrk: localSignatureResolvingKey)
        let properties = [JSONValue.Member](present: [
            "identity": .string(identityAddress.text),
            "identity_random": .boolean(identityAddress.kind == .random),
            "key_size": .integer(keySize), "authenticated": .boolean(isAuthenticated),
            "secure_connections": .boolean(usesSecureConnections), "own": .object(own),
            "peer": .object(peer(peerLongTermKey)),
        ])
        return .object(
            peer(role == .initiator ? peerLongTermKey : localLongTermKey) + properties)
    }
}
