import ANCS
@testable import ANCSService
import DBus
import DBusTestKit
import LinuxIO
import Testing

@Suite("The desktop on the session bus", .timeLimit(.minutes(2)))
struct DesktopSinkTests {
    private func withDesktop(
        _ configuration: ServiceConfiguration = ServiceConfiguration(),
        _ body: (TestBus, DesktopSinkHandle) async throws -> Void
    ) async throws {
        try await TestBus.with { bus in
            let control = DesktopControl(on: bus.loop)
            let sink = DesktopSink(configuration, control: control, at: .address(bus.address))
            let desktop = DesktopSinkHandle(sink: sink, control: control)
            await desktop.run { $0.open() }
            try await body(bus, desktop)
            await desktop.close()
        }
    }

    @Test("Notify is called as specified")
    func notify() async throws {
        try await withDesktop { bus, desktop in
            let server = try await NotificationServerDouble(on: bus)
            await desktop.receive(.added(.call(1)))
            #expect(try await desktop.eventually { server.posts.value.count == 1 })
            let arguments = server.posts.value[0]
            #expect(arguments.map(\.signature) == ["s", "u", "s", "s", "s", "as", "a{sv}", "i"])
            #expect(
                arguments.prefix(5).map(\.string) == [
                    "Phone", nil, "call-start", "☎ Phone: Mum", "Incoming Call",
                ])
            #expect(
                arguments[5].strings == [
                    "default", "OK", "positive-1", "Accept", "negative-1", "Reject",
                ])
            #expect(
                arguments[6].properties == [
                    "urgency": .byte(2), "category": .string("call.incoming"),
                    "resident": .bool(true), "desktop-entry": .string("ancs"),
                ])
            #expect(arguments[7] == .int32(0))
            let status = await desktop.run(\.status)
            #expect(status == SinkStatus(isWorking: true, message: "double 1.0"))
        }
    }

    @Test("a popup whose number comes late stays, and nothing was posted twice")
    func stalled() async throws {
        try await TestBus.with { bus in
            let control = DesktopControl(on: bus.loop)
            var limits = DesktopNotifications.Limits()
            limits.answer = .milliseconds(100)
            let sink = DesktopSink(
                ServiceConfiguration(), control: control, at: .address(bus.address), limits: limits)
            let desktop = DesktopSinkHandle(sink: sink, control: control)
            await desktop.run { $0.open() }
            let server = try await NotificationServerDouble(on: bus)
            #expect(try await desktop.eventually { await desktop.run(\.status).isWorking })
            let isPresent = try await desktop.eventually {
                await desktop.run(\.status).message == "double 1.0"
            }
            #expect(isPresent)
            server.hasStopped.value = true
            await desktop.receive(.added(.call(1)))
            let asked = ["Notify", "GetServerInformation"]
            #expect(try await desktop.eventually { server.waitingCalls == asked })
            let status = await desktop.run(\.status)
            #expect(
                status == SinkStatus(isWorking: false, message: "double 1.0 does not answer"))
            try await bus.loop.sleep(for: .milliseconds(500))
            #expect(server.waitingCalls == asked)
            await server.proceed()
            #expect(try await desktop.eventually { await desktop.run(\.status).isWorking })
            #expect(server.posts.value.count == 1 && server.closings.value == [])
            try await server.emit("ActionInvoked", [.uint32(1), .string("negative-1")])
            let declined = DesktopNotifications.Output.perform(RecordID(rawValue: 1), .negative)
            #expect(try await desktop.eventually { desktop.performed == [declined] })
            await desktop.close()
        }
    }

    @Test("sounds and times are passed as hints")
    func hints() async throws {
        try await withDesktop { bus, desktop in
            let server = try await NotificationServerDouble(on: bus)
            let changes: [(inout RuleVerdict.Popup) -> Void] = [
                { $0.sound = "" }, { $0.sound = "bell" }, { $0.sound = "/a.oga" },
                { $0.expiry = .seconds(2) },
            ]
            for (number, change) in changes.enumerated() {
                var record = Record.onDesktop(UInt64(number))
                var popup = RuleVerdict.Popup()
                change(&popup)
                record.verdict.popup = popup
                await desktop.receive(.added(record))
            }
            #expect(try await desktop.eventually { server.posts.value.count == 4 })
            let hints = server.posts.value.map { $0[6].properties ?? [:] }
            #expect(hints[0]["suppress-sound"] == .bool(true))
            #expect(hints[1]["sound-name"] == .string("bell"))
            #expect(hints[2]["sound-file"] == .string("/a.oga"))
            #expect(server.posts.value.map { $0[7] } == [-1, -1, -1, 2000].map { .int32($0) })
        }
    }

    @Test("a button counts only if the server that shows the popup reports it")
    func pressed() async throws {
        try await withDesktop { bus, desktop in
            let server = try await NotificationServerDouble(on: bus)
            let stranger = try await bus.connect()
            await desktop.receive(.added(.call(1)))
            #expect(try await desktop.eventually { server.posts.value.count == 1 })
            let press: [BusValue] = [.uint32(1), .string("negative-1")]
            try await server.emit("ActionInvoked", press, from: stranger)
            try await server.emit("ActivationToken", press)
            try await server.emit("ActionInvoked", [.string("negative-1"), .uint32(1)])
            try await server.emit("ActionInvoked", [])
            try await server.emit("ActionInvoked", [.uint32(1), .string("default")])
            #expect(desktop.performed == [])
            try await server.emit("ActionInvoked", press)
            let declined = DesktopNotifications.Output.perform(RecordID(rawValue: 1), .negative)
            #expect(try await desktop.eventually { desktop.performed == [declined] })
        }
    }

    @Test("a popup is closed, and an error of closing is ignored")
    func close() async throws {
        try await withDesktop { bus, desktop in
            let server = try await NotificationServerDouble(on: bus)
            await desktop.receive(.added(.onDesktop(1)))
            #expect(try await desktop.eventually { server.posts.value.count == 1 })
            await desktop.receive(.removed(.onDesktop(1), .removed))
            #expect(try await desktop.eventually { server.closings.value == [1] })
            let problems = desktop.control.messages.value.filter {
                $0 != "popups are shown by double 1.0"
            }
            #expect(problems == [])
        }
    }

    @Test("the next server shows the popups of the previous one")
    func nextServer() async throws {
        try await withDesktop { bus, desktop in
            let first = try await NotificationServerDouble(on: bus)
            await desktop.receive(.added(.onDesktop(1)))
            #expect(try await desktop.eventually { first.posts.value.count == 1 })
            await first.end()
            let second = try await NotificationServerDouble(on: bus, capabilities: [])
            #expect(try await desktop.eventually { second.posts.value.count == 1 })
            #expect(second.posts.value.first?[1] == .uint32(0))
            #expect(second.posts.value.first?[5].strings == [])
        }
    }

    @Test("the text of a server's error is not logged")
    func refusal() async throws {
        try await withDesktop { bus, desktop in
            let server = try await NotificationServerDouble(on: bus)
            server.refusal.value = BusError("org.x.Full", "no room for canary")
            await desktop.receive(.added(.onDesktop(1, message: "canary")))
            #expect(try await desktop.eventually { desktop.control.messages.value.count == 2 })
            #expect(desktop.control.messages.value.last?.contains("org.x.Full") == true)
            #expect(!desktop.control.messages.value.contains { $0.contains("canary") })
            #expect(await desktop.run(\.status).dropped == 1)
        }
    }

    @Test("the status reports that no notification server can be started")
    func noServer() async throws {
        try await withDesktop { _, desktop in
            #expect(await desktop.run(\.status).isWorking)
            await desktop.receive(.added(.onDesktop(1)))
            let isSaid = try await desktop.eventually {
                await desktop.run(\.status).isWorking == false
            }
            #expect(isSaid)
            let message = await desktop.run(\.status).message
            #expect(message.hasPrefix("no notification server could be started: "))
            #expect(desktop.control.messages.value == ["no popups can be shown: \(message)"])
        }
    }

    @Test("a missing session bus is reported once and in status, and tried again")
    func noBus() async throws {
        let loop = try EventLoop()
        let folder = try TemporaryDirectory()
        let control = DesktopControl(on: loop)
        let place = BusConnection.Bus.address("unix:path=\(folder.path)/bus")
        let sink = DesktopSink(ServiceConfiguration(), control: control, at: place)
        let desktop = DesktopSinkHandle(sink: sink, control: control)
        await desktop.run { $0.open() }
        await desktop.receive(.added(.onDesktop(1)))
        try await loop.sleep(for: .milliseconds(1500))
        #expect(await desktop.run(\.status).isWorking == false)
        #expect(control.messages.value.count <= 2)
        await desktop.close()
        loop.shutdown()
    }

    @Test("a session bus that ends is replaced by the next one")
    func lostBus() async throws {
        try await TestBus.with { bus in
            let control = DesktopControl(on: bus.loop)
            let sink = DesktopSink(
                ServiceConfiguration(), control: control, at: .address(bus.address))
            let desktop = DesktopSinkHandle(sink: sink, control: control)
            await desktop.run { $0.open() }
            let server = try await NotificationServerDouble(on: bus)
            await desktop.receive(.added(.onDesktop(1)))
            #expect(try await desktop.eventually { server.posts.value.count == 1 })
            bus.kill()
            #expect(try await desktop.eventually { await desktop.run(\.status).isWorking == false })
            await desktop.receive(.added(.onDesktop(2)))
            await desktop.close()
        }
    }

    @Test("a code goes to the program's standard input, and nowhere else")
    func copy() async throws {
        let folder = try TemporaryDirectory()
        var configuration = ServiceConfiguration()
        let script = try folder.script(
            "copy", "cat > \(folder.path)/input\necho \"$@\" > \(folder.path)/done")
        configuration.desktop.copy = [script, "--sensitive"]
        try await withDesktop(configuration) { bus, desktop in
            let server = try await NotificationServerDouble(on: bus)
            await desktop.receive(.added(Record.onDesktop(1).with { $0.code = "123456" }))
            #expect(try await desktop.eventually { server.posts.value.count == 1 })
            try await server.emit("ActionInvoked", [.uint32(1), .string("copy-1")])
            #expect(try await desktop.eventually { folder.text(of: "done") == "--sensitive" })
            #expect(folder.text(of: "input") == "123456")
            #expect(desktop.performed == [])
        }
    }

    @Test("a copy program that fails is reported, without the code")
    func copyFails() async throws {
        var configuration = ServiceConfiguration()
        configuration.desktop.copy = ["false"]
        try await withDesktop(configuration) { bus, desktop in
            let server = try await NotificationServerDouble(on: bus)
            await desktop.receive(.added(Record.onDesktop(1).with { $0.code = "123456" }))
            #expect(try await desktop.eventually { server.posts.value.count == 1 })
            try await server.emit("ActionInvoked", [.uint32(1), .string("copy-1")])
            let expected =
                "the code was not copied: the program ended with status 1; see 'copy' in the configuration"
            #expect(
                try await desktop.eventually { desktop.control.messages.value.last == expected })
        }
    }
}
