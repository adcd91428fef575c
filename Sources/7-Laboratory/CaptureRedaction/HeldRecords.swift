package import HCITransports
package import LinuxIO

/// Records in order, some of which wait for octets that later records decide. All octets are zeros until they are set.
struct HeldRecords {
    /// How many records, and how many octets, wait at most; then the first goes with zeros.
    private static let (maximumRecords, maximumOctets) = (4096, 4 << 20)

    /// How much older than the last record one may become before it goes with zeros; `nil` for any age.
    let maximumAge: Duration?
    private var held: [RedactedRecord] = []
    /// Those at the beginning that are gone.
    private var gone = 0
    /// The number of the first in `held`.
    private var base = 0
    private var octets = 0
    /// By record: how many runs of octets of it are open.
    private var waiting: [Int: Int] = [:]

    init(maximumAge: Duration? = nil) { self.maximumAge = maximumAge }

    /// The number of the next record.
    var next: Int { base + held.count }

    mutating func append(_ record: RedactedRecord) {
        octets += record.octets.count
        held.append(record)
    }

    /// Sets octets, as many as there are, if their records have not gone.
    mutating func set(_ values: some Sequence<UInt8>, at spots: Spots) {
        var rest = Array(values)[...]
        for run in spots.runs {
            let part = rest.prefix(run.count)
            rest = rest.dropFirst(run.count)
            guard run.record >= base + gone, !part.isEmpty else { continue }
            held[run.record - base].octets
                .replaceSubrange(run.offset..<run.offset + part.count, with: part)
        }
    }

    /// The records with these spots are not decided yet.
    mutating func hold(_ spots: Spots) {
        for run in spots.runs where run.record >= base + gone {
            waiting[run.record, default: 0] += 1
        }
    }

    /// The opposite of ``hold(_:)``, of the same runs.
    mutating func release(_ spots: Spots) {
        for run in spots.runs {
            guard let count = waiting[run.record] else { continue }
            waiting[run.record] = count > 1 ? count - 1 : nil
        }
    }

    /// Removes and returns the first record, if nothing of it is open, too many wait, it is too old, or the capture has
    /// ended.
    mutating func pop(isAtEnd: Bool) -> RedactedRecord? {
        guard gone < held.count, let last = held.last else { return nil }
        let isTooMany = held.count - gone > Self.maximumRecords || octets > Self.maximumOctets
        let isTooOld = maximumAge.map { last.time - held[gone].time > $0 } ?? false
        guard waiting[base + gone] == nil || isTooMany || isTooOld || isAtEnd else { return nil }
        waiting[base + gone] = nil
        let record = exchange(&held[gone], with: RedactedRecord())
        octets -= record.octets.count
        gone += 1
        if gone > 1024, gone * 2 > held.count {
            held.removeFirst(gone)
            base += gone
            gone = 0
        }
        return record
    }
}

/// A record of a redacted capture: an HCI packet with its indicator.
package struct RedactedRecord: Sendable {
    package var time = CaptureTime(microsecondsSince1970: 0)
    package var adapter: UInt16 = 0
    package var direction = CaptureReader.Direction.sent
    package var octets: [UInt8] = []
    /// How many octets of the packet were not recorded.
    package var missing = 0
}
