internal import ANCSKit
internal import Printing

/// Judges whether the accessory waits for an answer (S4), and for all of it (R31). The phone has queued an answer long
/// before the accessory has it: an ``AnswerWitness`` says what it had.
extension AccessoryGrader {
    /// How far data may be ahead of the event that acknowledges what was sent before it (decision 0026).
    private static let reordering = Duration.milliseconds(80)
    /// An accessory that has the whole answer and something else to ask about does that sooner.
    private static let hesitation = Duration.seconds(2)

    /// A command that came before the phone's controller had acknowledged the whole answer to the one before.
    struct EarlyCommand: Sendable {
        fileprivate var answer: (command: ProviderSession.Command, octets: Int)
        fileprivate var next: [UInt8]
        fileprivate var writtenAt: MonotonicInstant
        /// What the accessory surely had by then.
        fileprivate var share: AnswerWitness.Share
    }

    /// Commands must be sent one at a time (S4); one that was given up has ended (S26). `next` is about to be noted.
    mutating func judgeTurn(
        _ next: ProviderSession.Command, _ known: AccessoryKnowledge, at now: MonotonicInstant
    ) {
        guard let last = known.exchanges.last, !last.isVoid else { return }
        let count: Int?
        switch last.outcome {
        case nil: count = nil
        case .sent(let octets): count = octets
        case .withheld, .performed, .refused, .ignored, .abandoned: return
        }
        let share = share(of: last.command, count, before: next.octets)
        if count == nil {
            guard now - last.writtenAt < Self.patience else { return }
            guard capture?.mayHaveEnded != true else {
                capture?.overtake(last.command, at: now)
                return
            }
            return breaksIn(last.command, count, share, at: now)
        }
        guard let share, let count, share.octets < count else {
            return waited(last, share, next, known, at: now)
        }
        if witness?.side == .accessory { return breaksIn(last.command, count, share, at: now) }
        early.append(
            EarlyCommand(
                answer: (last.command, count), next: next.octets, writtenAt: now, share: share))
    }

    /// Judges the commands whose answers the phone's controller has acknowledged since, or should have.
    mutating func judgeEarlyCommands(at now: MonotonicInstant) {
        guard !early.isEmpty else { return }
        let tolerance = max(Self.reordering, interval)
        for command in exchange(&early, with: []) {
            let (answer, count) = command.answer
            let completedAt = share(of: answer, count, before: command.next)?.completedAt
            if let completedAt, completedAt - command.writtenAt <= tolerance {
                card.note(
                    .sendsOneCommandAtATime,
                    "it may have sent a command before it had the whole answer to \(answer.text): the "
                        + "phone's controller acknowledged that "
                        + "\(max(.zero, completedAt - command.writtenAt).text) later",
                    at: command.writtenAt - origin)
            } else if completedAt != nil || now - command.writtenAt > tolerance {
                breaksIn(answer, count, command.share, at: command.writtenAt)
            } else {
                early.append(command)
            }
        }
    }

    private func share(
        of answer: ProviderSession.Command, _ count: Int?, before next: [UInt8]
    ) -> AnswerWitness.Share? {
        if let capture { return capture.share }
        guard case .decoded(let command) = answer,
            let identity = ResponseIdentity(answering: command)
        else { return nil }
        return witness?.share(
            ofAnswerTo: command.octets,
            AttributeResponse(identity: identity, attributes: []).octets, count: count,
            before: next)
    }

    /// The accessory had the answer. That it waits for one is shown only if it had something to ask for meanwhile, which
    /// it then asks for: at once, or after the name of an app.
    private mutating func waited(
        _ last: AccessoryKnowledge.Exchange, _ share: AnswerWitness.Share?,
        _ next: ProviderSession.Command, _ known: AccessoryKnowledge, at now: MonotonicInstant
    ) {
        guard let answeredAt = last.answeredAt, let session = known.session,
            case .decoded(let command) = next
        else { return }
        let joins = share.map { $0.values > 1 } ?? false
        let waiting = session.tracks.filter { uid, track in
            uid != last.command.notificationUID && track.canBeFetched && !track.isFetched
                && track.announcedAt < answeredAt
        }
        switch command {
        case .getNotificationAttributes(let get):
            let uid = get.notificationUID
            var hasJoined = patient.removeValue(forKey: uid)
            if waiting[uid] != nil {
                hasJoined = hasJoined == true || joins
                if now - answeredAt >= Self.hesitation, hesitations.count < Self.maximumOpen {
                    hesitations.append(answeredAt)
                }
            }
            guard let hasJoined else { return }
            card.pass(.sendsOneCommandAtATime)
            if hasJoined { card.pass(.joinsFragments) }
        case .getAppAttributes:
            for uid in waiting.keys { patient[uid] = patient[uid] == true || joins }
        case .performNotificationAction: break
        }
    }

    /// The accessory had a part of an answer at most. One that asks for more after the first part may take that for the
    /// whole; one that has asked before there was any does not wait at all, which says nothing about R31.
    mutating func breaksIn(
        _ answer: ProviderSession.Command, _ count: Int?, _ share: AnswerWitness.Share?,
        at now: MonotonicInstant
    ) {
        let whole = count.map { " of \($0)" } ?? ""
        let part = share.map {
            ": the accessory had \(counted($0.values, "value")) of it, \($0.octets)\(whole) octets"
        }
        fail(
            .sendsOneCommandAtATime,
            "a command arrived while the answer to \(answer.text) was on its way\(part ?? "")",
            at: now)
        guard let share else { return }
        if share.values == 0 { waitsForNothing = true }
        guard share.values > 0, answer.notificationUID != nil, torn.count < Self.maximumOpen
        else { return }
        torn.append(
            (
                "it sent the next command after \(counted(share.values, "value")), "
                    + "\(share.octets)\(whole) octets, of the answer to \(answer.text)", now
            ))
    }

    /// Judges R31 by all that was seen.
    mutating func closeTurns(at now: MonotonicInstant) {
        judgeEarlyCommands(at: now)
        // Once, it may have had other things to do.
        for time in hesitations where hesitations.count > 1 {
            card.note(
                .joinsFragments,
                "it had the whole answer to one command, and asked about what waited only seconds "
                    + "later: it may not take that for complete", at: time - origin)
        }
        for (text, time) in torn {
            if waitsForNothing {
                card.note(
                    .joinsFragments, text + "; it may not wait for answers at all, S4",
                    at: time - origin)
            } else {
                fail(.joinsFragments, text + ": it may take that for the whole", at: time)
            }
        }
    }
}
