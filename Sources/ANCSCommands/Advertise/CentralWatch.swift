internal import ANCSKit

/// Shows the links of the adapter for `ancs advertise`, and asks the questions of pairing.
actor CentralWatch {
    private let report: AdvertiseReport
    /// The open questions of pairing.
    private var questions = PairingQuestions<PeerIdentifier>()
    /// The protection of each link as last shown.
    private var protections: [PeerIdentifier: LinkProtection] = [:]
    /// Whether something that the user requested failed.
    private(set) var hasFailed = false

    init(_ report: AdvertiseReport) { self.report = report }

    func observe(_ event: AdapterEvent) async {
        var next: [PairingQuestions<PeerIdentifier>.Asked] = []
        switch event {
        case .pairing(let central, let request):
            return await show(questions.ask(request, of: central))
        case .paired(let central), .securityFailed(let central, _):
            next = questions.withdraw(central)
        case .disconnected(let central, _):
            next = questions.withdraw(central)
            protections[central] = nil
        case .identified(let former, let central):
            next = questions.withdraw(former)
            protections[central] = protections.removeValue(forKey: former)
        case .secured(let central, let protection):
            guard protections.updateValue(protection, forKey: central) != protection else { return }
        default: break
        }
        await report.report(of: event).show()
        await show(next)
    }

    private func show(_ questions: [PairingQuestions<PeerIdentifier>.Asked]) async {
        for asked in questions {
            await report.report(of: .pairing(asked.peer, asked.request)).show()
        }
    }

    /// Answers the open question with a typed word. Returns whether the word was an answer.
    func answer(_ word: String) async -> Bool {
        guard let next = questions.answer(word) else { return false }
        await show(next)
        return true
    }

    func fail() { hasFailed = true }
}
