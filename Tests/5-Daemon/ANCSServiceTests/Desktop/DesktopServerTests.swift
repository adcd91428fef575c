import ANCS
import Octets
import Testing

@testable import ANCSService

@Suite("Popups: the server")
struct DesktopServerTests {
    // MARK: Coming and going

    @Test(
        "a call is shown again above what came later, once and quietly, where the newest comes first",
        arguments: ["mako", "Notification Daemon", "dunst"])
    func uncovered(name: String) {
        var bench = DesktopBench(capabilities: nil)
        bench.popups.serverAppeared(
            name, version: "1", capabilities: DesktopBench.ofPlasma, at: bench.now)
        bench.receive(.added(.call(1)))
        let outputs = bench.receive(.added(.onDesktop(2))) + bench.receive(.modified(.onDesktop(2)))
        let isCovered = name != "dunst"
        #expect(outputs.posts.map(\.category).last == (isCovered ? "call.incoming" : "im.received"))
        #expect(outputs.contains(.close(1)) == isCovered)
        if isCovered { #expect(outputs.posts.last?.sound == DesktopPopup.Sound.none) }
        #expect(bench.settle() == [])
        // Its buttons work.
        let pressed = bench.press(isCovered ? 3 : 1, "negative-1")
        #expect(pressed == [.perform(RecordID(rawValue: 1), .negative)])
    }

    @Test(
        "where one popup is shown after the other, a call comes before those that wait, and they follow it"
    )
    func givesWay() {
        var bench = DesktopBench(capabilities: nil)
        bench.popups.serverAppeared(
            "Notification Daemon", version: "3.20.0", capabilities: DesktopBench.ofPlasma,
            at: bench.now)
        bench.receive(.added(.onDesktop(1)))
        _ = bench.pass(.seconds(30))
        // The first one had its time; the second is on the screen, and the third waits.
        bench.receive(.added(.onDesktop(2)))
        bench.receive(.added(.onDesktop(3)))
        _ = bench.pass(.seconds(4))
        let outputs = bench.receive(.added(.call(4)))
        #expect(outputs.closings == [2, 3])
        #expect(outputs.posts.map(\.category) == ["call.incoming", "im.received", "im.received"])
        #expect(outputs.posts.map(\.sound) == [.ofDesktop, .none, .none])
        #expect(outputs.posts.allSatisfy { $0.replaces == 0 })
        // What comes during the call waits behind it, and its text does not move it.
        let later = bench.receive(.added(.onDesktop(5))) + bench.receive(.modified(.call(4)))
        #expect(later.closings == [])
        #expect(bench.press(4, "negative-4") == [.perform(RecordID(rawValue: 4), .negative)])
        // notification-daemon leaves what it closes on the screen until it expires, which a call never does.
        #expect(bench.receive(.removed(.call(4), .removed)) == [.withdraw(4)])
    }

    @Test("the notification server is started for the first popup, and not before")
    func start() {
        var bench = DesktopBench(capabilities: nil)
        #expect(bench.drain() == [])
        #expect(bench.receive(.added(.onDesktop(1))) == [.start])
        #expect(bench.receive(.added(.onDesktop(2))) == [])
        bench.appear()
        let posts = bench.settle().posts
        #expect(posts.count == 2)
        #expect(posts.map(\.sound) == [.ofDesktop, .ofDesktop])
    }

    @Test(
        "starting a server is tried again for later records, at growing intervals, and the failure reported once"
    )
    func startFails() {
        var bench = DesktopBench(capabilities: nil)
        var starts = 0
        var said = 0
        for number in 1...120 {
            let outputs = bench.receive(.added(.onDesktop(UInt64(number))))
            if outputs.contains(.start) {
                starts += 1
                bench.popups.startFailed("none is installed", at: bench.now)
                said += bench.settle().count
            }
            _ = bench.pass(.seconds(5))
        }
        // After 5, 10, 20, 40, 80, 160 and 300 s.
        #expect((6...8).contains(starts))
        #expect(said == 1)
    }

    @Test(
        "popups of a server that ended are posted at the next one, calls first and without a sound")
    func comesBack() {
        var bench = DesktopBench()
        bench.receive(.added(.onDesktop(1)))
        bench.receive(.added(.call(2)))
        bench.receive(.added(.onDesktop(3)))
        _ = bench.close(1)
        bench.popups.serverVanished(at: bench.now)
        // None is started for what is old.
        #expect(bench.settle() == [])
        bench.appear()
        let posts = bench.settle().posts
        #expect(posts.map(\.category) == ["call.incoming", "im.received"])
        #expect(posts.map(\.sound) == [.none, .none])
        #expect(posts.map(\.replaces) == [0, 0])
    }

    @Test("more than five popups of a server that ended become one summary, and calls")
    func manyLeft() {
        var bench = DesktopBench()
        for number in 1...6 { bench.receive(.added(.onDesktop(UInt64(number)))) }
        bench.receive(.added(.call(7)))
        bench.popups.serverVanished(at: bench.now)
        bench.appear()
        #expect(bench.settle().posts.map(\.summary) == ["Mum", "6 more notifications"])
    }

    @Test("a notification that is removed while there is no server is not posted")
    func removedMeanwhile() {
        var bench = DesktopBench()
        bench.receive(.added(.onDesktop(1)))
        bench.popups.serverVanished(at: bench.now)
        #expect(bench.receive(.removed(.onDesktop(1), .removed)) == [])
        bench.appear()
        #expect(bench.settle() == [])
    }

    @Test("a popup's number of an earlier server is not used at the next one")
    func staleNumber() {
        var bench = DesktopBench()
        bench.receive(.added(.onDesktop(1)))
        bench.receive(.added(.call(2)))
        bench.popups.serverVanished(at: bench.now)
        #expect(bench.press(2, "negative-2") == [])
        bench.appear()
        bench.nextID = 1
        // The call is number 1 now.
        _ = bench.settle()
        #expect(bench.press(1, "negative-1") == [])
        #expect(bench.press(2, "negative-2") == [])
        #expect(bench.press(1, "negative-2") == [.perform(RecordID(rawValue: 2), .negative)])
    }

    @Test("popups follow the capabilities of the server")
    func otherCapabilities() {
        var bench = DesktopBench()
        bench.receive(.added(.onDesktop(1, message: "a & b")))
        bench.popups.serverVanished(at: bench.now)
        bench.appear(["body"])
        let posts = bench.settle().posts
        #expect(posts.map(\.body) == ["a & b"])
        #expect(posts.map(\.actions) == [[]])
    }

    // MARK: Refusals

    @Test("refused popups are counted in one popup, which replaces another")
    func refusals() {
        var bench = DesktopBench()
        var outputs: [DesktopNotifications.Output] = []
        var shown: Set<UInt32> = []
        // As notification-daemon does: so many, and an error for every further one.
        func serve(_ bench: inout DesktopBench) {
            while let output = bench.popups.pollOutput() {
                outputs.append(output)
                if case .close(let id) = output { shown.remove(id) }
                guard case .post(let token, let popup) = output else { continue }
                if shown.contains(popup.replaces) {
                    bench.popups.posted(token, popup.replaces, at: bench.now)
                } else if shown.count < 18 {
                    bench.nextID += 1
                    shown.insert(bench.nextID)
                    bench.popups.posted(token, bench.nextID, at: bench.now)
                } else {
                    let failure = DesktopNotifications.PostFailure.refused(
                        "org.x.MaxNotificationsExceeded")
                    bench.popups.postFailed(token, failure, at: bench.now)
                }
            }
        }
        for number in 1...30 {
            bench.popups.receive(.added(.onDesktop(UInt64(number))), at: bench.now)
            serve(&bench)
        }
        bench.now = bench.now + .seconds(2)
        bench.popups.handleTimeout(at: bench.now)
        serve(&bench)
        #expect(outputs.posts.last?.summary == "13 more notifications")
        // A call is shown nevertheless.
        bench.popups.receive(.announced(.ringing(99)), at: bench.now)
        serve(&bench)
        let call = bench.popups.table.index(of: RecordID(rawValue: 99)).map {
            bench.popups.table[$0].up != nil
        }
        #expect(call == true)
        let logs = outputs.filter { if case .log = $0 { true } else { false } }
        #expect(logs.count == 1)
    }

    @Test("a press on a popup that was replaced does nothing")
    func pressOnReplaced() throws {
        var bench = DesktopBench()
        bench.receive(.added(.onDesktop(1)))
        bench.popups.receive(.announced(.ringing(2)), at: bench.now)
        let token = try #require(bench.drain().token)
        bench.popups.postFailed(token, .refused("org.x.Full"), at: bench.now)
        let again = bench.drain()
        #expect(again.posts.map(\.replaces) == [1])
        #expect(again.posts.map(\.category) == ["call.incoming"])
        bench.popups.actionInvoked(1, "negative-1", at: bench.now)
        #expect(bench.drain() == [])
        bench.popups.posted(try #require(again.token), 1, at: bench.now)
        _ = bench.settle()
        #expect(bench.press(1, "negative-1") == [])
    }

    @Test("a server that refuses everything is tried at growing intervals")
    func refusesAll() {
        var bench = DesktopBench()
        bench.popups.receive(.announced(.ringing(1)), at: bench.now)
        var posts = 0
        for _ in 0..<3600 {
            while let output = bench.popups.pollOutput() {
                guard case .post(let token, _) = output else { continue }
                posts += 1
                bench.popups.postFailed(token, .refused("org.x.No"), at: bench.now)
            }
            bench.now = bench.now + .seconds(1)
            if let deadline = bench.popups.nextDeadline, deadline <= bench.now {
                bench.popups.handleTimeout(at: bench.now)
            }
        }
        #expect((10...20).contains(posts))
    }

    // MARK: Slowness

    @Test("a server that ends before it answers is not one that refuses")
    func lost() throws {
        var bench = DesktopBench()
        bench.popups.receive(.added(.onDesktop(1)), at: bench.now)
        bench.popups.postFailed(try #require(bench.drain().token), .lost, at: bench.now)
        #expect(bench.drain() == [])
        bench.popups.serverVanished(at: bench.now)
        bench.appear()
        #expect(bench.settle().posts.map(\.summary) == ["Ann"])
    }

    // MARK: Nonsense

    @Test("a server without numbers shows each popup once")
    func noNumbers() throws {
        var bench = DesktopBench()
        bench.popups.receive(.added(.onDesktop(1)), at: bench.now)
        bench.popups.posted(try #require(bench.drain().token), 0, at: bench.now)
        #expect(bench.drain().posts == [])
        #expect(bench.press(0, "negative-1") == [])
        #expect(bench.receive(.removed(.onDesktop(1), .removed)) == [])
    }

    @Test("a number that the server gives twice belongs to the later popup")
    func sameNumber() throws {
        var bench = DesktopBench()
        for number in 1...2 {
            bench.popups.receive(.added(.onDesktop(UInt64(number))), at: bench.now)
            bench.popups.posted(try #require(bench.drain().token), 5, at: bench.now)
        }
        #expect(bench.press(5, "negative-1") == [])
        #expect(bench.press(5, "negative-2") == [.perform(RecordID(rawValue: 2), .negative)])
        #expect(bench.receive(.removed(.onDesktop(1), .removed)) == [])
        #expect(bench.receive(.removed(.onDesktop(2), .removed)) == [.close(5)])
    }

    @Test("an unexpected answer only closes that popup")
    func unknownToken() {
        var bench = DesktopBench()
        let token = DesktopNotifications.PostToken(rawValue: 77)
        bench.popups.posted(token, 3, at: bench.now)
        #expect(bench.drain() == [.close(3)])
        bench.popups.postFailed(token, .refused("x"), at: bench.now)
        #expect(bench.drain() == [])
    }
}
