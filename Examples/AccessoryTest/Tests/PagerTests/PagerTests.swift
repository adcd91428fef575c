import ANCSKit
import ANCSTestKit
import AccessoryConformance
import Pager
import Testing

struct PagerTests {
    private static func alarm(_ title: String) -> ProviderNotification {
        var alarm = ProviderNotification(
            appIdentifier: .phone, categoryID: .schedule, title: title)
        alarm.isImportant = true
        return alarm
    }

    @Test func `it buzzes once for what is important`() async throws {
        try await TestBench.run(seed: 7) { bench in
            let pager = try Pager(at: bench.bluetooth())
            async let _ = pager.run()
            try await bench.wait("a session") {
                await bench.phone.accessories.contains { $0.isSubscribedToNotificationSource }
            }

            let fire = try await bench.phone.post(Self.alarm("Fire"))
            try await bench.wait("the page shows it") { await pager.page == ["Fire"] }
            try await bench.phone.modify(fire) { $0.title = Array("Fire, again".utf8) }
            try await bench.wait("the page follows") { await pager.page == ["Fire, again"] }
            #expect(await pager.buzzes == 1)
        }
    }

    @Test
    func `it shows nothing once the phone is out of range, and does not buzz when it is back`()
        async throws
    {
        try await TestBench.run { bench in
            let pager = try Pager(at: bench.bluetooth())
            async let _ = pager.run()
            try await bench.phone.post(Self.alarm("Fire"))
            try await bench.wait("the page shows it") { await pager.page == ["Fire"] }
            let buzzes = await pager.buzzes

            bench.setInRange(false, bench.phoneController)
            try await bench.wait("the page is empty") { await pager.page.isEmpty }
            bench.setInRange(true, bench.phoneController)
            try await bench.wait("the page shows it again") { await pager.page == ["Fire"] }
            #expect(await pager.buzzes == buzzes)
        }
    }

    @Test(arguments: 1...10) func `it has everything in the end, however bad the air is`(
        seed: UInt64
    ) async throws {
        try await TestBench.run(seed: seed, latency: .milliseconds(20), loss: 0.3) { bench in
            let pager = try Pager(at: bench.bluetooth())
            async let _ = pager.run()
            for number in 1...20 { try await bench.phone.post(Self.alarm("Alarm \(number)")) }
            try await bench.wait("all are shown", for: .seconds(600)) {
                await pager.page.count == 20
            }
        }
    }
    @Test(arguments: ["conformance", "faults/late-answer", "trouble/phone-restarts"])
    func `it fulfills what the phone of the tool tests`(scenario: String) async throws {
        try await TestBench.run { bench in
            let pager = try Pager(at: bench.bluetooth())
            async let _ = pager.run()
            let result = try await Scenario(named: scenario).run(
                phone: bench.phoneConfiguration, at: bench.phoneController.bluetooth())
            #expect(result.isSuccess, "\(result)")
        }
    }
}
