import ANCS
import BluetoothLE
import JSONText
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver
@testable import ANCSService

@Suite("The most likely cause why no phone is received from")
struct PairingCauseTests {
    private typealias Bench = DialogueBench

    /// What happens in a dialogue, and the cause. Each is further down the list than those after it.
    private struct Row: CustomTestStringConvertible, Sendable {
        let cause: PairingCause
        let happens: @Sendable (inout DialogueBench) -> Void
        var testDescription: String { cause.word }
    }

    private static let rows: [Row] = [
        Row(cause: .neverPaired(1)) {
            $0.receive(.peer(Bench.id(1), .connected(Bench.stranger("1"))))
        },
        Row(cause: .noDigits) {
            $0.receive(.peer(Bench.id(2), .securityFailed(.notAuthenticated)))
        },
        Row(cause: .failed(.refusedByPeer(.unspecified))) {
            $0.receive(.peer(Bench.id(3), .securityFailed(.refusedByPeer(.unspecified))))
        },
        Row(cause: .unanswered) { $0.receive(.peer(Bench.id(3), .securityFailed(.notAnswered))) },
        Row(cause: .declined) { $0.with { dialogue, _ in dialogue.declined(Bench.id(4)) } },
        Row(cause: .keyTrouble("keys")) {
            $0.with { dialogue, _ in dialogue.keysFailed("keys") }
        },
        Row(cause: .unfinished) { $0.pair(5) },
        Row(cause: .left) { $0.receive(.peer(Bench.id(5), .disconnected(.linkEnded))) },
        Row(cause: .silent) {
            $0.pair(6)
            $0.receive(.session(Bench.id(6), .livenessChanged(.wedged)))
        },
        Row(cause: .noService) {
            $0.pair(7)
            $0.receive(.session(Bench.id(7), .waitingForService))
        },
        Row(cause: .consentMissing) {
            $0.pair(8)
            $0.receive(
                .session(Bench.id(8), .authorizationChanged(.unauthorized(Bench.authorization))))
        },
        Row(cause: .adapterGone("gone")) {
            $0.with { dialogue, _ in dialogue.adapterGone("gone") }
        },
    ]

    @Test(
        "the last event before the end is the cause", arguments: rows.indices)
    func order(upTo index: Int) {
        var bench = Bench()
        for row in Self.rows[...index] { row.happens(&bench) }
        _ = bench.waitForEnd()
        #expect(bench.cause == Self.rows[index].cause)
    }

    @Test("each of them alone is the cause", arguments: rows)
    private func alone(_ row: Row) {
        var bench = Bench()
        if row.cause == .left { bench.pair(5) }
        row.happens(&bench)
        _ = bench.waitForEnd()
        #expect(bench.cause == row.cause)
        // The sentence says what to do, and has no word of a program in it.
        #expect(bench.last?.text.contains("Optional") == false)
        let json = bench.last?.json(number: 1, time: "")
        #expect(json?["cause"]?.string == row.cause.word)
    }

    @Test(
        "any events in any order end it once, in bounded time and with bounded steps",
        arguments: 0..<200)
    func walk(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var bench = Bench(for: .seconds(Int.random(in: 1...200, using: &generator)))
        for _ in 0..<400 {
            let number = UInt64.random(in: 1...6, using: &generator)
            let id = Bench.id(number)
            let digest = "\(UInt64.random(in: 1...4, using: &generator))"
            switch Int.random(in: 0..<26, using: &generator) {
            case 0, 1: bench.receive(.peer(id, .connected(Bench.stranger(digest))))
            case 2: bench.receive(.peer(id, .connected(Bench.phone(digest))))
            case 3, 4: bench.receive(.peer(id, .disconnected(.linkEnded)))
            case 5:
                bench.receive(
                    .peer(id, .paired(Bench.phone(digest), isBonded: true, replacing: nil)))
            case 6:
                bench.receive(
                    .peer(
                        id,
                        .paired(
                            Bench.phone(digest), isBonded: true,
                            replacing: BondedPeer(digest: digest))))
            case 7: bench.receive(.peer(id, .named("phone \(digest)")))
            case 8:
                bench.receive(
                    .session(Bench.session(number).provider, .started(Bench.session(number))))
            case 9:
                bench.receive(
                    .session(
                        Bench.session(number).provider, .ended(Bench.session(number), .serviceGone))
                )
            case 10: bench.receive(.session(id, .waitingForService))
            case 11:
                bench.receive(
                    .session(id, .authorizationChanged(.unauthorized(Bench.authorization))))
            case 12: bench.receive(.session(id, .livenessChanged(.wedged)))
            case 13: bench.receive(.session(id, .livenessChanged(.live)))
            case 14: bench.receive(.peer(id, .securityFailed(.notAuthenticated)))
            case 15: bench.receive(.peer(id, .securityFailed(.refusedByPeer(.unspecified))))
            case 16: bench.with { dialogue, _ in dialogue.declined(id) }
            case 17: bench.receive(.device(.advertising(Bool.random(using: &generator))))
            case 18: bench.receive(.device(.warning(DeviceWarning(.pairing, "warning \(digest)"))))
            case 19: bench.with { dialogue, _ in dialogue.keysFailed("keys") }
            case 20: bench.receive(.device(.resetting(.bluetoothd(.notRunning))))
            case 21: bench.receive(.device(.ready))
            case 22 where digest == "1":
                bench.receive(.session(id, .authorizationChanged(.authorized)))
            default: bench.wait(.milliseconds(Int.random(in: 0...3000, using: &generator)))
            }
        }
        let rest = bench.waitForEnd()
        #expect(rest <= .seconds(200) + PairingDialogue.patience)
        #expect(bench.outcome != nil, "\(bench.words)")
        #expect(bench.words.count <= 22 * PairingDialogue.repetitions)
        #expect(bench.words.first == "opened")
        for word in Set(bench.words) {
            #expect(bench.words.count { $0 == word } <= PairingDialogue.repetitions)
        }
    }

    @Test("a device that leaves without an answer was not answered, and holds up no advice")
    func unanswered() throws {
        var bench = Bench()
        let digits = try #require(SixDigits("460821"))
        bench.receive(
            .peer(Bench.id(1), .connected(Bench.stranger("1"))),
            .peer(Bench.id(1), .pairing(.display(PasskeyDisplay(digits)))))
        #expect(bench.last?.text.hasPrefix("a device wants to pair: type on it") == true)
        bench.wait(.seconds(30))
        #expect(bench.words.suffix(3) == ["asks", "hesitation", "otherApp"])
        bench.receive(.peer(Bench.id(1), .disconnected(.linkEnded)))
        _ = bench.waitForEnd()
        #expect(bench.cause == .unanswered)
        // Digits are for the screen on which they are compared.
        #expect(!bench.texts.joined().contains("460821"))
    }

    @Test("every kind of step has its own sentence and word")
    func sentences() {
        let phone = PhoneName(digest: "0123456789abcdef", name: "Ada's iPhone")
        let kinds: [PairingStep.Kind] =
            [
                .opened(seconds: 1), .alreadyReceiving([phone]), .onAir, .offAir, .obstacle("o"),
                .connected, .crowd(10), .noDigits, .declined, .failed(.cancelled),
                .paired(replaced: nil), .paired(replaced: phone), .noService,
                .consentMissing,
                .silent, .keyTrouble("k"), .adapterFailed("a"), .otherApp, .hesitation(2),
                .otherCauses, .ended(.receiving),
            ] + PairingQuestion.Kind.allCases.map { .asks($0) }
        let texts = kinds.map { PairingStep($0, of: phone, at: Bench.setting).text }
        #expect(Set(texts).count == kinds.count)
        #expect(texts.allSatisfy { !$0.isEmpty && !$0.hasSuffix(".") })
        #expect(texts[0] == "pairing is open for 1 second")
    }
}
