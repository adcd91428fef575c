import DBusTestKit
import LinuxIO
import Testing

@testable import DBus

@Suite struct BusConnectionSignalTests {
    @Test("matching signals are delivered in order, and others are not")
    func matching() async throws {
        try await TestBus.with { bus in
            let (sender, listener) = (try await bus.connect(), try await bus.connect())
            let name = try await sender.name
            let (_, named) = await listener.signals(
                BusMatch(
                    sender: name, path: "/test", interface: "org.test.Interface", member: "Said"))
            let (_, aboutMe) = await listener.signals(BusMatch(argument0: "me, 'myself'"))
            let me = BusValue.string("me, 'myself'")
            try await sender.emit("Other", [.byte(0)])
            try await sender.emit("Said", [.byte(1), .options(["a": .bool(true)])])
            try await sender.emit("Said", [me])
            try await sender.emit("Other", [me])
            let said = await named.first(2)
            #expect(said.map(\.arguments) == [[.byte(1), .options(["a": .bool(true)])], [me]])
            #expect(said.first?.sender == name)
            #expect(await aboutMe.first(2).map(\.member) == ["Said", "Other"])
        }
    }

    @Test("a subscription to a well-known name receives signals of its owner only")
    func forger() async throws {
        try await TestBus.with { bus in
            let (victim, service) = (try await bus.connect(), try await bus.connect())
            let forger = try await bus.connect()
            try await service.own("org.test.Service")
            let (_, trusted) = await victim.signals(
                BusMatch(sender: "org.test.Service", member: "Said"))
            let (_, all) = await victim.signals(BusMatch(member: "Said"))
            let name = try await victim.name
            try await forger.emit("Said", [.string("forged")], to: name)
            try await forger.emit("Said", [.string("forged")])
            try await service.emit("Said", [.string("genuine")])
            try await service.emit("Said", [.string("for you")], to: name)
            // The name passes on, and with it what is genuine.
            await service.run { $0.releaseName("org.test.Service") }
            try await service.emit("Said", [.string("late")], to: name)
            try await forger.own("org.test.Service")
            try await forger.emit("Said", [.string("successor")])
            func texts(_ signals: [BusSignal]) -> [String] {
                signals.compactMap { $0.arguments.first?.string }
            }
            #expect(await texts(trusted.first(3)) == ["genuine", "for you", "successor"])
            #expect(
                await texts(all.first(6))
                    == ["forged", "forged", "genuine", "for you", "late", "successor"])
        }
    }

    @Test("only the bus can report the owner of a name")
    func forgedOwner() async throws {
        try await TestBus.with { bus in
            let (victim, service) = (try await bus.connect(), try await bus.connect())
            let forger = try await bus.connect()
            try await service.own("org.test.Service")
            let (_, trusted) = await victim.signals(BusMatch(sender: "org.test.Service"))
            let (name, rival) = (try await victim.name, try await forger.name)
            await forger.run {
                let lie = BusSignal(
                    "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged",
                    [.string("org.test.Service"), .string(""), .string(rival)])
                do { try $0.emit(lie, to: name) } catch { Issue.record(error) }
            }
            try await forger.emit("Said", [.string("forged")], to: name)
            try await service.emit("Said", [.string("genuine")])
            #expect(await trusted.first(1).map(\.arguments) == [[.string("genuine")]])
        }
    }

    @Test("an ended subscription receives nothing more, even if ended in its own handler")
    func cancel() async throws {
        try await TestBus.with { bus in
            let (sender, listener) = (try await bus.connect(), try await bus.connect())
            let told = Box(0)
            let subscription = Box<BusSubscription?>(nil)
            subscription.value = await listener.run { connection in
                connection.signals(BusMatch(sender: "org.test.Nobody", member: "Said")) { _ in }
                    as BusSubscription
            }
            await listener.run { connection in
                if let subscription = subscription.value { connection.cancel(subscription) }
            }
            subscription.value = await listener.run { connection in
                connection.signals(BusMatch(member: "Said")) { [weak connection] _ in
                    told.value += 1
                    if let subscription = subscription.value { connection?.cancel(subscription) }
                }
            }
            let (_, others) = await listener.signals(BusMatch(member: "Said"))
            try await sender.emit("Said")
            try await sender.emit("Said")
            #expect(await others.first(2).count == 2)
            #expect(told.value == 1)
            #expect(await listener.run { $0.subscriptions.count } == 1)
            #expect(await listener.run { $0.names.count } == 0)
        }
    }

    @Test("a flood of signals leaves the rest of the loop its turns")
    func flood() async throws {
        try await TestBus.with { bus in
            let other = try EventLoop()
            defer { other.shutdown() }
            let (sender, listener) = (try await bus.connect(on: other), try await bus.connect())
            let (told, reportedAtNextTurn) = (Box(0), Box<Int?>(nil))
            let loop = bus.loop
            _ = await listener.run { connection in
                connection.signals(BusMatch(member: "Said")) { _ in
                    told.value += 1
                    if told.value == 1 { loop.execute { reportedAtNextTurn.value = told.value } }
                }
            }
            await listener.bus("GetId")
            // The listener's loop stands still until the flood waits in front of it.
            try await bus.holdUp {
                for _ in 0..<20 {
                    await sender.run { connection in
                        for _ in 0..<100 {
                            let signal = BusSignal(
                                "/test", "org.test.Interface", "Said", [.byte(1)])
                            do { try connection.emit(signal) } catch { Issue.record(error) }
                        }
                    }
                    await sender.bus("GetId")
                }
            }
            while told.value < 2_000 { await Task.yield() }
            let turn = try #require(reportedAtNextTurn.value)
            #expect(turn <= 64)
        }
    }

    @Test("a rule that the bus refuses ends the connection, because signals would be missing")
    func refusedRule() async throws {
        try await TestBus.with { bus in
            let peer = try await bus.connect()
            await peer.run { _ = $0.signals(BusMatch(interface: "no interface")) { _ in } }
            let end = await peer.ends.stream.first(1)
            #expect(end.first?.name == "org.freedesktop.DBus.Error.MatchRuleInvalid")
            #expect(end.first?.message.hasPrefix("the bus refused AddMatch") == true)
        }
    }

    @Test("a message that is not a signal cannot be sent as one")
    func unsendable() async throws {
        try await TestBus.with { bus in
            let peer = try await bus.connect()
            for (signal, destination) in [
                (BusSignal("/", "nointerface", "A"), nil),
                (BusSignal("/", "a.b", "no member"), nil),
                (BusSignal("/", "a.b", "C", [.string("\0")]), nil),
                (BusSignal("/", "a.b", "C"), "no name"),
            ] {
                await peer.run { connection in
                    let error = #expect(throws: BusError.self) {
                        try connection.emit(signal, to: destination)
                    }
                    #expect(error?.name == BusError.invalidArguments)
                }
            }
        }
    }
}
