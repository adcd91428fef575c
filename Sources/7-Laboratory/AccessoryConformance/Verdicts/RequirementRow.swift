/// All that is said of a requirement: the page of requirements, the reports and `ancs help --json` are made of it.
public struct RequirementRow: Hashable, Sendable {
    /// Who demands it.
    public enum Source: String, Hashable, Sendable {
        /// The specification of the Apple Notification Center Service.
        case ancs
        /// Phones behave so where that is silent.
        case phones
        /// The specification of the Apple Media Service.
        case ams
        /// Apple's requirements for the link of an accessory.
        case apple
        /// The Core Specification.
        case core
        /// It was measured, and is not Apple's.
        case measured

        /// In words.
        public var message: String {
            switch self {
            case .ancs: "ANCS"
            case .phones: "phones behave so"
            case .ams: "AMS"
            case .apple: "Apple"
            case .core: "Core Specification"
            case .measured: "measured, not Apple's"
            }
        }

        /// Whether it is about the link of any accessory.
        var isOfLink: Bool {
            switch self {
            case .ancs, .phones, .ams: false
            case .apple, .core, .measured: true
            }
        }

        /// What tests most requirements of this source.
        var usualTest: String {
            if isOfLink { return "ancs phone --grade link" }
            return self == .ams ? "media/media-conformance" : "conformance"
        }
    }

    /// How much it matters to the wearer that a requirement is broken.
    public enum Weight: Comparable, CaseIterable, Sendable {
        /// It costs power or time, or shows itself seldom.
        case slight
        /// Something is missing, or wrong at times.
        case moderate
        /// Nothing arrives, or something false does.
        case severe

        /// In a word.
        public var word: String {
            switch self {
            case .slight: "slight"
            case .moderate: "moderate"
            case .severe: "severe"
            }
        }
    }

    /// The number that documents and reports use, as `R25`.
    public var number: String
    /// Who demands it.
    public var source: Source
    /// How much it matters.
    public var weight: Weight
    /// The behavior of an accessory that fulfills it.
    public var statement: String
    /// What it demands, in a sentence.
    public var demand: String
    /// What the wearer of an accessory sees that does not fulfill it.
    public var symptom: String
    /// What to change in one that does not, in a sentence.
    public var remedy: String
    /// What tests it: a scenario, or a command.
    public var testedBy: String
}
