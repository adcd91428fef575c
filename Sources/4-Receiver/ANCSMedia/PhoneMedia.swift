public import AMS
public import ANCSEvents

/// What is playing on a phone, and what it can be told to do.
public struct PhoneMedia: Hashable, Sendable {
    /// The phone.
    public let provider: PhoneID
    /// What the phone has said; `nil` if it no longer offers the Apple Media Service, or its link has ended.
    public var state: MediaState?
    /// The attributes whose values are others than in the report that was read before; the commands say for themselves.
    public var changes: MediaAttributeSet
    /// Where in the track the player was when this was reported; `nil` if that does not follow from what the phone said.
    public var position: Duration?
}
