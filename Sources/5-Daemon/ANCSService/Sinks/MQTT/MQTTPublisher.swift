internal import AMS
internal import ANCS
internal import MQTT

/// Publishes the state of the daemon to a broker: converts events of the daemon to messages, and messages to
/// actions. No I/O.
///
///     connected ─▶ subscribe, publish all that is retained ─▶ publish what changes, and events
///     lost      ─▶ events of the time without a broker are dropped ─▶ connected …
///     close     ─▶ publish "offline" ─▶ finished
///
/// Retained values are published again with their current contents at each connection. An event is published
/// at most once: what happened while the broker was unavailable is not reported as new. All messages have
/// quality of service 1, and the number of unacknowledged ones is limited, so that a stalled broker does not
/// fill the memory.
struct MQTTPublisher: ~Copyable, Sendable {
    enum Output: Equatable, Sendable {
        case subscribe([String])
        case publish(MQTTMessage)
        case perform(ActionID, RecordID)
        /// Send a command to the player of the phone with this digest.
        case send(RemoteCommandID, String)
        /// Store this for the next run.
        case remember(MQTTMemory)
        case log(String)
        /// After ``close(at:)``: everything was published and acknowledged.
        case finished
    }

    /// Limits.
    struct Limits: Equatable, Sendable {
        /// Unacknowledged messages: libmosquitto has the same limit.
        var inFlight = 20
        /// Queued events; the oldest is dropped.
        var events = 256
        /// Calls of one phone: an untrusted phone may announce any number.
        var calls = 8
        /// Commands in a burst; further ones are accepted at one per ``commandInterval``.
        var commands = 5
        var commandInterval = Duration.seconds(1)
        /// How long to wait for a phone's name before its discovery is published: Home Assistant derives the
        /// names of entities from the first one.
        var namePatience = Duration.seconds(10)
        /// The shortest interval between two restarts of Home Assistant that are honored.
        var refreshInterval = Duration.seconds(10)
    }

    /// An item to publish.
    enum Item: Sendable {
        /// The topic's value when it is sent.
        case value(MQTTTopic)
        /// An empty value, so that the broker removes the topic.
        case withdrawal(String)
        case event(topic: String, payload: String)

        func isValue(of topic: MQTTTopic) -> Bool {
            if case .value(let own) = self { own == topic } else { false }
        }
    }

    struct Phone: Sendable {
        var name: PhoneName
        var state = PhoneStatus.State.away
        var advice: String?
        var counts: [String: Int] = [:]
        var player: MediaState?
        /// The calls that are not over, the latest last.
        var calls: [PublishedCall] = []
        /// When its discovery is published; `nil` if it was.
        var introduction: MonotonicInstant?
    }

    /// A call, from its publication to its end.
    struct PublishedCall: Sendable {
        enum Stage: Sendable { case ringing, settling, active }

        /// With which it began.
        var record: Record
        var stage: Stage
    }

    /// A record that was published, or could have been.
    struct Entry: Sendable {
        var phone: String
        var flags: EventFlags
        var category: CategoryID
        var date: NotificationDate?
    }

    enum State { case away, connected, closing, finished }

    let limits: Limits
    var setting: MQTTSetting
    /// The delay after a restart of Home Assistant, which differs between daemons to spread the load.
    let refreshDelay: Duration
    var state = State.away
    var isStopping = false
    var memory: MQTTMemory
    var phones: [String: Phone] = [:]
    var entries: [RecordID: Entry] = [:]
    var outputs = Queue<Output>()
    /// Published first: ringing calls.
    var urgent = Queue<Item>()
    var ordinary = Queue<Item>()
    var events = 0
    /// The queued values, so that each is queued once.
    var waiting: Set<MQTTTopic> = []
    var inFlight = Queue<Item>()
    var refresh: MonotonicInstant?
    var lastRefresh: MonotonicInstant?
    var commands: CommandBudget
    var saidFaults: Set<MQTTCommand.Fault> = []
    /// How many events were dropped.
    var dropped = 0
    /// How many commands were refused.
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

    /// Takes the next output. After every input, call it until it returns `nil`.
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
    /// The broker has accepted the connection.
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

    /// The connection has ended.
    mutating func receiveLoss(at now: MonotonicInstant) {
        dropped += events
        clearQueues()
        refresh = nil
        switch state {
        case .connected: state = .away
        // Without a broker there is nothing left to publish.
        case .closing:
            state = .finished
            outputs.append(.finished)
        case .away, .finished: break
        }
    }

    /// The broker has acknowledged the oldest message.
    mutating func receiveAcknowledgement(at now: MonotonicInstant) {
        guard case .withdrawal(let topic) = inFlight.popFirst() else { return }
        memory.leftovers.removeAll { $0 == topic }
        // Once, instead of for each topic.
        if memory.leftovers.isEmpty { outputs.append(.remember(memory)) }
    }

    /// Publishes that the daemon stops, if there is a broker.
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

    /// A message arrived.
    mutating func receive(_ message: MQTTMessage, at now: MonotonicInstant) {
        guard state == .connected else { return }
        guard message.topic != statusOfHomeAssistant else {
            guard message.payload == Array("online".utf8), refresh == nil else { return }
            let earliest = lastRefresh.map { $0 + limits.refreshInterval } ?? now
            refresh = max(now + refreshDelay, earliest)
            return
        }
        do throws(MQTTCommand.Fault) {
            outputs.append(try output(of: message, at: now))
        } catch { refuse(error) }
    }

    /// Call it when ``nextDeadline`` has passed; an early call does nothing.
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
