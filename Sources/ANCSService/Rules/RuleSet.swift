internal import ANCS

/// What the rules say of a record.
package enum Evaluation: Hashable, Sendable {
    /// Whatever else becomes known of it, this is done.
    case decided(Verdict)
    /// More has to be known.
    ///
    /// - `need`: what to fetch next: the identifier of the app, its name, or everything.
    /// - `provisional`: what is done if no rule matches that is not clear yet.
    /// - `mayBeMuted`: whether it can turn out that it is muted.
    case undecided(need: RuleKnowledge, provisional: Verdict, mayBeMuted: Bool)

    /// What is done, as far as it is known.
    package var verdict: Verdict {
        switch self {
        case .decided(let verdict), .undecided(_, let verdict, _): verdict
        }
    }

    /// Whether nothing can change it.
    package var isDecided: Bool {
        if case .decided = self { true } else { false }
    }
}

/// The rules, in their order. The first one that matches decides, but for those that let later ones follow,
/// whose effects add up.
package struct RuleSet: Hashable, Sendable {
    package let rules: [Rule]

    package init(_ rules: [Rule] = []) { self.rules = rules }

    /// What is done with a record of which some things may not be known yet.
    ///
    /// - Parameters:
    ///   - subject: The record.
    ///   - isAppMuted: Whether an app is muted by hand, which comes before all rules; `nil` where none is.
    ///   - exhausted: Is told of each rule with a pattern that hit its limits.
    /// - Returns: What is done, and whether more knowledge can change that.
    package func evaluate(
        _ subject: RuleSubject, isAppMuted: ((String) -> Bool)? = nil,
        exhausted: (Rule) -> Void = { _ in }
    ) -> Evaluation {
        var steps: [RuleStep] = []
        var work = PatternWork()
        if let mute = RuleStep(handMuted: isAppMuted, subject) {
            steps.append(mute)
            if mute.truth == .yes { return RuleWalk(steps: steps).evaluation }
        }
        for rule in rules {
            let before = work.exhausted
            let truth = rule.conditions.truth(of: subject, &work)
            if work.exhausted > before { exhausted(rule) }
            guard truth != .no else { continue }
            steps.append(RuleStep(rule, truth, subject))
            // Nothing that follows a rule that surely decides can matter.
            if truth == .yes, !rule.continues { break }
        }
        return RuleWalk(steps: steps).evaluation
    }
}

/// A rule that matches a record, or that can turn out to.
struct RuleStep: Hashable, Sendable {
    /// `nil` for what was muted by hand.
    var name: String?
    var truth: RuleTruth
    var effects: RuleEffects
    var continues: Bool
    /// Whether the effects perform an action on this very record.
    var performs: Bool

    init(_ rule: Rule, _ truth: RuleTruth, _ subject: RuleSubject) {
        name = rule.name
        self.truth = truth
        effects = rule.effects
        continues = rule.continues
        performs = rule.effects.performsNegative && rule.mayPerform(on: subject)
    }

    /// `nil` where it is clear that the app is not muted by hand.
    init?(handMuted isMuted: ((String) -> Bool)?, _ subject: RuleSubject) {
        guard let isMuted else { return nil }
        if let app = subject.app {
            guard isMuted(app) else { return nil }
            truth = .yes
        } else {
            guard subject.texts == nil else { return nil }
            truth = .unknown(.app)
        }
        effects = RuleEffects()
        effects.mutes = true
        continues = false
        performs = false
    }
}

extension Rule {
    /// A call is declined only where the rule is for calls that ring, and one that goes on is never ended.
    fileprivate func mayPerform(on subject: RuleSubject) -> Bool {
        switch subject.category {
        case .incomingCall: isForCallsOnly
        case .activeCall: false
        default: true
        }
    }
}

/// Goes through the rules that match, or may.
private struct RuleWalk {
    let steps: [RuleStep]

    var evaluation: Evaluation {
        var verdict = Verdict()
        for step in steps where step.truth == .yes { verdict.merge(step) }
        verdict.settle()
        guard steps.contains(where: { $0.truth != .yes }) else { return .decided(verdict) }
        let ends = self.ends
        if let settled = Self.common(ends, verdict) { return .decided(settled) }
        let mayBeMuted = ends.contains(where: \.mayMute)
        return .undecided(
            need: mayBeMuted ? need : .everything, provisional: verdict, mayBeMuted: mayBeMuted)
    }

    /// A way on which it can end, by what is sure to be done on it and what may be.
    private struct End {
        var mutes: Bool
        var mayMute: Bool
        var performs: Bool
        var mayPerform: Bool
        var mayForget: Bool
    }

    private var ends: [End] {
        var ends: [End] = []
        var way = End(
            mutes: false, mayMute: false, performs: false, mayPerform: false, mayForget: false)
        for step in steps {
            // What may come before is only possible on this way too.
            var taken = way
            taken.mutes = taken.mutes || step.effects.mutes
            taken.mayMute = taken.mayMute || step.effects.mutes
            taken.performs = taken.performs || step.performs
            taken.mayPerform = taken.mayPerform || step.performs
            taken.mayForget = taken.mayForget || step.effects.forgets
            switch (step.truth, step.continues) {
            case (.yes, true): way = taken
            case (.yes, false):
                ends.append(taken)
                return ends
            case (_, false): ends.append(taken)
            case (_, true):
                taken.mutes = way.mutes
                taken.performs = way.performs
                way = taken
            }
        }
        ends.append(way)
        return ends
    }

    /// Where every way ends muted, with the same done on the phone, no text is needed to say so. The history
    /// then keeps it only if it does on every way.
    private static func common(_ ends: [End], _ verdict: Verdict) -> Verdict? {
        let performs = verdict.action != nil
        guard
            ends.allSatisfy({ end in
                end.mutes && end.performs == performs && end.mayPerform == performs
            })
        else { return nil }
        var verdict = verdict
        verdict.isMuted = true
        verdict.isRemembered = !ends.contains(where: \.mayForget)
        verdict.settle()
        return verdict
    }

    /// What to fetch next: less than everything only where it can be enough to mute it.
    private var need: RuleKnowledge {
        [.app, .appName].first { canBeMuted(knowing: $0) } ?? .everything
    }

    /// Whether so much knowledge, and none that is beyond, can show that it is muted on every way.
    private func canBeMuted(knowing knowledge: RuleKnowledge) -> Bool {
        for step in steps {
            let canMatch = step.truth.canBeYes(knowing: knowledge)
            // What is done on the phone has to be known for sure.
            if step.performs, step.truth != .yes, !step.truth.canBeNo(knowing: knowledge) {
                return false
            }
            if step.effects.mutes {
                if canMatch { return true }
            } else if !step.continues, !step.truth.canBeNo(knowing: knowledge) {
                return false
            }
        }
        return false
    }
}

extension Verdict {
    /// Adds what a rule does.
    fileprivate mutating func merge(_ step: RuleStep) {
        rule = step.name
        let effects = step.effects
        isMuted = isMuted || effects.mutes
        isRemembered = isRemembered && !effects.forgets
        programs += effects.programs
        publication = effects.publication ?? publication
        if step.performs { action = .negative }
        let change = effects.popup
        guard change != .init() else { return }
        guard change.isShown != false else {
            popup = nil
            return
        }
        var shown = popup ?? Popup()
        shown.urgency = change.urgency ?? shown.urgency
        shown.expiry = change.expiry ?? shown.expiry
        shown.icon = change.icon ?? shown.icon
        shown.sound = change.sound ?? shown.sound
        popup = shown
    }

    /// What is muted is not shown, runs nothing and is not published.
    fileprivate mutating func settle() {
        guard isMuted else { return }
        popup = nil
        programs = []
        publication = nil
    }
}
