/// How long to wait before something that failed is tried again: a second, then twice as long each time, a quarter
/// of a minute at most.
package struct Pauses: Sendable {
    private var pause = Duration.seconds(1)

    package init() {}

    /// The next pause.
    package mutating func next() -> Duration {
        defer { pause = min(pause * 2, .seconds(15)) }
        return pause
    }
}
