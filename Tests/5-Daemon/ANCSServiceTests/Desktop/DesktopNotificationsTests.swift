import ANCS
import ANCSKit
import Octets
import Testing

@testable import ANCSService

@Suite("Popups: records")
struct DesktopNotificationsTests {
    // MARK: Calls

    @Test("a call is posted at its header, replaced when its text comes, and closed when it ends")
    func call() {
        var bench = DesktopBench()
        #expect(bench.receive(.announced(.ringing(1))).posts.map(\.summary) == ["Incoming call"])
        let text = bench.receive(.added(.call(1))).posts
        #expect(text.map(\.summary) == ["Mum"])
        #expect(text.map(\.replaces) == [1])
        // It was heard when its header came.
        #expect(text.map(\.sound) == [.none])
        #expect(bench.receive(.removed(.call(1), .removed)).closings == [1])
    }

    @Test("popups say whose they are from the second phone on, without another sound")
    func severalPhones() {
        var bench = DesktopBench()
        func status(_ phone: PhoneName, isPaired: Bool = true) -> ServiceEvent {
            .phone(PhoneStatus(phone: phone, state: .subscribed, isPaired: isPaired))
        }
        let record = Record.onDesktop(1)
        let other = PhoneName(digest: "fedcba9876543210", name: "Other")
        bench.receive(status(record.phone))
        #expect(bench.receive(.added(record)).posts.map(\.summary) == ["Ann"])
        // Any device can connect.
        #expect(bench.receive(status(other, isPaired: false)) == [])
        let marked = bench.receive(status(other)).posts
        #expect(marked.map(\.summary) == ["Ann · Ann's iPhone"])
        #expect(marked.map(\.sound) == [.none])
        // Many phones are called iPhone.
        let namesake = PhoneName(digest: other.digest, name: record.phone.name)
        let told = bench.receive(status(namesake)).posts
        #expect(told.map(\.summary) == ["Ann · Ann's iPhone (0123)"])
        #expect(bench.receive(.forgotten(other)).posts.map(\.summary) == ["Ann"])
    }

    @Test("a call whose link is lost has no buttons until it rings again, and moves nothing else")
    func cutOff() {
        var bench = DesktopBench()
        let phone = Record.call(2).phone
        func status(_ state: PhoneStatus.State, of phone: PhoneName = phone) -> ServiceEvent {
            .phone(PhoneStatus(phone: phone, state: state, isPaired: true))
        }
        bench.receive(status(.subscribed, of: PhoneName(digest: "another")))
        bench.receive(status(.connected))
        bench.receive(.added(.onDesktop(1)))
        bench.receive(.added(.call(2)))
        #expect(bench.receive(status(.subscribed)) == [])
        #expect(bench.receive(status(.away, of: PhoneName(digest: "another"))) == [])
        let lost = bench.receive(status(.away)).posts
        #expect(lost.map(\.replaces) == [2])
        #expect(lost.first?.actions.map(\.key) == ["default"])
        #expect(lost.first?.sound == DesktopPopup.Sound.none)
        #expect(bench.press(2, "positive-2") == [])
        // The phone is back, and has not announced the call yet.
        #expect(bench.receive(status(.connected)) == [])
        #expect(bench.receive(status(.subscribed)) == [])
        let again = bench.receive(.modified(.call(2))).posts
        #expect(again.map(\.replaces) == [2])
        #expect(again.first?.actions.map(\.label) == ["OK", "Accept", "Reject"])
        #expect(bench.press(2, "positive-2").actions.count == 1)
    }

    @Test("a call that ends before the server has answered is closed then")
    func shortCall() throws {
        var bench = DesktopBench()
        bench.popups.receive(.announced(.ringing(1)), at: bench.now)
        let token = try #require(bench.drain().token)
        bench.popups.receive(.removed(.ringing(1), .removed), at: bench.now)
        #expect(bench.drain() == [])
        bench.popups.posted(token, 5, at: bench.now)
        #expect(bench.drain() == [.close(5)])
    }

    @Test("a call that ends is a missed call only if the phone announces one")
    func missedCall() {
        var bench = DesktopBench()
        bench.receive(.announced(.ringing(1)))
        let outputs = bench.receive(.removed(.ringing(1), .removed))
        #expect(outputs == [.close(1)])
        #expect(bench.add(.onDesktop(2, .missedCall))?.category == "call.unanswered")
    }

    @Test("a call is posted before everything queued")
    func callsFirst() throws {
        var bench = DesktopBench()
        for number in 1...5 {
            bench.popups.receive(.added(.onDesktop(UInt64(number))), at: bench.now)
        }
        bench.popups.receive(.announced(.ringing(9)), at: bench.now)
        let posts = bench.settle().posts
        #expect(posts.map(\.category).prefix(3) == ["im.received", "call.incoming", "im.received"])
        #expect(posts.count == 6)
    }

    @Test("the ninth call at a time is one too many")
    func manyCalls() {
        var bench = DesktopBench()
        for number in 1...9 { bench.receive(.announced(.ringing(UInt64(number)))) }
        let calls = bench.popups.table.count(where: \.isCall)
        #expect(calls == 8)
        let dropped = bench.popups.dropped
        #expect(dropped == 1)
    }

    // MARK: Order and limits

    @Test("one popup is on its way at a time, in the order of the records")
    func order() throws {
        var bench = DesktopBench()
        for number in 1...3 {
            let record = Record.onDesktop(UInt64(number), title: "\(number)")
            bench.popups.receive(.added(record), at: bench.now)
        }
        let first = bench.drain()
        #expect(first.posts.map(\.summary) == ["1"])
        #expect(bench.isIdle() == false)
        bench.popups.posted(try #require(first.token), 1, at: bench.now)
        #expect(bench.settle().posts.map(\.summary) == ["2", "3"])
        #expect(bench.isIdle() == true)
    }

    @Test("changes that wait are one change")
    func coalesced() throws {
        var bench = DesktopBench()
        bench.popups.receive(.added(.onDesktop(1, title: "a")), at: bench.now)
        let first = bench.drain()
        for title in ["b", "c", "d"] {
            bench.popups.receive(.modified(.onDesktop(1, title: title)), at: bench.now)
        }
        #expect(bench.drain() == [])
        bench.popups.posted(try #require(first.token), 1, at: bench.now)
        #expect(bench.settle().posts.map(\.summary) == ["d"])
    }

    @Test("a notification that is removed while queued is never posted")
    func removedEarly() {
        var bench = DesktopBench(capabilities: nil)
        bench.receive(.added(.onDesktop(1)))
        bench.receive(.removed(.onDesktop(1), .removed))
        bench.appear()
        #expect(bench.drain() == [])
    }

    @Test("notifications beyond the queue's limit are counted in one popup, but never a call")
    func queueLimit() throws {
        var bench = DesktopBench()
        bench.popups.receive(.added(.onDesktop(999)), at: bench.now)
        // It is not answered for.
        let held = bench.drain().token
        let token = try #require(held)
        for number in 1...100 {
            bench.popups.receive(.added(.onDesktop(UInt64(number))), at: bench.now)
        }
        bench.popups.receive(.announced(.ringing(200)), at: bench.now)
        let waiting = bench.popups.table.count(where: \.isWaiting)
        #expect(waiting <= 66)
        let dropped = bench.popups.dropped
        #expect(dropped >= 36)
        bench.popups.posted(token, 1000, at: bench.now)
        let posts = bench.settle().posts
        #expect(posts.first?.category == "call.incoming")
        #expect(posts.last?.summary.hasSuffix("more notifications") == true)
    }

    @Test("the oldest popup makes room for a new one")
    func screenLimit() {
        var bench = DesktopBench()
        for number in 1...40 { bench.receive(.added(.onDesktop(UInt64(number)))) }
        let outputs = bench.receive(.added(.onDesktop(41)))
        #expect(outputs.closings == [1])
        #expect(outputs.posts.last?.summary == "1 more notification")
        #expect(outputs.posts.last?.body == "Messages: 1")
    }

    @Test("the summary changes once a second, and is closed when nothing is left to count")
    func summary() {
        var bench = DesktopBench(limits: .of(up: 2))
        for number in 1...3 { bench.receive(.added(.onDesktop(UInt64(number)))) }
        #expect(bench.receive(.added(.onDesktop(4))).posts.map(\.summary) == ["Ann"])
        #expect(bench.pass(.milliseconds(999)).posts == [])
        #expect(bench.pass(.milliseconds(1)).posts.map(\.summary) == ["2 more notifications"])
        #expect(bench.receive(.removed(.onDesktop(1), .removed)).closings == [])
        #expect(bench.pass(.seconds(1)).posts.map(\.summary) == ["1 more notification"])
        #expect(bench.receive(.removed(.onDesktop(2), .removed)).closings.count == 1)
    }

    @Test("a summary that was closed counts from the beginning")
    func closedSummary() throws {
        var bench = DesktopBench(limits: .of(up: 1))
        bench.receive(.added(.onDesktop(1)))
        bench.receive(.added(.onDesktop(2)))
        let up = bench.popups.table.summary.flatMap { bench.popups.table[$0].up }
        let id = try #require(up).id
        #expect(bench.close(id) == [])
        bench.receive(.added(.onDesktop(3)))
        #expect(bench.pass(.seconds(1)).posts.map(\.summary) == ["1 more notification"])
    }

    // MARK: Changes

    @Test("a change replaces the popup, with a sound where it is news")
    func modified() {
        var bench = DesktopBench()
        bench.receive(.added(.onDesktop(1)))
        let news = bench.receive(.modified(.onDesktop(1, message: "New"))).posts
        #expect(news.map(\.replaces) == [1])
        #expect(news.map(\.sound) == [.ofDesktop])
        let late = Record.onDesktop(1, message: "Whole").with {
            $0.notification.delivery.isCompletion = true
        }
        #expect(bench.receive(.modified(late)).posts.map(\.sound) == [.none])
    }

    @Test("a change that is not visible is not posted")
    func unchanged() {
        var bench = DesktopBench()
        bench.receive(.added(.onDesktop(1)))
        #expect(bench.receive(.modified(.onDesktop(1))) == [])
    }

    @Test("the number that the server answers with counts")
    func otherNumber() throws {
        var bench = DesktopBench()
        bench.receive(.added(.onDesktop(1)))
        bench.popups.receive(.modified(.onDesktop(1, message: "New")), at: bench.now)
        bench.popups.posted(try #require(bench.drain().token), 77, at: bench.now)
        #expect(bench.press(1, "negative-1") == [])
        #expect(bench.press(77, "negative-1") == [.perform(RecordID(rawValue: 1), .negative)])
        #expect(bench.receive(.removed(.onDesktop(1), .removed)).closings == [77])
    }

    @Test("an expired popup returns with a new text, one that a person closed does not")
    func closedAndModified() {
        var bench = DesktopBench()
        for number in 1...2 { bench.receive(.added(.onDesktop(UInt64(number)))) }
        _ = bench.close(1, .expired)
        _ = bench.close(2, .dismissed)
        #expect(
            bench.receive(.modified(.onDesktop(1, message: "New"))).posts.map(\.replaces) == [0])
        #expect(bench.receive(.modified(.onDesktop(2, message: "New"))) == [])
    }

    @Test("a popup that a rule hides once its text is known is closed")
    func hidden() {
        var bench = DesktopBench()
        bench.receive(.announced(.ringing(1)))
        let muted = Record.call(1).with { $0.verdict.isMuted = true }
        #expect(bench.receive(.added(muted)) == [.close(1)])
    }

    @Test("the same notification of another session takes over the open popup")
    func sameAs() {
        var bench = DesktopBench()
        bench.receive(.added(.onDesktop(1)))
        let again = Record.onDesktop(2, flags: [.preExisting, .negativeAction], seen: true).with {
            $0.sameAs = RecordID(rawValue: 1)
        }
        let posts = bench.receive(.added(again)).posts
        #expect(posts.map(\.replaces) == [1])
        #expect(posts.map(\.sound) == [.none])
        #expect(bench.receive(.removed(.onDesktop(1), .away)) == [])
        #expect(bench.press(1, "negative-1") == [])
        #expect(bench.press(1, "negative-2") == [.perform(RecordID(rawValue: 2), .negative)])
        #expect(bench.receive(.removed(again, .removed)).closings == [1])
    }

    @Test("the same notification of another session stays closed where a person closed it")
    func sameAsClosed() {
        var bench = DesktopBench()
        bench.receive(.added(.onDesktop(1)))
        _ = bench.close(1)
        let again = Record.onDesktop(2, message: "Other").with { $0.sameAs = RecordID(rawValue: 1) }
        #expect(bench.receive(.added(again)) == [])
    }

    @Test("if both are open the earlier popup is closed")
    func sameAsTwice() {
        var bench = DesktopBench()
        bench.receive(.added(.onDesktop(1)))
        bench.receive(.announced(.ringing(2)))
        let call = Record.call(2).with { $0.sameAs = RecordID(rawValue: 1) }
        #expect(bench.receive(.added(call)).closings == [1])
    }

    // MARK: What was there before

    @Test("up to five pre-existing notifications are shown one by one, when no further one arrives")
    func fewEarlier() {
        var bench = DesktopBench()
        for number in 1...5 { #expect(bench.receive(.added(earlier(number))) == []) }
        let posts = bench.pass(.seconds(2)).posts
        #expect(posts.count == 5)
        #expect(posts.allSatisfy { $0.sound == .none })
    }

    @Test("they are shown in the order of their announcements: the newest last, above the others")
    func orderOfEarlier() {
        var bench = DesktopBench()
        for number in [3, 1, 2] {
            let record = Record.onDesktop(
                UInt64(number), flags: .preExisting, title: "\(number)")
            bench.receive(.added(record))
        }
        #expect(bench.pass(.seconds(2)).posts.map(\.summary) == ["1", "2", "3"])
    }

    @Test("more than five are one popup, when no further one arrives")
    func manyEarlier() {
        var bench = DesktopBench()
        for number in 1...100 {
            bench.receive(.added(earlier(number)))
            #expect(bench.pass(.milliseconds(50)) == [])
        }
        let posts = bench.pass(.seconds(2)).posts
        #expect(posts.map(\.summary) == ["100 more notifications"])
        #expect(posts.map(\.sound) == [.none])
        let dropped = bench.popups.dropped
        #expect(dropped == 0)
    }

    @Test("the wait for further ones is limited")
    func slowEarlier() {
        var bench = DesktopBench()
        var posts: [DesktopPopup] = []
        for number in 1...12 {
            posts += bench.receive(.added(earlier(number))).posts
            posts += bench.pass(.seconds(1)).posts
        }
        #expect(posts.map(\.summary) == ["10 more notifications"])
    }

    @Test("a call that rings when the phone comes is shown at once")
    func earlierCall() {
        var bench = DesktopBench()
        let call = Record.call(1, flags: [.preExisting, .negativeAction])
        #expect(bench.add(call)?.sound == DesktopPopup.Sound.none)
    }

    @Test("the configuration decides which pre-existing notifications are shown")
    func preExisting() {
        for (choice, expected) in [
            (ServiceConfiguration.DesktopSection.PreExisting.unseen, ["unseen", "unknown"]),
            (.all, ["seen", "unseen", "unknown"]), (.none, []),
        ] {
            var bench = DesktopBench { $0.preExisting = choice }
            let kinds: [(String, Bool?)] = [("seen", true), ("unseen", false), ("unknown", nil)]
            for (number, kind) in kinds.enumerated() {
                let record = Record.onDesktop(
                    UInt64(number), flags: .preExisting, title: kind.0, seen: kind.1)
                bench.receive(.added(record))
            }
            #expect(bench.pass(.seconds(3)).posts.map(\.summary) == expected)
        }
    }

    private func earlier(_ number: Int) -> Record {
        .onDesktop(UInt64(number), flags: [.preExisting, .negativeAction])
    }

    // MARK: Configuration and end

    @Test("a new configuration changes open popups, without a sound")
    func reconfigured() {
        var bench = DesktopBench()
        bench.receive(.added(.onDesktop(1)))
        bench.receive(.added(.call(2)))
        var configuration = ServiceConfiguration.DesktopSection()
        configuration.content = .none
        configuration.calls = .none
        bench.popups.reconfigure(configuration, at: bench.now)
        let outputs = bench.settle()
        #expect(outputs.closings == [2])
        #expect(outputs.posts.map(\.summary) == ["New notification"])
        #expect(outputs.posts.map(\.sound) == [.none])
        configuration.popups = false
        bench.popups.reconfigure(configuration, at: bench.now)
        #expect(bench.settle() == [.close(1)])
    }

    @Test("a forgotten phone has no popups")
    func forgotten() {
        var bench = DesktopBench()
        bench.receive(.added(.onDesktop(1)))
        bench.receive(.added(.onDesktop(2, phone: "another")))
        let phone = PhoneName(digest: "0123456789abcdef")
        #expect(bench.receive(.forgotten(phone)) == [.close(1)])
    }

    @Test("at the end every popup is closed, late ones too")
    func stop() throws {
        var bench = DesktopBench()
        bench.receive(.added(.onDesktop(1)))
        bench.popups.receive(.added(.onDesktop(2)), at: bench.now)
        let token = try #require(bench.drain().token)
        bench.popups.stop()
        #expect(bench.drain() == [.close(1)])
        #expect(bench.isIdle() == false)
        bench.popups.posted(token, 2, at: bench.now)
        #expect(bench.drain() == [.close(2)])
        #expect(bench.isIdle() == true)
        #expect(bench.receive(.added(.onDesktop(3))) == [])
        let deadline = bench.popups.nextDeadline
        #expect(deadline == nil)
    }
}

extension DesktopNotifications.Limits {
    static func of(up: Int) -> Self {
        var limits = Self()
        limits.up = up
        return limits
    }
}
