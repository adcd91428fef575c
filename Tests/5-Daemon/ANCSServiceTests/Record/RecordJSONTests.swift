import ANCS
@testable import ANCSService
import JSONText
import Testing

@Suite("Records in JSON")
struct RecordJSONTests {
    static let origin =
        #""time":"2026-11-22T12:00:00.000Z","phone":"0123456789abcdef","session":3"#

    @Test("a record has the members of ancs receive --json, followed by its own")
    func added() {
        var record = SampleRecord.make(id: 0)
        record.sameAs = RecordID(rawValue: 31)
        record.verdict.rule = "family"
        record.code = "123456"
        #expect(
            record.json(event: .added).text == """
                {"event":"added","uid":7,"flags":[],"category":"social","categoryID":4,\
                "categoryCount":1,"app":{"identifier":"com.apple.MobileSMS","displayName":"Messages"},\
                "title":"Mum","subtitle":"","message":"Come home","messageSize":9,\
                "date":"2026-11-22T12:00:00",\(Self.origin),"id":"0","sameAs":"z","rule":"family",\
                "code":"123456"}
                """)
    }

    @Test("an announced call has only its header, a removed notification its app and title")
    func headers() {
        var record = SampleRecord.make(id: 0, category: .incomingCall)
        record.code = "123456"
        let header =
            #""uid":7,"flags":[],"category":"incomingCall","categoryID":1,"categoryCount":1"#
        #expect(
            record.json(event: .announced).text
                == #"{"event":"announced",\#(header),\#(Self.origin),"id":"0"}"#)
        #expect(
            record.json(event: .removed).text == """
                {"event":"removed",\(header),"app":{"identifier":"com.apple.MobileSMS",\
                "displayName":"Messages"},"title":"Mum",\(Self.origin),"id":"0"}
                """)
    }

    @Test("a muted record is marked")
    func muted() {
        var record = SampleRecord.make(id: 0)
        #expect(record.json(event: .added)["muted"] == nil)
        record.verdict.isMuted = true
        #expect(record.json(event: .added)["muted"] == true)
        #expect(record.json(event: .added)["rule"] == nil)
    }

    @Test("a modification is written as one, whatever event the phone announced last")
    func modified() {
        let text = SampleRecord.make(event: .added).json(event: .modified).text
        #expect(text.hasPrefix(#"{"event":"modified","#))
        #expect(text.contains("Come home"))
    }

    @Test("a date has the phone's offset from UTC, if it is known; an invalid date has none")
    func offset() {
        let offset = UTCOffset(minutes: -210)
        let date = SampleRecord.make(utcOffset: offset).json(event: .added)["date"]
        #expect(date?.string == "2026-11-22T12:00:00-03:30")
        let other = SampleRecord.make(
            attributes: [AttributeValue(.date, "yesterday")], utcOffset: offset)
        #expect(other.json(event: .added)["date"]?.string == "yesterday")
    }
}
