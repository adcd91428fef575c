package import Octets

// Events of the notification server.
extension DesktopNotifications {
    // MARK: Coming and going

    /// A server appeared, with this description.
    package mutating func serverAppeared(
        _ name: String, version: String, capabilities: [String], at now: MonotonicInstant
    ) {
        guard !hasStopped else { return }
        if case .present = server { leaveServer() }
        let new = DesktopServer(name: name, version: version, capabilities: capabilities)
        server = .present(new)
        composer.server = new
        said = []
        pause.reset()
        startPause.reset()
        composeAgain()
        let isLeft = { (popup: TrackedPopup) in popup.isWaiting && popup.isOrdinary }
        if table.count(where: isLeft) > limits.atOnce {
            while let index = table.first(where: isLeft) { fold(index) }
        }
        advance(at: now)
    }

    /// The server has ended, and its popups are gone.
    package mutating func serverVanished(at now: MonotonicInstant) {
        guard !hasStopped else { return }
        leaveServer()
        server = .absent
        advance(at: now)
    }

    /// No server could be started; `reason` is a sentence.
    package mutating func startFailed(_ reason: String, at now: MonotonicInstant) {
        guard !hasStopped else { return }
        switch server {
        case .starting: server = .unavailable
        case .absent, .unavailable, .present: return
        }
        startPause.begin(at: now)
        for index in table.indices { table[index].isQuiet = true }
        say(.isUnavailable, "no popups can be shown: \(reason)")
        advance(at: now)
    }

    /// Marks the visible popups to be posted again, without a sound. The popup that was closed last may have
    /// been closed by the server's end, so it is not taken for a dismissal.
    private mutating func leaveServer() {
        outstanding = nil
        lost = []
        dismissals.cancel()
        for index in table.indices {
            if table[index].isUp { table[index].place = .waiting }
            table[index].isQuiet = true
            table[index].attempts = 0
        }
    }

    /// Starts a server for new popups, but not for those of an earlier server.
    mutating func startServer(at now: MonotonicInstant) {
        guard exchange(&wantsServer, with: false) else { return }
        switch server {
        case .starting, .present: return
        case .unavailable where startPause.isOn(at: now): return
        case .absent, .unavailable:
            server = .starting
            outputs.append(.start)
        }
    }

    // MARK: Posting

    /// When a queued popup can be posted; `nil` if there is none or a reply is pending.
    var postingDeadline: MonotonicInstant? {
        guard outstanding == nil, case .present = server else { return nil }
        if table.popups.contains(where: { $0.isDue && !$0.isSummary }) { return pause.end ?? .zero }
        guard let index = table.summary, table[index].isDue else { return nil }
        return max(pause.end ?? .zero, summaryStart ?? .zero)
    }

    /// The earliest time of the summary, before which more records may be added to it.
    private var summaryStart: MonotonicInstant? {
        guard let end = earlier.nextDeadline else { return summaryDeadline }
        return summaryDeadline.map { max($0, end) } ?? end
    }

    mutating func postNext(at now: MonotonicInstant) {
        guard outstanding == nil, case .present = server else { return }
        guard let index = nextToPost(at: now) else { return }
        if table[index].isCall, !table[index].isUp { giveWay(at: now) }
        lastToken += 1
        let token = PostToken(rawValue: lastToken)
        let popup = table[index]
        table[index].attempts += 1
        outstanding = Outstanding(
            token: token, key: popup.key, content: popup.wanted, replaces: popup.up?.id ?? 0,
            deadline: now + limits.answer)
        if popup.isSummary { summaryDeadline = now + .seconds(1) }
        var posted = popup.wanted
        posted.replaces = popup.up?.id ?? 0
        if popup.isQuiet { posted.sound = .none }
        outputs.append(.post(token, posted))
    }

    /// Where new popups cover or precede the others, a ringing call is shown again after them, without a sound.
    mutating func uncoverCalls() {
        guard isCallCovered, outstanding == nil,
            !table.popups.contains(where: { $0.isDue && !$0.isCall })
        else { return }
        isCallCovered = false
        guard case .present(let present) = server, present.order == .newestFirst else { return }
        for index in table.indices where table[index].record?.isRinging == true {
            guard let up = table[index].up, !up.wasPressed else { continue }
            outputs.append(.close(up.id))
            table[index].place = .waiting
            table[index].isQuiet = true
        }
    }

    /// Where one popup is shown after the other, a call does not wait: those that are on the screen or wait there are
    /// withdrawn, and posted again behind it.
    private mutating func giveWay(at now: MonotonicInstant) {
        guard showsOneAtATime else { return }
        var end = MonotonicInstant.zero
        for index in table.indices where !table[index].isCall {
            guard let up = table[index].up, !up.wasPressed else { continue }
            end = max(end, up.since) + up.content.expiry.turn
            guard end > now else { continue }
            outputs.append(.withdraw(up.id))
            table[index].place = .waiting
            table[index].isQuiet = true
        }
    }

    var showsOneAtATime: Bool {
        if case .present(let present) = server { present.order == .oneAtATime } else { false }
    }

    /// Calls come first, and are tried once even after a recent failure of the server.
    private func nextToPost(at now: MonotonicInstant) -> Int? {
        let isPaused = pause.isOn(at: now)
        let call = table.first { $0.isCall && $0.isDue && (!isPaused || $0.attempts == 0) }
        if call != nil || isPaused { return call }
        if let record = table.first(where: { $0.isDue && !$0.isSummary }) { return record }
        guard let summary = table.summary, table[summary].isDue else { return nil }
        return summaryStart.map { now < $0 } ?? false ? nil : summary
    }

    // MARK: Answers

    /// The server shows a popup, with an identifier of its choice.
    package mutating func posted(_ token: PostToken, _ id: UInt32, at now: MonotonicInstant) {
        guard let outstanding = takeOutstanding(token) ?? takeLost(token), !hasStopped,
            let index = table.index(key: outstanding.key)
        else {
            // No popup is waiting for it.
            closeUnknown(id)
            return advance(at: now)
        }
        pause.reset()
        table[index].attempts = 0
        if !table[index].isCall, outstanding.replaces == 0 { isCallCovered = true }
        if let up = table[index].up, up.id != id, up.id != outstanding.replaces {
            // Both calls for it were answered in the end.
            closeUnknown(up.id, butFor: index)
        }
        if id == 0 {
            say(
                .hasNoNumbers,
                "the notification server does not number its popups: they cannot be updated")
            receiveEnd(of: index, byUser: false)
        } else {
            table[index].place = .up(
                TrackedPopup.Up(id: id, since: now, content: outstanding.content))
            // An identifier belongs to one popup only.
            let isOther = { (popup: TrackedPopup) in
                popup.up?.id == id && popup.key != outstanding.key
            }
            if let other = table.first(where: isOther) { receiveEnd(of: other, byUser: false) }
        }
        advance(at: now)
    }

    /// Closes a popup that is not that of a record, or not the only one of it.
    private mutating func closeUnknown(_ id: UInt32, butFor known: Int? = nil) {
        let other = table.index(up: id)
        if id != 0, other == nil || other == known { outputs.append(.close(id)) }
    }

    /// The server did not show a popup.
    package mutating func postFailed(
        _ token: PostToken, _ failure: PostFailure, at now: MonotonicInstant
    ) {
        lost.removeAll { $0.token == token }
        guard let outstanding = takeOutstanding(token), !hasStopped,
            let index = table.index(key: outstanding.key)
        else { return advance(at: now) }
        switch failure {
        case .lost: pause.begin(at: now)
        case .refused(let name):
            say(
                .refuses,
                "the notification server refuses popups (\(PopupText.shown(name, as: .line, limit: 128))): "
                    + "one popup counts those that it refuses")
            makeRoom(for: index, at: now)
        }
        advance(at: now)
    }

    /// A call that counts as lost, if its popup is not on the screen meanwhile.
    private mutating func takeLost(_ token: PostToken) -> Outstanding? {
        guard let index = lost.firstIndex(where: { $0.token == token }) else { return nil }
        let call = lost.remove(at: index)
        let isWaiting = table.index(key: call.key).map { table[$0].isWaiting } ?? false
        return isWaiting ? call : nil
    }

    private mutating func takeOutstanding(_ token: PostToken) -> Outstanding? {
        guard let outstanding, outstanding.token == token else { return nil }
        self.outstanding = nil
        return outstanding
    }

    /// Servers limit the number of popups. An ordinary one is added to the summary; a call, and the summary
    /// itself, replace an ordinary one.
    private mutating func makeRoom(for index: Int, at now: MonotonicInstant) {
        guard !table[index].isOrdinary else { return drop(index) }
        guard !table[index].isUp, let other = table.first(where: { $0.isOrdinary && $0.isUp }),
            let up = table[other].up
        else { return pause.begin(at: now) }
        table[index].place = .up(TrackedPopup.Up(id: up.id, since: now, content: up.content))
        table[index].attempts = 0
        // The other popup is replaced, so it does not have to be closed.
        table[other].place = .waiting
        drop(other)
    }

    /// The server did not reply in time. If it answers another question, it works, and the reply may be lost;
    /// otherwise it has stopped, and the call is in its queue.
    mutating func ask() {
        guard let token = outstanding?.token else { return }
        outstanding?.isLate = true
        outstanding?.deadline = nil
        say(.isSlow, "the notification server does not answer: popups appear when it answers again")
        outputs.append(.ask(token))
    }

    /// The server answered another question, after a call that it has not answered.
    package mutating func answered(_ token: PostToken, at now: MonotonicInstant) {
        guard !hasStopped, outstanding?.token == token, isServerLate else { return }
        outstanding?.deadline = now + limits.answer
    }

    /// The server works, and has not answered a call.
    mutating func giveUp(_ outstanding: Outstanding, at now: MonotonicInstant) {
        self.outstanding = nil
        if lost.count >= limits.lost { lost.removeFirst() }
        lost.append(outstanding)
        pause.begin(at: now)
        guard let index = table.index(key: outstanding.key), table[index].isOrdinary else { return }
        drop(index)
    }
}

extension DesktopPopup.Expiry {
    /// How long a server that shows one popup after the other shows it at least: by its sources, 5 s where it may choose.
    fileprivate var turn: Duration {
        switch self {
        case .ofDesktop: .seconds(6)
        case .never: .seconds(3600)
        case .after(let milliseconds): .milliseconds(milliseconds)
        }
    }
}
