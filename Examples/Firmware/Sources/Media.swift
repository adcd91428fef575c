import AMS
import BluetoothLE
import Octets

/// What is playing on the phone: finds the Apple Media Service, follows its changes, and drives a session that asks for
/// the title alone.
///
/// Does no I/O: its owner starts what ``takeProcedure(at:)`` returns and reports how it ended.
struct Media: ~Copyable {
    /// What was asked of the phone, and is not answered.
    private enum Question {
        case nothing
        case service
        case subscription
        case registration(MediaEntityID)
        /// A value is read in two steps: it is chosen, and then read.
        case choice(MediaAttribute)
        case value(MediaAttribute)
    }

    /// The attributes of the service that are used.
    private struct Handles {
        var range: AttributeHandleRange
        var update: AttributeHandle?
        var configuration: AttributeHandle?
        var attribute: AttributeHandle?
    }

    private var session = Self.makeSession()
    private var handles: Handles?
    private var question = Question.nothing
    /// Whether the service is to be looked for.
    private var seeks = false
    /// The value that was chosen and is to be read.
    private var chosen: MediaAttribute?
    /// Whether the title is another one than was shown.
    private var hasNews = false

    private static let uuid = BluetoothUUID(AMSUUID.service)

    var nextDeadline: MonotonicInstant? { session.nextDeadline }

    mutating func handleTimeout(at now: MonotonicInstant) {
        if let deadline = nextDeadline, deadline <= now { session.handleTimeout(at: now) }
    }

    /// The notifications run, which come first.
    mutating func begin() {
        if handles == nil { seeks = true }
    }

    /// The title, if it is another one than was shown; empty for none.
    mutating func takeTitle() -> [UInt8]? {
        exchange(&hasNews, with: false) ? session.state.title?.octets ?? [] : nil
    }

    @inline(never)
    private static func makeSession() -> MediaRemoteSession {
        var configuration = MediaRemoteSession.Configuration()
        configuration.attributes = MediaAttributeSet(.title)
        return MediaRemoteSession(configuration: configuration)
    }

    // MARK: Questions

    /// What to ask the phone next, one at a time; ``completed(_:at:)`` is due for it.
    @inline(never)
    mutating func takeProcedure() -> GATTProcedure? {
        guard case .nothing = question else { return nil }
        if exchange(&seeks, with: false) {
            question = .service
            return .discoverDatabase(service: Self.uuid)
        }
        if let attribute = exchange(&chosen, with: nil), let handle = handles?.attribute {
            question = .value(attribute)
            return .readLongValue(handle)
        }
        while let output = session.pollOutput() {
            switch output {
            case .link(let request): if let procedure = procedure(for: request) { return procedure }
            case .changed: hasNews = true
            // The buttons are for notifications.
            case .started, .commandEnded: break
            }
        }
        return nil
    }

    /// A session asks only for what the service has.
    private mutating func procedure(
        for request: MediaRemoteSession.LinkRequest
    ) -> GATTProcedure? {
        switch request {
        case .subscribe:
            question = .subscription
            return handles?.configuration.map { .writeValue($0, [0x01, 0x00]) }
        case .register(let registration):
            question = .registration(registration.entityID)
            return handles?.update.map { .writeValue($0, registration.octets) }
        case .readAttribute(let attribute):
            question = .choice(attribute)
            return handles?.attribute.map {
                .writeValue($0, [attribute.entityID.rawValue, attribute.attributeID])
            }
        case .writeCommand: return nil
        }
    }

    // MARK: What the phone says

    /// A procedure ended.
    @inline(never)
    mutating func completed(
        _ result: Result<GATTResult, GATTFailure>, at now: MonotonicInstant
    ) {
        var error: UInt8?
        var value: [UInt8]?
        switch result {
        case .success(.value(let octets)): value = octets
        case .failure(.errorResponse(let code, _)): error = code.rawValue
        case .failure: error = ATTErrorCode.unlikelyError.rawValue
        case .success: break
        }
        let report: MediaRemoteSession.LinkReport
        switch exchange(&question, with: .nothing) {
        case .nothing: return
        case .service:
            if case .success(.database(let database)) = result { found(database, at: now) }
            return
        case .subscription: report = .subscribed(.entityUpdate, errorCode: error)
        case .registration(let entity):
            report = .registered(entity, error.map { MediaServiceError(rawValue: $0) })
        case .choice(let attribute):
            guard error != nil else { return chosen = attribute }
            report = .attributeRead(attribute, nil)
        case .value(let attribute): report = .attributeRead(attribute, value)
        }
        session.receive(report, at: now)
    }

    private mutating func found(_ database: RemoteDatabase, at now: MonotonicInstant) {
        // Where it has changed meanwhile, it is looked for again.
        guard !seeks, let service = database.service(Self.uuid) else { return }
        let update = service.characteristic(BluetoothUUID(AMSUUID.entityUpdate))
        let attribute = service.characteristic(BluetoothUUID(AMSUUID.entityAttribute))?.value
        handles = Handles(
            range: service.range, update: update?.value, configuration: update?.configuration,
            attribute: attribute)
        session = Self.makeSession()
        session.serviceDiscovered(
            .init(
                // Nothing is commanded here.
                hasRemoteCommand: false, hasEntityUpdate: update?.configuration != nil,
                hasEntityAttribute: attribute != nil), at: now)
    }

    /// The phone's services in this range have changed: the service has come, gone or moved.
    mutating func servicesChanged(in range: AttributeHandleRange) {
        guard handles?.range.overlaps(range) ?? true else { return }
        hasNews = session.state.title != nil
        session.end()
        (handles, chosen, seeks) = (nil, nil, true)
    }

    /// The phone sent a value.
    mutating func receive(_ event: ATTBearer.ValueEvent, at now: MonotonicInstant) {
        guard case .notification(let handle, let value) = event,
            handle == handles?.update
        else { return }
        session.receive(.entityUpdate(value), at: now)
    }
}
