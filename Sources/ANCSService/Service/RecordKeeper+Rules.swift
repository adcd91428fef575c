internal import ANCSReceiver

extension RecordKeeper.Judgement {
    init(_ evaluation: Evaluation) {
        switch evaluation {
        case .decided(let verdict): self = .decided(verdict)
        case .undecided(let need, let provisional, let mayBeMuted):
            self = .undecided(
                need: ConsumerConfiguration.Selection(need), provisional: provisional,
                mayBeMuted: mayBeMuted)
        }
    }
}

extension ConsumerConfiguration.Selection {
    init(_ knowledge: RuleKnowledge) {
        switch knowledge {
        case .header: self = .nothing
        case .app: self = .app
        case .appName: self = .appName
        case .everything: self = .everything
        }
    }
}

extension Rules.Output {
    /// The output as a message for the log.
    var message: String {
        switch self {
        case .patternExhausted(let rule):
            "a pattern of the rule '\(rule)' took too long on a text, which counts as no match: "
                + "simplify it"
        }
    }
}
