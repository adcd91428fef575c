/// Where octets of a capture stand, in order: runs of octets, each within one record.
struct Spots {
    /// Octets side by side.
    struct Run {
        var record: Int
        var offset: Int
        var count: Int
    }

    private(set) var runs: [Run] = []

    init() {}

    init(record: Int, offset: Int, count: Int) {
        if count > 0 { runs = [Run(record: record, offset: offset, count: count)] }
    }

    static func += (spots: inout Spots, more: Spots) { spots.runs += more.runs }

    /// Those of a part of the octets, as far as there are any.
    subscript(range: Range<Int>) -> Spots {
        var (part, start) = (Spots(), 0)
        for run in runs {
            let shared = range.clamped(to: start..<start + run.count)
            if !shared.isEmpty {
                part.runs.append(
                    Run(
                        record: run.record, offset: run.offset + shared.lowerBound - start,
                        count: shared.count))
            }
            start += run.count
        }
        return part
    }

    /// Those from an octet on.
    subscript(range: PartialRangeFrom<Int>) -> Spots { self[range.lowerBound..<Int.max] }
}
