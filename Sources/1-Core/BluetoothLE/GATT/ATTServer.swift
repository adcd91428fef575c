internal import Octets

/// The server half of a bearer. Core Vol 3, Part F, 3.3.2 and Part G.
struct ATTServer: ~Copyable, Sendable {
    /// A request that the application has to answer.
    private struct Deferred: Sendable {
        var token: ATTBearer.RequestToken
        var question: ServerRequest.Question
        var request: ServerRequest
    }

    private struct UnconfirmedIndication: Sendable {
        var handle: AttributeHandle
        var deadline: MonotonicInstant
    }

    let configuration: ATTBearer.Configuration
    var client = ClientConfiguration()
    /// The queued Prepare Write Requests, in order of arrival.
    var prepared: [AttributeWrite] = []
    /// Whether the client discovered attributes while services were hidden from it, and so does not know
    /// those.
    private(set) var hasMissedServices = false
    private var hasExchangedMTU = false
    private var awareness = Awareness.aware
    private var deferred: Deferred?
    private var lastToken: UInt64 = 0
    private var unconfirmed: UnconfirmedIndication?
    private var indications = Queue<HandleValue>()

    init(configuration: ATTBearer.Configuration) { self.configuration = configuration }

    var deadline: MonotonicInstant? { unconfirmed?.deadline }

    /// Whether the client knows the current table, as far as it can be informed.
    var isClientAware: Bool { awareness == .aware }

    // MARK: Requests and commands

    mutating func receive(
        _ pdu: Span<UInt8>, opcode: ATTOpcode, scene: inout ServerScene,
        at now: MonotonicInstant, outputs: inout Queue<ATTBearer.Output>
    ) {
        // A client must not send a request before the response to the previous one (3.3.2). One that does is
        // ignored, because two responses could not be told apart.
        if opcode != .handleValueConfirmation, !opcode.isCommand, deferred != nil { return }
        let decoded: ATTClientPDU?
        do {
            decoded = try ATTClientPDU(decoding: pdu)
        } catch {
            guard !opcode.isCommand, opcode != .handleValueConfirmation else { return }
            return send(.error(.invalidPDU, AttributeHandle(0)), to: opcode, outputs: &outputs)
        }
        switch decoded {
        case .handleValueConfirmation: confirm(scene: scene, at: now, outputs: &outputs)
        case .writeCommand(let handle, let value):
            guard awareness.admitsCommand() else { return }
            command(handle, value, scene: &scene, outputs: &outputs)
        case .signedWriteCommand: break  // No key is ever exchanged, so no signature is valid.
        case .exchangeMTURequest(let clientReceiveMTU):
            exchangeMTU(Int(clientReceiveMTU), mtu: &scene.mtu, outputs: &outputs)
        case .some(let request):
            guard awareness.admits(request) else {
                let handle = request.firstHandle ?? AttributeHandle(0)
                return send(.error(.databaseOutOfSync, handle), to: opcode, outputs: &outputs)
            }
            serve(ServerRequest(pdu: request), scene: &scene, outputs: &outputs)
        case .none:
            guard !opcode.isCommand else { return }
            send(.error(.requestNotSupported, AttributeHandle(0)), to: opcode, outputs: &outputs)
        }
    }

    mutating func respond(
        to token: ATTBearer.RequestToken, with answer: Result<[UInt8], ATTErrorCode>,
        refusing handle: AttributeHandle?, scene: inout ServerScene,
        outputs: inout Queue<ATTBearer.Output>
    ) {
        guard var waiting = deferred, waiting.token == token else { return }
        deferred = nil
        waiting.request.answers.append(
            .init(question: waiting.question, answer: answer, refusedHandle: handle))
        serve(waiting.request, scene: &scene, outputs: &outputs)
    }

    private mutating func serve(
        _ request: ServerRequest, scene: inout ServerScene, outputs: inout Queue<ATTBearer.Output>
    ) {
        if scene.hidesServices, request.isDiscovery { hasMissedServices = true }
        var effects = [ATTBearer.Output]()
        do {
            let response = try evaluate(request, scene: &scene, effects: &effects)
            outputs.append(.send(response.octets))
            for effect in effects { outputs.append(effect) }
        } catch {
            switch error {
            case .error(let code, let handle):
                send(error, to: request.pdu.opcode, outputs: &outputs)
                if code.asksForProtection || request.isOwnRefusalOfWrite {
                    outputs.append(.event(.server(.accessDenied(handle, code))))
                }
            case .question(let question): ask(question, for: request, outputs: &outputs)
            }
        }
    }

    private mutating func ask(
        _ question: ServerRequest.Question, for request: ServerRequest,
        outputs: inout Queue<ATTBearer.Output>
    ) {
        lastToken += 1
        var token = ATTBearer.RequestToken(rawValue: lastToken)
        if case .readBlobRequest(_, let offset) = request.pdu { token.offset = offset }
        deferred = Deferred(token: token, question: question, request: request)
        switch question {
        case .read(let handle): outputs.append(.event(.server(.readRequested(token, handle))))
        case .write(let writes): outputs.append(.event(.server(.writeRequested(token, writes))))
        }
    }

    private func send(
        _ obstacle: ServerRequest.Obstacle, to request: ATTOpcode,
        outputs: inout Queue<ATTBearer.Output>
    ) {
        guard case .error(let code, let handle) = obstacle else { return }
        let response = ATTServerPDU.errorResponse(request: request, handle: handle, code)
        outputs.append(.send(response.octets))
    }

    /// A client may do this once (Core Vol 3, Part G, 4.3.1). If it does it again, it gets the same response,
    /// and ATT_MTU does not change.
    private mutating func exchangeMTU(
        _ clientReceiveMTU: Int, mtu: inout Int, outputs: inout Queue<ATTBearer.Output>
    ) {
        let own = configuration.receiveMTU
        let response = ATTServerPDU.exchangeMTUResponse(serverReceiveMTU: UInt16(clamping: own))
        outputs.append(.send(response.octets))
        guard !exchange(&hasExchangedMTU, with: true) else { return }
        let effective = max(ATT.defaultMTU, min(own, clientReceiveMTU))
        guard effective != mtu else { return }
        mtu = effective
        outputs.append(.event(.mtuChanged(effective)))
    }

    private mutating func command(
        _ handle: AttributeHandle, _ value: [UInt8], scene: inout ServerScene,
        outputs: inout Queue<ATTBearer.Output>
    ) {
        guard let attribute = scene[handle], let requirement = attribute.permissions.writeCommand,
            requirement.violation(by: scene.security) == nil,
            check(value, for: attribute, in: scene.table) == nil
        else { return }
        if attribute.storage == .dynamic {
            let write = AttributeWrite(handle: handle, value: value)
            return outputs.append(.event(.server(.writeRequested(nil, [write]))))
        }
        var effects = [ATTBearer.Output]()
        write(value, to: attribute, table: &scene.table, effects: &effects)
        for effect in effects { outputs.append(effect) }
    }

    // MARK: Notifications and indications

    func notify(
        _ value: [UInt8], of handle: AttributeHandle, ignoringConfiguration: Bool,
        scene: ServerScene, outputs: inout Queue<ATTBearer.Output>
    ) throws(ATTBearer.UsageError) {
        try check(value, of: handle, for: .notification, ignoringConfiguration, scene: scene)
        let pdu = ATTServerPDU.handleValueNotification(.init(handle: handle, value: value))
        outputs.append(.send(pdu.octets))
    }

    mutating func indicate(
        _ value: [UInt8], of handle: AttributeHandle, ignoringConfiguration: Bool,
        scene: ServerScene, at now: MonotonicInstant, outputs: inout Queue<ATTBearer.Output>
    ) throws(ATTBearer.UsageError) {
        try check(value, of: handle, for: .indication, ignoringConfiguration, scene: scene)
        guard indications.count < configuration.maximumQueuedIndications else { throw .queueFull }
        indications.append(HandleValue(handle: handle, value: value))
        indicateNext(at: now, outputs: &outputs)
    }

    private func check(
        _ value: [UInt8], of handle: AttributeHandle, for wanted: ClientCharacteristicConfiguration,
        _ ignoringConfiguration: Bool, scene: ServerScene
    ) throws(ATTBearer.UsageError) {
        guard value.count <= scene.mtu - 3 else { throw .valueTooLong(limit: scene.mtu - 3) }
        guard !ignoringConfiguration else { return }
        guard scene.shows(handle), let descriptor = scene.table.configurationHandle(of: handle),
            client[descriptor].contains(wanted),
            // A value is sent only on a link on which the client could subscribe to it.
            scene.table[descriptor]?.permissions.write?.violation(by: scene.security) == nil,
            awareness == .aware || handle == scene.table.serviceChangedHandle
        else { throw .notSubscribed }
    }

    private mutating func indicateNext(
        at now: MonotonicInstant, outputs: inout Queue<ATTBearer.Output>
    ) {
        guard unconfirmed == nil, let next = indications.popFirst() else { return }
        unconfirmed = UnconfirmedIndication(
            handle: next.handle, deadline: now + ATTBearer.transactionTimeout)
        let pdu = ATTServerPDU.handleValueIndication(next)
        outputs.append(.send(pdu.octets))
    }

    private mutating func confirm(
        scene: ServerScene, at now: MonotonicInstant, outputs: inout Queue<ATTBearer.Output>
    ) {
        guard let indication = exchange(&unconfirmed, with: nil) else { return }
        if indication.handle == scene.table.serviceChangedHandle {
            becomeAware(of: scene.table, outputs: &outputs)
        }
        outputs.append(.event(.server(.indicationConfirmed(indication.handle))))
        indicateNext(at: now, outputs: &outputs)
    }

    mutating func close() {
        deferred = nil
        unconfirmed = nil
        prepared = []
        indications.removeAll()
    }

    // MARK: Changes of the table

    /// A bonded client has returned. Its configuration applies again. If the table has changed since, only
    /// its subscription to Service Changed applies, and that indication is sent. Core Vol 3, Part G, 2.5.2.
    mutating func restore(
        _ configuration: ClientConfiguration, scene: ServerScene, at now: MonotonicInstant,
        outputs: inout Queue<ATTBearer.Output>
    ) {
        client = configuration
        guard configuration.databaseHash != scene.table.databaseHash else {
            for descriptor in configuration.descriptors
            where scene.table[descriptor.handle]?.storage != .clientConfiguration {
                client[descriptor.handle] = []
            }
            return
        }
        tableChanged(.all, scene: scene, at: now, outputs: &outputs)
    }

    /// Attributes in a range were added, removed or changed.
    mutating func tableChanged(
        _ range: AttributeHandleRange, announcing: Bool = true, scene: ServerScene,
        at now: MonotonicInstant, outputs: inout Queue<ATTBearer.Output>
    ) {
        let serviceChanged = scene.table.serviceChangedHandle
        let own = serviceChanged.flatMap { scene.table.configurationHandle(of: $0) }
        for descriptor in client.descriptors
        where descriptor.handle != own && range.contains(descriptor.handle) {
            client[descriptor.handle] = []
        }
        changed(range, announcing: announcing, scene: scene, at: now, outputs: &outputs)
    }

    /// The client can see attributes in a range that was hidden from it; its configuration of them from
    /// earlier connections is unchanged.
    mutating func becameVisible(
        _ range: AttributeHandleRange, scene: ServerScene, at now: MonotonicInstant,
        outputs: inout Queue<ATTBearer.Output>
    ) { changed(range, announcing: true, scene: scene, at: now, outputs: &outputs) }

    private mutating func changed(
        _ range: AttributeHandleRange, announcing: Bool, scene: ServerScene,
        at now: MonotonicInstant, outputs: inout Queue<ATTBearer.Output>
    ) {
        let serviceChanged = scene.table.serviceChangedHandle
        let own = serviceChanged.flatMap { scene.table.configurationHandle(of: $0) }
        outputs.append(.clientConfigurationChanged)
        if client.supportsRobustCaching { awareness = .unaware }
        guard announcing, let serviceChanged, let own, client[own].contains(.indication) else {
            if awareness == .aware { client.databaseHash = scene.table.databaseHash }
            return
        }
        let value = range.octets
        // Two queued indications are replaced by one about all handles, so that the queue cannot overflow.
        let waiting = indications.removeAll { $0.handle == serviceChanged }
        let whole = AttributeHandleRange.all.octets
        indications.append(
            HandleValue(handle: serviceChanged, value: waiting.isEmpty ? value : whole))
        indicateNext(at: now, outputs: &outputs)
    }

    /// The client is known to know the current table.
    private mutating func becomeAware(
        of table: AttributeTable, outputs: inout Queue<ATTBearer.Output>
    ) {
        awareness = .aware
        guard client.databaseHash != table.databaseHash else { return }
        client.databaseHash = table.databaseHash
        outputs.append(.clientConfigurationChanged)
    }
}
