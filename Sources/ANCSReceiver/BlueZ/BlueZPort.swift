internal import ANCS
internal import BlueZ
internal import BluetoothTypes
internal import DBus
internal import LinuxIO
internal import Octets

/// A ``ConsumerPort`` that uses bluetoothd: it carries out the outputs of a `BlueZAccessory` on the system
/// bus, and passes on what arrives from there.
final class BlueZPort: ConsumerPort, @unchecked Sendable {
    // Unchecked: confined to the loop's thread, which the connection to the bus checks.

    let loop: EventLoop
    private let configuration: BlueZAccessory.Configuration
    private let makeBus: () throws(IOError) -> any MessageBus
    private let digests: PhoneDigests
    private var accessory: BlueZAccessory
    private var bus: (any MessageBus)?
    private var deliver: (@Sendable (ConsumerPortEvent) -> Void)?
    private var timer: LoopTimer?
    private var sockets: [SocketID: ValueSocket] = [:]
    private let linkParameters: LinkParameterPolicy?
    private let memory: DaemonMemory?
    /// The directory below which SELinux' files are; tests have another.
    private let root: String
    private var hasWarnedOfMemory = false
    /// The number of the adapter in use: 0 of `hci0`.
    private var adapterIndex: UInt16?
    private var askers: [PhoneID: LinkAsker] = [:]
    private var invocations: [InvocationID: BusReply] = [:]
    private var lastInvocation: UInt64 = 0
    private var willDrain = false

    /// A port that is not open yet, for the bluetoothd on the bus that `makeBus` connects to.
    init(
        _ configuration: BlueZAccessory.Configuration, on loop: EventLoop,
        digests: PhoneDigests = PhoneDigests(), linkParameters: LinkParameterPolicy? = nil,
        memory: DaemonMemory? = nil, root: String = "",
        makeBus: @escaping () throws(IOError) -> any MessageBus
    ) {
        self.loop = loop
        self.memory = memory
        self.root = root
        self.linkParameters = linkParameters
        self.configuration = configuration
        self.makeBus = makeBus
        self.digests = digests
        accessory = BlueZAccessory(configuration)
    }

    // MARK: Life

    func open(deliver: @escaping @Sendable (ConsumerPortEvent) -> Void) {
        self.deliver = deliver
        loop.execute { [weak self] in self?.connect() }
    }

    private func connect() {
        guard deliver != nil else { return }
        timer = LoopTimer(on: loop) { [weak self] in
            self?.step { $0.handleTimeout(at: $1) }
        }
        remember()
        do throws(IOError) {
            let bus = try makeBus()
            self.bus = bus
            listen(to: bus)
        } catch { deliver?(.failed(.transport(error))) }
    }

    private func listen(to bus: any MessageBus) {
        bus.open { [weak self] error in self?.ended(error) }
        let takeSignal: @Sendable (BusSignal) -> Void = { [weak self] signal in
            self?.readSockets()
            self?.step { $0.receive(signal, at: $1) }
        }
        _ = bus.signals(BusMatch(sender: BlueZAccessory.service), handler: takeSignal)
        _ = bus.signals(
            BusMatch(
                sender: "org.freedesktop.login1", interface: "org.freedesktop.login1.Manager",
                member: "PrepareForSleep"), handler: takeSignal)
        for path in BlueZAccessory.objectPaths {
            _ = bus.export(path, introspection: "") { [weak self] call, reply in
                self?.called(call, reply)
            }
        }
        _ = bus.watch(name: BlueZAccessory.service) { [weak self] owner in
            self?.step { $0.ownerChanged(to: owner, at: $1) }
        }
    }

    /// Our objects on the system bus are gone with the connection.
    private func ended(_ error: BusError) {
        let message = "the connection to the system bus has ended: \(error.message)"
        deliver?(.failed(.transport(IOError(.hangUp, message))))
    }

    func close() {
        guard exchange(&deliver, with: nil) != nil else { return }
        timer?.deadline = nil
        timer = nil
        for socket in sockets.values { socket.close() }
        sockets = [:]
        for asker in exchange(&askers, with: [:]).values { asker.close() }
        invocations = [:]
        bus?.close()
        bus = nil
    }

    // MARK: What the consumer wants

    func stopAdvertising() { withMachine { $0.stopAdvertising(at: $1) } }

    func request(_ request: ConsumerSession.LinkRequest, of provider: PhoneID) {
        withMachine { $0.request(request, of: provider, at: $1) }
    }

    func readClock(of provider: PhoneID) {
        withMachine { $0.readClock(of: provider, at: $1) }
    }

    func leave(_ provider: PhoneID) { withMachine { $0.leave(provider, at: $1) } }

    func openPairingWindow(for duration: Duration?) {
        withMachine { $0.openPairingWindow(for: duration, at: $1) }
    }

    func closePairingWindow() { withMachine { $0.closePairingWindow(at: $1) } }

    /// The link belongs to all programs on this machine, so only the session can be ended.
    func disconnect(_ provider: PhoneID) { leave(provider) }

    var bonded: [BondedPeer] {
        accessory.pairedPhones.map {
            BondedPeer(digest: digests.digest(of: $0.address), name: $0.name)
        }
    }

    func forget(
        _ digest: String, _ done: @escaping @Sendable (Result<Void, DeviceError>) -> Void
    ) {
        let phone = accessory.pairedPhones.first { digests.digest(of: $0.address) == digest }
        guard let phone else { return loop.execute { done(.success(())) } }
        guard let bus else {
            return loop.execute { done(.failure(.controller(.bluetoothd(.notRunning)))) }
        }
        bus.call(phone.removal, within: .seconds(10)) { result in
            done(
                result.map { _ in }.mapError { error in
                    .controller(
                        .bluetoothd(
                            error.name == BusError.accessDenied ? .denied : .refused(error.text)))
                })
        }
    }

    private func answer(_ question: UInt64, _ answer: PhoneEvent.Answer) {
        step { $0.answer(question, answer, at: $1) }
    }

    // MARK: What bluetoothd does

    private func called(_ call: BusMethodCall, _ reply: BusReply) {
        lastInvocation += 1
        let invocation = InvocationID(rawValue: lastInvocation)
        invocations[invocation] = reply
        step { $0.receive(call, invocation, at: $1) }
    }

    private func replied(to call: CallID, _ result: Result<[BusValue], BusError>) {
        // The bus is lost, which is reported next; this says nothing about bluetoothd or a phone.
        if case .failure(let error) = result, error.name == BusError.disconnected,
            bus?.uniqueName == nil
        {
            return
        }
        step { $0.receive(result, to: call, at: $1) }
    }

    /// Reads what came before a signal: bluetoothd has written an answer to the socket before it announces that the
    /// notification was removed, and the loop may find both at once.
    private func readSockets() {
        for socket in sockets.values { socket.readPending() }
    }

    private func open(_ id: SocketID, _ descriptor: BusDescriptor) {
        let socket = ValueSocket(descriptor, on: loop) { [weak self] event in
            switch event {
            case .value(let value): self?.step { $0.receive(value, from: id, at: $1) }
            case .hangUp: self?.step { $0.hungUp(id, at: $1) }
            }
        }
        guard let socket else { return step { $0.hungUp(id, at: $1) } }
        sockets[id] = socket
    }

    // MARK: The machine

    /// Calls an input of the machine.
    private func step(_ body: (inout BlueZAccessory, MonotonicInstant) -> Void) {
        guard deliver != nil else { return }
        body(&accessory, loop.now)
        drain()
    }

    /// Calls the machine for the consumer; events that follow are delivered after the call has returned.
    private func withMachine(_ body: (inout BlueZAccessory, MonotonicInstant) -> Void) {
        guard deliver != nil else { return }
        body(&accessory, loop.now)
        guard !exchange(&willDrain, with: true) else { return }
        loop.execute { [weak self] in
            self?.willDrain = false
            self?.drain()
        }
    }

    private func drain() {
        while deliver != nil, let output = accessory.pollOutput() { handle(output) }
        timer?.deadline = deliver == nil ? nil : accessory.nextDeadline
    }

    private func handle(_ output: BlueZAccessory.Output) {
        switch output {
        case .call(let id, let call, let limit):
            bus?.call(call, within: limit) { [weak self] in self?.replied(to: id, $0) }
        case .open(let socket, let descriptor): open(socket, descriptor)
        case .close(let socket): sockets.removeValue(forKey: socket)?.close()
        case .inspect(let phone, let address):
            let isEncrypted = adapterIndex.flatMap {
                KernelLink.isLinkEncrypted(from: address, to: $0)
            }
            accessory.inspected(phone, isEncrypted: isEncrypted, at: loop.now)
        case .answer(let invocation, .success(let values)):
            invocations.removeValue(forKey: invocation)?.succeed(values)
        case .answer(let invocation, .failure(let error)):
            invocations.removeValue(forKey: invocation)?.fail(error)
        case .readSELinux: readSELinux()
        case .remember(let ends): keep(ends)
        case .event(.phone(let phone, let event)): report(event, of: phone)
        case .event(let event): report(event)
        }
    }

    // MARK: What ended bluetoothd

    private func readSELinux() {
        let selinux = SELinuxState(SELinux.state(root: root))
        step { $0.selinuxRead(selinux, at: $1) }
    }

    private func remember() {
        if let memory {
            do throws(DaemonMemory.Unreadable) {
                let ends = try memory.read()
                step { $0.remembered(ends, at: $1) }
            } catch { warn(.storage, error.message) }
        }
        readSELinux()
    }

    private func keep(_ ends: [DaemonEnds]) {
        guard let memory else { return }
        do throws(IOError) { try memory.write(ends) } catch {
            guard !exchange(&hasWarnedOfMemory, with: true) else { return }
            warn(
                .storage,
                "what ended bluetoothd will not be remembered after this run: \(error.message)")
        }
    }

    // MARK: Reports to the consumer

    private func report(_ event: BlueZEvent) {
        switch event {
        case .device(let event): deliver?(.device(event))
        case .ready(let adapter):
            adapterIndex = adapter.hasPrefix("hci") ? UInt16(adapter.dropFirst(3)) : nil
            deliver?(.device(.ready))
        case .resetting(let failure): deliver?(.device(.resetting(.bluetoothd(described(failure)))))
        case .failed(let failure):
            deliver?(.failed(.controller(.bluetoothd(described(failure)))))
        case .advertisingRefused(let error):
            warn(.advertising, "bluetoothd does not advertise: \(error.text); trying again")
        case .agentRefused(let error):
            warn(.pairing, "bluetoothd does not let this program pair with you: \(error.text)")
        case .discoverable(let adapter):
            warn(.pairing, BasicRateAdvice.discoverable(adapter))
        case .pairedWithoutLowEnergy(let name, let address):
            warn(
                .pairing,
                BasicRateAdvice.paired(name, address, ownName: configuration.name))
        case .socketsEndDaemon(let isEnforcing):
            warn(.bluetoothd, SocketAdvice.waits(isEnforcing: isEnforcing))
        case .phone(let phone, let event): report(event, of: phone)
        }
    }

    private func described(_ failure: BlueZEvent.Failure) -> BluetoothdFailure {
        BluetoothdFailure(failure, adapter: configuration.adapter)
    }

    private func report(_ event: PhoneEvent, of phone: PhoneID) {
        switch event {
        case .peer(let event):
            if case .disconnected = event { askers.removeValue(forKey: phone)?.close() }
            deliver?(.peer(phone, event))
        case .service(let event): deliver?(.service(phone, event))
        case .connected(let address, let identity):
            deliver?(.peer(phone, .connected(description(address, identity))))
            ask(phone, at: identity ?? address)
        case .ask(let question): deliver?(.peer(phone, .pairing(request(question))))
        case .paired(let identity):
            askers[phone]?.addressChanged(to: identity)
            report(pairedAs: identity, replacing: nil, of: phone)
        case .pairedAgain(let identity):
            let digest = digests.digest(of: identity)
            report(
                pairedAs: identity, replacing: bonded.first { $0.digest == digest }, of: phone)
        case .isBroadcast(let error):
            warn(
                .privacy,
                "other users of this machine can read the notifications with dbus-monitor: bluetoothd "
                    + "does not hand them to this program alone (\(error.text))")
        case .textsRefused(let error): warn(.subscription, SocketAdvice.refused(error))
        case .isTaken:
            warn(
                .subscription,
                "another program on this machine receives the phone's notifications, and bluetoothd "
                    + "gives them to one only: stop that program")
        case .hung(true):
            warn(
                .bluetoothd,
                "bluetoothd stopped answering; the link is ended once, and the phone comes back by "
                    + "itself")
        case .hung(false):
            warn(
                .bluetoothd,
                "bluetoothd stopped answering again: turn Bluetooth on the phone off and on, or restart "
                    + "bluetoothd (\"sudo systemctl restart bluetooth\")")
        case .discoveredEarly:
            warn(
                .bluetoothd,
                "bluetoothd looked for the phone's services before the phone showed its notifications; "
                    + "the link is ended once, and the phone comes back by itself")
        case .dropped(let count):
            warn(.subscription, "\(count) notifications arrived too early and were dropped")
        }
    }

    /// Asks a phone for a link that lasts, which needs a capability that this program has only if its user has
    /// given it.
    private func ask(_ phone: PhoneID, at address: String) {
        guard let linkParameters, let adapterIndex else { return }
        askers[phone] = LinkAsker(
            linkParameters, address: address, index: adapterIndex, on: loop
        ) { [weak self] link in
            self?.askers[phone] = nil
            self?.deliver?(.peer(phone, .linkParameters(link)))
        }
    }

    private func report(
        pairedAs identity: String, replacing bond: BondedPeer?, of phone: PhoneID
    ) {
        deliver?(
            .peer(
                phone,
                .paired(description(identity, identity), isBonded: true, replacing: bond)))
    }

    private func warn(_ topic: DeviceWarning.Topic, _ message: String) {
        deliver?(.device(.warning(DeviceWarning(topic, message))))
    }

    private func description(_ address: String, _ identity: String?) -> PeerDescription {
        PeerDescription(
            address: address, identity: identity, digest: digests.digest(of: identity ?? address))
    }

    private func request(_ question: PhoneEvent.Question) -> PairingRequest {
        let reply = PairingReply(to: question.id) { [weak self] answer in
            guard let self else { return }
            loop.execute { self.answer(question.id, PhoneEvent.Answer(answer)) }
        }
        // bluetoothd's numbers have at most six digits. Core Vol 3, Part H, 2.2.9.
        return switch question.kind {
        case .compare(let number):
            .compare(NumericComparison(SixDigits(number % 1_000_000) ?? 0, reply: reply))
        case .enterPasskey: .enter(PasskeyEntry(reply: reply))
        case .displayPasskey(let number):
            .display(PasskeyDisplay(SixDigits(number % 1_000_000) ?? 0, reply: reply))
        }
    }
}
