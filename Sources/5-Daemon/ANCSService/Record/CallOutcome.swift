/// How a call ended, as far as it is known.
package enum CallOutcome: String, Equatable, Sendable, CaseIterable {
    /// The phone reported a missed call.
    case missed
    /// It was declined here.
    case declined
    /// It was answered here, and the phone reported no active call: versions of iOS before 13 have none (S15).
    case answered
    /// It stopped ringing, and the phone reported neither a missed nor an active call: somebody answered or
    /// declined it on the phone or on another device.
    case elsewhere
    /// It was active, and was ended.
    case hungUp
    /// The phone left or did not answer, so that the end was not seen.
    case unknown
}
