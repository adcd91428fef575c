import ANCSEvents
import Testing

@Suite("The check of a recording")
struct GoldenTests {
    @Test("the first line that differs is reported, with its number and both forms")
    func difference() {
        #expect(Golden.difference(recorded: ["a", "b"], printed: ["a", "b"]) == nil)
        #expect(
            Golden.difference(recorded: ["a", "b", "c"], printed: ["a", "x", "y"])
                == "2\nrecorded  b\nprinted   x")
        #expect(
            Golden.difference(recorded: ["a"], printed: ["a", "b"])
                == "2\nrecorded  (no more lines)\nprinted   b")
        #expect(
            Golden.difference(recorded: ["a", ""], printed: ["a"])
                == "2\nrecorded  \nprinted   (no more lines)")
    }

    @Test("a sum depends on every octet and on the order of lines")
    func sums() {
        let sums = [["a", "b"], ["b", "a"], ["a"], ["a", "b", ""], ["ab"], []].map(checksum)
        #expect(Set(sums).count == sums.count)
        // FNV-1a of "a", from the test vectors of its authors.
        #expect(checksum(of: ["a"]) == "e40c292c")
    }

    @Test("only values that differ from run to run are replaced, by values of the same width")
    func normalizing() {
        let lines = [
            #"{"address":"C2:D0:3A:F6:A7:E2","phone":"dc1fd4c2e802e55a"}"#,
            "75:BB:E3:25:3A:FB and C2:D0:3A:F6:A7:E2", "1999-12-31T23:59:59+09:00",
        ]
        let normalized = Normalizer.normalized(lines, since: .now)
        #expect(
            normalized == [
                #"{"address":"A0:00:00:00:00:01","phone":"0000000000000001"}"#,
                "A0:00:00:00:00:02 and A0:00:00:00:00:01", "1999-12-31T23:59:59+00:00",
            ])
        #expect(lines.map(\.count) == normalized.map(\.count))
    }
}
