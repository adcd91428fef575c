import Testing

@testable import ANCS

@Suite("A table of the latest values")
struct RecentTableTests {
    @Test("the key that was set first is forgotten, even if others were set again")
    func forgetting() {
        var table = RecentTable<Int, String>(limit: 2)
        table.set("a", for: 1)
        table.set("b", for: 2)
        table.set("c", for: 1)
        #expect(table[1] == "c")
        table.set("d", for: 3)
        #expect(table[1] == nil)
        #expect(table[2] == "b")
        #expect(table[3] == "d")
    }

    @Test("removing an entry makes room")
    func removing() {
        var table = RecentTable<Int, String>(limit: 2)
        table.set("a", for: 1)
        table.set("b", for: 2)
        table.remove(1)
        table.remove(9)
        table.set("c", for: 3)
        #expect(table[1] == nil)
        #expect(table[2] == "b")
        #expect(table[3] == "c")
    }

    @Test("without room keeps nothing")
    func nothing() {
        var table = RecentTable<Int, String>(limit: 0)
        table.set("a", for: 1)
        #expect(table[1] == nil)
    }
}
