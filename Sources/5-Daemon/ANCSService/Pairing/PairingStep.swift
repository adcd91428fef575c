package import ANCSEvents

/// A step of the dialogue in which a phone is paired: what happened, and what the user can do now.
///
/// A step has one word and one sentence, which are the same on the screen, in JSON and on the bus.
package struct PairingStep: Equatable, Sendable {
    /// What a step is about.
    package enum Kind: Equatable, Sendable {
        /// Phones may pair, for this many seconds.
        case opened(seconds: Int)
        /// These phones were received from before, and are not waited for.
        case alreadyReceiving([PhoneName])
        /// Phones can find this machine.
        case onAir
        /// After a few seconds, phones still cannot find this machine.
        case offAir
        /// Something on this machine stands in the way of pairing, in a sentence.
        case obstacle(String)
        /// A device that is not paired has connected.
        case connected
        /// Devices that are not paired have connected this many times.
        case crowd(Int)
        /// A device wants to pair, and asks a question of this kind.
        case asks(PairingQuestion.Kind)
        /// A device was refused, because it can neither show digits nor take them.
        case noDigits
        /// The user of this machine said no.
        case declined
        /// Pairing failed.
        case failed(SecurityFailure)
        /// The phone has paired. `replaced` is the name of the bond whose keys are gone.
        case paired(replaced: PhoneName?)
        /// It is paired, and does not offer ANCS, or not yet.
        case noService
        /// It is paired, and its user does not allow reading its notifications, or not yet.
        case consentMissing
        /// It is paired, and does not answer.
        case silent
        /// The keys of a bonded phone do not work; in a sentence.
        case keyTrouble(String)
        /// The adapter failed, and is waited for; in a sentence.
        case adapterFailed(String)
        /// After 30 seconds without a phone: the way to pair that does not need the phone's list.
        case otherApp
        /// After 30 seconds: devices have connected this many times, and none has paired.
        case hesitation(Int)
        /// After 90 seconds without a phone: what is left to try.
        case otherCauses
        /// The last step.
        case ended(PairingOutcome)
    }

    package var kind: Kind
    /// The phone that it is about; `nil` if it is about none, or a stranger.
    package var phone: PhoneName?
    package var setting: PairingSetting

    package init(_ kind: Kind, of phone: PhoneName? = nil, at setting: PairingSetting) {
        (self.kind, self.phone, self.setting) = (kind, phone, setting)
    }
}

/// How the dialogue of pairing ended.
package enum PairingOutcome: Equatable, Sendable {
    /// The notifications of the phone arrive.
    case receiving
    /// They do not, most likely for this reason.
    case failed(PairingCause)
}

/// The one most likely reason why no phone is received from. ``PairingDialogue`` has their order.
package enum PairingCause: Equatable, Sendable {
    /// Pairing was closed early, by a command or because the configuration has changed.
    case closed
    /// The adapter is gone; why, in a sentence.
    case adapterGone(String)
    /// The phone has paired, and its user does not allow reading its notifications.
    case consentMissing
    /// The phone has paired, and does not offer ANCS.
    case noService
    /// The phone has paired, and does not answer.
    case silent
    /// The phone has paired, and is not connected.
    case left
    /// The phone is paired, by another program, and nobody has accepted it.
    case unaccepted
    /// The phone has paired, and the subscription was not confirmed in time.
    case unfinished
    /// The keys of a bonded phone do not work; in a sentence.
    case keyTrouble(String)
    /// The user of this machine said no.
    case declined
    /// Nobody answered the question of pairing.
    case unanswered
    /// Pairing failed.
    case failed(SecurityFailure)
    /// A device was refused, because it can neither show digits nor take them.
    case noDigits
    /// Devices have connected this many times, and none has paired.
    case neverPaired(Int)
    /// This machine was never on air.
    case notOnAir
    /// No device has connected. These phones were received from before.
    case noDevice(receiving: [PhoneName])
}
