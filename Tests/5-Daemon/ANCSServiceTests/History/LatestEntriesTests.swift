import ANCS
import LinuxIO
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver
@testable import ANCSService

@Suite("The order of the history")
struct LatestEntriesTests {
    /// An entry that was posted so many seconds before noon in UTC, and arrived after it, in order of `id`.
    private static func entry(_ id: UInt64, before seconds: Int?) -> HistoryEntry {
        var attributes = SampleRecord.attributes(title: "\(id)").filter {
            $0.id != NotificationAttributeID.date.rawValue
        }
        if let seconds {
            let date = NotificationDate.utc(Int(SampleRecord.noon / 1_000_000) - seconds)
            attributes.append(AttributeValue(.date, octets: date.octets))
        }
        return .full(
            SampleRecord.make(
                id: id, uid: UInt32(id), attributes: attributes,
                time: SampleRecord.noon + Int64(id) * 1_000_000, utcOffset: UTCOffset(minutes: 0)))
    }

    private static func ids(
        _ entries: [HistoryEntry], limit: Int = 50
    ) throws -> [UInt64] {
        let folder = try TemporaryDirectory()
        let store = try HistoryStore(writing: HistoryFiles(directory: folder.path))
        #expect(try store.keep(entries) == entries.count)
        var query = HistoryQuery()
        query.limit = limit
        return try store.entries(query).map(\.id.rawValue)
    }

    @Test("pre-existing notifications are in the order of posting")
    func flood() throws {
        // The phone announces the newest first, and then something new.
        let old = (1...9).map { Self.entry($0, before: Int($0) * 60) }
        let new = [Self.entry(10, before: 0), Self.entry(11, before: nil)]
        #expect(try Self.ids(old + new) == [11, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9])
        #expect(try Self.ids(old + new, limit: 3) == [11, 10, 1])
    }

    @Test("a flood longer than one portion does not hide newer notifications")
    func longFlood() throws {
        let before = [Self.entry(1, before: 10), Self.entry(2, before: nil)]
        let flood = (3...900).map { Self.entry($0, before: 3600 * Int($0)) }
        #expect(try Self.ids(before + flood, limit: 4) == [2, 1, 3, 4])
    }

    @Test("reading ends where nothing later can be found")
    func end() {
        var latest = LatestEntries(limit: 2)
        latest.take([(4, Self.entry(4, before: nil)), (3, Self.entry(3, before: 100))])
        #expect(!latest.isComplete)
        latest.take([(2, Self.entry(2, before: nil)), (1, Self.entry(1, before: nil))])
        #expect(latest.isComplete)
        #expect(latest.entries.map(\.id.rawValue) == [4, 2])
    }

    @Test("a date counts with its offset, never after the arrival, and not if it is none")
    func dates() throws {
        func posted(_ date: String, _ offset: Int?) -> Int64 {
            let record = SampleRecord.make(
                attributes: [AttributeValue(.date, date)],
                utcOffset: offset.flatMap { UTCOffset(minutes: $0) })
            return HistoryEntry.full(record).posted.microsecondsSince1970 - SampleRecord.noon
        }
        #expect(posted("20261122T115900", 0) == -60_000_000)
        #expect(posted("20261122T205900", 540) == -60_000_000)
        #expect(posted("20261122T082900", -210) == -60_000_000)
        #expect(posted("20261122T120100", 0) == 0)
        for other in ["", "yesterday", "20261322T115900", "2026-11-22"] {
            #expect(posted(other, 0) == 0)
        }
        // In the zone of this machine, whichever that is.
        let local = NotificationDate.utc(Int(SampleRecord.noon / 1_000_000) - 7 * 86_400)
        let expected = Int64(local.secondsSince1970(at: nil)) * 1_000_000 - SampleRecord.noon
        #expect(posted(String(decoding: local.octets, as: UTF8.self), nil) == expected)
        #expect(abs(expected + 7 * 86_400_000_000) <= 14 * 3_600_000_000)
    }
}
