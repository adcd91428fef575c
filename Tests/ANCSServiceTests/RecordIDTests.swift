import ANCSService
import Testing

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
}
