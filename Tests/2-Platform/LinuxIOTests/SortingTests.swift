import Testing

@testable import LinuxIO

/// What is sorted by places is in the order in which the standard library puts it.
@Suite struct SortingTests {
    private struct Entry: Equatable {
        var text: String
        var number: UInt64
        var place: Int
    }

    /// Each text and each number several times, in no order.
    private let entries = (0..<60).map { place in
        Entry(text: "/org/\(place * 37 % 20)", number: UInt64(place * 41 % 15), place: place)
    }

    @Test func byText() {
        let expected = entries.sorted { ($0.text, $0.place) < ($1.text, $1.place) }
        #expect(entries.sorted(byText: { $0.text }) == expected)
        #expect(entries != expected)
    }

    @Test func byNumber() {
        let expected = entries.sorted { ($0.number, $0.place) < ($1.number, $1.place) }
        #expect(entries.sorted(byNumber: { $0.number }) == expected)
        #expect(entries != expected)
    }

    @Test func nothing() {
        #expect([String]().sorted(byText: { $0 }).isEmpty)
    }
}
