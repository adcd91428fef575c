import ANCS
import BluetoothLE
import Octets

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver
@testable import ANCSService

/// A dialogue of pairing in virtual time, and the steps that it has put out.
struct DialogueBench: ~Copyable {
    static let setting = PairingSetting(
        name: "Desk", place: "hci0 of bluetoothd", again: "run 'ancs pair' again",
        acceptance: "say so")
    static let authorization = ControlPointError(rawValue: 0x03)

    private(set) var dialogue: PairingDialogue
    private(set) var steps: [PairingStep] = []
    private(set) var probes: [PhoneID] = []
    private(set) var now = MonotonicInstant(nanoseconds: 0)

    /// A dialogue of two minutes that is on air.
    init(
        for duration: Duration = .seconds(120), isOnAir: Bool = true,
        links: [PairingDialogue.KnownLink] = []
    ) {
        dialogue = PairingDialogue(
            at: Self.setting, for: duration, isOnAir: isOnAir, links: links, at: now)
        drain()
    }

    static func id(_ number: UInt64) -> PhoneID { PhoneID(rawValue: number) }

    static func session(_ number: UInt64) -> SessionID {
        SessionID(provider: id(number), number: number)
    }

    static func stranger(_ digest: String) -> PeerDescription {
        PeerDescription(address: "40:00:00:00:00:01", identity: nil, digest: digest)
    }

    static func phone(_ digest: String = "ada") -> PeerDescription {
        PeerDescription(
            address: "40:00:00:00:00:01", identity: "F0:F1:F2:F3:F4:F5", digest: digest)
    }

    private mutating func drain() {
        while let output = dialogue.pollOutput() {
            switch output {
            case .step(let step): steps.append(step)
            case .probe(let id): probes.append(id)
            }
        }
    }

    mutating func receive(_ events: ConsumerEvent...) {
        for event in events { dialogue.receive(event, at: now) }
        drain()
    }

    mutating func with(_ body: (inout PairingDialogue, MonotonicInstant) -> Void) {
        body(&dialogue, now)
        drain()
    }

    /// Lets time pass, and calls at each deadline.
    mutating func wait(_ duration: Duration) {
        let end = now + duration
        while let deadline = dialogue.nextDeadline, deadline <= end {
            now = max(now, deadline)
            dialogue.handleTimeout(at: now)
            drain()
        }
        now = end
    }

    /// Lets time pass until it has ended; returns how long that took.
    mutating func waitForEnd() -> Duration {
        let start = now
        while let deadline = dialogue.nextDeadline { wait(deadline - now) }
        return now - start
    }

    /// A phone connects, and pairs.
    mutating func pair(_ number: UInt64 = 1, name: String? = "Ada's iPhone") {
        receive(
            .peer(Self.id(number), .connected(Self.stranger("stranger \(number)"))),
            .peer(
                Self.id(number),
                .paired(Self.phone("phone \(number)"), isBonded: true, replacing: nil)))
        if let name { receive(.peer(Self.id(number), .named(name))) }
    }

    var words: [String] { steps.map(\.word) }
    var texts: [String] { steps.map(\.text) }
    var last: PairingStep? { steps.last }

    /// How it ended; `nil` if it has not, or more than once.
    var outcome: PairingOutcome? {
        let outcomes = steps.compactMap { step -> PairingOutcome? in
            if case .ended(let outcome) = step.kind { outcome } else { nil }
        }
        return outcomes.count == 1 && steps.last?.word == "ended" ? outcomes[0] : nil
    }

    /// Why it failed; `nil` if it has not.
    var cause: PairingCause? {
        if case .failed(let cause)? = outcome { cause } else { nil }
    }
}
