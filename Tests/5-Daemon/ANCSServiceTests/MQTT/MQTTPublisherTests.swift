import ANCS
import JSONText
import MQTT
import Octets
import Testing

@testable import ANCSService

/// What a broker gets.
@Suite("The publisher")
struct MQTTPublisherTests {
    private let canary = "canary-4711"

    @Test(
        "a connection begins with everything that is retained, this machine first, its status last")
    func connection() throws {
        let bench = MQTTBench()
        bench.meet(counts: ["email": 3, "missedCall": 1])
        let before = bench.published
        #expect(before.isEmpty)
        bench.connect()
        #expect(bench.subscribed == ["homeassistant/status"])
        let topics = bench.published.map(\.topic)
        #expect(topics.first == "homeassistant/binary_sensor/ancs_desk/running/config")
        #expect(topics.last == "ancs/desk/status")
        let areRetained = bench.published.allSatisfy(\.isRetained)
        #expect(areRetained)
        let retained = bench.retained
        #expect(retained["ancs/desk/status"] == "online")
        #expect(retained["ancs/desk/phones"] == #"{"connected":1,"known":1}"#)
        #expect(bench.value("availability") == "online")
        #expect(bench.value("session") == #"{"state":"subscribed"}"#)
        #expect(bench.value("counts") == #"{"total":4,"email":3,"missedCall":1}"#)
        #expect(bench.value("call/ringing") == "OFF")
        #expect(bench.value("call/current") == "{}")
    }

    @Test("a call is published at its header, before everything queued and before its text")
    func ringing() {
        let bench = MQTTBench()
        bench.meet()
        bench.connect()
        bench.confirms = false
        for id in 0..<30 { bench.report(.added(SampleRecord.make(id: UInt64(id)))) }
        bench.forgetPublished()
        bench.ring(SampleRecord.call())
        bench.confirm(3)
        let topics = bench.published.map(\.topic)
        let base = "ancs/desk/\(MQTTBench.digest)"
        #expect(
            topics == ["\(base)/call/ringing", "\(base)/call/current", "\(base)/call/event"])
        #expect(bench.value("call/ringing") == "ON")
    }

    @Test("the end of a call is published, and its caller only if the configuration allows it")
    func calls() throws {
        for content in RecordContent.allCases {
            let bench = MQTTBench(MQTTBench.setting { $0.content = content })
            bench.meet()
            bench.connect()
            bench.ring(SampleRecord.call())
            bench.report(.added(SampleRecord.call(caller: canary)))
            let current = try JSONValue(parsing: try #require(bench.value("call/current")))
            #expect(current["id"]?.string == "18")
            #expect(current["caller"]?.string == (content == .full ? canary : nil))
            #expect(current["category"]?.string == (content == .none ? nil : "incomingCall"))
            bench.report(.removed(SampleRecord.call(caller: canary), .removed))
            #expect(bench.value("call/ringing") == "OFF")
            #expect(bench.value("call/current") == "{}")
            #expect(bench.eventTypes("call/event") == ["incoming"])
            bench.end(SampleRecord.call(caller: canary), .elsewhere)
            #expect(bench.eventTypes("call/event") == ["incoming", "ended"])
            let outcome = bench.events("call/event").last?["outcome"]?.string
            #expect(outcome == (content == .none ? nil : "elsewhere"))
            #expect(bench.eventTypes("event") == ["added", "removed"])
        }
    }

    @Test("without \"full\" no event publishes a text", arguments: ["app", "none"])
    func noText(_ word: String) throws {
        let content = try #require(RecordContent(rawValue: word))
        let bench = MQTTBench(MQTTBench.setting { $0.content = content })
        bench.meet()
        bench.connect()
        for category in (0...12).map(CategoryID.init(rawValue:)) {
            var record = SampleRecord.make(
                id: UInt64(category.rawValue), category: category,
                attributes: SampleRecord.attributes(title: canary, message: canary))
            record.code = canary
            bench.report(.announced(record))
            bench.report(.added(record))
            bench.report(.modified(record))
            bench.report(.removed(record, .removed))
        }
        for message in bench.published {
            let isThere = bench.text(message).contains(canary)
            #expect(!isThere, "\(message.topic)")
        }
        let apps = bench.events("event").compactMap { $0["app"]?.string }
        #expect(apps.isEmpty == (content == .none))
    }

    @Test("with \"full\" the texts are published, and no more than a part of a long one")
    func full() {
        let bench = MQTTBench(MQTTBench.setting { $0.content = .full })
        bench.meet()
        bench.connect()
        let long = String(repeating: "x", count: 5000)
        bench.report(
            .added(
                SampleRecord.make(
                    attributes: SampleRecord.attributes(message: long),
                    utcOffset: UTCOffset(minutes: -300))))
        let event = bench.events("event")[0]
        #expect(event["date"]?.string == "2026-11-22T12:00:00-05:00")
        #expect(event["title"]?.string == "Mum")
        #expect(event["message"]?.string?.count == 1024)
    }

    @Test("notifications that existed before, or in an earlier session, are not published as new")
    func old() {
        let bench = MQTTBench()
        bench.meet()
        bench.connect()
        let missed = SampleRecord.make(id: 1, category: .missedCall, flags: .preExisting)
        bench.report(.added(missed))
        var again = SampleRecord.make(id: 2, category: .missedCall)
        again.sameAs = RecordID(rawValue: 1)
        bench.report(.added(again))
        bench.report(.removed(missed, .replaced))
        #expect(bench.eventTypes("event").isEmpty)
        #expect(bench.eventTypes("call/event").isEmpty)
        bench.report(.added(SampleRecord.make(id: 3, category: .missedCall)))
        bench.report(.added(SampleRecord.make(id: 4, category: .voicemail)))
        #expect(bench.eventTypes("call/event") == ["missed", "voicemail"])
    }

    @Test("a call that was answered is active until it is over, and then not a second one")
    func answered() {
        let bench = MQTTBench()
        bench.meet()
        bench.connect()
        let call = SampleRecord.call()
        bench.ring(call)
        #expect(bench.value("call/active") == "OFF")
        bench.report(.removed(call, .removed))
        #expect(bench.value("call/ringing") == "OFF")
        bench.report(.call(call, .answered))
        #expect(bench.value("call/active") == "ON")
        bench.send(#"{"call":"negative"}"#)
        #expect(bench.performed.isEmpty)
        // Another one rings meanwhile.
        let other = SampleRecord.call(id: 41)
        bench.ring(other)
        bench.report(.removed(other, .removed))
        bench.end(other, .missed)
        #expect(bench.value("call/active") == "ON")
        bench.end(call, .hungUp)
        bench.end(call, .hungUp)
        #expect(bench.value("call/active") == "OFF")
        #expect(
            bench.eventTypes("call/event") == [
                "incoming", "answered", "incoming", "ended", "ended",
            ]
        )
    }

    @Test("a broker that is configured during a call learns of it")
    func adopted() {
        let bench = MQTTBench()
        let call = SampleRecord.call()
        let status = PhoneStatus(phone: MQTTBench.iPhone, state: .subscribed, isPaired: true)
        bench.publisher.adopt(
            [status], [], [(call, true), (SampleRecord.call(id: 41), false)], at: bench.now)
        bench.connect()
        #expect(bench.value("call/active") == "ON")
        #expect(bench.value("call/ringing") == "ON")
        bench.end(call, .hungUp)
        #expect(bench.value("call/active") == "OFF")
        #expect(bench.eventTypes("call/event") == ["ended"])
    }

    @Test("events without a broker are in the retained values, and are not published later")
    func outage() {
        let bench = MQTTBench()
        bench.meet()
        bench.connect()
        bench.lose()
        bench.forgetPublished()
        bench.ring(SampleRecord.call())
        bench.report(.added(SampleRecord.make(id: 9)))
        bench.meet(counts: ["social": 1])
        let isSilent = bench.published.isEmpty
        #expect(isSilent)
        bench.connect()
        #expect(bench.value("call/ringing") == "ON")
        #expect(bench.value("counts") == #"{"total":1,"missedCall":0,"social":1}"#)
        let events = bench.published.filter { !$0.isRetained }
        #expect(events.isEmpty)
    }

    @Test("a broker that stalls fills no memory: the oldest events are dropped and counted")
    func stall() {
        let bench = MQTTBench()
        bench.meet()
        bench.connect()
        bench.confirms = false
        bench.forgetPublished()
        for id in 0..<1000 { bench.report(.added(SampleRecord.make(id: UInt64(id)))) }
        #expect(bench.inFlight == 20)
        let dropped = bench.publisher.dropped
        #expect(dropped == 1000 - 20 - 256)
        bench.confirms = true
        bench.confirm(20)
        let last = bench.events("event").last?["id"]?.string
        #expect(last == RecordID(rawValue: 999).description)
        let count = bench.events("event").count
        #expect(count == 276)
    }

    @Test("values that change while the broker stalls are published once, as they are then")
    func coalescing() {
        let bench = MQTTBench()
        bench.meet()
        bench.connect()
        bench.confirms = false
        for count in 1...100 { bench.meet(counts: ["email": count]) }
        bench.confirms = true
        bench.forgetPublished()
        bench.confirm(20)
        #expect(bench.published.count == 1)
        #expect(bench.value("counts") == #"{"total":100,"email":100,"missedCall":0}"#)
    }

    @Test("a rule decides whether and how much of a record is published to the broker")
    func rules() {
        let bench = MQTTBench()
        bench.meet()
        bench.connect()
        var muted = RuleVerdict()
        muted.isMuted = true
        var kept = RuleVerdict()
        kept.publication = RuleVerdict.Publication.none
        var full = RuleVerdict()
        full.publication = .content(.full)
        bench.report(.added(SampleRecord.make(id: 1, verdict: muted)))
        bench.ring(SampleRecord.call(id: 2, verdict: kept))
        #expect(bench.eventTypes("event").isEmpty)
        #expect(bench.value("call/ringing") == "OFF")
        bench.report(.added(SampleRecord.make(id: 3, verdict: full)))
        #expect(bench.events("event").last?["title"]?.string == "Mum")
        // The text of a call says that a rule wants it kept.
        bench.ring(SampleRecord.call(id: 4))
        #expect(bench.value("call/ringing") == "ON")
        bench.report(.added(SampleRecord.call(id: 4, caller: canary, verdict: kept)))
        #expect(bench.value("call/ringing") == "OFF")
    }

    @Test("a stranger that only connects is not published")
    func stranger() {
        let bench = MQTTBench()
        bench.connect()
        bench.forgetPublished()
        bench.meet(PhoneName(digest: "ffffffffffffffff"), state: .connected)
        bench.meet(PhoneName(digest: "ffffffffffffffff"), state: .waitingForService)
        let isSilent = bench.published.isEmpty
        #expect(isSilent)
    }

    @Test("a forgotten phone leaves nothing at the broker, even if that was away")
    func forgetting() throws {
        for isAway in [false, true] {
            let bench = MQTTBench(MQTTBench.setting { $0.commands = true })
            bench.meet()
            bench.connect()
            let before = bench.retained.keys.filter { $0.contains(MQTTBench.digest) }
            #expect(before.count == 6 + 10)
            if isAway { bench.lose() }
            bench.report(.forgotten(MQTTBench.iPhone))
            if isAway {
                let memory = try #require(bench.remembered)
                #expect(memory.leftovers.count == 25)
                #expect(memory.phones.isEmpty)
                bench.connect()
            }
            let after = bench.retained.keys.filter { $0.contains(MQTTBench.digest) }
            #expect(after.isEmpty)
            #expect(bench.remembered?.leftovers == [])
        }
    }

    @Test("a phone of an earlier run is away until it comes, and is withdrawn under a former name")
    func memory() throws {
        let before = MQTTBench()
        before.meet()
        let memory = try #require(before.remembered)
        #expect(try #require(MQTTMemory(json: memory.json)) == memory)
        let after = MQTTBench(remembering: memory)
        after.connect()
        #expect(after.value("availability") == "offline")
        #expect(after.value("session") == #"{"state":"away"}"#)
        let renamed = MQTTBench(MQTTBench.setting { $0.name = "attic" }, remembering: memory)
        renamed.connect()
        let withdrawn = renamed.published.filter { $0.payload.isEmpty && $0.topic.contains("desk") }
        #expect(withdrawn.count == 2 + 2 + 25)
        #expect(renamed.retained["ancs/attic/\(MQTTBench.digest)/availability"] == "offline")
    }

    @Test("of 65 phones the one that is away the longest is withdrawn")
    func manyPhones() {
        let bench = MQTTBench()
        bench.connect()
        for number in 0..<65 {
            let phone = PhoneName(digest: "phone\(number)", name: "Phone \(number)")
            bench.meet(phone)
            bench.meet(phone, state: .away)
        }
        let topics = Set(
            bench.retained.keys.compactMap { $0.split(separator: "/").dropFirst(2).first })
        #expect(!topics.contains("phone0"))
        #expect(topics.contains("phone1"))
        #expect(topics.contains("phone64"))
        #expect(bench.retained["ancs/desk/phones"] == #"{"connected":0,"known":64}"#)
    }

    @Test("a phone is announced to Home Assistant when its name is known, or after ten seconds")
    func introduction() {
        let nameless = PhoneName(digest: MQTTBench.digest)
        let bench = MQTTBench()
        bench.connect()
        bench.meet(nameless)
        let topic = "homeassistant/event/ancs_desk_\(MQTTBench.digest)/call/config"
        #expect(bench.retained[topic] == nil)
        bench.wait(.seconds(9))
        #expect(bench.retained[topic] == nil)
        bench.wait(.seconds(1))
        let name = try? JSONValue(parsing: bench.retained[topic] ?? "")["device"]?["name"]?.string
        #expect(name == "iPhone 0123")
        bench.meet()
        let later = try? JSONValue(parsing: bench.retained[topic] ?? "")["device"]?["name"]?.string
        #expect(later == "Ada's iPhone")
    }

    @Test(
        "everything is published again when Home Assistant starts, after a while and not too often")
    func homeAssistantStarts() {
        let bench = MQTTBench(refreshDelay: .seconds(2))
        bench.meet()
        bench.connect()
        bench.forgetPublished()
        bench.send("offline", to: "homeassistant/status")
        bench.send("online", to: "homeassistant/status")
        let early = bench.published.isEmpty
        #expect(early)
        bench.wait(.seconds(2))
        let count = bench.published.count
        #expect(count == 2 + 2 + 25)
        for _ in 0..<100 { bench.send("online", to: "homeassistant/status") }
        bench.wait(.seconds(9))
        #expect(bench.published.count == count)
        bench.wait(.seconds(1))
        #expect(bench.published.count == 2 * count)
    }

    @Test("at the end it publishes 'offline', and nothing after it")
    func end() {
        let bench = MQTTBench()
        bench.meet()
        bench.connect()
        bench.ring(SampleRecord.call())
        bench.confirms = false
        bench.forgetPublished()
        bench.report(.state(ServiceState(.stopping, "stopping")))
        bench.report(.removed(SampleRecord.call(), .away))
        bench.close()
        #expect(!bench.isFinished)
        bench.confirm(bench.inFlight)
        #expect(bench.isFinished)
        #expect(bench.retained["ancs/desk/status"] == "offline")
        #expect(bench.value("call/ringing") == "OFF")
        #expect(bench.eventTypes("event").isEmpty)
    }

    @Test("stopping does not wait for a broker that is away")
    func endWithoutBroker() {
        let away = MQTTBench()
        away.close()
        #expect(away.isFinished)
        let stalled = MQTTBench()
        stalled.connect()
        stalled.confirms = false
        stalled.close()
        #expect(!stalled.isFinished)
        stalled.lose()
        #expect(stalled.isFinished)
    }

    @Test("an impossible number of ringing calls is not published")
    func manyCalls() {
        let bench = MQTTBench()
        bench.meet()
        bench.connect()
        for id in 0..<100 { bench.ring(SampleRecord.call(id: UInt64(id))) }
        let calls = bench.publisher.phones[MQTTBench.digest]?.calls.count
        #expect(calls == 8)
    }
}
