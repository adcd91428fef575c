import Octets
import Testing

@testable import ANCS
@testable import ANCSProvider

@Suite("Faults of a provider")
struct AnswerFaultTests {
    private let answer = titleAnswer(uid0, "Ada").octets
    private let command = get(uid0, [.title])

    private func provider(
        _ faults: AnswerFault..., attMTU: Int = 23
    ) throws -> TestProvider {
        var provider = try TestProvider.subscribed(with: [.mailFromAda], attMTU: attMTU)
        for fault in faults { provider.session.inject(fault) }
        return provider
    }

    @Test("any error for the next commands, and then no longer")
    func refused() throws {
        var provider = try provider(
            AnswerFault(.refuse(ControlPointError(rawValue: 0x0E)), count: 2))
        for _ in 0..<2 {
            let outputs = provider.answer(command)
            #expect(outputs.responses == [0x0E])
            #expect(outputs.data.isEmpty)
        }
        #expect(provider.answer(command).data == answer)
    }

    @Test("an error for one kind of command, until the faults are cleared")
    func refusedByKind() throws {
        var provider = try provider(
            AnswerFault(.refuse(.actionFailed), of: .performNotificationAction, count: nil))
        let action = PerformNotificationAction(notificationUID: uid0, actionID: .negative)
        for _ in 0..<3 {
            #expect(provider.answer(command).responses == [0])
            let outputs = provider.answer(action)
            #expect(outputs.responses == [0xA3])
            #expect(outputs.actions.isEmpty)
        }
        provider.session.clearFaults()
        #expect(provider.answer(action).actions.count == 1)
    }

    @Test("an answer that is late comes when it is due, and those after it behind it (S26)")
    func late() throws {
        var provider = try provider(AnswerFault(.delay(.seconds(11))))
        let outputs = provider.answer(command)
        #expect(outputs.responses == [0])
        #expect(outputs.data.isEmpty)
        let app = provider.answer(GetAppAttributes(displayNameOf: mail))
        #expect(app.responses == [0])
        #expect(app.data.isEmpty)
        #expect(provider.session.nextDeadline == .seconds(11))
        provider.advance(by: .seconds(11) - .nanoseconds(1))
        #expect(provider.drain().isEmpty)
        provider.advance(by: .nanoseconds(1))
        #expect(provider.drain().data == answer + [1] + mail.octets + [0])
        #expect(provider.session.nextDeadline == nil)
    }

    @Test("an answer may be lost, and the next is there (S26)")
    func lost() throws {
        var provider = try provider(AnswerFault(.lose))
        let outputs = provider.answer(command)
        #expect(outputs.responses == [0])
        #expect(outputs.outcomes == [.withheld])
        #expect(outputs.data.isEmpty)
        #expect(provider.answer(command).data == answer)
    }

    @Test("an answer may come twice and is one command all the same")
    func duplicated() throws {
        var provider = try provider(AnswerFault(.duplicate))
        let outputs = provider.answer(command)
        #expect(outputs.values(of: .dataSource) == [answer, answer])
        #expect(outputs.responses == [0])
        #expect(outputs.outcomes == [.sent(octets: 11)])
    }

    @Test("an answer may wait for the next and share a value with it (S4)")
    func joined() throws {
        var provider = try provider(AnswerFault(.joinWithNext))
        #expect(provider.answer(command).data.isEmpty)
        #expect(
            provider.answer(command).values(of: .dataSource)
                == [Array((answer + answer)[..<20]), Array((answer + answer)[20...])])
    }

    @Test("a late answer that waits to be joined comes when it is due")
    func joinedWithLate() throws {
        var provider = try provider(AnswerFault(.joinWithNext))
        #expect(provider.answer(command).data.isEmpty)
        provider.session.inject(AnswerFault(.delay(.seconds(1))))
        #expect(provider.answer(command).data.isEmpty)
        #expect(provider.session.nextDeadline == .seconds(1))
        provider.advance(by: .seconds(1))
        #expect(provider.drain().data == answer + answer)
    }

    @Test("an answer may come in another order, in other fragments or without attributes")
    func changed() throws {
        var provider = try provider(
            AnswerFault(.reorder(.ascending)), AnswerFault(.fragment(.list([3, 4]))))
        let command = get(uid0, [.messageSize, .title])
        let values = provider.answer(command).values(of: .dataSource)
        #expect(values.map(\.count) == [3, 4, 8])
        #expect(Array(values.joined()) == answer + [4, 1, 0, 0x38])
        provider.session.inject(AnswerFault(.headerOnly))
        #expect(provider.answer(command).data == [0, 0, 0, 0, 0])
        #expect(provider.answer(self.command).data == answer)
    }

    @Test("the link may go in mid answer, after any octet", arguments: [0, 1, 11, 20, 21, 40])
    func linkLoss(_ octets: Int) throws {
        var provider = try provider(AnswerFault(.dropLink(afterOctets: octets)))
        let command = get(uid0, NotificationAttributeRequest.all)
        let outputs = provider.answer(command)
        #expect(outputs.data.count == octets)
        #expect(outputs.last == .dropLink)
        #expect(outputs.outcomes == [.abandoned(octets: octets)])
        // Nothing more is sent on that link; the next one is sound.
        _ = try provider.post(.call)
        #expect(provider.drain().isEmpty)
        provider.session.disconnected()
        _ = provider.drain()
        #expect(try provider.subscribe().announcements.count == 2)
        #expect(provider.answer(self.command).data == answer)
    }

    @Test("a write may never be answered; the next link is sound")
    func ignored() throws {
        var provider = try provider(AnswerFault(.ignoreWrite))
        #expect(provider.answer(command).outcomes == [.ignored])
        #expect(provider.answer(command).isEmpty)
        provider.session.disconnected()
        _ = provider.drain()
        _ = provider.subscribe()
        #expect(provider.answer(command).data == answer)
    }

    @Test("faults that wait act together")
    func together() throws {
        var provider = try provider(
            AnswerFault(.delay(.seconds(1))), AnswerFault(.duplicate, count: 2),
            AnswerFault(.lose, of: .getAppAttributes))
        #expect(provider.answer(command).data.isEmpty)
        provider.advance(by: .seconds(1))
        #expect(provider.drain().data == answer + answer)
        #expect(provider.answer(command).data == answer + answer)
        #expect(provider.answer(command).data == answer)
        #expect(provider.answer(GetAppAttributes(displayNameOf: mail)).data.isEmpty)
    }

    @Test("actions have no answer that could suffer")
    func actions() throws {
        var provider = try provider(AnswerFault(.lose), AnswerFault(.delay(.seconds(1))))
        let action = PerformNotificationAction(notificationUID: uid0, actionID: .positive)
        let request = try #require(provider.answer(action).actions.first)
        provider.session.actionFinished(request, performed: true)
        #expect(provider.drain().responses == [0])
        #expect(provider.answer(command).data.isEmpty)
    }

    @Test("a lost Notification Source is silent while the Control Point lives (S27)")
    func lostNotificationSource() throws {
        var provider = try provider()
        provider.session.loseSubscription(to: .notificationSource)
        _ = try provider.post(.call)
        #expect(provider.drain().isEmpty)
        #expect(provider.answer(command).data == answer)
        #expect(provider.answer(get(.probe, [])).responses == [0xA2])
        provider.receive(.subscribed(.notificationSource))
        let outputs = provider.drain()
        #expect(outputs.prefix(2) == [.ended, .started])
        #expect(try outputs.announcements.map(\.notificationUID) == [uid0, uid1])
    }

    @Test("a lost Data Source is silent in mid answer until it is subscribed to again (S27)")
    func lostDataSource() throws {
        var provider = try provider()
        provider.write(get(uid0, NotificationAttributeRequest.all).octets)
        _ = provider.drain(hasRoom: false)
        _ = provider.next()
        provider.session.loseSubscription(to: .dataSource)
        let outputs = provider.drain()
        #expect(outputs.data.isEmpty)
        #expect(outputs.outcomes.count == 1)
        #expect(provider.answer(command).outcomes == [.withheld])
        _ = try provider.post(.call)
        #expect(try provider.drain().announcements.count == 1)
        provider.receive(.subscribed(.dataSource))
        #expect(provider.answer(command).data == answer)
    }
}
