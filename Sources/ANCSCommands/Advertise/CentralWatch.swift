internal import ANCSKit

/// What the user of `ancs advertise` is told of the adapter's links, and what pairing asks him.
actor CentralWatch {
    private let report: AdvertiseReport
    /// The central whose pairing asks the user, and what.
    private var question: (central: PeerIdentifier, question: PairingQuestion)?
    /// How links are protected, as far as the user was told.
    private var protections: [PeerIdentifier: LinkProtection] = [:]
    /// Whether something that was wanted could not be done at all.
    private(set) var hasFailed = false

    init(_ report: AdvertiseReport) { self.report = report }

    func observe(_ event: AdapterEvent) async {
        switch event {
        case .pairing(_, .display), .paired, .securityFailed: question = nil
        case .pairing(let central, let asked): question = (central, asked)
        case .disconnected(let central, _):
            if question?.central == central { question = nil }
            protections[central] = nil
        case .secured(let central, let protection):
            guard protections.updateValue(protection, forKey: central) != protection else { return }
        default: break
        }
        await report.report(of: event).show()
    }

    /// What a typed word answers to what is asked, if it does.
    func answer(_ word: String) -> (central: PeerIdentifier, answer: PairingAnswer)? {
        guard let asked = question, let answer = PairingAnswer(word, to: asked.question) else {
            return nil
        }
        question = nil
        return (asked.central, answer)
    }

    func fail() { hasFailed = true }
}
