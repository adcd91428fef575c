internal import ANCS
internal import ANCSKit
internal import JSONText
internal import MQTT
internal import Octets

/// What a broker gets: it turns what happens at the daemon into messages, and messages into actions. No I/O.
///
///     connected ─▶ subscribe, publish all that is retained ─▶ publish what changes, and events
///     lost      ─▶ events of the time without a broker are dropped ─▶ connected …
///     close     ─▶ publish "offline" ─▶ finished
///
/// A value that is retained is published again at each connection, and as it is then. An event is published once
/// or never: what happened while the broker was away is not told as if it were new. Everything has quality of
/// service 1, and so many messages at most are on their way that a broker that stalls fills no memory.
struct MQTTPublisher: ~Copyable, Sendable {
    enum Output: Hashable, Sendable {
        case subscribe([String])
        case publish(MQTTMessage)
        case perform(ActionID, RecordID)
        /// What has to be known after a restart has changed.
        case remember(MQTTMemory)
        case log(String)
        /// After ``close(at:)``: everything is said, and confirmed.
        case finished
    }

    /// How many there may be.
    struct Limits: Hashable, Sendable {
        /// Messages that the broker has not confirmed: libmosquitto sends as many at once.
        var inFlight = 20
        /// Events that wait for the broker. The oldest is dropped.
        var events = 256
        /// Calls of one phone that ring: the phone says what rings, and one that lies says a lot.
        var calls = 8
        /// Commands at once, and then one for each ``commandInterval``.
        var commands = 5
        var commandInterval = Duration.seconds(1)
        /// How long a phone's name is waited for before Home Assistant hears of it: it makes the names of
        /// entities of the first one.
        var namePatience = Duration.seconds(10)
        /// Home Assistant says that it has started at most so often.
        var refreshInterval = Duration.seconds(10)
    }

    /// What waits to be published.
    enum Item: Hashable, Sendable {
        /// The value that the topic has then.
        case value(MQTTTopic)
        /// Nothing, so that the broker forgets the topic.
        case withdrawal(String)
        case event(topic: String, payload: String)
    }

    struct Phone: Sendable {
        var name: PhoneName
        var state = PhoneStatus.State.away
        var advice: String?
        var counts: [String: Int] = [:]
        /// The calls that ring, the latest last.
        var calls: [Record] = []
        /// Until then Home Assistant does not hear of it.
        var introduction: MonotonicInstant?
    }

    /// A record of which something was published, or could have been.
    struct Entry: Sendable {
        var phone: String
        var flags: EventFlags
        var category: CategoryID
    }

    enum State { case away, connected, closing, finished }

    let limits: Limits
    var setting: MQTTSetting
    /// How long after its start Home Assistant hears from this daemon: not all daemons at once.
    let refreshDelay: Duration
    var state = State.away
    var isStopping = false
    var memory: MQTTMemory
    var phones: [String: Phone] = [:]
    var entries: [RecordID: Entry] = [:]
    var outputs = Queue<Output>()
    /// What is said first: that it rings.
    var urgent = Queue<Item>()
    var ordinary = Queue<Item>()
    var events = 0
    /// What is in a queue, so that it is there once.
    var waiting: Set<MQTTTopic> = []
    var inFlight = Queue<Item>()
    var refresh: MonotonicInstant?
    var lastRefresh: MonotonicInstant?
    var commands: CommandBudget
    var saidFaults: Set<MQTTCommand.Fault> = []
    /// How many events were dropped.
    var dropped = 0
    /// How many commands were not obeyed.
    var refusedCommands = 0

    init(
        _ setting: MQTTSetting, remembering memory: MQTTMemory?, refreshDelay: Duration = .zero,
        limits: Limits = Limits()
    ) {
        self.limits = limits
        self.setting = setting
        self.refreshDelay = refreshDelay
        self.memory = memory.map { $0.moved(to: setting) } ?? MQTTMemory(setting)
        commands = CommandBudget(limits)
        for phone in self.memory.phones { phones[phone.digest] = Phone(name: phone) }
        if let memory, self.memory != memory { outputs.append(.remember(self.memory)) }
    }

    /// When ``handleTimeout(at:)`` is due; `nil` for never.
    var nextDeadline: MonotonicInstant? {
        (phones.values.compactMap(\.introduction) + [refresh].compactMap { $0 }).min()
    }

    /// Takes the next thing to do; call it after every input until it is `nil`.
    mutating func pollOutput() -> Output? {
        if let output = outputs.popFirst() { return output }
        switch state {
        case .away, .finished: return nil
        case .connected, .closing: break
        }
        while inFlight.count < limits.inFlight, let item = urgent.popFirst() ?? ordinary.popFirst()
        {
            if let message = message(of: item) {
                inFlight.append(item)
                return .publish(message)
            }
        }
        guard state == .closing, inFlight.isEmpty else { return nil }
        state = .finished
        return .finished
    }
}

// MARK: - The broker

extension MQTTPublisher {
    /// The broker has let us in.
    mutating func receiveConnection(at now: MonotonicInstant) {
        guard state == .away else { return }
        state = .connected
        var topics: [String] = []
        if setting.takesCommands { topics.append("ancs/\(setting.host)/+/perform") }
        if !setting.discovery.isEmpty { topics.append(statusOfHomeAssistant) }
        if !topics.isEmpty { outputs.append(.subscribe(topics)) }
        for topic in memory.leftovers { ordinary.append(.withdrawal(topic)) }
        publishAll()
    }

    /// There is no connection any more.
    mutating func receiveLoss(at now: MonotonicInstant) {
        dropped += events
        clearQueues()
        refresh = nil
        switch state {
        case .connected: state = .away
        // Nobody is there who could be told.
        case .closing:
            state = .finished
            outputs.append(.finished)
        case .away, .finished: break
        }
    }

    /// The broker has confirmed the oldest message that it had not.
    mutating func receiveAcknowledgement(at now: MonotonicInstant) {
        guard case .withdrawal(let topic) = inFlight.popFirst() else { return }
        memory.leftovers.removeAll { $0 == topic }
        // Once, and not for each topic.
        if memory.leftovers.isEmpty { outputs.append(.remember(memory)) }
    }

    /// Says that the daemon is gone, as far as there is a broker.
    mutating func close(at now: MonotonicInstant) {
        isStopping = true
        guard state == .connected else {
            if state == .away {
                state = .finished
                outputs.append(.finished)
            }
            return
        }
        state = .closing
        while events > 0 { dropOldestEvent() }
        put(.status)
    }

    var statusOfHomeAssistant: String { "\(setting.discovery)/status" }

    /// A message came.
    mutating func receive(_ message: MQTTMessage, at now: MonotonicInstant) {
        guard state == .connected else { return }
        guard message.topic != statusOfHomeAssistant else {
            guard message.payload == Array("online".utf8), refresh == nil else { return }
            let earliest = lastRefresh.map { $0 + limits.refreshInterval } ?? now
            refresh = max(now + refreshDelay, earliest)
            return
        }
        do throws(MQTTCommand.Fault) {
            let (action, record) = try target(of: message, at: now)
            outputs.append(.perform(action, record))
        } catch { refuse(error) }
    }

    /// The deadline may have passed.
    mutating func handleTimeout(at now: MonotonicInstant) {
        if let due = refresh, due <= now {
            refresh = nil
            lastRefresh = now
            publishAll()
        }
        for (digest, phone) in phones where phone.introduction.map({ $0 <= now }) ?? false {
            introduce(digest)
        }
    }
}
