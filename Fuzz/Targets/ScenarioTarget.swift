@testable import Printing
@testable import AccessoryConformance
import Kinds
import ANCSService
import BluetoothLE
import JSONText
import Octets

@testable import ANCS
@testable import ANCSCommands
@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSProvider
@testable import ANCSReceiver

/// A scenario file and its run: the phone carries out the steps, and accessories follow the octets after the
/// text, separated by an octet 0.
struct ScenarioTarget: ~Copyable {
    private var input: FuzzInput
    private var run: ScenarioRun
    private let scenario: Scenario
    private var now = MonotonicInstant.zero
    private var posted: UInt64 = 0
    private var stepResults = 0
    private var result: ScenarioResult?
    private let reports = [false, true].map { ScenarioReport(isJSON: $0, isColored: false) }

    static func run(_ script: [UInt8]) throws {
        let end = script.firstIndex(of: 0) ?? script.count
        let scenario: Scenario
        do throws(DocumentErrors) {
            scenario = try Scenario(parsing: Array(script[..<end]))
        } catch {
            for line in error.lines(of: "s.json") {
                try TextRules.checkLine(TerminalText.visible(line))
            }
            return
        }
        var target = Self(scenario, FuzzInput(Array(script[end...].dropFirst())))
        try target.begin()
        while !target.input.isAtEnd, target.result == nil { try target.event() }
        try target.finish()
    }

    private init(_ scenario: Scenario, _ script: FuzzInput) {
        self.scenario = scenario
        input = script
        run = ScenarioRun(scenario, at: .zero)
    }

    private mutating func begin() throws {
        for report in reports { try checkLines(report.opening(of: scenario), report) }
        var names: [String: NotificationID] = [:]
        for notification in scenario.notifications { names[notification.name] = post() }
        run.start(names, at: now)
        try drain()
    }

    private mutating func post() -> NotificationID {
        posted += 1
        return NotificationID(rawValue: posted)
    }

    // MARK: Accessories

    private mutating func event() throws {
        let id = AccessoryID(rawValue: UInt64(input.choice(3)))
        switch input.choice(16) {
        case 0, 1:
            let names: [String?] = [nil, "Watch", "Other"]
            let description = PeerDescription(
                name: input.element(of: names), address: "F0:F1:F2:F3:F4:F5", digest: "D")
            run.receive(.peer(id, .connected(description)), at: now)
        case 2:
            let protection = LinkProtection(
                isEncrypted: true, isAuthenticated: input.flag(), usesSecureConnections: true)
            run.receive(.peer(id, .secured(protection)), at: now)
        case 3:
            let description = PeerDescription(address: "F0:F1:F2:F3:F4:F5", digest: "D")
            let paired = PeerEvent.paired(description, isBonded: input.flag(), replacing: nil)
            run.receive(.peer(id, input.flag() ? paired : .bondRestored), at: now)
        case 4:
            let characteristic: NotifyingCharacteristic =
                input.flag() ? .dataSource : .notificationSource
            run.receive(.session(id, .subscriptionChanged(characteristic, input.flag())), at: now)
        case 5: run.receive(.session(id, input.flag() ? .started : .ended), at: now)
        case 6, 7:
            let octets = input.take(8)
            guard let value = try? NotificationSourceValue(decoding: octets.span) else { return }
            let notification = NotificationID(rawValue: UInt64(input.choice(8)))
            run.receive(.session(id, .announced(notification, value)), at: now)
        case 8, 9, 10: command(of: id)
        case 11: run.receive(.peer(id, .disconnected(.link(.connectionTimeout))), at: now)
        case 12: run.receive(.device(input.flag() ? .ready : .resetting(.unresponsive)), at: now)
        case 13: run.receive(.peer(id, .securityFailed(.timedOut)), at: now)
        case 14: run.receive(.session(id, .commandWithoutResponse(input.octets())), at: now)
        default: try pass(input.duration())
        }
        try drain()
    }

    private mutating func command(of id: AccessoryID) {
        let octets = input.octets()
        let command: ProviderSession.Command
        do throws(ControlPointCommand.Rejection) {
            command = .decoded(try ControlPointCommand(decoding: octets.span))
        } catch { command = .malformed(octets, error) }
        run.receive(.session(id, .command(command)), at: now)
        let outcomes: [ProviderSession.Outcome] = [
            .sent(octets: 20), .performed, .refused(.invalidParameter), .withheld, .ignored,
            .abandoned(octets: 1),
        ]
        run.receive(.session(id, .answered(command, input.element(of: outcomes))), at: now)
        let request = ProviderSession.ActionRequest(
            number: 1, notificationID: NotificationID(rawValue: UInt64(input.choice(8))),
            notificationUID: NotificationUID(rawValue: UInt32(input.choice(4))),
            actionID: .positive)
        if input.flag() {
            run.receive(.session(id, .action(request, performed: input.flag())), at: now)
        }
    }

    private mutating func pass(_ duration: Duration) throws {
        let end = now + duration
        var clock = ClockRule()
        while let deadline = run.nextDeadline, deadline <= end {
            now = max(now, deadline)
            try clock.wake(at: now)
            run.handleTimeout(at: now)
            try drain()
        }
        now = max(now, end)
    }

    /// No more inputs: the run must end by itself.
    private mutating func finish() throws {
        var clock = ClockRule()
        while result == nil {
            guard let deadline = run.nextDeadline else {
                throw BrokenRule(description: "the run neither ends nor waits")
            }
            now = max(now, deadline)
            try clock.wake(at: now)
            run.handleTimeout(at: now)
            try drain()
        }
        run.interrupt(.interrupted, at: now)
        try check(run.pollOutput() == nil, "the run goes on after its end")
        try check(run.nextDeadline == nil, "the run waits for something after its end")
    }

    // MARK: Outputs

    private mutating func drain() throws {
        while let output = run.pollOutput() {
            try check(result == nil, "the run goes on after its end")
            switch output {
            case .perform(let deed, _): perform(deed)
            case .stepBegan(let step): try TextRules.checkLine(TerminalText.visible(step.title))
            case .stepWaits(let step):
                for report in reports { try checkLines(report.lines(waitingFor: step), report) }
            case .stepEnded(let result):
                stepResults += 1
                for report in reports { try checkLines(report.lines(of: result), report) }
            case .ended(let result): try ended(result)
            }
        }
    }

    private mutating func ended(_ result: ScenarioResult) throws {
        self.result = result
        try check(
            result.steps.count == scenario.steps.count,
            "\(result.steps.count) results of \(scenario.steps.count) steps")
        try check(stepResults <= scenario.steps.count, "more steps end than there are")
        for report in reports { try checkLines(report.closing(of: result), report) }
        let xml = JUnitReport.xml(of: result)
        let isLegal = xml.unicodeScalars.allSatisfy { scalar in
            scalar.value >= 0x20 || scalar == "\n" || scalar == "\t"
        }
        try check(isLegal, "a report with a character that XML does not have")
    }

    private func checkLines(_ lines: [String], _ report: ScenarioReport) throws {
        for line in lines {
            trace(line)
            try TextRules.checkLine(line)
            if report.isJSON { _ = try JSONValue(parsing: line) }
        }
    }

    /// The phone carries out a step, or fails to.
    private mutating func perform(_ deed: any PhoneDeed) {
        guard input.choice(8) != 7 else { return run.failed("the phone cannot", at: now) }
        var names: [String: NotificationID] = [:]
        if let name = deed.posted { names[name] = post() }
        run.performed(names, at: now)
    }
}
