import ANCS
import Octets
import Testing

@testable import ANCSService

@Suite("Popups: clicks and closing")
struct DesktopPressTests {
    private let first = RecordID(rawValue: 1)

    // MARK: Buttons

    @Test("a click on the popup itself does nothing")
    func harmless() {
        var bench = DesktopBench { $0.dismiss = .clear }
        bench.receive(.added(.call(1)))
        #expect(bench.press(1, "default") == [])
        #expect(bench.close(1) == [])
        #expect(bench.pass(.seconds(5)) == [])
    }

    /// What a server takes for a click on a popup.
    enum Click: CaseIterable, Sendable {
        /// The action `default`, or the only one that there is.
        case defaultOrOnly
        /// The first one.
        case first

        func key(in actions: [DesktopPopup.Action]) -> String? {
            switch self {
            case .defaultOrOnly:
                actions.first { $0.key == "default" }?.key
                    ?? (actions.count == 1 ? actions[0].key : nil)
            case .first: actions.first?.key
            }
        }
    }

    @Test(
        "a click on a popup never hangs up, whatever the server reports as a click",
        arguments: Click.allCases, ["dunst", "mako", "Plasma", "Xfce Notify Daemon", "another"])
    func clicks(click: Click, server: String) {
        let both: EventFlags = [.positiveAction, .negativeAction]
        for flags in [both, .negativeAction, .positiveAction, []] {
            for calls in ServiceConfiguration.DesktopSection.Calls.allCases {
                var bench = DesktopBench(capabilities: nil) { $0.calls = calls }
                bench.popups.serverAppeared(
                    server, version: "1", capabilities: DesktopBench.ofPlasma, at: bench.now)
                let posts =
                    bench.receive(.announced(.ringing(1, flags: flags))).posts
                    + bench.receive(.added(.call(1, flags: flags))).posts
                    + bench.receive(
                        .added(.onDesktop(2, .activeCall, flags: flags, negative: "End"))
                    ).posts
                #expect(posts.isEmpty == (calls == .none))
                for (id, popup) in zip([1, 1, 2] as [UInt32], posts) {
                    guard let key = click.key(in: popup.actions) else { continue }
                    let isClosing = server == "Xfce Notify Daemon"
                    let outputs = bench.press(id, key)
                    #expect(outputs.allSatisfy { isClosing && $0 == .close(id) })
                }
                #expect(bench.pass(.seconds(5)).actions == [])
            }
        }
    }

    @Test("where a click is a button, Close closes the popup of a call, which goes on")
    func closes() {
        var bench = DesktopBench(capabilities: nil) { $0.dismiss = .clear }
        bench.popups.serverAppeared(
            "Xfce Notify Daemon", version: "0.9.7", capabilities: DesktopBench.ofPlasma,
            at: bench.now)
        bench.receive(.added(.onDesktop(1)))
        bench.receive(.added(.call(2)))
        _ = bench.pass(.seconds(2))
        #expect(bench.press(2, "default") == [.close(2)])
        #expect(bench.press(2, "negative-2") == [])
        #expect(bench.press(1, "default") == [.close(1)])
        // Nothing is cleared on the phone, and nothing comes back.
        #expect(bench.close(1) == [])
        #expect(bench.receive(.modified(.call(2))) == [])
        #expect(bench.pass(.seconds(5)) == [])
    }

    @Test("a button performs the action of its label")
    func buttons() {
        var bench = DesktopBench()
        bench.receive(.added(.call(1)))
        #expect(bench.press(1, "positive-1") == [.perform(first, .positive)])
        #expect(bench.press(1, "negative-1") == [.perform(first, .negative)])
    }

    @Test("the neutral buttons of a call work before its text has come")
    func header() {
        var bench = DesktopBench()
        bench.receive(.announced(.ringing(1)))
        #expect(bench.press(1, "negative-1") == [.perform(first, .negative)])
    }

    @Test("an unknown button does nothing")
    func notThere() {
        var bench = DesktopBench { $0.calls = .show }
        bench.receive(.added(.call(1)))
        bench.receive(.added(.onDesktop(2, flags: [])))
        for key in ["negative-1", "positive-1", "negative-2", "copy-2", "nonsense", ""] {
            #expect(bench.press(1, key) == [])
            #expect(bench.press(2, key) == [])
        }
    }

    @Test("a button of another program's popup does nothing")
    func stranger() {
        var bench = DesktopBench()
        bench.receive(.added(.call(1)))
        #expect(bench.press(8, "negative-1") == [])
    }

    @Test("a button of an action that the phone has withdrawn does nothing")
    func withdrawn() throws {
        var bench = DesktopBench()
        bench.receive(.added(.call(1)))
        bench.popups.receive(.modified(.call(1, flags: [])), at: bench.now)
        #expect(bench.press(1, "negative-1").actions == [])
    }

    @Test("a double click is one click")
    func doubleClick() {
        var bench = DesktopBench()
        bench.receive(.added(.call(1)))
        for key in ["positive-1", "negative-1"] {
            #expect(bench.press(1, key).count == 1)
            #expect(bench.press(1, key) == [])
        }
        #expect(bench.pass(.seconds(1)) == [])
        #expect(bench.press(1, "negative-1") == [.perform(first, .negative)])
    }

    @Test("negative actions are a second apart, that of a call first")
    func pace() {
        var bench = DesktopBench()
        for number in 1...3 { bench.receive(.added(.onDesktop(UInt64(number)))) }
        bench.receive(.added(.call(4)))
        #expect(bench.press(1, "negative-1").count == 1)
        #expect(bench.press(2, "negative-2") == [])
        #expect(bench.press(3, "negative-3") == [])
        #expect(bench.press(4, "negative-4") == [])
        for number in [4, 2, 3] {
            #expect(bench.pass(.milliseconds(999)) == [])
            let expected = [
                DesktopNotifications.Output.perform(RecordID(rawValue: UInt64(number)), .negative)
            ]
            #expect(bench.pass(.milliseconds(1)) == expected)
        }
    }

    @Test("a waiting negative action is not performed after its notification was removed")
    func goneMeanwhile() {
        var bench = DesktopBench()
        for number in 1...2 { bench.receive(.added(.onDesktop(UInt64(number)))) }
        _ = bench.press(1, "negative-1")
        _ = bench.press(2, "negative-2")
        bench.receive(.removed(.onDesktop(2), .removed))
        #expect(bench.pass(.seconds(3)) == [])
    }

    @Test("the code is copied by its button")
    func copy() {
        var bench = DesktopBench { $0.copy = ["wl-copy"] }
        bench.receive(.added(Record.onDesktop(1).with { $0.code = "123456" }))
        #expect(bench.press(1, "copy-1") == [.copy("123456")])
    }

    // MARK: Closing

    @Test("closing a popup does nothing on the phone, unless configured")
    func never() {
        var bench = DesktopBench()
        bench.receive(.added(.onDesktop(1)))
        _ = bench.pass(.seconds(10))
        #expect(bench.close(1) == [])
        #expect(bench.pass(.seconds(10)) == [])
    }

    @Test("closing a single popup clears the notification, a second later")
    func clear() {
        var bench = clearing(1)
        #expect(bench.close(1) == [])
        #expect(bench.pass(.milliseconds(999)) == [])
        #expect(bench.pass(.milliseconds(1)) == [.perform(first, .negative)])
        #expect(bench.pass(.seconds(10)) == [])
    }

    @Test("only the user's closing clears", arguments: [1, 3, 4, 0, 99])
    func reasons(reason: UInt32) {
        var bench = clearing(1)
        #expect(bench.close(1, DesktopNotifications.ClosingReason(rawValue: reason)) == [])
        #expect(bench.pass(.seconds(10)) == [])
    }

    @Test("a popup that was up for less than a second clears nothing")
    func young() {
        var bench = DesktopBench { $0.dismiss = .clear }
        bench.receive(.added(.onDesktop(1)))
        _ = bench.pass(.milliseconds(999))
        #expect(bench.close(1) == [])
        #expect(bench.pass(.seconds(10)) == [])
    }

    @Test("a popup whose text has just changed clears nothing")
    func changed() {
        var bench = clearing(1)
        bench.receive(.modified(.onDesktop(1, message: "New")))
        #expect(bench.close(1) == [])
        #expect(bench.pass(.seconds(10)) == [])
    }

    @Test("closing never declines a call, and never hangs up")
    func calls() {
        for category in [CategoryID.incomingCall, .activeCall] {
            var bench = DesktopBench { $0.dismiss = .clear }
            bench.receive(
                .added(.onDesktop(1, category, flags: [.positiveAction, .negativeAction])))
            _ = bench.pass(.seconds(10))
            #expect(bench.close(1) == [])
            #expect(bench.pass(.seconds(10)) == [])
        }
    }

    @Test("a notification without a Clear action is not cleared")
    func noAction() {
        var bench = DesktopBench { $0.dismiss = .clear }
        bench.receive(.added(.onDesktop(1, flags: [])))
        _ = bench.pass(.seconds(10))
        #expect(bench.close(1) == [])
        #expect(bench.pass(.seconds(10)) == [])
    }

    @Test("63 popups closed at once clear nothing")
    func closeAll() {
        var bench = clearing(40)
        for id in 1...40 { #expect(bench.close(UInt32(id)) == []) }
        #expect(bench.pass(.seconds(100)) == [])
    }

    @Test(
        "two popups closed within a second clear nothing, ours or another program's",
        arguments: [2, 900] as [UInt32])
    func two(other: UInt32) {
        for isFirst in [true, false] {
            var bench = clearing(2)
            _ = bench.close(isFirst ? 1 : other)
            _ = bench.pass(.milliseconds(990))
            _ = bench.close(isFirst ? other : 1)
            #expect(bench.pass(.seconds(10)) == [])
        }
    }

    @Test("two popups closed one after the other clear both notifications")
    func slowly() {
        var bench = clearing(2)
        _ = bench.close(1)
        var outputs = bench.pass(.milliseconds(1001))
        _ = bench.close(2)
        outputs += bench.pass(.seconds(2))
        #expect(
            outputs == [.perform(first, .negative), .perform(RecordID(rawValue: 2), .negative)])
    }

    @Test("a server that ends right after it clears nothing")
    func serverEnds() {
        var bench = clearing(1)
        _ = bench.close(1)
        bench.popups.serverVanished(at: bench.now)
        #expect(bench.pass(.seconds(10)) == [])
    }

    @Test("a notification that the phone removes meanwhile is not cleared")
    func removed() {
        var bench = clearing(1)
        _ = bench.close(1)
        bench.receive(.removed(.onDesktop(1), .removed))
        #expect(bench.pass(.seconds(10)) == [])
    }

    @Test("a popup that closes because a button was pressed clears nothing")
    func pressed() {
        var bench = DesktopBench { configuration in
            configuration.dismiss = .clear
            configuration.copy = ["wl-copy"]
        }
        bench.receive(.added(Record.onDesktop(1).with { $0.code = "123456" }))
        _ = bench.pass(.seconds(10))
        #expect(bench.press(1, "copy-1").count == 1)
        #expect(bench.close(1) == [])
        #expect(bench.pass(.seconds(10)) == [])
    }

    @Test("popups that this program closes clear nothing")
    func ownClosing() {
        var bench = clearing(2)
        bench.receive(.removed(.onDesktop(2), .removed))
        _ = bench.close(2, .closed)
        _ = bench.close(1)
        #expect(bench.pass(.seconds(1)) == [.perform(first, .negative)])
    }

    @Test("a configuration that turns clearing off cancels it")
    func reconfigured() {
        var bench = clearing(1)
        _ = bench.close(1)
        bench.popups.reconfigure(ServiceConfiguration.DesktopSection(), at: bench.now)
        #expect(bench.pass(.seconds(10)) == [])
    }

    /// Messages that have been up for a while, where closing clears.
    private func clearing(_ count: Int) -> DesktopBench {
        var bench = DesktopBench { $0.dismiss = .clear }
        for number in 1...count { bench.receive(.added(.onDesktop(UInt64(number)))) }
        _ = bench.pass(.seconds(10))
        return bench
    }
}
