import DBus
import JSONText
import Testing

@testable import DaemonCommands

@Suite("What 'ancs watch' remembers of records")
struct RemovalRecordsTests {
    private func call(_ event: String, _ outcome: String = "", _ id: String = "a") -> BusSignal {
        BusSignal(
            "/x", "org.swift_ancs.Manager1", "Call",
            [
                .string(event), .string(outcome), .objectPath("/x"),
                .options(["Id": .string(id)]),
            ])
    }

    private static let record = #"{"event":"added","category":"activeCall","title":"Ada","id":"a"}"#

    private func told(_ line: String?) throws -> [String?] {
        let json = try JSONValue(parsing: #require(line))
        return [json["event"]?.string, json["title"]?.string, json["outcome"]?.string]
    }

    @Test(
        "a call that begins active is told once its record is there, and so is its end after the removal"
    )
    func active() throws {
        var records = RemovalRecords()
        #expect(records.call(call("answered")) == nil)
        #expect(try told(records.note(Self.record)) == ["answered", "Ada", nil])
        #expect(records.note(Self.record) == nil)
        #expect(try told(records.take("a")) == ["removed", "Ada", nil])
        #expect(try told(records.call(call("ended", "hungUp"))) == ["ended", "Ada", "hungUp"])
        #expect(records.call(call("ended", "hungUp")) == nil)
    }

    @Test("one that is over before its record arrives is not told")
    func brief() {
        var records = RemovalRecords()
        #expect(records.call(call("answered")) == nil)
        #expect(records.call(call("ended", "hungUp")) == nil)
        #expect(records.note(Self.record) == nil)
    }

    @Test("a call that rings is told by its record, and what becomes of it with that")
    func ringing() throws {
        var records = RemovalRecords()
        #expect(records.call(call("incoming")) == nil)
        #expect(records.note(Self.record) == nil)
        #expect(try told(records.call(call("answered"))) == ["answered", "Ada", nil])
        _ = records.take("a")
        #expect(try told(records.call(call("ended", "unknown"))) == ["ended", "Ada", "unknown"])
    }
}
