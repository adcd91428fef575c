import ANCS
import ANCSEvents

/// Replaces in the lines of a run what differs from run to run: the addresses that devices choose, the digests
/// of phones, the time of day, and the machine's time zone. What it writes is as wide as what it replaces.
struct Normalizer {
    /// The machine's local time when the run began and when it ended.
    private let time: ClosedRange<String>
    private var addresses: [Substring: String] = [:]
    private var digests: [Substring: String] = [:]

    /// Creates a normalizer for a run that began at a local time and has just ended.
    init(since start: NotificationDate) {
        let start = start.description
        time = start...max(start, NotificationDate.now.description)
    }

    /// The lines of one form.
    static func normalized(_ lines: [String], since start: NotificationDate) -> [String] {
        var normalizer = Normalizer(since: start)
        return lines.map { normalizer.normalized($0) }
    }

    private mutating func normalized(_ line: String) -> String {
        var line = line
        line.replace(#/([0-9A-F]{2}:){5}[0-9A-F]{2}/#) { match in
            let name = "A0:00:00:00:00:" + Self.decimal(addresses.count + 1, digits: 2)
            let known = addresses[match.0] ?? name
            addresses[match.0] = known
            return known
        }
        line.replace(#/"phone":"([0-9a-f]{16})"/#) { match in
            let name = Self.decimal(digests.count + 1, digits: 16)
            let known = digests[match.1] ?? name
            digests[match.1] = known
            return #""phone":"\#(known)""#
        }
        line.replace(
            #/(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)([+-]\d\d:\d\d)?/#
        ) { match in
            let date = time.contains(String(match.1)) ? "2001-01-01T00:00:00" : String(match.1)
            return date + (match.2 == nil ? "" : "+00:00")
        }
        return line
    }

    private static func decimal(_ number: Int, digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
