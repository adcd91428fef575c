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

    @Test("a thousand new keys leave the latest, each in its place")
    func turnover() {
        var table = RecentTable<Int, Int>(limit: 7)
        for key in 0..<1000 {
            table.set(key, for: key, isNew: true)
            table.set(-key, for: key)
            for old in max(0, key - 20)...key {
                #expect(table[old] == (old > key - 7 ? -old : nil))
            }
        }
        table.remove(996)
        table.set(1, for: 1000, isNew: true)
        #expect(table[993] == -993)
        #expect(table[996] == nil)
    }

    @Test("without room keeps nothing")
    func nothing() {
        var table = RecentTable<Int, String>(limit: 0)
        table.set("a", for: 1)
        #expect(table[1] == nil)
    }
}
