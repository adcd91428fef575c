/// A type of events with samples of each case.
///
/// Every conforming type has an exhaustive `switch` in `kind`, and one in `samples(of:)`: a new case compiles
/// only with a kind, and a new kind only with samples.
protocol Sampled {
    associatedtype Kind: CaseIterable & RawRepresentable<String> & Hashable
    /// Which case this is.
    var kind: Kind { get }
    /// One event or more of a case: all forms of its payload that are shown differently.
    static func samples(of kind: Kind) -> [Self]
}

extension Sampled {
    /// All samples with a title each, in the order of the cases.
    static var titledSamples: [(title: String, event: Self)] {
        Kind.allCases.flatMap { kind in
            let samples = samples(of: kind)
            return samples.enumerated().map { index, event in
                (samples.count == 1 ? kind.rawValue : "\(kind.rawValue) \(index + 1)", event)
            }
        }
    }

    /// The kinds whose samples are missing or of another kind.
    static var mistakes: [String] {
        Kind.allCases.filter { kind in
            let samples = samples(of: kind)
            return samples.isEmpty || samples.contains { $0.kind != kind }
        }.map(\.rawValue)
    }
}
