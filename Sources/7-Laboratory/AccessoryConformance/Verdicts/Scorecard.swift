internal import Printing

/// What was found of each requirement: of ANCS, or of the link.
struct Scorecard: Equatable, Sendable {
    /// What was found of a requirement; nothing if it was only followed.
    struct Findings: Equatable, Sendable {
        /// How it was broken.
        fileprivate(set) var broken = Sightings()
        /// How it was not followed, where that breaks nothing.
        fileprivate(set) var notes = Sightings()
    }

    private var entries: [Requirement: Findings] = [:]

    /// What was found of a requirement; `nil` if nothing tested it.
    subscript(requirement: Requirement) -> Findings? { entries[requirement] }

    /// Records that the requirement was tested and followed.
    mutating func pass(_ requirement: Requirement) {
        entries[requirement] = entries[requirement] ?? Findings()
    }

    /// Whatever was found of a requirement says nothing.
    mutating func forget(_ requirement: Requirement) { entries[requirement] = nil }

    /// Whether a requirement was seen to be broken.
    func isBroken(_ id: Requirement) -> Bool { entries[id]?.broken.isEmpty == false }

    /// Records that the requirement was broken, at a time since the start of what is judged. `demand` is what the
    /// requirement says, where not everyone who states it says the same; `octets` are what was written.
    mutating func fail(
        _ requirement: Requirement, _ text: String, at time: Duration, demand: String? = nil,
        octets: [EvidenceOctets] = []
    ) { entries[requirement, default: Findings()].broken.add(text, at: time, demand, octets) }

    /// Records that the requirement was not followed, which breaks nothing.
    mutating func note(
        _ requirement: Requirement, _ text: String, at time: Duration, demand: String? = nil
    ) { entries[requirement, default: Findings()].notes.add(text, at: time, demand) }
}

/// What was seen, each text once, with when, and how often. Bounded.
struct Sightings: Equatable, Sendable {
    /// How many different texts are kept; further ones are counted.
    private static let maximumCount = 5

    /// Something that was seen, at least once.
    private struct Sight: Hashable {
        var text: String
        /// Since the start of what is judged.
        var first: Duration
        var count = 1
        var demand: String?
        var octets: [EvidenceOctets]

        /// `… (at 0.4 s)`
        var evidence: Evidence {
            let when =
                count == 1
                ? " (at \(first.text))" : " (\(counted(count, "time")), first at \(first.text))"
            return Evidence(text + when, at: first, octets: octets)
        }
    }

    private var sights: [Sight] = []
    private var others = 0

    var isEmpty: Bool { sights.isEmpty }

    /// What the requirement says of these, without repetitions.
    var demands: [String] {
        sights.compactMap(\.demand).reduce(into: []) { unique, demand in
            if !unique.contains(demand) { unique.append(demand) }
        }
    }

    /// All of it.
    var evidence: [Evidence] {
        sights.map(\.evidence)
            + (others > 0 ? [Evidence("and \(counted(others, "time")) more", at: nil)] : [])
    }

    mutating func add(
        _ text: String, at time: Duration, _ demand: String?, _ octets: [EvidenceOctets] = []
    ) {
        if let index = sights.firstIndex(where: { $0.text == text }) {
            sights[index].count += 1
        } else if sights.count < Self.maximumCount {
            sights.append(Sight(text: text, first: time, demand: demand, octets: octets))
        } else {
            others += 1
        }
    }
}
