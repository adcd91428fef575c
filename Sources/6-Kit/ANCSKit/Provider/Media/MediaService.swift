/// What a phone offers of the Apple Media Service: all of it, or as imitations of the service do, less (M1).
public struct MediaService: Hashable, Sendable {
    /// A characteristic of the service.
    public enum Part: String, CaseIterable, Hashable, Sendable {
        /// Commands for the player, and which of them it supports.
        case remoteCommand
        /// What the player does and plays.
        case entityUpdate
        /// Whole values of what was truncated.
        case entityAttribute
    }

    /// The characteristics that it lacks.
    public var absent: Set<Part>
    /// Those that nobody can subscribe to, because their Client Characteristic Configuration is missing.
    public var withoutConfiguration: Set<Part>

    /// The service; by default all of it.
    public init(absent: Set<Part> = [], withoutConfiguration: Set<Part> = []) {
        (self.absent, self.withoutConfiguration) = (absent, withoutConfiguration)
    }

    /// The characteristics that it has, in their order.
    var parts: [Part] { Part.allCases.filter { !absent.contains($0) } }
}
