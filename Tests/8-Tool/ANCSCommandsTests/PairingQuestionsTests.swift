import ANCSEvents
import Octets
import LinuxIO
import Testing

@testable import CommandKit

@Suite("Which request of pairing an answer is for")
struct PairingQuestionsTests {
    typealias Questions = PairingQuestions<Int, PairingRequest>

    /// Requests of peers, and the answers that they were given.
    final class Peers: Sendable {
        private let given = Lock<[String]>([])

        var answers: [String] { given.withLock { $0 } }

        /// Where the answers to a peer go.
        func reply(_ peer: Int) -> PairingReply {
            PairingReply(to: UInt64(peer)) { [self] answer in
                let text =
                    switch answer {
                    case .confirm(let isConfirmed): isConfirmed ? "yes" : "no"
                    case .passkey(let passkey): "passkey \(passkey)"
                    case .cancel: "cancel"
                    }
                given.withLock { $0.append("\(peer): \(text)") }
            }
        }

        func compare(_ number: SixDigits, _ peer: Int) -> PairingRequest {
            .compare(NumericComparison(number, reply: reply(peer)))
        }
    }

    private static func at(_ milliseconds: Int) -> MonotonicInstant {
        .zero + .milliseconds(milliseconds)
    }

    private static func show(_ peer: Int, _ request: PairingRequest) -> Questions.Change {
        .show(Questions.Asked(peer: peer, question: request))
    }

    private static func withdrawn(_ peer: Int, _ request: PairingRequest) -> Questions.Change {
        .withdrawn(Questions.Asked(peer: peer, question: request))
    }

    private static func answer(
        _ peer: Int, _ request: PairingRequest, _ changes: [Questions.Change] = []
    ) -> Questions.Outcome {
        .answer(Questions.Asked(peer: peer, question: request), changes)
    }

    @Test("a stranger's question is not shown, nor answered, before that of the user's own phone")
    func stranger() {
        let peers = Peers()
        let (own, other) = (peers.compare(1, 1), peers.compare(2, 2))
        var questions = Questions()
        #expect(questions.receive(own, of: 1, at: .zero) == [Self.show(1, own)])
        #expect(questions.receive(other, of: 2, at: .zero).isEmpty)
        #expect(
            questions.answer("yes", at: Self.at(1)) == Self.answer(1, own, [Self.show(2, other)]))
        #expect(peers.answers == ["1: yes"])
        // A second yes in haste is not for the stranger.
        #expect(questions.answer("yes", at: Self.at(2)) == .tooSoon)
        #expect(questions.answer("yes", at: Self.at(1_000)) == .tooSoon)
        #expect(questions.answer("no", at: Self.at(1_001)) == Self.answer(2, other))
        #expect(peers.answers == ["1: yes", "2: no"])
        #expect(questions.answer("yes", at: Self.at(9_000)) == .notAnAnswer)
        #expect(peers.answers.count == 2)
    }

    @Test("an answer to a question that is just withdrawn does not answer the next one")
    func replaced() {
        let peers = Peers()
        let (first, second) = (peers.compare(1, 1), peers.compare(2, 1))
        var questions = Questions()
        _ = questions.receive(first, of: 1, at: .zero)
        #expect(
            questions.receive(second, of: 1, at: Self.at(5_000)) == [
                Self.withdrawn(1, first), Self.show(1, second),
            ])
        #expect(questions.answer("perhaps", at: Self.at(5_100)) == .notAnAnswer)
        #expect(questions.answer("yes", at: Self.at(5_999)) == .tooSoon)
        #expect(peers.answers.isEmpty)
        #expect(questions.answer("yes", at: Self.at(6_000)) == Self.answer(1, second))
        #expect(peers.answers == ["1: yes"])
    }

    @Test("a question that follows no other may be answered at once")
    func alone() {
        let peers = Peers()
        var questions = Questions()
        let (first, second) = (peers.compare(1, 1), peers.compare(2, 2))
        _ = questions.receive(first, of: 1, at: .zero)
        #expect(questions.withdraw(1, at: Self.at(1)) == [Self.withdrawn(1, first)])
        _ = questions.receive(second, of: 2, at: Self.at(10_001))
        #expect(questions.answer("yes", at: Self.at(10_001)) == Self.answer(2, second))
    }

    @Test(
        "a stranger whose pairing fails, or shows something, does not remove another device's question"
    )
    func failure() {
        let peers = Peers()
        let display = PairingRequest.display(PasskeyDisplay(7, reply: peers.reply(2)))
        let entry = PairingRequest.enter(PasskeyEntry(reply: peers.reply(1)))
        var questions = Questions()
        _ = questions.receive(entry, of: 1, at: .zero)
        #expect(questions.withdraw(2, at: .zero).isEmpty)
        #expect(questions.receive(display, of: 2, at: .zero) == [Self.show(2, display)])
        for word in ["1000000", "yes"] {
            #expect(questions.answer(word, at: .zero) == .notAnAnswer)
        }
        #expect(questions.answer("000042", at: .zero) == Self.answer(1, entry))
        #expect(peers.answers == ["1: passkey 42"])
    }

    @Test("a withdrawn or repeated question makes room for the next one")
    func withdrawn() {
        let peers = Peers()
        let (second, third) = (peers.compare(2, 2), peers.compare(3, 1))
        let consent = PairingRequest.consent(PairingConsent(reply: peers.reply(1)))
        var questions = Questions()
        _ = questions.receive(consent, of: 1, at: .zero)
        _ = questions.receive(second, of: 2, at: .zero)
        #expect(
            questions.receive(third, of: 1, at: .zero) == [
                Self.withdrawn(1, consent), Self.show(2, second),
            ])
        #expect(
            questions.withdraw(2, at: .zero) == [Self.withdrawn(2, second), Self.show(1, third)])
        #expect(questions.answer("pair", at: Self.at(2_000)) == .notAnAnswer)
        #expect(questions.answer("yes", at: Self.at(2_000)) == Self.answer(1, third))
        #expect(peers.answers == ["1: yes"])
    }

    @Test("a user can refuse, and cancel any question")
    func refusal() {
        let peers = Peers()
        let consent = PairingRequest.consent(PairingConsent(reply: peers.reply(1)))
        let entry = PairingRequest.enter(PasskeyEntry(reply: peers.reply(2)))
        var questions = Questions()
        _ = questions.receive(consent, of: 1, at: .zero)
        #expect(questions.answer("No", at: .zero) == Self.answer(1, consent))
        _ = questions.receive(entry, of: 2, at: .zero)
        #expect(questions.answer("cancel", at: Self.at(1_000)) == Self.answer(2, entry))
        #expect(peers.answers == ["1: no", "2: cancel"])
    }
}
