internal import EventLines
internal import ANCSReceiver
package import LinuxIO

/// Chooses the entries that were posted last from entries in order of arrival, the latest first.
///
/// A phone announces what it already has in an order of its own, often the newest first, all within a second.
/// Nothing arrives before it is posted, so what arrived before the oldest chosen entry was posted cannot be
/// among the latest, and need not be read.
struct LatestEntries {
    private let limit: Int
    /// The chosen entries, the latest first, with their numbers, which are in order of arrival.
    private var chosen: [(number: Int64, posted: CaptureTime, entry: HistoryEntry)] = []
    /// When the last entry that was looked at had arrived.
    private var lastArrival: CaptureTime?

    /// A choice of this many entries.
    init(limit: Int) { self.limit = limit }

    /// The chosen entries, those that were posted last first.
    var entries: [HistoryEntry] { chosen.map(\.entry) }

    /// Whether no entry that arrived earlier can be chosen.
    var isComplete: Bool {
        guard chosen.count >= limit, let oldest = chosen.last, let lastArrival else { return false }
        return lastArrival <= oldest.posted
    }

    /// Looks at more entries, all of which arrived before those that it has seen.
    mutating func take(_ entries: [(number: Int64, entry: HistoryEntry)]) {
        chosen += entries.map { ($0.number, $0.entry.posted, $0.entry) }
        chosen.sort { ($0.posted, $0.number) > ($1.posted, $1.number) }
        chosen.removeLast(max(0, chosen.count - limit))
        if let last = entries.last { lastArrival = last.entry.time }
    }
}

extension HistoryEntry {
    /// When it was posted by the phone's date, if that is known and not after it arrived; otherwise when it
    /// arrived. A date without an offset is taken for one in the time zone of this machine.
    package var posted: CaptureTime {
        guard let seconds = date.flatMap(Self.seconds) else { return time }
        return min(time, CaptureTime(microsecondsSince1970: Int64(seconds) * 1_000_000))
    }

    /// The seconds since 1970 of a date as it is stored: as received, or as in RFC 3339 with an offset.
    private static func seconds(of date: String) -> Int? {
        let octets = Array(date.utf8)
        if let received = NotificationDate(octets) { return received.secondsSince1970(at: nil) }
        guard let offset = UTCOffset(String(decoding: octets.suffix(6), as: UTF8.self)) else {
            return nil
        }
        let digits = octets.dropLast(6)
            .filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }
        return NotificationDate(digits)?.secondsSince1970(at: offset)
    }
}
