import ANCS
import ANCSKit
import ANCSTestKit
import Testing

@testable import AccessoryConformance

/// Accessories that an app of the phone would connect to: they do not solicit ANCS. On a virtual radio.
@Suite("An accessory that solicits nothing") struct NamedAccessoryTests {
    /// One that connects to nothing by itself, and offers a battery.
    private static func startTern(on bench: isolated TestBench) async throws -> PeripheralManager {
        let adapter = try BluetoothAdapter(name: "Tern 0001", at: bench.bluetooth())
        let manager = PeripheralManager(adapter)
        await adapter.start()
        for await event in manager.events {
            guard case .stateUpdated(.poweredOn) = event else { continue }
            break
        }
        try await manager.startAdvertising(
            AdvertisementData(localName: "Tern 0001", serviceUUIDs: ["180F"]),
            options: AdvertisingOptions(stopsOnConnection: false))
        return manager
    }

    private static func waiting(for accessories: String, grade: String) throws -> Scenario {
        try Scenario(
            json: #"{"title":"T",\#(accessories)"grade":\#(grade),"pairing":"onConnection","#
                + #""steps":[{"wait":"bonded","within":10}]}"#)
    }

    @Test("is connected if it is named, and judged as what any phone may connect to")
    func named() async throws {
        try await TestBench.run(limit: .seconds(300)) { bench in
            let manager = try await Self.startTern(on: bench)
            let scenario = try Self.waiting(
                for: #""accessories":{"watch":{"name":"Tern 0001"}},"#, grade: "true")
            let result = try await scenario.run(at: bench.bluetooth())
            #expect(result.steps.map(\.outcome) == [.passed], "\(result)")
            let grades = try #require(result.grades.first)
            #expect(grades[.connectable]?.standing == .kept)
            #expect(grades[.advertisingData]?.standing == .note, "\(result)")
            withExtendedLifetime(manager) {}
        }
    }

    @Test("is passed over if it is not, and the failed step says what was heard of it")
    func notNamed() async throws {
        try await TestBench.run(limit: .seconds(300)) { bench in
            let manager = try await Self.startTern(on: bench)
            for (accessories, end) in [
                ("", "name it"),
                (#""accessories":{"watch":{"name":"Tern"}},"#, "another one is named"),
            ] {
                let scenario = try Self.waiting(for: accessories, grade: "false")
                let result = try await scenario.run(at: bench.bluetooth())
                let failure = try #require(result.steps.first?.failure)
                #expect(failure.observed == "no accessory was found")
                #expect(
                    failure.hints == ["Tern 0001, connectable, solicits nothing: \(end)"],
                    "\(failure.hints)")
                #expect(result.description.contains("because   Tern 0001, connectable, solicits"))
            }
            withExtendedLifetime(manager) {}
        }
    }

    @Test("is connected again when it comes back with no data at all, as by an iPhone")
    func empty() async throws {
        try await TestBench.run(limit: .seconds(300)) { bench in
            let manager = try await Self.startTern(on: bench)
            let scenario = try Scenario(
                json: #"{"title":"T","grade":true,"pairing":"onConnection","#
                    + #""accessories":{"watch":{"name":"Tern 0001"}},"#
                    + #""steps":[{"wait":"bonded","within":10},{"disconnect":true},"#
                    + #"{"wait":"restored","within":20}]}"#)
            let runner = try ScenarioRunner(scenario, at: bench.bluetooth())
            async let result = runner.run()
            for await event in runner.events {
                guard case .stepEnded(let step) = event, step.number == 1 else { continue }
                await manager.stopAdvertising()
                try await manager.startAdvertising(
                    AdvertisementData(), options: AdvertisingOptions(stopsOnConnection: false))
            }
            let report = try await result
            #expect(report.steps.allSatisfy { $0.outcome == .passed }, "\(report)")
            #expect(report.grades.first?[.comesBackWithBond]?.standing == .kept)
        }
    }
}
