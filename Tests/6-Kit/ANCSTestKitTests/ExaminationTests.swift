import ANCS
import ANCSKit
import ANCSTestKit
import Testing

@testable import AccessoryConformance

/// What `ancs phone --grade link` sees of accessories, on a virtual radio.
@Suite("The link of an accessory, examined") struct ExaminationTests {
    /// Examines an accessory of the bench with a phone of its own.
    static func examine(
        _ name: String, on bench: TestBench,
        pairing: ProviderConfiguration.Pairing = .never
    ) async throws -> ScenarioResult {
        let scenario = Scenario.examination(of: name, pairing: pairing)
        return try await scenario.run(
            phone: ProviderConfiguration(name: "Examiner"), at: bench.bluetooth())
    }

    static func results(_ result: ScenarioResult) -> [Requirement: String] {
        let verdicts = result.grades.first?.verdicts ?? []
        return Dictionary(
            uniqueKeysWithValues: verdicts.map {
                ($0.requirement, $0.standing.rawValue)
            })
    }

    @Test("an accessory of this project breaks no requirement, and is left alone without --pair")
    func ownAccessory() async throws {
        try await TestBench.run(limit: .seconds(300)) { bench in
            _ = bench.accessory
            let result = try await Self.examine("Accessory", on: bench)
            let results = Self.results(result)
            #expect(result.isSuccess, "\(result.steps.map(\.outcome))")
            #expect(results.filter { $0.value == "broken" }.isEmpty)
            for requirement: Requirement in [
                .shortestInterval, .longestInterval, .latency, .supervisionTimeout, .longestSilence,
                .timeoutBeyondSilence, .asksSoon, .acceptsAnAnswer, .advertisingInterval,
                .connectable, .discoverableWithoutPairing,
            ] {
                #expect(results[requirement] == "kept", "\(requirement)")
            }
            // TX Power is recommended, and there is no room for it.
            #expect(results[.advertisingData] == "note")
            #expect(results[.knowsChangedAddress] == "untested")
            #expect(bench.now < Scenario.examinationLimit)
            let texts = bench.events.map(\.description)
            #expect(!texts.contains { $0.contains("paired") || $0.contains("session 1 started") })
        }
    }

    @Test("a bonded accessory of this project knows a phone that was switched off and on")
    func bonded() async throws {
        try await TestBench.run(limit: .seconds(300)) { bench in
            _ = bench.accessory
            let result = try await Self.examine("Accessory", on: bench, pairing: .onConnection)
            let results = Self.results(result)
            #expect(result.isSuccess, "\(result.steps.map(\.outcome))")
            #expect(results[.knowsChangedAddress] == "kept")
            #expect(results.filter { $0.value == "broken" }.isEmpty)
        }
    }

    @Test("an accessory without ANCS is examined too, by its address if that is given")
    func withoutANCS() async throws {
        try await TestBench.run(limit: .seconds(300)) { bench in
            let adapter = try BluetoothAdapter(name: "Thermometer", at: bench.bluetooth())
            let manager = PeripheralManager(adapter)
            await adapter.start()
            for await event in manager.events {
                guard case .stateUpdated(.poweredOn) = event else { continue }
                break
            }
            try await manager.startAdvertising(
                AdvertisementData(localName: "Thermometer", serviceUUIDs: ["1809"]),
                options: AdvertisingOptions(stopsOnConnection: false))
            let result = try await Self.examine("Thermometer", on: bench)
            let results = Self.results(result)
            #expect(result.isSuccess, "\(result.steps.map(\.outcome))")
            #expect(results[.connectable] == "kept")
            #expect(results[.discoverableWithoutPairing] == "kept")
            // It asks for nothing.
            #expect(results[.asksSoon] == "note")
            #expect(results[.supervisionTimeout] == "untested")
        }
    }

    @Test("an accessory that is not there fails the run, within its limit")
    func absent() async throws {
        try await TestBench.run(limit: .seconds(300)) { bench in
            _ = bench.accessory
            let result = try await Self.examine("Somebody else", on: bench)
            #expect(!result.isSuccess)
            #expect(result.steps.first?.failure?.observed == "no accessory was found")
            #expect(Self.results(result).values.allSatisfy { $0 == "untested" })
            #expect(bench.now < Scenario.examinationLimit)
        }
    }

    // MARK: How the phone decides

    /// The answers to the requests of the accessory until the link had this timeout, or for a while.
    private static func answers(
        _ bench: isolated TestBench, _ behavior: ProviderBehavior.LinkNumbers,
        _ fault: ParameterFault? = nil
    ) async throws -> [String] {
        let phone = bench.phone
        var changed = ProviderBehavior()
        changed.link = behavior
        await phone.setBehavior(changed)
        if let fault { await phone.inject(fault) }
        _ = bench.accessory
        var answers: [String] = []
        for try await event in phone.events {
            switch event {
            case .link(_, .parametersRequested(let request)): answers.append("\(request.answer)")
            case .link(_, .parametersUpdated(let link)):
                answers.append("\(link.supervisionTimeout)")
                // After what is overwritten, the accessory asks again.
                if answers.filter({ $0 == "6.0 seconds" }).count == (fault == .overwrite ? 2 : 1) {
                    return answers
                }
            default: break
            }
        }
        return answers
    }

    @Test(
        "what every edition allows is accepted and applied, whichever the phone insists on",
        arguments: ProviderBehavior.LinkNumbers.allCases)
    func numbers(_ numbers: ProviderBehavior.LinkNumbers) async throws {
        try await TestBench.run(limit: .seconds(300)) { bench in
            let answers = try await Self.answers(bench, numbers)
            #expect(answers == ["accept", "6.0 seconds"])
        }
    }

    @Test("what is accepted can be overwritten: it is applied, and then the phone's own is back")
    func overwritten() async throws {
        try await TestBench.run(limit: .seconds(300)) { bench in
            let answers = try await Self.answers(bench, .apple, .overwrite)
            #expect(
                answers == ["accept", "6.0 seconds", "0.72 seconds", "accept", "6.0 seconds"])
        }
    }
}
