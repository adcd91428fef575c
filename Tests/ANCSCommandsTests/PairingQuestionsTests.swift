import ANCSKit
import Synchronization
import Testing

@testable import ANCSCommands

@Suite("Which request of pairing an answer is for")
struct PairingQuestionsTests {
    typealias Questions = PairingQuestions<Int>

    /// Requests of peers, and the answers that they were given.
    final class Peers: Sendable {
        private let given = Mutex<[String]>([])

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

    private static func asked(_ peer: Int, _ request: PairingRequest) -> Questions.Asked {
        Questions.Asked(peer: peer, request: request)
    }

    @Test("a stranger's question is not shown, nor answered, before that of the user's own phone")
    func stranger() {
        let peers = Peers()
        let (own, other) = (peers.compare(1, 1), peers.compare(2, 2))
        var questions = Questions()
        #expect(questions.ask(own, of: 1) == [Self.asked(1, own)])
        #expect(questions.ask(other, of: 2).isEmpty)
        #expect(questions.answer("yes") == [Self.asked(2, other)])
        #expect(peers.answers == ["1: yes"])
        #expect(questions.answer("no") == [])
        #expect(peers.answers == ["1: yes", "2: no"])
        #expect(questions.answer("yes") == nil)
        #expect(peers.answers.count == 2)
    }

    @Test(
        "a stranger whose pairing fails, or shows something, does not remove another device's question"
    )
    func failure() {
        let peers = Peers()
        let display = PairingRequest.display(PasskeyDisplay(7, reply: peers.reply(2)))
        var questions = Questions()
        _ = questions.ask(.enter(PasskeyEntry(reply: peers.reply(1))), of: 1)
        #expect(questions.withdraw(2).isEmpty)
        #expect(questions.ask(display, of: 2) == [Self.asked(2, display)])
        #expect(questions.answer("1000000") == nil && questions.answer("yes") == nil)
        #expect(questions.answer("000042") == [])
        #expect(peers.answers == ["1: passkey 42"])
    }

    @Test("what is withdrawn makes room for the next one, as does what the same peer asks again")
    func withdrawn() {
        let peers = Peers()
        let (second, third) = (peers.compare(2, 2), peers.compare(3, 1))
        var questions = Questions()
        _ = questions.ask(.consent(PairingConsent(reply: peers.reply(1))), of: 1)
        _ = questions.ask(second, of: 2)
        #expect(questions.ask(third, of: 1) == [Self.asked(2, second)])
        #expect(questions.withdraw(2) == [Self.asked(1, third)])
        #expect(questions.answer("pair") == nil)
        #expect(questions.answer("yes") == [])
        #expect(peers.answers == ["1: yes"])
    }

    @Test("a user may refuse, and give up whatever was asked")
    func refusal() {
        let peers = Peers()
        var questions = Questions()
        _ = questions.ask(.consent(PairingConsent(reply: peers.reply(1))), of: 1)
        #expect(questions.answer("No") == [])
        _ = questions.ask(.enter(PasskeyEntry(reply: peers.reply(2))), of: 2)
        #expect(questions.answer("cancel") == [])
        #expect(peers.answers == ["1: no", "2: cancel"])
    }
}
