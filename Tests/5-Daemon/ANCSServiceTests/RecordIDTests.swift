@testable import ANCSService
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

@Suite("Names of records")
struct RecordIDTests {
    @Test(
        "an identifier is read as it was written",
        arguments: [0, 1, 31, 32, 59_719_680_123, .max >> 4])
    func roundTrip(number: UInt64) {
        let id = RecordID(rawValue: number)
        #expect(RecordID(id.description) == id)
    }

    @Test(
        "text that is not an identifier is refused",
        arguments: ["", "ilou", "ABC", "-1", "3mb9k2x0q3mb9k"])
    func refused(text: String) {
        #expect(RecordID(text) == nil)
    }

    @Test("a later record has a greater identifier, though the clock was set back")
    func order() {
        var ids = RecordIDs()
        let times: [Int64] = [1_800_000_000_000_000, 1_800_000_000_000_100, 1_700_000_000_000_000]
        let names = times.map { ids.next(at: $0) }
        #expect(names == names.sorted())
        #expect(Set(names).count == 3)
    }

    @Test("identifiers are in the order of announcements, whichever is asked for first")
    func announcements() {
        var ids = RecordIDs()
        let session = SessionID(provider: PhoneID(rawValue: 1), number: 3)
        let other = SessionID(provider: PhoneID(rawValue: 2), number: 4)
        let now: Int64 = 1_800_000_000_000_000
        var given: [UInt64: RecordID] = [:]
        // A flood of which the last comes first, and new ones and another phone's between them.
        for number in (1...300 as ClosedRange<UInt64>).reversed() {
            given[number] = ids.next(at: now, for: number, in: session)
            if number % 10 == 0 {
                let live = 300 + 2 * (31 - number / 10)
                given[live] = ids.next(at: now, for: live, in: session)
                _ = ids.next(at: now, for: number, in: other)
                _ = ids.next(at: now)
            }
        }
        let inOrder = given.sorted { $0.key < $1.key }.map(\.value)
        #expect(inOrder == inOrder.sorted())
        #expect(Set(inOrder).count == given.count)
    }
}
