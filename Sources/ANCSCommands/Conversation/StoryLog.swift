internal import LinuxIO

/// Collects happenings, each with the time and place at which it is told.
struct StoryLog: Sendable {
    /// The time of the record that is being followed.
    var now = CaptureTime(microsecondsSince1970: 0)
    /// Where what is being followed takes place.
    var place = Happening.Place()
    private(set) var happenings: [Happening] = []
    private(set) var connectionCount = 0
    private(set) var sessionCount = 0

    /// Tells what happens now, or happened at another time.
    mutating func tell(_ event: Happening.Event, at time: CaptureTime? = nil) {
        happenings.append(Happening(time: time ?? now, place: place, event: event))
    }

    /// Takes what was told.
    mutating func drain() -> [Happening] {
        guard !happenings.isEmpty else { return [] }
        return exchange(&happenings, with: [])
    }

    mutating func nextConnection() -> Int {
        connectionCount += 1
        return connectionCount
    }

    mutating func nextSession() -> Int {
        sessionCount += 1
        return sessionCount
    }
}
