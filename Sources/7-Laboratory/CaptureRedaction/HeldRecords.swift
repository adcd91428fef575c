package import HCITransports
package import LinuxIO
/// Where an octet of a capture stands: in which record, and where in it.
struct Spot {
    var record: Int
    var offset: Int
}

/// Records in order, some of which wait for octets that later records decide. All octets are zeros until they are set.
struct HeldRecords {
    /// How many records, and how many octets, wait at most; then the first goes with zeros.
    private static let (maximumRecords, maximumOctets) = (4096, 4 << 20)

    private var held: [RedactedRecord] = []
    /// Those at the beginning that are gone.
    private var gone = 0
    /// The number of the first in `held`.
    private var base = 0
    private var octets = 0
    /// By record: how many parts wait for octets of it.
    private var waiting: [Int: Int] = [:]

    /// The number of the next record.
    var next: Int { base + held.count }

    mutating func append(_ record: RedactedRecord) {
        octets += record.octets.count
        held.append(record)
    }

    /// Sets octets, if their records have not gone.
    mutating func set(_ values: [UInt8], at spots: ArraySlice<Spot>) {
        for (value, spot) in zip(values, spots) where spot.record >= base + gone {
            held[spot.record - base].octets[spot.offset] = value
        }
    }

    /// A part of the records with these spots is not decided yet.
    mutating func hold(_ spots: some Sequence<Spot>) {
        for record in Set(spots.map(\.record)) where record >= base + gone {
            waiting[record, default: 0] += 1
        }
    }

    /// The opposite of ``hold(_:)``, at once for all that was held in parts: no record is in two of them.
    mutating func release(_ spots: some Sequence<Spot>) {
        for record in Set(spots.map(\.record)) {
            guard let count = waiting[record] else { continue }
            waiting[record] = count > 1 ? count - 1 : nil
        }
    }

    /// Removes and returns the first record, if nothing of it is open, too many wait, or the capture has ended.
    mutating func pop(isAtEnd: Bool) -> RedactedRecord? {
        guard gone < held.count else { return nil }
        let isTooMany = held.count - gone > Self.maximumRecords || octets > Self.maximumOctets
        guard waiting[base + gone] == nil || isTooMany || isAtEnd else { return nil }
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
