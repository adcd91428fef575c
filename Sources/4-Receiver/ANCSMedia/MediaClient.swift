internal import AMS
internal import ANCSReceiver

/// The media of one phone, on one link: drives a `MediaRemoteSession` while the phone offers AMS. Confined to the loop of
/// the consumer.
///
/// One request is on the link at a time. Commands, for which a user waits, come first; everything else waits while ANCS
/// fetches.
final class MediaClient: CompanionClient {
    private typealias Waiter = CheckedContinuation<MediaError?, Never>

    /// The request that is on the link.
    private enum Running: Equatable {
        case request(MediaRemoteSession.LinkRequest)
        /// The second half of reading an attribute.
        case reading(MediaAttribute)
    }

    /// After a registration, a link that lasts this long was not lost because of it: controllers notice after a few
    /// seconds that the other side is gone.
    private static let registrationPatience = Duration.seconds(10)

    private let phone: PhoneID
    var identity: String?
    private let use: MediaUse
    private var session: MediaRemoteSession?
    private var hasAskedForService = false
    private var hasTold = false
    /// What the session wants of the link: as many commands as the session allows, and one request beside them.
    private var requests: [MediaRemoteSession.LinkRequest] = []
    private var running: Running?
    /// The attribute that was written to Entity Attribute, and is to be read now.
    private var selected: MediaAttribute?
    private var waiters: [(command: RemoteCommandID, waiter: Waiter)] = []
    private var warnings = Queue<DeviceWarning>()
    private var registeredAt: MonotonicInstant?
    private var now = MonotonicInstant.zero
    private var hasRefusedPlayer = false
    /// What was said on this link, whose phone may not be identified yet.
    private var said: Set<String> = []

    init(of phone: PhoneID, identity: String?, for use: MediaUse) {
        (self.phone, self.identity, self.use) = (phone, identity, use)
    }

    // MARK: The service

    func receive(_ event: CompanionEvent, at now: MonotonicInstant) {
        self.now = now
        switch event {
        case .available(let characteristics): begin(characteristics)
        case .unavailable: endSession()
        case .subscribed(let uuid, let error):
            guard case .request(.subscribe(let characteristic))? = running,
                characteristic.uuid == uuid
            else { return }
            running = nil
            if characteristic == .entityUpdate, let error {
                warn(
                    "subscription",
                    "the phone's media cannot be subscribed to, so that what is playing is not known: "
                        + Self.text(of: error))
            }
            report(.subscribed(characteristic, errorCode: error?.rawValue))
        case .written(let uuid, let error): written(uuid, error)
        case .read(let uuid, let value):
            guard case .reading(let attribute)? = running, uuid == .entityAttribute else { return }
            running = nil
            report(.attributeRead(attribute, value))
        case .value(.remoteCommand, let value): report(.remoteCommand(value))
        case .value(.entityUpdate, let value): report(.entityUpdate(value))
        case .value: break
        }
    }

    private func begin(_ characteristics: [BluetoothUUID]) {
        endSession()
        var configuration = use.configuration
        configuration.attributes = use.attributes(for: identity)
        var session = MediaRemoteSession(configuration: configuration)
        session.serviceDiscovered(
            .init(
                hasRemoteCommand: characteristics.contains(.remoteCommand),
                hasEntityUpdate: characteristics.contains(.entityUpdate),
                hasEntityAttribute: characteristics.contains(.entityAttribute)), at: now)
        self.session = consume session
        drain()
    }

    private func endSession() {
        session?.end()
        session = nil
        (requests, running, selected, hasRefusedPlayer) = ([], nil, nil, false)
        for waiting in exchange(&waiters, with: []) { waiting.waiter.resume(returning: .ended) }
        guard exchange(&hasTold, with: false) else { return }
        use.reports.send(PhoneMedia(provider: phone, state: nil, changes: .all, position: nil))
    }

    func end(isLost: Bool, at now: MonotonicInstant) {
        if isLost, let registeredAt, now <= registeredAt + Self.registrationPatience {
            use.lostAfterRegistration(identity)
        }
        endSession()
    }

    private func written(_ uuid: BluetoothUUID, _ error: ATTErrorCode?) {
        guard case .request(let request)? = running, request.written == uuid else { return }
        running = nil
        let refusal = error.map { MediaServiceError(rawValue: $0.rawValue) }
        switch request {
        case .register(let registration):
            registered(registration.entityID, error)
            report(.registered(registration.entityID, refusal))
        case .readAttribute(let attribute):
            if error == nil {
                selected = attribute
            } else {
                report(.attributeRead(attribute, nil))
            }
        case .writeCommand(let command): report(.commandWritten(command, refusal))
        case .subscribe: break
        }
    }

    // MARK: Trouble

    private func registered(_ entity: MediaEntityID, _ error: ATTErrorCode?) {
        guard let error else { return }
        // The player is asked once more without what an old phone does not know.
        if entity == .player, !exchange(&hasRefusedPlayer, with: true) { return }
        warn(
            "registration",
            "the phone refuses to report some of its media: \(Self.text(of: error))")
    }

    /// The name of an error of AMS, whose codes mean something else in ANCS.
    private static func text(of error: ATTErrorCode) -> String {
        let name = MediaServiceError(rawValue: error.rawValue)
        return error.rawValue < 0xA0
            ? error.nameWithCode : "\(name) (0x\(Hexadecimal.text([error.rawValue])))"
    }

    private func warn(_ kind: String, _ message: String) {
        guard said.insert(kind).inserted, use.isNews(kind, of: identity) else { return }
        warnings.append(DeviceWarning(.subscription, message))
    }

    func nextWarning() -> DeviceWarning? { warnings.popFirst() }

    // MARK: The session

    private func report(_ report: MediaRemoteSession.LinkReport) {
        guard session != nil else { return }
        let ignored = session?.ignoredValues ?? 0
        session?.receive(report, at: now)
        if ignored == 0, session?.ignoredValues == 1 {
            warn(
                "values",
                "the phone sends values of its media that are not understood; they are ignored")
        }
        drain()
    }

    private func drain() {
        while let output = session?.pollOutput() {
            switch output {
            case .link(let request): requests.append(request)
            case .started: break
            case .changed(let changes):
                guard let state = session?.state else { return }
                hasTold = true
                use.reports.send(
                    PhoneMedia(
                        provider: phone, state: state, changes: changes,
                        position: state.position(at: now)))
            case .commandEnded(let command, let error):
                guard let index = waiters.firstIndex(where: { $0.command == command }) else {
                    break
                }
                waiters.remove(at: index).waiter.resume(returning: error.map { .refused($0) })
            }
        }
    }

    var nextDeadline: MonotonicInstant? { session?.nextDeadline }

    func handleTimeout(at now: MonotonicInstant) {
        self.now = now
        session?.handleTimeout(at: now)
        drain()
    }

    /// Sends a command; the continuation is resumed once.
    func send(_ command: RemoteCommandID, _ waiter: CheckedContinuation<MediaError?, Never>) {
        guard session != nil else { return waiter.resume(returning: .notAvailable) }
        do throws(MediaRemoteSession.UsageError) {
            try session?.send(command)
        } catch { return waiter.resume(returning: MediaError(error)) }
        waiters.append((command, waiter))
        drain()
    }

    // MARK: The link

    func nextRequest(isBusy: Bool) -> CompanionRequest? {
        guard hasAskedForService else {
            hasAskedForService = !isBusy
            return isBusy ? nil : .find(BluetoothUUID(AMSUUID.service))
        }
        guard running == nil else { return nil }
        let isWaiting = requests.firstIndex { request in
            if case .writeCommand = request { true } else { false }
        }
        if let index = isWaiting { return start(requests.remove(at: index)) }
        guard !isBusy else { return nil }
        if let attribute = exchange(&selected, with: nil) {
            running = .reading(attribute)
            return .read(.entityAttribute)
        }
        guard !requests.isEmpty else { return nil }
        return start(requests.removeFirst())
    }

    private func start(_ request: MediaRemoteSession.LinkRequest) -> CompanionRequest {
        running = .request(request)
        switch request {
        case .subscribe(let characteristic): return .subscribe(characteristic.uuid)
        case .register(let registration):
            registeredAt = now
            return .write(.entityUpdate, registration.octets)
        case .readAttribute(let attribute):
            return .write(.entityAttribute, [attribute.entityID.rawValue, attribute.attributeID])
        case .writeCommand(let command): return .write(.remoteCommand, [command.rawValue])
        }
    }
}

extension MediaRemoteSession.LinkRequest {
    /// The characteristic that it writes; `nil` for a descriptor.
    fileprivate var written: BluetoothUUID? {
        switch self {
        case .subscribe: nil
        case .register: .entityUpdate
        case .readAttribute: .entityAttribute
        case .writeCommand: .remoteCommand
        }
    }
}

extension MediaCharacteristic {
    fileprivate var uuid: BluetoothUUID {
        switch self {
        case .remoteCommand: .remoteCommand
        case .entityUpdate: .entityUpdate
        }
    }
}

extension BluetoothUUID {
    fileprivate static let remoteCommand = BluetoothUUID(AMSUUID.remoteCommand)
    fileprivate static let entityUpdate = BluetoothUUID(AMSUUID.entityUpdate)
    fileprivate static let entityAttribute = BluetoothUUID(AMSUUID.entityAttribute)
}
