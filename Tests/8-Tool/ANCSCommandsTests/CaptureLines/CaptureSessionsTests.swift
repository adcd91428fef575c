import ANCS
import BluetoothTypes
import LinuxIO
import Printing
import Testing

@testable import ANCSCapture
@testable import ANCSCommands
@testable import ANCSKit
@testable import ANCSProvider
@testable import AccessoryConformance
@testable import BluetoothLE

/// What `ancs decode` says of the use of ANCS in a capture.
@Suite("The grade of the use of ANCS in a capture") struct CaptureSessionsTests {
    /// What the bench says live and a capture does not show, and why.
    static let unseen = [
        "an action that nobody asked for": "a user may have pressed the button",
        "two commands at once": "no answer comes in this story: it may be lost",
        "hangs after a header without attributes": "it has asked about no notification so far",
        "the bond, and no session": "what is said of it may be encrypted",
        "a session, and no command, as it sent before": "a user may have chosen so",
        "it never comes back": "the phone may hear nothing",
    ]

    static func verdicts(
        _ octets: [UInt8], since start: CaptureTime? = nil
    ) -> [[RequirementVerdict]] {
        var analyzer = CaptureAnalyzer()
        analyzer.receive(octets)
        analyzer.finish()
        var sessions = CaptureSessions()
        while let output = analyzer.pollOutput() {
            guard case .event(let event) = output else { continue }
            sessions.observe(event, since: start ?? analyzer.summary.start ?? event.time)
        }
        return sessions.verdicts()
    }

    /// The standing of a requirement; what has no finding has no verdicts, and is not broken.
    static func standing(
        _ requirement: Requirement, _ octets: [UInt8]
    ) -> RequirementVerdict.Standing? {
        verdicts(octets).first?.first { $0.requirement == requirement }?.standing
    }

    @Test(
        "a capture shows of an accessory what its phone says of it",
        arguments: ConformanceTests.sessions + ConformanceTests.fetches + ConformanceTests.choices
            + ConformanceTests.troubles)
    func stories(_ story: ConformanceTests.Story) throws {
        let bench = try ConformanceTests.bench(story.before)
        story.happen(bench)
        let wasInterrupted = bench.result != nil
        if !wasInterrupted { bench.wait(.seconds(100)) }
        var capture = StoryCapture()
        capture.isLeftByPhone = story.before == ConformanceTests.returning
        capture.hidesService = story.before == ConformanceTests.vanishing
        if story.before.contains("reversed") {
            capture.reorderedUID = story.before.contains("expect") ? 1 : 0
        }
        capture.lateness = story.before.contains("late") ? .seconds(12) : .zero
        let octets = capture.octets(of: bench.heard, until: bench.now)
        let standing = Self.standing(story.requirement, octets)
        let lines = Self.verdicts(octets).flatMap { RequirementVerdict.lines(ofCapture: $0) }
            .flatMap { LinePrinter(isJSON: true, isColored: false).output($0) }
        #expect(SchemaCheck.mistakes(in: lines, of: "decode") == [])
        if Self.unseen[story.testDescription] != nil {
            #expect(standing != .broken)
        } else if story.isKept == false {
            #expect(standing == .broken)
        } else {
            #expect(standing != .broken)
        }
        // Whatever else it shows, the phone says as well.
        let live = Set(bench.result?.grades.first?.failed.map(\.requirement) ?? [])
        let seen = Self.verdicts(octets).first?.filter { $0.standing == .broken } ?? []
        #expect(live.isSuperset(of: seen.map(\.requirement)))
    }

    /// A capture of a whole session, and what happens in it.
    static func capture(
        phone: CaptureEvent.Side = .remote, _ happen: (inout LinkBuilder) -> Void
    ) -> [UInt8] {
        var link = LinkBuilder(phone: phone)
        link.connect(role: phone == .remote ? .peripheral : .central)
        link.discover()
        link.subscribe()
        link.announce(7)
        link.announce(8)
        happen(&link)
        return link.capture.octets
    }

    static func broken(_ octets: [UInt8]) -> [String] {
        verdicts(octets).flatMap { $0.filter { $0.standing == .broken } }.map(\.requirement.number)
            // What the links of a builder lack.
            .filter { $0 != "R5" }
    }

    @Test("the times of evidence count from the first record, as those of the lines")
    func times() throws {
        let octets = Self.capture { link in link.write([9]) }
        func times(_ start: CaptureTime?) -> [Duration] {
            Self.verdicts(octets, since: start).flatMap {
                $0.flatMap(\.evidence).compactMap(\.time)
            }
        }
        var analyzer = CaptureAnalyzer()
        analyzer.receive(octets)
        analyzer.finish()
        while analyzer.pollOutput() != nil {}
        var earlier = try #require(analyzer.summary.start)
        earlier.microsecondsSince1970 -= 10_000_000
        #expect(!times(nil).isEmpty)
        #expect(times(earlier) == times(nil).map { $0 + .seconds(10) })
    }

    @Test("a command before the answer breaks S4 once the answer comes", arguments: [true, false])
    func early(isRemote: Bool) {
        let octets = Self.capture(phone: isRemote ? .remote : .local) { link in
            for uid in [7, 8] as [UInt32] {
                link.write(LinkBuilder.command(uid))
                link.answer(.writeResponse)
            }
            for uid in [7, 8] as [UInt32] {
                link.notify(LinkBuilder.data, LinkBuilder.response(uid))
            }
        }
        #expect(Self.broken(octets) == ["S4"])
    }

    @Test("the first part of an answer that is taken for the whole breaks R31")
    func torn() {
        let octets = Self.capture { link in
            let response = LinkBuilder.response(7)
            link.write(LinkBuilder.command(7))
            link.answer(.writeResponse)
            link.notify(LinkBuilder.data, Array(response[..<20]))
            link.write(LinkBuilder.command(8))
            link.answer(.writeResponse)
            link.notify(LinkBuilder.data, Array(response[20...]))
            link.notify(LinkBuilder.data, LinkBuilder.response(8))
        }
        #expect(Set(Self.broken(octets)) == ["S4", "R31"])
    }

    @Test("an accessory that goes on after an answer without a name breaks nothing")
    func withoutName() {
        let octets = Self.capture { link in
            link.fetch(7)
            link.write(LinkBuilder.appCommand)
            link.answer(.writeResponse)
            link.notify(LinkBuilder.data, Array(LinkBuilder.appCommand.dropLast()))
            link.fetch(8)
        }
        #expect(Self.broken(octets).isEmpty)
    }

    @Test(
        "an accessory that waits for a name until the service changes breaks S23, as its phone says",
        arguments: [6, 40])
    func withoutNameUntilChange(seconds: Int64) {
        let octets = Self.capture { link in
            func change() {
                link.answer(
                    .handleValueIndication(
                        .init(handle: AttributeHandle(3), value: [0x23, 0, 0x2C, 0])))
            }
            link.fetch(7)
            link.write(LinkBuilder.appCommand)
            link.answer(.writeResponse)
            link.notify(LinkBuilder.data, Array(LinkBuilder.appCommand.dropLast()))
            link.announce(9)
            link.capture.time += seconds * 1_000_000
            change()
            change()
            link.discover()
            link.subscribe()
            link.announce(1)
            link.fetch(1)
        }
        #expect(Self.broken(octets) == ["S23"])
    }

    @Test("what a capture begins or ends within, or has lost records of, breaks nothing by absence")
    func incomplete() {
        var link = LinkBuilder()
        // A link from before the capture: its UIDs and subscriptions are not known.
        link.announce(1)
        link.fetch(3)
        link.fetch(1)
        #expect(Self.broken(link.capture.octets).isEmpty)
        // The octets speak for themselves.
        link.write([0, 1, 0, 0, 0, 1])
        #expect(Self.broken(link.capture.octets) == ["R25"])
        let whole = Self.capture { link in
            link.fetch(7)
            link.fetch(8)
            link.announce(9)
            link.fetch(9)
        }
        for count in stride(from: 24, to: whole.count, by: 7) {
            #expect(Self.broken(Array(whole[..<count])).isEmpty)
        }
    }

    @Test("subscriptions of a bond last, and Service Changed may be of anything")
    func bonds() {
        var link = LinkBuilder()
        link.connect()
        link.discover()
        link.encrypt()
        link.announce(1)
        link.fetch(1)
        #expect(Self.verdicts(link.capture.octets).isEmpty)
        let octets = Self.capture { link in
            link.fetch(7)
            link.answer(
                .handleValueIndication(
                    .init(handle: AttributeHandle(3), value: [1, 0, 0xFF, 0xFF])))
            link.fetch(8)
            link.announce(9)
            link.fetch(9)
        }
        #expect(Self.broken(octets).isEmpty)
    }

    @Test(
        "a bond that was made in the capture has no subscriptions from before it",
        arguments: [true, false])
    func bondOfTheCapture(isMadeInIt: Bool) {
        var link = LinkBuilder()
        link.connect()
        if isMadeInIt { link.agree(on: StoryCapture.features) }
        link.encrypt()
        link.session()
        link.disconnect()
        link.capture.time += 10_000_000
        link.connect()
        link.encrypt()
        link.announce(8)
        link.fetch(8)
        link.capture.time += 10_000_000
        link.disconnect()
        // It never subscribed to Service Changed, as a bench says too.
        let standing = Self.standing(.subscribesToServiceChanged, link.capture.octets)
        #expect((standing == .broken) == isMadeInIt)
    }

    @Test("a subscription by a Write Command counts, as it does for the phone")
    func subscribedWithoutResponse() {
        var link = LinkBuilder()
        link.connect()
        link.discover()
        for descriptor in [LinkBuilder.dataConfiguration, LinkBuilder.sourceConfiguration] {
            link.ask(.writeCommand(descriptor, value: [1, 0]))
        }
        link.announce(7)
        link.fetch(7)
        link.disconnect()
        for requirement: Requirement in [.asksOnlyWithDataSource, .asksNothingWithoutSession] {
            #expect(Self.standing(requirement, link.capture.octets) != .broken)
        }
    }

    @Test(
        "a command in parts began with the first, unless they were given up",
        arguments: [true, false])
    func parts(isCommit: Bool) {
        var link = LinkBuilder()
        link.wholeSession()
        link.announce(8)
        link.announce(9)
        link.write(LinkBuilder.command(8))
        link.answer(.writeResponse)
        let answer = LinkBuilder.response(8, message: String(repeating: "x", count: 100))
        link.notify(LinkBuilder.data, Array(answer.prefix(20)))
        let next = LinkBuilder.command(9)
        link.exchange(
            .prepareWriteRequest(LinkBuilder.control, offset: 0, value: next),
            .prepareWriteResponse(LinkBuilder.control, offset: 0, value: next))
        link.notify(LinkBuilder.data, Array(answer.dropFirst(20)))
        link.exchange(.executeWriteRequest(isCommit: isCommit), .executeWriteResponse)
        if isCommit {
            link.notify(LinkBuilder.data, LinkBuilder.response(9))
        } else {
            link.fetch(9)
        }
        link.capture.time += 10_000_000
        link.disconnect()
        let standing = Self.standing(.sendsOneCommandAtATime, link.capture.octets)
        #expect((standing == .broken) == isCommit)
    }

    @Test("who forgot a bond is the one that did not try its keys", arguments: [true, false])
    func pairedAgain(triesKeys: Bool) {
        var link = LinkBuilder()
        for isAgain in [false, true] {
            link.connect()
            if isAgain, triesKeys {
                link.command(HCI.LELongTermKeyRequestNegativeReply(handle: link.handle))
                link.encrypt(.pinOrKeyMissing)
            }
            link.agree(on: StoryCapture.features)
            link.encrypt()
            link.session()
            link.capture.time += 10_000_000
            link.disconnect()
        }
        // As `faults/keys-forgotten` passes: the user of the phone forgot the device, and paired again.
        let standing = Self.standing(.comesBackWithBond, link.capture.octets)
        #expect((standing == .broken) == triesKeys)
    }

    @Test(
        "a truncated value that went with its service could not be read",
        arguments: [true, false])
    func truncated(isGone: Bool) {
        var link = MediaStoryTests.discovered()
        for descriptor in [AttributeHandle(0x33), AttributeHandle(0x36)] {
            link.exchange(.writeRequest(descriptor, value: [1, 0]), .writeResponse)
        }
        let title: [UInt8] = [2, 2, 1] + Array("Note".utf8)
        link.exchange(.writeRequest(MediaStoryTests.update, value: [2, 2]), .writeResponse)
        link.notify(MediaStoryTests.update, title)
        if isGone {
            let range: [UInt8] = [0x30, 0, 0x38, 0]
            link.answer(.handleValueIndication(.init(handle: AttributeHandle(3), value: range)))
        }
        link.capture.time += 10_000_000
        link.notify(MediaStoryTests.update, title)
        let standing = Self.standing(.readsTruncatedValues, link.capture.octets)
        #expect((standing == .broken) == !isGone)
    }

    @Test("each phone has its sessions, and many devices are no trouble")
    func phones() {
        var link = LinkBuilder()
        for number in 0..<100 as Range<UInt64> {
            link.connect(DeviceAddress(0xC000_0000_0000 + number, kind: .random))
            if number % 30 == 0 {
                link.discover()
                link.subscribe()
                link.announce(UInt32(number))
                link.write([9])
                link.refuse(0xA0)
            }
            link.disconnect()
        }
        let verdicts = Self.verdicts(link.capture.octets)
        #expect(verdicts.count == 4)
        #expect(
            Set(verdicts.map { $0[0].accessory }).count == 4
                && verdicts[0][0].accessory.hasPrefix("this side, with "))
    }

    @Test("a flood that no phone has is not followed to its end, and breaks nothing")
    func flood() {
        let octets = Self.capture { link in
            for uid in 100..<20_200 as Range<UInt32> { link.announce(uid) }
            link.fetch(20_199)
            link.fetch(30_000)
        }
        #expect(Self.broken(octets).isEmpty)
    }
}
