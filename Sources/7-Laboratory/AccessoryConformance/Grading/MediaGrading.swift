internal import ANCSKit

/// What was seen of an accessory's use of the media, as far as questions are open.
struct MediaGrading: Sendable {
    /// Whether it has used them at all.
    var isUsed = false
    /// What the phone offers; `nil` for nothing.
    var service: MediaService?
    var quirks: MediaQuirks = []
    /// When the service appeared; `nil` once it has been used since, or if nothing has to follow.
    var returnedAt: MonotonicInstant?
    /// Whether parts of it have been missing since then.
    var lacksParts = false
    /// Whether it had registered or subscribed before on any link.
    var hasEverBegun = false
    /// Faults that are to show at the next opportunity.
    var (awaitsBurst, awaitsVanishing, awaitsJump) = (false, false, false)
    /// The registration that lost the link.
    var lostRegistration: EntityUpdateRegistration?
    var awaitsLinkLoss = false
    /// How many values a burst has had so far; `nil` without one.
    var burstCount: Int?
    /// What is known of the present link.
    var link = Link()

    /// What belongs to a link.
    struct Link: Sendable {
        var isSubscribedToUpdates = false
        /// The last list of commands; `nil` if none was sent.
        var offered: RemoteCommandSet?
        var offeredAt = MonotonicInstant.zero
        /// The commands of earlier lists that the last one lacks.
        var withdrawn = RemoteCommandSet()
        /// The commands that were sent.
        var sent = RemoteCommandSet()
        var registered: MediaAttributeSet = []
        /// The values that were sent truncated, and not read since.
        var truncated: [MediaAttribute: MonotonicInstant] = [:]
        /// The attribute that was written to Entity Attribute, and how much of it was read.
        var chosen: MediaAttribute?
        var readCount = 0
        var isWholeRead = false
        /// The attribute that was chosen before, and not read.
        var skipped: MediaAttribute?
        /// Since when a track has been playing, of which the accessory was told.
        var playingSince: MonotonicInstant?
        /// When it asked for the position without a reason.
        var polls: [MonotonicInstant] = []
    }
}
