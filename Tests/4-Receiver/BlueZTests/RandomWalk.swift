import Octets
import Testing

/// A random order of all that can happen, the same for the same seed, and what happened last.
class RandomWalk<Line> {
    private let seed: UInt64
    var generator: SeededGenerator
    var isFailed = false
    /// For the text of a failure.
    private var diary: [(what: String, lines: [Line])] = []

    /// A walk whose generator has made its configuration.
    init(seed: UInt64, _ generator: SeededGenerator) {
        self.seed = seed
        self.generator = generator
    }

    func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &generator) == 0 }

    func any<Element>(_ elements: [Element]) -> Element? {
        elements.randomElement(using: &generator)
    }

    /// Notes what happened; more lines than this do not follow one input.
    func note(_ what: String, _ lines: [Line], limit: Int) {
        diary.append((what, lines))
        if lines.count > limit { fail("\(lines.count) outputs follow one input") }
    }

    func fail(_ text: String) {
        guard !isFailed else { return }
        let last = diary.suffix(60).map { "\($0.what): \($0.lines)" }.joined(separator: "\n")
        Issue.record("seed \(seed): \(text)\n\(last)")
        isFailed = true
    }
}
