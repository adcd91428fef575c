import Octets

@testable import ANCS
@testable import ANCSCommands
@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSProvider
@testable import AccessoryConformance

/// A scenario without a phone: the test says what accessories do, and plays the phone that does
/// everything at once.
final class ScenarioBench {
    static let watch = AccessoryID(rawValue: 1)

    private var run: ScenarioRun
    private var posted: UInt64 = 0
    private(set) var now = MonotonicInstant.zero
    /// What the phone was told to do.
    private(set) var deeds: [any PhoneDeed] = []
    private(set) var results: [StepResult] = []
    /// The steps that were said to wait, by their paths, and what else was said of them.
    private(set) var waits: [String] = []
    private(set) var waitNotes: [String] = []
    private(set) var result: ScenarioResult?
    /// What was heard of accessories, and when.
    private(set) var heard: [(event: ProviderEvent, at: MonotonicInstant)] = []
    /// Whether the accessory confirms indications.
    var confirms = true
    /// What the phone says it cannot do.
    var obstacle: String?
    /// The notifications by the names that the scenario gives them.
    private(set) var ids: [String: NotificationID] = [:]

    convenience init(steps: String, head: String = "", witness: AnswerWitness? = nil) throws {
        self.init(
            try Scenario(parsing: Array(#"{"title":"T",\#(head)"steps":[\#(steps)]}"#.utf8)),
            witness: witness)
    }

    init(_ scenario: Scenario, witness: AnswerWitness? = nil) {
        run = ScenarioRun(scenario, at: .zero, witness: witness)
        for notification in scenario.notifications {
            ids[notification.name] = post()
        }
        run.start(ids, at: now)
        drain()
    }

    // MARK: Accessories

    func hear(_ event: ProviderEvent) {
        heard.append((event, now))
        run.receive(event, at: now)
        drain()
    }

    /// An accessory connects, pairs and subscribes.
    func subscribe(
        _ id: AccessoryID = watch, name: String? = nil, address: String = "F0:F1:F2:F3:F4:F5",
        isBonded: Bool = true
    ) {
        connect(id, name: name, address: address)
        let description = PeerDescription(name: name, address: address, digest: "D")
        hear(
            .peer(
                id,
                .secured(
                    LinkProtection(
                        isEncrypted: true, isAuthenticated: false, usesSecureConnections: true))))
        hear(.peer(id, .paired(description, isBonded: isBonded, replacing: nil)))
        hear(.session(id, .serviceChangedSubscription(true)))
        hear(.session(id, .subscriptionChanged(.dataSource, true)))
        hear(.session(id, .subscriptionChanged(.notificationSource, true)))
        hear(.session(id, .started))
    }

    static let description = PeerDescription(address: "F0", digest: "D")

    func connect(_ id: AccessoryID = watch, name: String? = nil, address: String = "F0") {
        hear(.peer(id, .connected(PeerDescription(name: name, address: address, digest: "D"))))
    }

    /// The phone announces a notification of the scenario.
    func announce(
        _ name: String, uid: UInt32, _ event: EventID = .added, flags: EventFlags = [],
        category: CategoryID = .social, to id: AccessoryID = watch
    ) {
        hear(
            .session(
                id,
                .announced(
                    ids[name] ?? NotificationID(rawValue: 99),
                    NotificationSourceValue(
                        eventID: event, eventFlags: flags, categoryID: category, categoryCount: 1,
                        notificationUID: NotificationUID(rawValue: uid)))))
    }

    /// The accessory writes a command, and the phone deals with it.
    @discardableResult
    func write(
        _ octets: [UInt8], outcome: ProviderSession.Outcome? = .sent(octets: 20),
        from id: AccessoryID = watch
    ) -> ProviderSession.Command {
        let command: ProviderSession.Command
        do throws(ControlPointCommand.Rejection) {
            command = .decoded(try ControlPointCommand(decoding: octets.span))
        } catch {
            command = .malformed(octets, error)
        }
        hear(.session(id, .command(command)))
        if let outcome { hear(.session(id, .answered(command, outcome))) }
        return command
    }

    /// *Get Notification Attributes* for the title and the message.
    static func fetch(_ uid: UInt8) -> [UInt8] { [0, uid, 0, 0, 0, 1, 64, 0, 3, 64, 0] }

    /// An app of the phone is bound differently.
    func bind(_ app: String, _ state: AccessoryBinding.State, to id: AccessoryID? = watch) {
        run.receive(ScenarioBinding(state, id), of: app, at: now)
        drain()
    }

    /// The phone has heard these advertisers, and does not connect to them.
    func passOver(_ messages: [String]) { run.passedOver = messages }

    // MARK: Time and the end

    func wait(_ duration: Duration) {
        let end = now + duration
        while let deadline = run.nextDeadline, deadline <= end {
            now = max(now, deadline)
            run.handleTimeout(at: now)
            drain()
        }
        now = end
    }

    func interrupt() {
        run.interrupt(.interrupted, at: now)
        drain()
    }

    /// The outcome of each step so far, `✓`, `✗`, `–` for one that was optional, `.` for one not reached.
    var marks: String {
        results.map { result in
            switch result.outcome {
            case .passed: "✓"
            case .failed: "✗"
            case .missed: "–"
            case .notReached: "."
            }
        }.joined()
    }

    var failure: StepFailure? { results.compactMap(\.failure).first }

    /// The verdict on a requirement, where the scenario is graded.
    func verdict(_ requirement: Requirement, of accessory: Int = 0) -> RequirementVerdict? {
        result?.grades[accessory][requirement]
    }

    // MARK: The phone

    private func post() -> NotificationID {
        posted += 1
        return NotificationID(rawValue: posted)
    }

    private func drain() {
        while let output = run.pollOutput() {
            switch output {
            case .perform(let deed, _): perform(deed)
            case .stepBegan: break
            case .stepWaits(let step):
                waits.append(step.path)
                waitNotes.append(step.note ?? "")
            case .stepEnded(let result): results.append(result)
            case .ended(let result): self.result = result
            }
        }
    }

    private func perform(_ deed: any PhoneDeed) {
        deeds.append(deed)
        if let obstacle { return run.failed(obstacle, at: now) }
        var posted: [String: NotificationID] = [:]
        if let name = deed.posted { posted[name] = post() }
        ids.merge(posted) { _, new in new }
        run.performed(posted, at: now)
        if confirms, deed is PhoneVerbs.Publish || deed is PhoneVerbs.Unpublish {
            run.receive(.session(Self.watch, .serviceChangedConfirmed), at: now)
        }
    }
}

extension ScenarioStep {
    /// Whether it says just this.
    func says(_ wanted: any PhoneVerb) -> Bool { wanted.isSame(as: verb) }
}

extension PhoneVerb {
    fileprivate func isSame(as other: any PhoneVerb) -> Bool { other as? Self == self }
}
