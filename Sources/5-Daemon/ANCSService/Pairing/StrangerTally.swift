/// Counts the links of devices that are not paired, and decides which of them deserve a line: any device in range
/// can connect, as often as it likes.
///
/// The first link of each of the first three devices does, and after that every tenth power. A device that changes
/// its address is another one each time, so three is also the limit for those.
package struct StrangerTally: Equatable, Sendable {
    /// What to say of a link.
    package enum Mention: Equatable, Sendable {
        /// The first link of a device.
        case first
        /// There were this many links so far.
        case many(Int)
    }

    private static let deviceLimit = 3

    /// How many links there were.
    package private(set) var count = 0
    private var devices: [String] = []
    private var next = 10

    package init() {}

    /// Counts a link of the device with this digest; `nil` if nothing is to be said of it.
    package mutating func connected(_ digest: String) -> Mention? {
        count = count < .max ? count + 1 : count
        if !devices.contains(digest), devices.count < Self.deviceLimit {
            devices.append(digest)
            return .first
        }
        guard count >= next else { return nil }
        next = next.multipliedReportingOverflow(by: 10).overflow ? .max : next * 10
        return .many(count)
    }
}
