public import Octets

/// The Media Remote's side of AMS on one link, which is the accessory's: it subscribes, says what it wants to know, keeps
/// what the phone reports, and sends commands.
///
///     idle ──service found──▶ setting up: subscriptions, then a registration for each entity ──▶ active ──▶ ended
///
/// Setting up goes on without what is missing or refused (M1). While it is active, values that the phone truncated are
/// read whole, one at a time (M4, M5). Changes that come together are one report: ``Configuration/gathering`` after the
/// first. Nothing accumulates: of each attribute there is one value, and at most one read.
///
/// The driver carries out what ``pollOutput()`` returns and reports the results. It writes and reads one request at a
/// time, as ATT demands.
public struct MediaRemoteSession: ~Copyable, Sendable {
    /// Which characteristics the phone has (M1).
    public struct Service: Hashable, Sendable {
        /// Remote Command.
        public var hasRemoteCommand: Bool
        /// Entity Update.
        public var hasEntityUpdate: Bool
        /// Entity Attribute.
        public var hasEntityAttribute: Bool

        /// A service with these characteristics.
        public init(hasRemoteCommand: Bool, hasEntityUpdate: Bool, hasEntityAttribute: Bool) {
            self.hasRemoteCommand = hasRemoteCommand
            self.hasEntityUpdate = hasEntityUpdate
            self.hasEntityAttribute = hasEntityAttribute
        }
    }

    /// What is asked for, and limits.
    public struct Configuration: Hashable, Sendable {
        /// What the phone is asked to report; all by default. The server of iOS 8.3 crashed when it was asked for the
        /// name of the player (openradar 21283910): after a link that was lost right after a registration, ask for less.
        public var attributes: MediaAttributeSet
        /// How long after the first change others are gathered into one report; 50 milliseconds by default.
        public var gathering: Duration
        /// How many commands may wait for their responses; 16 by default.
        public var maximumPendingCommands: Int

        /// Everything is asked for.
        public init() {
            attributes = .all
            gathering = .milliseconds(50)
            maximumPendingCommands = 16
        }
    }

    /// What the driver has to do on the link.
    public enum LinkRequest: Hashable, Sendable {
        /// Enable the characteristic's notifications, then report the result.
        case subscribe(MediaCharacteristic)
        /// Write a value to Entity Update with a response, then report the result.
        case register(EntityUpdateRegistration)
        /// Write the attribute to Entity Attribute with a response and, if that succeeds, read the value, with long
        /// reads if need be; then report the result.
        case readAttribute(MediaAttribute)
        /// Write the command to Remote Command with a response, then report the result.
        case writeCommand(RemoteCommandID)
    }

    /// The result of a ``LinkRequest``, or a value that the phone sent.
    public enum LinkReport: Hashable, Sendable {
        /// A subscription succeeded, or was refused with an ATT error code.
        case subscribed(MediaCharacteristic, errorCode: UInt8?)
        /// A registration was accepted, or was refused.
        case registered(MediaEntityID, MediaServiceError?)
        /// An attribute was read; `nil` if the write or the read was refused.
        case attributeRead(MediaAttribute, [UInt8]?)
        /// A command was accepted, or was refused.
        case commandWritten(RemoteCommandID, MediaServiceError?)
        /// A value of Remote Command arrived.
        case remoteCommand([UInt8])
        /// A value of Entity Update arrived.
        case entityUpdate([UInt8])
    }

    /// What the driver has to do, and what happened.
    public enum Output: Hashable, Sendable {
        /// Do this on the link, then report the result with ``MediaRemoteSession/receive(_:at:)``.
        case link(LinkRequest)
        /// The phone has accepted a subscription or a registration: what it reports arrives from now on.
        case started
        /// ``MediaRemoteSession/state`` has changed. The attributes are those whose values are others; the commands say
        /// for themselves.
        case changed(MediaAttributeSet)
        /// A command that was sent has ended: `nil` if the phone received it, which does not say that it had an effect
        /// (M14).
        case commandEnded(RemoteCommandID, MediaServiceError?)
    }

    /// Why a command is not sent.
    public enum UsageError: Error, Hashable, Sendable {
        /// There is no session, or the phone has no Remote Command.
        case notStarted
        /// The player does not support it (M14).
        case notSupported
        /// Too many commands wait.
        case tooManyCommands
    }

    private enum Stage {
        case idle
        case settingUp
        case active
        case ended
    }

    /// What is to be set up, in this order.
    private enum Step: UInt8 {
        case subscribeToCommands, subscribeToUpdates, registerPlayer, registerQueue, registerTrack

        init(_ characteristic: MediaCharacteristic) {
            self = characteristic == .remoteCommand ? .subscribeToCommands : .subscribeToUpdates
        }

        /// `nil` for an entity without a name.
        init?(_ entity: MediaEntityID) {
            guard entity.rawValue < 3 else { return nil }
            self.init(rawValue: Self.registerPlayer.rawValue + entity.rawValue)
        }
    }

    private let configuration: Configuration
    private var stage = Stage.idle
    private var service = Service(
        hasRemoteCommand: false, hasEntityUpdate: false, hasEntityAttribute: false)
    /// What is left to set up, a bit for each.
    private var steps: UInt8 = 0
    private var step: Step?
    /// Whether the registration for the player is the second one, without what an old phone does not know (M9).
    private var asksForLess = false
    private var hasStarted = false
    /// What the phone has said.
    public private(set) var state = MediaState()
    private var changes: MediaAttributeSet = []
    private var reportDeadline: MonotonicInstant?
    /// The attributes that are to be read whole, and the one that is being read.
    private var unread: MediaAttributeSet = []
    private var reading: MediaAttribute?
    /// Whether a whole value arrived while the attribute was being read, which is newer than what will be read.
    private var isReadVoid = false
    private var pendingCommands = 0
    private var outputs = Queue<Output>()
    /// How many values were ignored: too short, or of an attribute without a name.
    public private(set) var ignoredValues = 0

    /// A session that has not started.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// When ``handleTimeout(at:)`` is due; `nil` for never.
    public var nextDeadline: MonotonicInstant? { reportDeadline }

    /// Takes the next output. After every input, call it until it returns `nil`.
    public mutating func pollOutput() -> Output? { outputs.popFirst() }

    /// The deadline has passed: reports what was gathered.
    public mutating func handleTimeout(at now: MonotonicInstant) {
        guard let deadline = reportDeadline, now >= deadline else { return }
        reportDeadline = nil
        outputs.append(.changed(changes))
        changes = []
    }
}

// MARK: - The life of a session

extension MediaRemoteSession {
    /// The service was found. Without a characteristic that sends anything, nothing follows.
    public mutating func serviceDiscovered(_ service: Service, at now: MonotonicInstant) {
        guard stage == .idle else { return }
        self.service = service
        stage = .settingUp
        if service.hasRemoteCommand { plan(.subscribeToCommands) }
        if service.hasEntityUpdate {
            plan(.subscribeToUpdates)
            for number: UInt8 in 0..<3 {
                let entity = MediaEntityID(rawValue: number)
                if !configuration.attributes.isDisjoint(with: .all(of: entity)) {
                    plan(Step(entity))
                }
            }
        }
        advance()
    }

    /// The link or the service is gone. What it reported is void, and commands that wait end without a word.
    public mutating func end() {
        stage = .ended
        (step, steps) = (nil, 0)
        state = MediaState()
        (changes, unread, reading, reportDeadline) = ([], [], nil, nil)
        pendingCommands = 0
        outputs = Queue()
    }

    private mutating func plan(_ step: Step?) { if let step { steps |= 1 << step.rawValue } }

    private mutating func advance() {
        step = Step(rawValue: UInt8(steps.trailingZeroBitCount))
        steps &= steps &- 1
        switch step {
        case .subscribeToCommands: outputs.append(.link(.subscribe(.remoteCommand)))
        case .subscribeToUpdates: outputs.append(.link(.subscribe(.entityUpdate)))
        case .registerPlayer: register(.player)
        case .registerQueue: register(.queue)
        case .registerTrack: register(.track)
        case nil:
            stage = .active
            readNext()
        }
    }

    private mutating func register(_ entity: MediaEntityID) {
        var attributes = configuration.attributes
        if asksForLess { attributes.subtract(MediaAttributeSet(.bundleIdentifier)) }
        outputs.append(.link(.register(EntityUpdateRegistration(entity, attributes))))
    }

    private mutating func succeeded() {
        guard !hasStarted else { return }
        hasStarted = true
        outputs.append(.started)
    }

    private mutating func subscribed(_ characteristic: MediaCharacteristic, _ errorCode: UInt8?) {
        guard step == Step(characteristic) else { return }
        if errorCode == nil {
            if characteristic == .remoteCommand { succeeded() }
        } else if characteristic == .entityUpdate {
            // Without the subscription every registration would be refused (M13).
            steps = 0
        }
        advance()
    }

    private mutating func registered(_ entity: MediaEntityID, _ error: MediaServiceError?) {
        guard let step, step == Step(entity) else { return }
        if error == nil {
            succeeded()
        } else if entity == .player, !asksForLess,
            configuration.attributes.contains(.bundleIdentifier)
        {
            // An older phone does not know the app's identifier (M9): once more without it.
            asksForLess = true
            plan(step)
        }
        advance()
    }
}

// MARK: - What the phone says

extension MediaRemoteSession {
    /// The result of a ``LinkRequest``, or a value that the phone sent.
    public mutating func receive(_ report: LinkReport, at now: MonotonicInstant) {
        guard stage == .settingUp || stage == .active else { return }
        switch report {
        case .subscribed(let characteristic, let errorCode): subscribed(characteristic, errorCode)
        case .registered(let entity, let error): registered(entity, error)
        case .attributeRead(let attribute, let value): read(attribute, value, at: now)
        case .commandWritten(let command, let error):
            guard pendingCommands > 0 else { return }
            pendingCommands -= 1
            outputs.append(.commandEnded(command, error))
        case .remoteCommand(let value):
            let commands = RemoteCommandSet(decoding: value.span)
            guard commands != state.commands else { return }
            state.commands = commands
            gather(at: now)
        case .entityUpdate(let value): update(value, at: now)
        }
    }

    private mutating func update(_ octets: [UInt8], at now: MonotonicInstant) {
        let update: EntityUpdate
        do throws(DecodingError) {
            update = try EntityUpdate(decoding: octets.span)
        } catch {
            ignoredValues += 1
            return
        }
        let attribute = MediaAttributeSet(update.attribute)
        guard !attribute.isEmpty else {
            ignoredValues += 1
            return
        }
        set(update.attribute, to: update.value, isTruncated: update.isTruncated, at: now)
        // A read that is out may have the value before this one: it does not count, and if this one is truncated, its
        // attribute is read once more.
        if reading == update.attribute { isReadVoid = true }
        if update.isTruncated, service.hasEntityAttribute {
            unread.formUnion(attribute)
        } else {
            unread.subtract(attribute)
        }
        readNext()
    }

    private mutating func set(
        _ attribute: MediaAttribute, to value: [UInt8], isTruncated: Bool, at now: MonotonicInstant
    ) {
        guard state.set(attribute, to: value, isTruncated: isTruncated, at: now) else { return }
        changes.formUnion(MediaAttributeSet(attribute))
        gather(at: now)
    }

    private mutating func gather(at now: MonotonicInstant) {
        if reportDeadline == nil { reportDeadline = now + configuration.gathering }
    }

    // MARK: Whole values

    /// Reads the next attribute whole, unless one is being read or the registrations are not done.
    private mutating func readNext() {
        guard stage == .active, reading == nil, let attribute = unread.first else { return }
        unread.subtract(MediaAttributeSet(attribute))
        reading = attribute
        outputs.append(.link(.readAttribute(attribute)))
    }

    private mutating func read(
        _ attribute: MediaAttribute, _ value: [UInt8]?, at now: MonotonicInstant
    ) {
        guard reading == attribute else { return }
        reading = nil
        if let value, !isReadVoid { set(attribute, to: value, isTruncated: false, at: now) }
        isReadVoid = false
        readNext()
    }
}

// MARK: - Commands

extension MediaRemoteSession {
    /// Sends a command to the player. Exactly one ``Output/commandEnded(_:_:)`` follows, unless the session ends.
    public mutating func send(_ command: RemoteCommandID) throws(UsageError) {
        guard stage == .settingUp || stage == .active, service.hasRemoteCommand else {
            throw .notStarted
        }
        guard state.commands.contains(command) else { throw .notSupported }
        guard pendingCommands < configuration.maximumPendingCommands else { throw .tooManyCommands }
        pendingCommands += 1
        outputs.append(.link(.writeCommand(command)))
    }
}
