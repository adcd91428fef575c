import ANCSService
import JSONText
import Testing

@testable import DaemonCommands
@testable import Printing

@Suite("Whose a notification is")
struct PhoneLabelsTests {
    private static let ada = PhoneName(digest: "0123456789abcdef", name: "Ada’s iPhone")
    private static let work = PhoneName(digest: "fedcba9876543210", name: "iPhone")
    private static let spare = PhoneName(digest: "1111222233334444", name: "iPhone")
    private static let unnamed = PhoneName(digest: "aaaabbbbccccdddd")

    @Test("one phone needs no name; of several each has its own, or the beginning of its digest")
    func labels() {
        #expect([Self.ada].labels == [Self.ada.digest: ""])
        #expect([Self.ada, Self.ada].labels == [Self.ada.digest: ""])
        let labels = [Self.ada, Self.work, Self.spare, Self.unnamed].labels
        #expect(labels[Self.ada.digest] == "Ada’s iPhone")
        #expect(labels[Self.work.digest] == "iPhone (fedc)")
        #expect(labels[Self.spare.digest] == "iPhone (1111)")
        #expect(labels[Self.unnamed.digest] == "phone")
    }

    @Test("the lines of 'ancs list' have it behind the id, also on a narrow terminal")
    func lines() throws {
        let record = try JSONValue(
            parsing: #"{"event":"added","category":"social","title":"Ada","message":"Lunch?","#
                + #""phone":"fedcba9876543210","id":"b6-1a"}"#)
        let lines = LinePrinter(isJSON: false, isColored: false).text(
            Line(record: record, of: "Ada’s iPhone\u{2028}"))
        #expect(
            lines == [
                "+ social · Ada", "    Lunch?", #"    b6-1a · Ada’s iPhone\u{2028} · social"#,
            ])
        for width in [20, 40] {
            let folded = lines.flatMap { FoldedLine.lines(of: $0, width: width) }
            #expect(folded.joined(separator: " ").contains("iPhone"))
            #expect(folded.allSatisfy { $0.count <= width })
        }
    }
}
