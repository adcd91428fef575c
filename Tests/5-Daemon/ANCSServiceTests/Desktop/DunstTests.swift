import ANCS
@testable import ANCSService
import LinuxIO
import Testing

/// A real server, and its own tool that presses and closes.
@Suite("Popups: dunst", .serialized, .timeLimit(.minutes(5)))
struct DunstTests {
    @Test("a call is declined by its button, and by nothing else")
    func decline() async throws {
        try await DunstDesktop.with(dismiss: .clear) { desktop in
            await desktop.desktop.receive(.announced(.ringing(1)))
            #expect(try await desktop.shows(1))
            await desktop.desktop.receive(.added(.call(1)))
            try await desktop.pause(.seconds(1))
            #expect(try await desktop.shows(1))
            // A click on the popup, and closing it.
            try desktop.control("action", "0")
            try desktop.control("close")
            try await desktop.pause()
            #expect(desktop.desktop.performed == [])

            await desktop.desktop.receive(.added(.call(2)))
            #expect(try await desktop.shows(1))
            try desktop.control("close-all")
            try await desktop.pause()
            #expect(desktop.desktop.performed == [])

            await desktop.desktop.receive(.added(.call(3)))
            #expect(try await desktop.shows(1))
            try desktop.press("Reject")
            let declined = DesktopNotifications.Output.perform(RecordID(rawValue: 3), .negative)
            #expect(
                try await desktop.desktop.eventually { desktop.desktop.performed == [declined] })
            await desktop.desktop.receive(.removed(.call(3), .removed))
            #expect(try await desktop.shows(0))
        }
    }

    @Test("a button of a call that has ended does nothing, though dunst shows it again")
    func history() async throws {
        try await DunstDesktop.with { desktop in
            await desktop.desktop.receive(.added(.call(1)))
            #expect(try await desktop.shows(1))
            await desktop.desktop.receive(.removed(.call(1), .removed))
            #expect(try await desktop.shows(0))
            try desktop.control("history-pop")
            #expect(try await desktop.shows(1))
            try desktop.press("Reject")
            try await desktop.pause()
            #expect(desktop.desktop.performed == [])
        }
    }

    @Test("20 popups that are closed at once clear nothing, and one by itself is cleared")
    func closeAll() async throws {
        try await DunstDesktop.with(dismiss: .clear) { desktop in
            for number in 1...20 {
                await desktop.desktop.receive(
                    .added(.onDesktop(UInt64(number), title: "Ann \(number)")))
            }
            #expect(try await desktop.shows(20))
            try await desktop.pause()
            try desktop.control("close-all")
            #expect(try await desktop.shows(0))
            try await desktop.pause()
            #expect(desktop.desktop.performed == [])

            await desktop.desktop.receive(.added(.onDesktop(21)))
            #expect(try await desktop.shows(1))
            try await desktop.pause()
            try desktop.control("close")
            let cleared = DesktopNotifications.Output.perform(RecordID(rawValue: 21), .negative)
            #expect(try await desktop.desktop.eventually { desktop.desktop.performed == [cleared] })
        }
    }

    @Test(
        "popups that wait while dunst is paused are shown later, and nothing is done meanwhile"
    )
    func paused() async throws {
        try await DunstDesktop.with(dismiss: .clear) { desktop in
            #expect(try await desktop.shows(0))
            try desktop.control("set-paused", "true")
            await desktop.desktop.receive(.added(.onDesktop(1)))
            await desktop.desktop.receive(.added(.call(2)))
            #expect(
                try await desktop.desktop.eventually {
                    try desktop.control("count", "waiting") == "2"
                })
            await desktop.desktop.receive(.removed(.call(2), .removed))
            try await desktop.pause()
            #expect(desktop.desktop.performed == [])
            try desktop.control("set-paused", "false")
            #expect(try await desktop.shows(1))
        }
    }

    @Test("a popup that expires clears nothing")
    func expires() async throws {
        try await DunstDesktop.with(dismiss: .clear) { desktop in
            let record = Record.onDesktop(1).with { $0.verdict.popup?.expiry = .milliseconds(1500) }
            await desktop.desktop.receive(.added(record))
            #expect(try await desktop.shows(1))
            #expect(try await desktop.shows(0))
            try await desktop.pause()
            #expect(desktop.desktop.performed == [])
        }
    }

    @Test("popups of a killed dunst are shown by the next one, and their buttons work")
    func killed() async throws {
        try await DunstDesktop.with { desktop in
            for number in 1...3 {
                await desktop.desktop.receive(
                    .added(.onDesktop(UInt64(number), title: "Ann \(number)")))
            }
            await desktop.desktop.receive(.added(.call(4)))
            #expect(try await desktop.shows(4))
            desktop.killDunst()
            await desktop.desktop.receive(.removed(.onDesktop(1), .removed))
            try desktop.startDunst()
            #expect(try await desktop.shows(3))
            try desktop.press("Reject")
            let declined = DesktopNotifications.Output.perform(RecordID(rawValue: 4), .negative)
            #expect(
                try await desktop.desktop.eventually { desktop.desktop.performed == [declined] })
        }
    }

    @Test("a popup posted to a stopped dunst appears once when it continues")
    func stalled() async throws {
        var limits = DesktopNotifications.Limits()
        limits.answer = .milliseconds(200)
        try await DunstDesktop.with(limits: limits) { desktop in
            #expect(try await desktop.shows(0))
            desktop.stallDunst()
            await desktop.desktop.receive(.added(.call(1)))
            await desktop.desktop.receive(.added(.onDesktop(2)))
            await desktop.desktop.receive(.added(.call(3)))
            let isNoticed = try await desktop.desktop.eventually {
                await !desktop.desktop.run(\.status).isWorking
            }
            #expect(isNoticed)
            // More than three times the limit, in which calls used to be repeated.
            try await desktop.pause(.seconds(1))
            await desktop.desktop.receive(.removed(.call(3), .removed))
            desktop.continueDunst()
            #expect(try await desktop.shows(2))
            try await desktop.pause(.seconds(1))
            #expect(try await desktop.shows(2))
            try desktop.press("Reject")
            let declined = DesktopNotifications.Output.perform(RecordID(rawValue: 1), .negative)
            #expect(
                try await desktop.desktop.eventually { desktop.desktop.performed == [declined] })
        }
    }

    @Test("at the end the screen is empty")
    func end() async throws {
        try await DunstDesktop.with { desktop in
            await desktop.desktop.receive(.added(.onDesktop(1)))
            await desktop.desktop.receive(.added(.call(2)))
            let isShown = try await desktop.shows(2)
            #expect(isShown)
            await desktop.stop()
            #expect(try await desktop.shows(0))
        }
    }
}
