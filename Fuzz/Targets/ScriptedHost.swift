import Octets

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver
@testable import BluetoothLE

/// A ``Host`` whose owner acts as the script gives, with the rules that it must keep with any controller.
final class ScriptedHost {
    private(set) var host: Host
    private let name: String
    private var rules = HostRules()
    /// Requests that await an answer of the owner.
    private var tokens: [(ConnectionHandle, ATTBearer.RequestToken)] = []
    private var questions: [(ConnectionHandle, SecurityManager.Question)] = []
    private var shownPasskey: UInt32 = 0

    init(_ input: inout FuzzInput, seed: UInt64) {
        name = "host \(seed)"
        var configuration = HostConfiguration(
            deviceName: "Fuzz",
            identityAddress: DeviceAddress(0xC0FF_0000_0000 + seed, kind: .random),
            ownAddress: input.flag() ? .resolvablePrivate(interval: .seconds(1)) : .identity)
        configuration.security.ioCapability = IOCapability(rawValue: UInt8(input.choice(5)))
        configuration.security.authentication = AuthenticationRequirements(
            rawValue: input.element(of: [0x09, 0x0D, 0x01, 0x05]))
        configuration.security.pairing = input.element(of: [.allow, .allow, .ask, .never])
        configuration.maximumConnections = input.number(in: 1...3)
        configuration.maximumBonds = input.number(in: 1...2)
        configuration.roomThreshold = input.element(of: [4096, 64])
        configuration.bearer.receiveMTU = input.element(of: [23, 185, 517])
        rules.maximumBonds = configuration.maximumBonds
        host = Host(
            configuration: configuration, toolbox: OpenSSLToolbox(simulatedFrom: seed))
        for _ in 0..<input.choice(3) {
            _ = try? host.addService(ScriptedTable.service(&input, including: []), at: .zero)
        }
    }

    // MARK: What happens

    func start(at now: MonotonicInstant) throws -> [HCIPacket] {
        host.start(at: now)
        return try drain(at: now)
    }

    func receive(_ packet: HCIPacket, at now: MonotonicInstant) throws -> [HCIPacket] {
        trace("to \(name): \(packet)")
        rules.received(packet)
        host.receive(packet, at: now)
        return try drain(at: now)
    }

    func handleTimeout(at now: MonotonicInstant) throws -> [HCIPacket] {
        host.handleTimeout(at: now)
        return try drain(at: now)
    }

    func closeTransport(at now: MonotonicInstant) throws {
        rules.isStopped = true
        host.transportClosed(at: now)
        _ = try drain(at: now)
        try rules.hasEnded()
    }

    // MARK: What the owner does

    /// An action of the owner, or its answer to a pending request.
    func act(_ input: inout FuzzInput, at now: MonotonicInstant) throws -> [HCIPacket] {
        do {
            try choose(&input, at: now)
        } catch is HostUsageError {
            // It is not possible in this state.
        }
        return try drain(at: now)
    }

    private func choose(_ input: inout FuzzInput, at now: MonotonicInstant) throws {
        switch input.choice(8) {
        case 0: try air(&input, at: now)
        case 1: try connecting(&input, at: now)
        case 2, 3: try attributes(&input, at: now)
        case 4: try serve(&input, at: now)
        case 5: try security(&input, at: now)
        default: try answer(&input, at: now)
        }
    }

    private func air(_ input: inout FuzzInput, at now: MonotonicInstant) throws {
        switch input.choice(6) {
        case 0, 1:
            var data = AdvertisingData([.flags(.generalDiscoverable)])
            if input.flag() { data.structures.append(.name("Fuzz")) }
            try host.startAdvertising(
                Advertisement(
                    data: data, isConnectable: input.choice(4) > 0,
                    usesLegacyPDUs: input.choice(4) > 0), at: now)
        case 2: host.stopAdvertising(at: now)
        case 3: try host.startScanning(at: now)
        case 4: host.stopScanning(at: now)
        default: if input.choice(8) == 0 { host.restart(at: now) }
        }
    }

    private func connecting(_ input: inout FuzzInput, at now: MonotonicInstant) throws {
        let handle = ScriptedTraffic.connection(&input)
        switch input.choice(6) {
        case 0, 1, 2:
            let address =
                rules.discovered.isEmpty || input.flag()
                ? ScriptedTraffic.address(&input) : input.element(of: rules.discovered)
            try host.connect(to: address, timeout: .seconds(Int64(input.choice(60))), at: now)
        case 3: host.cancelConnecting(at: now)
        case 4: try host.disconnect(handle, at: now)
        default:
            switch input.choice(4) {
            case 0: try host.readRSSI(of: handle, at: now)
            case 1: try host.updateParameters(.initial, of: handle, at: now)
            case 2:
                host.setParameterAnswer(
                    input.element(of: [.accept, .refuse, .acceptOnly, .ignore]))
            default: try host.askForParameters(LinkParameterPolicy(), of: handle, at: now)
            }
        }
    }

    private func attributes(_ input: inout FuzzInput, at now: MonotonicInstant) throws {
        let connection = rules.connection(&input)
        let handle = ScriptedTable.handle(&input)
        let procedure: GATTProcedure =
            switch input.choice(8) {
            case 0: .exchangeMTU
            case 1, 2: .discoverDatabase()
            case 3: .readLongValue(handle)
            case 4: .writeValue(handle, input.octets())
            case 5: .writeValue(handle, [UInt8(input.choice(3)), 0])
            case 6: .readByUUID(.all, input.element(of: ScriptedTable.uuids))
            default: .readValue(handle)
            }
        if input.choice(8) == 0 {
            return try host.writeWithoutResponse(
                input.octets(), to: handle, on: connection, at: now)
        }
        rules.began(try host.start(procedure, on: connection, at: now), on: connection)
    }

    private func serve(_ input: inout FuzzInput, at now: MonotonicInstant) throws {
        let connection = rules.connection(&input)
        let handle = ScriptedTable.handle(&input)
        switch input.choice(6) {
        case 0, 1: try host.notify(input.octets(), of: handle, on: connection, at: now)
        case 2: try host.indicate(input.octets(), of: handle, on: connection, at: now)
        case 3:
            let includes = host.table.services.map(\.range.first)
            _ = try host.addService(
                ScriptedTable.service(&input, including: includes), announcing: input.flag(),
                at: now)
        case 4: host.removeService(startingAt: handle, announcing: input.flag(), at: now)
        default: host.keep(RemoteDatabase(), of: connection)
        }
    }

    private func security(_ input: inout FuzzInput, at now: MonotonicInstant) throws {
        let connection = rules.connection(&input)
        switch input.choice(4) {
        case 0, 1: try host.pair(connection, replacingBond: input.flag(), at: now)
        case 2: try host.cancelPairing(connection, at: now)
        default:
            guard let bond = host.bonds.first else { return }
            host.removeBond(identity: bond.bond.identityAddress, at: now)
        }
    }

    private func answer(_ input: inout FuzzInput, at now: MonotonicInstant) throws {
        if let (connection, question) = questions.popLast() {
            switch question {
            case .enterPasskey, .choosePasskey:
                let passkey = input.choice(4) > 0 ? 4711 : UInt32(input.octet())
                try host.enterPasskey(connection, passkey, at: now)
            case .displayPasskey: break
            case .compare, .confirmPairing:
                try host.confirmPairing(connection, input.choice(8) > 0, at: now)
            }
        } else if let (connection, token) = tokens.popLast() {
            let result: Result<[UInt8], ATTErrorCode> =
                input.choice(4) > 0 ? .success(input.octets()) : .failure(.writeNotPermitted)
            try host.respond(to: token, with: result, on: connection, at: now)
        }
    }

    // MARK: What comes out

    private func drain(at now: MonotonicInstant) throws -> [HCIPacket] {
        var packets: [HCIPacket] = []
        var count = 0
        while let output = host.pollOutput() {
            trace("\(name): \(output)")
            count += 1
            try check(count < 5000, "one input brings outputs without end")
            try rules.note(output)
            switch output {
            case .send(let packet): packets.append(packet)
            case .security(let handle, .ask(let question)):
                questions = questions.suffix(3) + [(handle, question)]
            case .attribute(let handle, .server(.readRequested(let token, _))),
                .attribute(let handle, .server(.writeRequested(let token?, _))):
                tokens = tokens.suffix(7) + [(handle, token)]
            default: break
            }
        }
        try check(
            host.bonds.count <= rules.maximumBonds, "\(host.bonds.count) bonds are kept")
        return packets
    }
}
