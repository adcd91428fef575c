package import ANCS

/// The result of evaluating the rules for a record.
package enum Evaluation: Equatable, Sendable {
    /// Final, whatever else becomes known of the record.
    case decided(RuleVerdict)
    /// Not final.
    ///
    /// - `need`: what to fetch next: the identifier of the app, its name, or everything.
    /// - `provisional`: the verdict if no undecided rule matches.
    /// - `mayBeMuted`: whether it may turn out to be muted.
    case undecided(need: NotificationFeed.Selection, provisional: RuleVerdict, mayBeMuted: Bool)

    /// The verdict so far.
    package var verdict: RuleVerdict {
        switch self {
        case .decided(let verdict), .undecided(_, let verdict, _): verdict
        }
    }

    /// Whether it is final.
    package var isDecided: Bool { if case .decided = self { true } else { false } }
}

/// The rules, in order. The first one that matches decides; rules that continue add their effects.
package struct RuleSet: Equatable, Sendable {
    package let rules: [Rule]

    package init(_ rules: [Rule] = []) { self.rules = rules }

    /// Evaluates the rules for a record, of which only a part may be known.
    ///
    /// - Parameters:
    ///   - subject: The record.
    ///   - isAppMuted: Whether the user has muted an app, which takes precedence over all rules; `nil` if no
    ///     app is muted.
    ///   - exhausted: Called for each rule with a pattern that reached its limits.
    /// - Returns: The verdict, and whether more knowledge can change it.
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
            // Rules after one that certainly decides do not matter.
            if truth == .yes, !rule.continues { break }
        }
        return RuleWalk(steps: steps).evaluation
    }
}

/// A rule that matches a record, or may do so.
struct RuleStep: Equatable, Sendable {
    /// `nil` for a mute by the user.
    var name: String?
    var truth: RuleTruth
    var effects: RuleEffects
    var continues: Bool
    /// Whether its effects perform an action on this record.
    var performs: Bool

    init(_ rule: Rule, _ truth: RuleTruth, _ subject: RuleSubject) {
        name = rule.name
        self.truth = truth
        effects = rule.effects
        continues = rule.continues
        performs = rule.effects.performsNegative && rule.mayPerform(on: subject)
    }

    /// `nil` if the app is certainly not muted by the user.
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
    /// A call is declined only if the rule is for ringing calls; an active call is never ended.
    fileprivate func mayPerform(on subject: RuleSubject) -> Bool {
        switch subject.category {
        case .incomingCall: isForCallsOnly
        case .activeCall: false
        // CategoryID is open: all others are no calls.
        default: true
        }
    }
}

/// Evaluates the rules that match or may match.
private struct RuleWalk {
    let steps: [RuleStep]

    var evaluation: Evaluation {
        var verdict = RuleVerdict()
        for step in steps where step.truth == .yes { verdict.merge(step) }
        verdict.settle()
        guard steps.contains(where: { $0.truth != .yes }) else { return .decided(verdict) }
        let ends = self.ends
        if let settled = Self.common(ends, verdict) { return .decided(settled) }
        let mayBeMuted = ends.contains(where: \.mayMute)
        return .undecided(
            need: mayBeMuted ? need : .everything, provisional: verdict, mayBeMuted: mayBeMuted)
    }

    /// A possible end of the evaluation, with its certain and possible effects.
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
            // `way` has the effects of earlier undecided rules as possible ones only.
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

    /// If every possible end mutes the record and has the same effects on the phone, no text is needed. The
    /// history then stores it only if every end allows that.
    private static func common(_ ends: [End], _ verdict: RuleVerdict) -> RuleVerdict? {
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

    /// What to fetch next: less than everything only if that may be enough to mute the record.
    private var need: NotificationFeed.Selection {
        [.app, .appName].first { canBeMuted(knowing: $0) } ?? .everything
    }

    /// Whether exactly this much knowledge may be enough to show that every end mutes the record.
    private func canBeMuted(knowing knowledge: NotificationFeed.Selection) -> Bool {
        for step in steps {
            let canMatch = step.truth.canBeYes(knowing: knowledge)
            // The effects on the phone must be certain.
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

extension RuleVerdict {
    /// Adds the effects of a rule.
    fileprivate mutating func merge(_ step: RuleStep) {
        rule = step.name
        let effects = step.effects
        isMuted = isMuted || effects.mutes
        isRemembered = isRemembered && !effects.forgets
        programs += effects.programs.map { program in
            var program = program
            program.rule = step.name
            return program
        }
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

    /// A muted record is not shown, runs no program and is not published.
    fileprivate mutating func settle() {
        guard isMuted else { return }
        popup = nil
        programs = []
        publication = nil
    }
}
