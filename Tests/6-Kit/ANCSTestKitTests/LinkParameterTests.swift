import ANCSKit
import ANCSTestKit
import Testing

@Suite("A link that lasts")
struct LinkParameterTests {
    private static let granted = LinkParameters(
        interval: .milliseconds(45), supervisionTimeout: .seconds(6))
    private static let own = LinkParameters(
        interval: .milliseconds(30), supervisionTimeout: .milliseconds(720))

    /// What the phone decided about the link of an accessory, until it was told so many times.
    private static func decisions(
        _ count: Int, on accessory: NotificationConsumer,
        after each: (LinkParameters) async -> Void = { _ in }
    ) async throws -> [LinkParameters] {
        var decisions: [LinkParameters] = []
        for try await event in accessory.events {
            guard case .peer(_, .linkParameters(let link)) = event else { continue }
            decisions.append(link)
            if decisions.count == count { break }
            await each(link)
        }
        return decisions
    }

    @Test("the phone connects with 720 ms and grants 6 s within a second")
    func granted() async throws {
        try await TestBench.run { bench in
            await bench.phone.start()
            var first: LinkParameters?
            for try await event in bench.accessory.events {
                if case .peer(_, .connected(let description)) = event { first = description.link }
                guard case .peer(_, .linkParameters(let link)) = event else { continue }
                #expect(link == Self.granted)
                break
            }
            #expect(first == Self.own)
        }
    }

    private static func isAboutParameters(_ event: TestEvent) -> Bool {
        event.description.contains("keeps the parameters of its link")
            || event.description.contains("has a link with")
    }

    @Test(
        "a phone that refuses parameters, or ignores what it accepted, keeps its own, which are reported once",
        arguments: [ParameterFault.refuse, .acceptOnly, .ignore])
    func kept(fault: ParameterFault) async throws {
        try await TestBench.run { bench in
            await bench.phone.inject(fault, count: 3)
            await bench.phone.start()
            var own = Self.own
            own.isKept = true
            #expect(try await Self.decisions(1, on: bench.accessory) == [own])
            try await bench.sleep(for: .seconds(300))
            #expect(bench.events.count(where: Self.isAboutParameters) == 1)
        }
    }

    @Test(
        "a phone that overwrites what it granted is asked three times, and the link's parameters are reported"
    )
    func overwritten() async throws {
        try await TestBench.run { bench in
            let phone = bench.phone
            await phone.start()
            let decisions = try await Self.decisions(7, on: bench.accessory) { link in
                guard link.supervisionTimeout == .seconds(6) else { return }
                for accessory in await phone.accessories where accessory.isConnected {
                    await phone.changeParameters(Self.own, of: accessory.id)
                }
            }
            var kept = Self.own
            kept.isKept = true
            var again = Self.granted
            again.interval = .milliseconds(30)
            #expect(
                decisions == [Self.granted, Self.own, again, Self.own, again, Self.own, kept])
            // A phone that thinks better of it is not one that keeps its own.
            for accessory in await phone.accessories where accessory.isConnected {
                await phone.changeParameters(Self.granted, of: accessory.id)
            }
            #expect(try await Self.decisions(1, on: bench.accessory) == [Self.granted])
        }
    }

    @Test("repeated changes of a link's parameters are reported sixteen times")
    func restless() async throws {
        try await TestBench.run { bench in
            let phone = bench.phone
            await phone.start()
            _ = try await Self.decisions(1, on: bench.accessory)
            for round in 0..<100 {
                for accessory in await phone.accessories where accessory.isConnected {
                    var own = Self.own
                    own.latency = round % 2
                    await phone.changeParameters(own, of: accessory.id)
                }
                try await bench.sleep(for: .seconds(1))
            }
            #expect(bench.events.count(where: Self.isAboutParameters) == 16)
        }
    }

    @Test("without a policy nothing is asked for")
    func off() async throws {
        try await TestBench.run { bench in
            var configuration = ConsumerConfiguration(name: "Desk")
            configuration.linkParameters = nil
            let desk = try NotificationConsumer(configuration, at: bench.bluetooth())
            await desk.start()
            await bench.phone.start()
            try await bench.sleep(for: .seconds(60))
            #expect(bench.events.contains { $0.description.contains("Desk: session 1 started") })
            #expect(!bench.events.contains { $0.description.contains("link parameters") })
        }
    }
}
