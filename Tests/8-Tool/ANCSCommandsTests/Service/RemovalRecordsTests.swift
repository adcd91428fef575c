import DBus
import JSONText
import LinuxIO
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

    private static let record =
        #"{"event":"added","category":"activeCall","title":"Ada","time":"2026","id":"a"}"#
    private static let time = CaptureTime(microsecondsSince1970: 0)

    @Test("what happens to it has its own time")
    func time() throws {
        var records = RemovalRecords()
        records.note(Self.record)
        let line = records.take("a", at: Self.time)
        let json = try JSONValue(parsing: try #require(line))
        #expect(json["time"]?.string == "1970-01-01T00:00:00.000Z")
    }

    private func told(_ line: String?) throws -> [String?] {
        let json = try JSONValue(parsing: #require(line))
        return [json["event"]?.string, json["title"]?.string, json["outcome"]?.string]
    }

    @Test(
        "a call that begins active is told once its record is there, and so is its end after the removal"
    )
    func active() throws {
        var records = RemovalRecords()
        #expect(records.call(call("answered"), at: Self.time) == nil)
        #expect(try told(records.note(Self.record)) == ["answered", "Ada", nil])
        #expect(records.note(Self.record) == nil)
        #expect(try told(records.take("a", at: Self.time)) == ["removed", "Ada", nil])
        #expect(
            try told(records.call(call("ended", "hungUp"), at: Self.time)) == [
                "ended", "Ada", "hungUp",
            ])
        #expect(records.call(call("ended", "hungUp"), at: Self.time) == nil)
    }

    @Test("one that is over before its record arrives is not told")
    func brief() {
        var records = RemovalRecords()
        #expect(records.call(call("answered"), at: Self.time) == nil)
        #expect(records.call(call("ended", "hungUp"), at: Self.time) == nil)
        #expect(records.note(Self.record) == nil)
    }

    @Test("a call that rings is told by its record, and what becomes of it with that")
    func ringing() throws {
        var records = RemovalRecords()
        #expect(records.call(call("incoming"), at: Self.time) == nil)
        #expect(records.note(Self.record) == nil)
        #expect(
            try told(records.call(call("answered"), at: Self.time)) == ["answered", "Ada", nil])
        _ = records.take("a", at: Self.time)
        #expect(
            try told(records.call(call("ended", "unknown"), at: Self.time)) == [
                "ended", "Ada", "unknown",
            ])
    }
}
