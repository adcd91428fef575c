import ANCSKit
import Testing

@testable import ANCSCommands

@Suite("Which question about pairing an answer is for")
struct PairingQuestionsTests {
    typealias Questions = PairingQuestions<Int>

    private static func asked(_ peer: Int, _ question: PairingQuestion) -> Questions.Asked {
        Questions.Asked(peer: peer, question: question)
    }

    @Test("a stranger's question is not shown, nor answered, before that of the user's own phone")
    func stranger() {
        var questions = Questions()
        #expect(questions.ask(.compare(1), of: 1) == [Self.asked(1, .compare(1))])
        #expect(questions.ask(.compare(2), of: 2).isEmpty)
        let own = questions.answer("yes")
        #expect(own?.peer == 1)
        #expect(own?.answer == .confirm(true))
        #expect(own?.next == [Self.asked(2, .compare(2))])
        let other = questions.answer("no")
        #expect(other?.peer == 2)
        #expect(other?.next == [])
        #expect(questions.answer("yes") == nil)
    }

    @Test("a stranger whose pairing fails, or shows something, takes nobody else's question away")
    func failure() {
        var questions = Questions()
        _ = questions.ask(.enterPasskey, of: 1)
        #expect(questions.withdraw(2).isEmpty)
        #expect(questions.ask(.display(7), of: 2) == [Self.asked(2, .display(7))])
        #expect(questions.answer("000042")?.peer == 1)
    }

    @Test("what is withdrawn makes room for the next one, as does what the same peer asks again")
    func withdrawn() {
        var questions = Questions()
        _ = questions.ask(.confirm, of: 1)
        _ = questions.ask(.compare(2), of: 2)
        #expect(questions.ask(.compare(3), of: 1) == [Self.asked(2, .compare(2))])
        #expect(questions.withdraw(2) == [Self.asked(1, .compare(3))])
        #expect(questions.answer("pair") == nil)
        #expect(questions.answer("yes")?.peer == 1)
    }
}
