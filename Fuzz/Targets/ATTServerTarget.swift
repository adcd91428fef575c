import Octets

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver
@testable import BluetoothLE

/// The server of an ``ATTBearer`` with a table from the input and a client that sends arbitrary PDUs.
/// Afterwards, a correct client discovers the table and must find its contents.
struct ATTServerTarget: ~Copyable {
    private var input: FuzzInput
    private var table: AttributeTable
    private var bearer: ATTBearer
    private var rules = ATTServerRules()
    private var security = LinkSecurity.none
    private var now = MonotonicInstant.zero
    private var token: ATTBearer.RequestToken?

    static func run(_ script: [UInt8]) throws {
        var target = Self(FuzzInput(script))
        while !target.input.isAtEnd { try target.event() }
        try target.compareStoredConfiguration()
        target.bearer.close()
        try target.drain()
        try check(target.bearer.nextDeadline == nil, "a closed bearer waits for something")
        try target.discover()
    }

    private init(_ script: FuzzInput) {
        input = script
        table = AttributeTable()
        bearer = ATTBearer(
            configuration: ATTBearer.Configuration(
                receiveMTU: 23 + 2 * input.choice(248),
                maximumPreparedWrites: input.choice(16),
                maximumQueuedIndications: input.choice(8)))
        if input.flag() { add(.genericAttribute) }
        for _ in 0..<input.number(in: 1...4) { addService() }
        table.updateDatabaseHash(using: OpenSSLToolbox())
    }

    @discardableResult
    private mutating func add(_ definition: ServiceDefinition) -> ServiceHandles? {
        let last = table.nextFreeHandle?.rawValue ?? .max
        // Sometimes a gap between services, up to the end of the handles.
        let gap: UInt16 = input.element(of: [0, 0, 1, 9, 0xFFE0])
        let start = last <= .max - gap ? AttributeHandle(last + gap) : nil
        return try? table.add(definition, startingAt: start)
    }

    @discardableResult
    private mutating func addService() -> ServiceHandles? {
        let includes = table.services.map(\.range.first)
        return add(ScriptedTable.service(&input, including: includes))
    }

    // MARK: Events

    private mutating func event() throws {
        switch input.choice(16) {
        case 0...7: try receive(ScriptedTable.clientPDU(&input).octets)
        case 8: try receive(input.octets(atMost: 600))
        case 9, 10: respond()
        case 11: notify()
        case 12: security = ScriptedTable.security(&input)
        case 13: changeTable()
        case 14:
            now = now + input.duration()
            bearer.handleTimeout(at: now)
        default: restore()
        }
        try drain()
    }

    private mutating func receive(_ pdu: [UInt8]) throws {
        trace("client: \(Hexadecimal.text(pdu))")
        bearer.receive(pdu.span, table: &table, security: security, at: now)
        try rules.received(pdu, isDeferred: token != nil)
        try drain()
        try rules.endOfRequest(isDeferred: token != nil)
    }

    private mutating func respond() {
        guard let waiting = exchange(&token, with: nil) else { return }
        let answer: Result<[UInt8], ATTErrorCode> =
            input.choice(4) > 0
            ? .success(input.octets(atMost: 700))
            : .failure(ATTErrorCode(rawValue: input.octet()))
        let refused = input.flag() ? ScriptedTable.handle(&input) : nil
        bearer.respond(
            to: waiting, with: answer, refusing: refused, table: &table, security: security)
    }

    private mutating func notify() {
        let handle = ScriptedTable.handle(&input)
        let value = input.octets()
        let ignores = input.flag()
        if input.flag() {
            try? bearer.notify(
                value, of: handle, table: table, security: security,
                ignoringConfiguration: ignores)
        } else {
            try? bearer.indicate(
                value, of: handle, table: table, security: security,
                ignoringConfiguration: ignores, at: now)
        }
    }

    private mutating func changeTable() {
        let range: AttributeHandleRange?
        if input.flag(), !table.services.isEmpty {
            range = table.removeService(
                startingAt: input.element(of: table.services.map(\.range.first)))
        } else {
            range = addService()?.range
        }
        guard let range else { return }
        if input.choice(4) > 0 { table.updateDatabaseHash(using: OpenSSLToolbox()) }
        bearer.tableChanged(range, announcing: input.flag(), table: table, at: now)
    }

    /// A bonded client returns with the subscriptions that the input gives.
    private mutating func restore() {
        let stored = input.octets()
        guard var configuration = try? ClientConfiguration(decoding: stored.span) else { return }
        if input.flag() { configuration.databaseHash = table.databaseHash }
        bearer.restore(configuration, table: table, at: now)
    }

    // MARK: Outputs

    private mutating func drain() throws {
        var count = 0
        while let output = bearer.pollOutput() {
            trace("\(output)")
            count += 1
            try check(count < 100, "one input brings outputs without end")
            switch output {
            case .send(let pdu): try rules.sent(pdu, mtu: bearer.mtu)
            case .event(.server(.readRequested(let asked, _))),
                .event(.server(.writeRequested(let asked?, _))):
                try check(token == nil, "the application is asked twice at once")
                token = asked
            case .event(.failed): rules.isDead = true
            case .event(.mtuChanged(let mtu)):
                try check((23...517).contains(mtu), "an ATT_MTU of \(mtu)")
            case .event(.completed): throw BrokenRule(description: "what was not begun ends")
            case .event(.value), .event(.server), .clientConfigurationChanged: break
            }
        }
        for attribute in table.attributes {
            let count = attribute.storedValue?.count ?? 0
            try check(count <= 512, "a value of \(count) octets is in the table")
        }
    }

    private func compareStoredConfiguration() throws {
        let configuration = bearer.clientConfiguration
        let stored = try ClientConfiguration(decoding: configuration.octets.span)
        try check(stored == configuration, "a client's configuration is stored as another one")
        try check(
            Set(configuration.descriptors.map(\.handle)).count == configuration.descriptors.count,
            "a descriptor is configured twice")
    }

    /// A correct client must find the services of the table.
    private mutating func discover() throws {
        var server = ATTBearer()
        var client = ATTBearer()
        var clientTable = AttributeTable()
        _ = try client.start(.exchangeMTU, at: now)
        _ = try client.start(.discoverDatabase(), at: now)
        var database: RemoteDatabase?
        var isResting = false
        while !isResting {
            isResting = true
            while let output = client.pollOutput() {
                isResting = false
                switch output {
                case .send(let pdu):
                    server.receive(pdu.span, table: &table, security: .none, at: now)
                case .event(.completed(_, .success(.database(let found)))): database = found
                case .event(.completed(_, .failure(let failure))):
                    throw BrokenRule(description: "nothing is discovered: \(failure)")
                default: break
                }
            }
            while let output = server.pollOutput() {
                isResting = false
                guard case .send(let pdu) = output else { continue }
                client.receive(pdu.span, table: &clientTable, security: .none, at: now)
            }
        }
        try ATTServerRules.compare(database, table)
    }
}
