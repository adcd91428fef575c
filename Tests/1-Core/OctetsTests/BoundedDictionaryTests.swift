import Octets
import Testing

@Suite("A bounded dictionary")
struct BoundedDictionaryTests {
    @Test("forgets the oldest key, however often it was set")
    func forgets() {
        var dictionary = BoundedDictionary<Int, String>(limit: 3)
        for key in 1...3 { dictionary.set("\(key)", for: key) }
        dictionary.set("one", for: 1)
        #expect(dictionary[1] == "one")
        dictionary.set("4", for: 4)
        #expect((1...4).map { dictionary[$0] } == [nil, "2", "3", "4"])
    }

    @Test("a key that was removed is the youngest when it comes back")
    func removed() {
        var dictionary = BoundedDictionary<Int, String>(limit: 2)
        dictionary.set("a", for: 1)
        dictionary.set("b", for: 2)
        dictionary.remove(1)
        dictionary.remove(9)
        dictionary.set("c", for: 1)
        dictionary.set("d", for: 3)
        #expect((1...3).map { dictionary[$0] } == ["c", nil, "d"])
    }
}
