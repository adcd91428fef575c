import ANCS
import JSONText
import MQTT
import Octets

@testable import ANCSService

/// A publisher in a test's own time, with a broker that confirms what it is told to.
final class MQTTBench {
    static let digest = "0123456789abcdef"
    static let iPhone = PhoneName(digest: digest, name: "Ada's iPhone")

    var publisher: MQTTPublisher
    var now = MonotonicInstant(nanoseconds: 0)
    /// Everything that was published, in order.
    private(set) var published: [MQTTMessage] = []
    private(set) var subscribed: [String] = []
    private(set) var performed: [MQTTPublisher.Output] = []
    private(set) var logged: [String] = []
    private(set) var remembered: MQTTMemory?
    private(set) var isFinished = false
    /// Whether the broker confirms at once.
    var confirms = true
    /// How many messages it has not confirmed.
    private(set) var inFlight = 0

    static func setting(
        _ change: (inout ServiceConfiguration.MQTTSection) -> Void = { _ in }
    ) -> MQTTSetting {
        var section = ServiceConfiguration.MQTTSection()
        section.name = "desk"
        change(&section)
        return MQTTSetting(section, name: "Desk", hostName: "desk.example", version: "1.0")
    }

    init(
        _ setting: MQTTSetting = MQTTBench.setting(), remembering memory: MQTTMemory? = nil,
        refreshDelay: Duration = .zero, limits: MQTTPublisher.Limits = .init()
    ) {
        publisher = MQTTPublisher(
            setting, remembering: memory, refreshDelay: refreshDelay, limits: limits)
        drain()
    }

    // MARK: Inputs

    func connect() {
        publisher.receiveConnection(at: now)
        drain()
    }

    func lose() {
        inFlight = 0
        publisher.receiveLoss(at: now)
        drain()
    }

    func confirm(_ count: Int) {
        for _ in 0..<count {
            inFlight -= 1
            publisher.receiveAcknowledgement(at: now)
            drain()
        }
    }

    func report(_ event: ServiceEvent) {
        publisher.receive(event, at: now)
        drain()
    }

    /// A call rings, which the daemon reports at its header.
    func ring(_ call: Record) {
        report(.announced(call))
        report(.call(call, .incoming))
    }

    /// A call is over.
    func end(_ call: Record, _ outcome: CallOutcome) {
        var call = call
        call.outcome = outcome
        report(.call(call, .ended))
    }

    /// A phone whose notifications come.
    func meet(
        _ phone: PhoneName = MQTTBench.iPhone, state: PhoneStatus.State = .subscribed,
        counts: [String: Int] = [:]
    ) {
        report(.phone(PhoneStatus(phone: phone, state: state, isPaired: true, counts: counts)))
    }

    func send(
        _ payload: String, to topic: String = "ancs/desk/\(MQTTBench.digest)/perform",
        isRetained: Bool = false
    ) {
        publisher.receive(
            MQTTMessage(topic: topic, payload: Array(payload.utf8), isRetained: isRetained), at: now
        )
        drain()
    }

    func wait(_ duration: Duration) {
        now = now + duration
        publisher.handleTimeout(at: now)
        drain()
    }

    func close() {
        publisher.close(at: now)
        drain()
    }

    private func drain() {
        while let output = publisher.pollOutput() {
            switch output {
            case .subscribe(let topics): subscribed += topics
            case .publish(let message):
                published.append(message)
                if confirms {
                    publisher.receiveAcknowledgement(at: now)
                } else {
                    inFlight += 1
                }
            case .perform, .send: performed.append(output)
            case .remember(let memory): remembered = memory
            case .log(let message): logged.append(message)
            case .finished: isFinished = true
            }
        }
    }

    // MARK: What the broker has

    func forgetPublished() { published = [] }

    /// What is retained there: the last value of each topic that has one.
    var retained: [String: String] {
        var values: [String: String] = [:]
        for message in published where message.isRetained {
            values[message.topic] = message.payload.isEmpty ? nil : text(message)
        }
        return values
    }

    /// The events of a topic of the phone.
    func events(_ topic: String) -> [JSONValue] {
        published.filter { !$0.isRetained && $0.topic == "ancs/desk/\(Self.digest)/\(topic)" }
            .compactMap { try? JSONValue(parsing: $0.payload) }
    }

    func eventTypes(_ topic: String) -> [String] {
        events(topic).compactMap { $0["event_type"]?.string }
    }

    /// A value of the phone.
    func value(_ topic: String) -> String? { retained["ancs/desk/\(Self.digest)/\(topic)"] }

    func text(_ message: MQTTMessage) -> String { String(decoding: message.payload, as: UTF8.self) }
}

extension SampleRecord {
    /// A call that rings, of which only the header is known, or everything.
    static func call(
        id: UInt64 = 40, caller: String? = nil, verdict: RuleVerdict = RuleVerdict()
    ) -> Record {
        make(
            id: id, category: .incomingCall, flags: [.positiveAction, .negativeAction],
            attributes: caller.map {
                attributes(app: "com.apple.mobilephone", title: $0, message: "Incoming call")
            } ?? [], name: caller == nil ? nil : "Phone", verdict: verdict)
    }
}
