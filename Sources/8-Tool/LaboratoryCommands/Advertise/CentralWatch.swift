internal import ANCSKit
internal import CommandKit

/// Shows the links of the adapter for `ancs advertise`, and asks the questions of pairing.
actor CentralWatch {
    private let report: AdvertiseReport
    private let loop: EventLoop
    /// The open questions of pairing.
    private var questions = PairingQuestions<PeerIdentifier, PairingRequest>()
    /// The protection of each link as last shown.
    private var protections: [PeerIdentifier: LinkProtection] = [:]
    /// Whether something that the user requested failed.
    private(set) var hasFailed = false

    init(_ report: AdvertiseReport, on loop: EventLoop) {
        self.report = report
        self.loop = loop
    }

    func observe(_ event: AdapterEvent) async {
        var next: [PairingQuestions<PeerIdentifier, PairingRequest>.Change] = []
        let now = loop.now
        switch event {
        case .peer(let central, .pairing(let request)):
            return await show(questions.receive(request, of: central, at: now))
        case .peer(let central, .paired), .peer(let central, .securityFailed):
            next = questions.withdraw(central, at: now)
        case .peer(let central, .disconnected):
            next = questions.withdraw(central, at: now)
            protections[central] = nil
        case .peer(let central, .identified(let former)):
            next = questions.withdraw(former, at: now)
            protections[central] = protections.removeValue(forKey: former)
        case .peer(let central, .secured(let protection)):
            guard protections.updateValue(protection, forKey: central) != protection else { return }
        case .device, .peer: break
        }
        await report.report(of: event).show()
        await show(next)
    }

    private func show(_ changes: [PairingQuestions<PeerIdentifier, PairingRequest>.Change]) async {
        for change in changes {
            switch change {
            case .show(let asked):
                await report.report(of: .peer(asked.peer, .pairing(asked.question))).show()
            case .withdrawn(let asked):
                await report.report(problem: asked.question.question.withdrawal).show()
            }
        }
    }

    /// Answers the open question with a typed word. Returns whether the word was an answer.
    func answer(_ word: String) async -> Bool {
        switch questions.answer(word, at: loop.now) {
        case .answer(_, let changes): await show(changes)
        case .tooSoon: await report.report(problem: pairingAnswerTooSoon).show()
        case .notAnAnswer: return false
        }
        return true
    }

    func fail() { hasFailed = true }
}
