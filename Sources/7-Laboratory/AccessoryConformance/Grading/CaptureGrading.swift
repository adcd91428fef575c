internal import ANCSKit

/// What a capture leaves open of the use of ANCS, until it shows more.
struct CaptureGrading: Sendable {
    /// A command that was written before the answer to another one, which may never come.
    struct Overtaken: Sendable {
        var command: ProviderSession.Command
        var share: AnswerWitness.Share?
        var at: MonotonicInstant
    }

    /// How many are kept; more have no accessory.
    private static let maximumOvertaken = 64

    /// How much the accessory has of the answer to its last command; `nil` if the capture is the phone's.
    var share: AnswerWitness.Share?
    /// Whether that may be all that comes: nothing, or a part that ends between two attributes.
    var mayHaveEnded = true
    var overtaken: [Overtaken] = []
    /// Whether all subscriptions of the accessory were seen: it has no bond from before the capture.
    var showsSubscriptions = true

    mutating func overtake(_ command: ProviderSession.Command, at now: MonotonicInstant) {
        guard overtaken.count < Self.maximumOvertaken else { return }
        overtaken.append(Overtaken(command: command, share: share, at: now))
    }
}

/// Judges what becomes of a command whose answer may be lost: a capture shows only that it has not come yet.
extension AccessoryGrader {
    /// Whoever gives up on an answer waits for it so long (S26).
    private static let giveUp = Duration.seconds(10)

    mutating func passTrials(at now: MonotonicInstant) {
        for trial in trials where trial.awaited == nil || now - trial.since >= Self.giveUp {
            card.pass(trial.requirement)
        }
        trials = []
    }

    mutating func awaitAnswer(to command: ProviderSession.Command, at now: MonotonicInstant) {
        guard case .decoded(let decoded) = command, decoded.commandID != .performNotificationAction
        else { return }
        trials.append(
            Trial(
                requirement: .goesOnAfterLostAnswer, what: "no answer came to \(command.text)",
                since: now, awaited: command))
    }

    /// A command has ended, by an answer of so many octets or by a refusal.
    mutating func settle(_ command: ProviderSession.Command, _ octets: Int?) {
        existingSince = nil
        trials.removeAll { $0.awaited == command }
        guard let index = capture?.overtaken.firstIndex(where: { $0.command == command }),
            let overtaken = capture?.overtaken.remove(at: index), let octets
        else { return }
        breaksIn(command, octets, overtaken.share, at: overtaken.at)
    }

    /// An answer came at a time that had no attribute (S5, S23): that it was all shows what follows it, if anything does.
    mutating func settleEmpty(_ command: ProviderSession.Command, at time: MonotonicInstant) {
        let trial = trials.first { $0.awaited == command }
        settle(command, nil)
        guard case .decoded(.getAppAttributes) = command else { return }
        guard let trial else { return card.pass(.goesOnWithoutName) }
        // What is to be done since then is known from the wait for it.
        trials.append(
            Trial(
                requirement: .goesOnWithoutName, what: "the answer about an app had no attribute",
                since: time, work: trial.work))
    }

    /// Records are missing: what is open stays so.
    mutating func loseTrack() {
        (trials, early, patient, existingSince, burstSince) = ([], [], [:], nil, nil)
        capture?.overtaken = []
        media.link = MediaGrading.Link()
        media.returnedAt = nil
    }
}
