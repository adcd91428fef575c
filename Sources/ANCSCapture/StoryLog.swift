internal import HCITransports
internal import LinuxIO

/// Collects happenings, each with its time and place.
struct StoryLog: Sendable {
    /// The time of the current record.
    package var now = CaptureTime(microsecondsSince1970: 0)
    /// The place of what is being followed.
    package var place = Happening.Place()
    private(set) var happenings: [Happening] = []
    private(set) var connectionCount = 0
    private(set) var sessionCount = 0

    /// Records an event at the current time, or at the given one.
    package mutating func report(_ event: Happening.Event, at time: CaptureTime? = nil) {
        happenings.append(Happening(time: time ?? now, place: place, event: event))
    }

    /// Removes and returns what was collected.
    package mutating func drain() -> [Happening] { exchange(&happenings, with: []) }

    mutating func nextConnection() -> Int {
        connectionCount += 1
        return connectionCount
    }

    mutating func nextSession() -> Int {
        sessionCount += 1
        return sessionCount
    }
}
