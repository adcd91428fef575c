internal import AccessoryConformance

/// Events on one lane that are too close to be drawn one by one.
struct AxisGroup: Equatable, Sendable {
    /// The accessory on whose lane they are; `nil` for that of the phone.
    var lane: Int?
    /// In tenths of units.
    var place: Int
    /// Their indices.
    var entries: [Int]

    /// The groups of all events, none of a lane closer than `distance` tenths to the one before.
    static func all(
        of entries: [RecordedRun.Entry], on scale: TimeScale, distance: Int
    ) -> [AxisGroup] {
        var groups: [AxisGroup] = []
        // The last group of each lane; that of the phone is first.
        var last = [Int?](repeating: nil, count: RecordedRun.maximumAccessories + 1)
        for (index, entry) in entries.enumerated() {
            let place = scale.place(entry.time)
            let lane = entry.isOfPhone ? nil : entry.accessory
            let slot = lane.map { $0 + 1 } ?? 0
            if let known = last[slot], place - groups[known].place < distance {
                groups[known].entries.append(index)
            } else {
                last[slot] = groups.count
                groups.append(AxisGroup(lane: lane, place: place, entries: [index]))
            }
        }
        return groups
    }
}

extension RecordedRun.Entry {
    /// Whether the phone did it.
    fileprivate var isOfPhone: Bool {
        switch direction {
        case .phone, .toAccessory: true
        case .toPhone, .link: false
        }
    }
}

/// A flag on the axis: what was found about a time.
struct AxisFlag: Equatable, Sendable {
    /// How many rows of flags there may be.
    static let maximumRows = 3

    /// In tenths of units: the time, and where the flag begins and how wide it is.
    var place: Int
    var start: Int
    var size: Int
    var row: Int
    /// The indices of what was found.
    var findings: [Int]
    /// What it says.
    var text: String

    /// The flags of all that was found. What one requirement says again within `distance` tenths is one flag, and so
    /// is what would cover another.
    static func all(
        of findings: [ReportRun.Flag], on scale: TimeScale, distance: Int
    ) -> [AxisFlag] {
        var flags: [AxisFlag] = []
        // The last flag of each requirement, and of each row.
        var ofRequirement: [String: Int] = [:]
        var ofRow: [Int] = []
        for (index, finding) in findings.enumerated() {
            let place = scale.place(finding.time)
            if let known = ofRequirement[finding.requirement], place - flags[known].place < distance
            {
                flags[known].findings.append(index)
                continue
            }
            let size = finding.requirement.count * 72 + 100
            let start = min(place, scale.width * 10 - size)
            let free = ofRow.firstIndex { flags[$0].start + flags[$0].size + 20 <= start }
            guard let row = free ?? (ofRow.count < maximumRows ? ofRow.count : nil) else {
                // It joins the flag that begins last.
                let other = ofRow.max { flags[$0].start < flags[$1].start } ?? 0
                flags[other].findings.append(index)
                let others = Set(flags[other].findings.map { findings[$0].requirement }).count - 1
                let first = findings[flags[other].findings[0]].requirement
                flags[other].text = others > 0 ? "\(first) +\(others)" : first
                flags[other].size = flags[other].text.count * 72 + 100
                flags[other].start = min(
                    flags[other].place, scale.width * 10 - flags[other].size)
                continue
            }
            ofRequirement[finding.requirement] = flags.count
            if row < ofRow.count { ofRow[row] = flags.count } else { ofRow.append(flags.count) }
            flags.append(
                AxisFlag(
                    place: place, start: start, size: size, row: row, findings: [index],
                    text: finding.requirement))
        }
        return flags
    }
}
