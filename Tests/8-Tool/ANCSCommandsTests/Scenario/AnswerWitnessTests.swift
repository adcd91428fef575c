import ANCSKit
import BluetoothTypes
import HCITransports
import Octets
import Testing

@testable import ANCS
@testable import AccessoryConformance
@testable import BluetoothLE

/// Whether the accessory had the answer when it sent the next command, by the packets of a controller.
@Suite struct AnswerWitnessTests {
    private static let watch = ScenarioBench.watch
    private static let handle = ConnectionHandle(rawValue: 0x40)

    /// The answer about UID 0 to ``ScenarioBench/fetch(_:)``, in values of at most 20 octets.
    private static let answer: [[UInt8]] = [
        [0, 0, 0, 0, 0, 1, 4, 0] + Array("Anna".utf8) + [3, 45, 0] + Array("Lunch".utf8),
        Array("in the small restaur".utf8), Array("ant at the corner, 1".utf8),
    ]

    /// An accessory, its phone and the controller that is watched.
    private struct Bench {
        let witness: AnswerWitness
        let run: ScenarioBench

        init(_ side: AnswerWitness.Side) throws {
            witness = AnswerWitness(side)
            run = try ConformanceTests.bench(#"{"wait":"subscribed"}"#, witness: witness)
            run.subscribe()
        }

        private func see(_ pdu: [UInt8], toAccessory: Bool) {
            let isSent = (witness.side == .phone) == toAccessory
            let packet = ACLPacket(
                handle: handle, boundary: .first, data: [UInt8(pdu.count), 0, 4, 0] + pdu)
            witness.see(.acl(packet.octets), isSent ? .sent : .received, at: run.now)
        }

        func value(_ octets: [UInt8]) { see([0x1B, 0x2A, 0] + octets, toAccessory: true) }

        func completed(_ count: UInt16) {
            let event = HCI.NumberOfCompletedPackets(
                entries: [.init(handle: handle, count: count)])
            witness.see(.event(event.eventPacket), .received, at: run.now)
        }

        /// Writes a command, in parts if it is long.
        @discardableResult
        func write(
            _ octets: [UInt8], outcome: ProviderSession.Outcome? = nil, inParts: Bool = false,
            meanwhile values: [[UInt8]] = []
        ) -> ProviderSession.Command {
            if inParts {
                see([0x16, 0x28, 0, 0, 0] + octets.prefix(5), toAccessory: false)
                for octets in values { value(octets) }
                see([0x16, 0x28, 0, 5, 0] + octets.dropFirst(5), toAccessory: false)
                see([0x18, 1], toAccessory: false)
            } else {
                see([0x12, 0x28, 0] + octets, toAccessory: false)
            }
            return run.write(octets, outcome: outcome)
        }

        /// *a* is fetched while *b* waits, and the phone has queued the whole answer 10 ms later.
        func ask(whileWaiting: Bool = true, inParts: Bool = false) {
            run.announce("a", uid: 0)
            if whileWaiting { run.announce("b", uid: 1) }
            let command = write(ScenarioBench.fetch(0), inParts: inParts)
            run.wait(.milliseconds(10))
            run.hear(.session(watch, .answered(command, .sent(octets: 60))))
            if !whileWaiting { run.announce("b", uid: 1) }
        }

        func verdicts() -> [RequirementVerdict?] {
            run.wait(.seconds(100))
            return [run.verdict(.sendsOneCommandAtATime), run.verdict(.joinsFragments)]
        }
    }

    /// The standing, and for what was found the first piece of evidence.
    private static func text(_ verdict: RequirementVerdict?) -> String {
        guard let verdict else { return "no verdict" }
        let evidence = verdict.evidence.first.map { ": \($0)" } ?? ""
        return verdict.standing.rawValue + evidence
    }

    @Test("a command after a part of the answer breaks S4 and R31, whatever the phone had queued")
    func cut() throws {
        let bench = try Bench(.accessory)
        bench.ask()
        bench.value(Self.answer[0])
        bench.write(ScenarioBench.fetch(1), outcome: .sent(octets: 20))
        let results = bench.verdicts().map(Self.text)
        #expect(
            results[0].contains(
                "on its way: the accessory had 1 value of it, 20 of 60 octets (at 0.0 s)"))
        #expect(
            results[1].hasPrefix(
                "broken: it sent the next command after 1 value, 20 of 60 octets, of the answer to")
        )
    }

    @Test("a command in parts begins with the first: the rest of the answer came too late for it")
    func cutInParts() throws {
        let bench = try Bench(.accessory)
        bench.ask()
        bench.value(Self.answer[0])
        bench.write(
            ScenarioBench.fetch(1), outcome: .sent(octets: 20), inParts: true,
            meanwhile: Array(Self.answer[1...]))
        let results = bench.verdicts().map(Self.text)
        #expect(results[0].contains("the accessory had 1 value of it, 20 of 60 octets"))
        #expect(results[1].hasPrefix("broken: it sent the next command after 1 value"))
    }

    @Test("a command after the whole answer passes both", arguments: [true, false])
    func whole(inParts: Bool) throws {
        let bench = try Bench(.accessory)
        bench.ask(inParts: inParts)
        for value in Self.answer { bench.value(value) }
        bench.write(ScenarioBench.fetch(1), outcome: .sent(octets: 20), inParts: inParts)
        #expect(bench.verdicts().map { $0?.standing } == [.kept, .kept])
    }

    @Test(
        "an accessory that waits for seconds with the whole answer, again and again, may not see its end"
    )
    func hesitant() throws {
        func verdict(_ count: UInt8, after pause: Duration) throws -> RequirementVerdict? {
            let bench = try Bench(.accessory)
            bench.run.announce("a", uid: 0)
            bench.run.announce("b", uid: 1)
            bench.run.announce("c", uid: 2)
            for uid in 0..<count {
                let command = bench.write(ScenarioBench.fetch(uid))
                bench.run.wait(.milliseconds(10))
                bench.run.hear(.session(Self.watch, .answered(command, .sent(octets: 8))))
                bench.value([0, uid, 0, 0, 0, 1, 0, 0])
                bench.run.wait(pause)
            }
            return bench.verdicts()[1]
        }
        let late = try verdict(3, after: .seconds(5))
        #expect(late?.standing == .note)
        #expect(
            late?.evidence.map(\.message) == [
                "it had the whole answer to one command, and asked about what waited only seconds "
                    + "later: it may not take that for complete (2 times, first at 0.0 s)"
            ])
        #expect(try verdict(2, after: .seconds(5))?.standing == .untested)
        #expect(try verdict(3, after: .seconds(1))?.standing == .untested)
    }

    @Test("an accessory that asks for the name of an app first waits all the same")
    func named() throws {
        let bench = try Bench(.accessory)
        bench.ask()
        for value in Self.answer { bench.value(value) }
        bench.write([1, 0x61, 0, 0], outcome: .sent(octets: 7))
        bench.value([1, 0x61, 0, 0, 1, 0, 0x41])
        bench.write(ScenarioBench.fetch(1), outcome: .sent(octets: 20))
        #expect(bench.verdicts().map { $0?.standing } == [.kept, .kept])
    }

    @Test("an accessory that had nothing to ask for has not shown that it waits")
    func idle() throws {
        let bench = try Bench(.accessory)
        bench.ask(whileWaiting: false)
        for value in Self.answer { bench.value(value) }
        bench.write(ScenarioBench.fetch(1), outcome: .sent(octets: 20))
        #expect(bench.verdicts().map { $0?.standing } == [.untested, .untested])
    }

    @Test("an accessory that does not wait at all breaks S4, and may join fragments nevertheless")
    func pipelined() throws {
        let bench = try Bench(.accessory)
        bench.ask()
        let next = bench.write(ScenarioBench.fetch(1))
        bench.value(Self.answer[0])
        bench.run.hear(.session(Self.watch, .answered(next, .sent(octets: 20))))
        bench.value([0, 1, 0, 0, 0, 1, 4, 0])
        bench.run.announce("c", uid: 2)
        bench.write(ScenarioBench.fetch(2), outcome: .sent(octets: 20))
        let results = bench.verdicts().map(Self.text)
        #expect(results[0].hasPrefix("broken"))
        #expect(results[1].hasPrefix("note") && results[1].contains("may not wait"))
    }

    @Test(
        "at the phone's controller, what is acknowledged within 80 ms may have been there",
        arguments: zip([0, 80, 81, nil], ["kept", "note", "broken", "broken"]))
    func acknowledged(after milliseconds: Int?, expected: String) throws {
        let bench = try Bench(.phone)
        bench.ask()
        for value in Self.answer { bench.value(value) }
        bench.completed(1)
        if milliseconds == 0 { bench.completed(2) }
        bench.write(ScenarioBench.fetch(1), outcome: .sent(octets: 20))
        if let milliseconds, milliseconds > 0 {
            bench.run.wait(.milliseconds(milliseconds))
            bench.completed(2)
        }
        let results = bench.verdicts().map(Self.text)
        #expect(results[0].hasPrefix(expected))
        #expect(results[1].hasPrefix(expected == "note" ? "untested" : expected))
    }

    @Test(
        "a link that ended leaves nothing, and what two accessories write alike is not told apart")
    func unknown() throws {
        let fetches = [ScenarioBench.fetch(0), ScenarioBench.fetch(1)]
        func share(_ links: [UInt16], ends: Bool) -> AnswerWitness.Share? {
            let witness = AnswerWitness(.accessory)
            for link in links {
                let handle = ConnectionHandle(rawValue: link)
                for octets in fetches {
                    let pdu: [UInt8] = [0x12, 0x28, 0] + octets
                    let packet = ACLPacket(
                        handle: handle, boundary: .first, data: [UInt8(pdu.count), 0, 4, 0] + pdu)
                    witness.see(.acl(packet.octets), .sent, at: .zero)
                }
                guard ends else { continue }
                let event = HCI.DisconnectionComplete(
                    status: .success, handle: handle, reason: .connectionTimeout)
                witness.see(.event(event.eventPacket), .received, at: .zero)
            }
            return witness.share(ofAnswerTo: fetches[0], [0], count: 60, before: fetches[1])
        }
        #expect(share([0x40], ends: false) == AnswerWitness.Share())
        #expect(share([0x40, 0x41], ends: false) == nil)
        #expect(share([0x40], ends: true) == nil)
    }

    @Test("maxima are byte-swapped for certain only if nobody would ask for them")
    func swapped() {
        func maxima(_ values: UInt16...) -> Bool? {
            let ids: [NotificationAttributeID] = [.title, .subtitle, .message]
            return SwappedMaxima(
                zip(ids, values).map { NotificationAttributeRequest(decoded: $0, maxLength: $1) })?
                .isCertain
        }
        #expect(maxima(16384, 8192, 11265) == true)
        #expect(maxima(64, 32, 300) == nil)
        #expect(maxima(0xFFFF, 0xFFFF) == nil)
        #expect(maxima(64, 32, 16384) == nil)
        #expect(maxima(16384, 16384) == false)
        #expect(maxima(16384, 0xFFFF) == false)
        #expect(maxima(0x7FFF) == nil)
    }
}
