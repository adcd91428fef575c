internal import BlueZ

/// A ``ConsumerPort`` that uses bluetoothd: a `BlueZAccessory` on the system bus, whose reports it passes on in the
/// words of the consumer.
final class BlueZPort: ConsumerPort, @unchecked Sendable {
    // Unchecked: confined to the loop's thread, which the connection to the bus checks.

    var loop: EventLoop { runner.loop }
    private let name: String
    let digests: PhoneDigests
    let runner: BlueZRunner<BlueZAccessory>
    private var deliver: (@Sendable (ConsumerPortEvent) -> Void)?
    private let linkParameters: LinkParameterPolicy?
    /// The number of the adapter in use: 0 of `hci0`.
    private var adapterIndex: UInt16?
    private var askers: [PhoneID: LinkAsker] = [:]
    /// Where it is kept which bonds are accepted.
    let bondMemory: BondMemory?
    /// The phones that were received from before it was kept, by their digests; `nil` once they are accepted, and
    /// where it was kept before.
    var earlierPhones: (@Sendable () -> Set<String>)?
    var hasReportedBondMemory = false

    /// A port that is not open yet, for the bluetoothd on the bus that `makeBus` connects to.
    init(
        _ configuration: ConsumerConfiguration, at place: BlueZConfiguration, on loop: EventLoop,
        digests: PhoneDigests, root: String,
        makeBus: @escaping () throws(IOError) -> any MessageBus
    ) {
        (name, linkParameters) = (configuration.name, configuration.linkParameters)
        (bondMemory, earlierPhones) = (place.bondMemory, configuration.earlierPhones)
        self.digests = digests
        runner = BlueZRunner(
            BlueZAccessory(BlueZAccessory.Configuration(configuration, at: place)), on: loop,
            memory: place.memory, root: root, makeBus: makeBus)
    }

    // MARK: Life

    func open(deliver: @escaping @Sendable (ConsumerPortEvent) -> Void) {
        self.deliver = deliver
        loop.execute { [weak self] in
            guard let self, self.deliver != nil else { return }
            readBonds()
            runner.open { [weak self] news in self?.received(news) }
        }
    }

    func close() {
        guard exchange(&deliver, with: nil) != nil else { return }
        for asker in exchange(&askers, with: [:]).values { asker.close() }
        runner.close()
    }

    private func received(_ news: BlueZNews<BlueZAccessory.Report>) {
        switch news {
        case .report(.inspect(let phone, let address)):
            let isEncrypted = adapterIndex.flatMap {
                KernelLink.isLinkEncrypted(from: address, to: $0)
            }
            runner.step { $0.inspected(phone, isEncrypted: isEncrypted, at: $1) }
        case .report(.decided(let bond, let isAccepted)): keep(bond, isAccepted)
        case .report(.event(let event)): report(event)
        case .report(.companion(let phone, let event)): deliver?(.companion(phone, event))
        case .memoryFailed(let message): warn(.storage, message)
        case .lost(let error): deliver?(.failed(.transport(error)))
        }
    }

    // MARK: What the consumer wants

    func stopAdvertising() { runner.stepLater { $0.stopAdvertising(at: $1) } }

    func request(_ request: ConsumerSession.LinkRequest, of provider: PhoneID) {
        runner.stepLater { $0.request(request, of: provider, at: $1) }
    }

    func readClock(of provider: PhoneID) { runner.stepLater { $0.readClock(of: provider, at: $1) } }

    func request(_ request: CompanionRequest, of provider: PhoneID) {
        runner.stepLater { $0.request(request, of: provider, at: $1) }
    }

    func leave(_ provider: PhoneID) { runner.stepLater { $0.leave(provider, at: $1) } }

    func openPairingWindow(for duration: Duration?) {
        runner.stepLater { $0.openPairingWindow(for: duration, at: $1) }
    }

    func closePairingWindow() { runner.stepLater { $0.closePairingWindow(at: $1) } }

    /// The link belongs to all programs on this machine, so only the session can be ended.
    func disconnect(_ provider: PhoneID) { leave(provider) }

    var bonded: [BondedPeer] {
        runner.query { $0.pairedPhones }.filter(\.isAccepted).map {
            BondedPeer(digest: digests.digest(of: $0.address), name: $0.name)
        }
    }

    func forget(
        _ digest: String, _ done: @escaping @Sendable (Result<Void, DeviceError>) -> Void
    ) {
        let phone = runner.query { $0.pairedPhones }
            .first { digests.digest(of: $0.address) == digest }
        guard let phone else { return loop.execute { done(.success(())) } }
        guard runner.isOpen else {
            return loop.execute { done(.failure(.controller(.bluetoothd(.notRunning)))) }
        }
        runner.call(phone.removal, within: .seconds(10)) { result in
            done(
                result.map { _ in }.mapError { error in
                    .controller(
                        .bluetoothd(
                            error.name == BusError.accessDenied ? .denied : .refused(error.text)))
                })
        }
    }

    // MARK: Reports to the consumer

    private func report(_ event: BlueZEvent) {
        switch event {
        case .device(let event): deliver?(.device(event))
        case .ready(let adapter):
            adapterIndex = adapter.hasPrefix("hci") ? UInt16(adapter.dropFirst(3)) : nil
            acceptEarlierBonds()
            deliver?(.device(.ready))
        case .resetting(let failure): deliver?(.device(.resetting(.bluetoothd(failure.withSwitch))))
        case .failed(let failure): deliver?(.failed(.controller(.bluetoothd(failure.withSwitch))))
        case .advertisingRefused(let error):
            warn(.advertising, "bluetoothd does not advertise: \(error.text); trying again")
        case .agentRefused(let error): warn(.pairing, error.agentRefusal)
        case .discoverable(let adapter): warn(.pairing, BasicRateAdvice.discoverable(adapter))
        case .pairedWithoutLowEnergy(let name, let address):
            warn(.pairing, BasicRateAdvice.paired(name, address, ownName: self.name))
        case .socketsEndDaemon(let isEnforcing):
            warn(.bluetoothd, SocketAdvice.waits(isEnforcing: isEnforcing))
        case .phone(let phone, let event): report(event, of: phone)
        }
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
        case .ask(let question):
            let request = PairingRequest(question.kind, reply: reply(to: question.id))
            deliver?(.peer(phone, .pairing(request)))
        case .askAboutBond(let question, let address, let name):
            let peer = BondedPeer(digest: digests.digest(of: address), name: name)
            let consent = PairingConsent(about: peer, reply: reply(to: question))
            deliver?(.peer(phone, .pairing(.consent(consent))))
        case .paired(let identity):
            askers[phone]?.addressChanged(to: identity)
            report(pairedAs: identity, replacing: nil, of: phone)
        case .pairedAgain(let identity):
            let digest = digests.digest(of: identity)
            report(pairedAs: identity, replacing: bonded.first { $0.digest == digest }, of: phone)
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
        case .tooManyServices: deliver?(.device(.warning(.tooManyServices)))
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

    private func report(pairedAs identity: String, replacing bond: BondedPeer?, of phone: PhoneID) {
        deliver?(
            .peer(
                phone,
                .paired(description(identity, identity), isBonded: true, replacing: bond)))
    }

    func warn(_ topic: DeviceWarning.Topic, _ message: String) {
        deliver?(.device(.warning(DeviceWarning(topic, message))))
    }

    private func description(_ address: String, _ identity: String?) -> PeerDescription {
        PeerDescription(
            address: address, identity: identity,
            digest: self.digests.digest(of: identity ?? address))
    }

    private func reply(to question: UInt64) -> PairingReply {
        PairingReply(to: question) { [weak self] answer in
            guard let self else { return }
            loop.execute { self.runner.step { $0.answer(question, answer, at: $1) } }
        }
    }
}
