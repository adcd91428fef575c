/// A question of pairing to the user of this machine.
package enum PairingQuestion: Equatable, Sendable {
    /// A question without its digits. The words are those of the bus.
    package enum Kind: String, Equatable, Sendable, CaseIterable {
        case display
        case compare
        case enter
        case consent
        case accept
    }

    /// Enter these six digits on the phone; no answer is needed.
    case display(String)
    /// Does the phone display these six digits?
    case compare(String)
    /// Which six digits does the phone display?
    case enter
    /// May the phone pair?
    case consent
    /// Is the phone with this name, which is paired already, to be received from? The name is untrusted, or empty.
    case accept(String)

    /// What a request asks.
    package init(_ request: PairingRequest) {
        switch request {
        case .display(let display): self = .display(display.passkey.description)
        case .compare(let comparison): self = .compare(comparison.number.description)
        case .enter: self = .enter
        case .consent(let consent): self = consent.bond.map { .accept($0.name ?? "") } ?? .consent
        }
    }

    /// The question in words; `peer` is the name of the other device.
    package func message(peer: String) -> String {
        switch self {
        case .display(let digits): "type \(digits) on the \(peer)"
        case .compare(let digits): "does the \(peer) show \(digits)? yes or no:"
        case .enter: "type the six digits that the \(peer) shows:"
        case .consent: "may the \(peer) pair? yes or no:"
        case .accept(let name):
            (name.isEmpty ? "the \(peer)" : "'\(name)'")
                + " is paired with this machine and offers notifications: accept it? yes or no:"
        }
    }

    /// That the question, which was shown, is not asked any more.
    package var withdrawal: String {
        switch self {
        case .display(let digits): "\(digits) is no longer valid"
        case .compare(let digits): "the question about \(digits) is withdrawn"
        case .enter: "the question for six digits is withdrawn"
        case .consent: "the question whether it may pair is withdrawn"
        case .accept: "the question whether to accept it is withdrawn"
        }
    }
}

extension PairingRequest {
    /// Whether it is about a bond that exists, and outlives the link.
    package var isAboutBond: Bool {
        if case .consent(let consent) = self { consent.bond != nil } else { false }
    }

    /// What is asked.
    package var question: PairingQuestion { PairingQuestion(self) }
}
