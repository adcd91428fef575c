internal import LinuxIO

/// Collects events, each with its time and place.
struct StoryLog: Sendable {
    /// The time of the current record.
    package var now = CaptureTime(microsecondsSince1970: 0)
    /// The place of what is being followed.
    package var place = CaptureEvent.Place()
    private var events = Queue<CaptureEvent>()
    private(set) var connectionCount = 0
    private(set) var sessionCount = 0

    /// Records an event at the current time, or at the given one.
    package mutating func report(_ event: CaptureEvent.Event, at time: CaptureTime? = nil) {
        events.append(CaptureEvent(time: time ?? now, place: place, event: event))
    }

    /// Removes and returns the oldest event.
    package mutating func popFirst() -> CaptureEvent? { events.popFirst() }

    mutating func nextConnection() -> Int {
        connectionCount += 1
        return connectionCount
    }

    mutating func nextSession() -> Int {
        sessionCount += 1
        return sessionCount
    }
}
