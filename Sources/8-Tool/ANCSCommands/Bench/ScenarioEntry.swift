internal import AccessoryConformance
internal import Kinds

/// A line of `ancs bench --list`: a scenario of the package.
struct ScenarioEntry: Sendable {
    var name: String
    var scenario: Scenario
    /// How long it takes with an accessory that answers at once.
    var seconds: Int

    static let form = ObjectForm<ScenarioEntry>(
        .text("name", \.name), .text("title", \.scenario.title),
        .text("description", \.scenario.summary),
        .number(
            "accessories", .count.described("how many it needs; a bench has one"),
            \.scenario.accessories.count),
        .number("seconds", .count.described("how long it takes with `ancs receive`"), \.seconds))

    /// All scenarios, in the order of the package.
    static var all: [ScenarioEntry] {
        Scenario.names.compactMap { name in
            guard let scenario = try? Scenario(named: name) else { return nil }
            return ScenarioEntry(
                name: name, scenario: scenario, seconds: Scenario.usualSeconds(of: name) ?? 0)
        }
    }

    var line: Line {
        let several = scenario.accessories.count
        let note = several > 1 ? " · \(several) accessories: 'ancs phone'" : ""
        return Line(
            "listed", Self.form.members(of: self), "\(name) · \(time)\(note)", .plain,
            below: [.text(sentence)])
    }

    private var time: String {
        switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7200: "\(seconds / 60) min"
        default: "\(seconds / 3600) h"
        }
    }

    /// The first sentence of the description.
    private var sentence: String {
        let text = scenario.summary.isEmpty ? scenario.title : scenario.summary
        return text.split(separator: ". ").first.map { $0.hasSuffix(".") ? String($0) : $0 + "." }
            ?? ""
    }

    static func list(isJSON: Bool) { LinePrinter(isJSON: isJSON).write(all.map(\.line)) }
}
