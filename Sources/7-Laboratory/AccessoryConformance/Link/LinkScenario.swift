internal import Kinds
package import ANCSKit

// What `ancs phone --grade link` plays.
extension Scenario {
    /// The limit of the whole run.
    package static let examinationLimit = Duration.seconds(120)
    /// The time in which an accessory is connected, once its advertising was measured.
    private static let search = Duration.seconds(10)
    /// The time in which an accessory returns.
    private static let patience = Duration.seconds(8)
    /// How long it is watched after an answer.
    private static let watch = Duration.seconds(8)

    /// Examines the link of one accessory, which need not use ANCS. `name` is the name that it advertises, or its
    /// address. Nothing is written to the accessory or subscribed to; only a `pairing` other than `.never` pairs.
    ///
    /// Each step that can fail because of the accessory is optional: the verdicts say what was seen.
    package static func examination(
        of name: String, pairing: ProviderConfiguration.Pairing = .never
    ) -> Scenario {
        let accessory = Accessory(
            name: name,
            identification: name.isDeviceAddress
                ? .address(name.uppercased()) : .advertisedName(name))
        var verbs: [(any PhoneVerb, Duration, isOptional: Bool)] = [
            (PhoneVerbs.Wait(milestone: .connected), search, false),
            (PhoneVerbs.DiscoverServices(), patience, true),
            (PhoneVerbs.Expect(expectation: .parameters(nil)), patience, true),
        ]
        if pairing != .never { verbs += pairingVerbs(pairing) }
        for fault in [ParameterFault.refuse, .acceptOnly, .overwrite] { verbs += trial(of: fault) }
        verbs.append((PhoneVerbs.ClearFaults(), patience, true))
        var scenario = Scenario(
            title: "The link of \(name)", accessories: [accessory],
            steps: verbs.enumerated().map { index, step in
                ScenarioStep(
                    path: "step \(index + 1)", accessory: step.0.need == .phone ? nil : 0,
                    deadline: step.1, isOptional: step.isOptional, verb: step.0)
            })
        scenario.summary =
            "Looks for it, measures its advertising, and watches its link: at most "
            + "\(examinationLimit.seconds) s. Nothing is written to it or subscribed to"
            + (pairing == .never ? ", and nothing is paired." : ".")
        scenario.timeout = examinationLimit
        scenario.pairing = pairing
        scenario.grading = .link
        return scenario
    }

    /// The link ends, and requests on the next one have this answer (L9).
    private static func trial(
        of fault: ParameterFault
    ) -> [(any PhoneVerb, Duration, isOptional: Bool)] {
        [
            (PhoneVerbs.ClearFaults(), patience, true),
            (PhoneVerbs.Inject(fault: .parameters(fault, count: 1000)), patience, true),
            (PhoneVerbs.Disconnect(), patience, true),
            (PhoneVerbs.Wait(milestone: .connected), patience, true),
            (PhoneVerbs.Pause(duration: watch), watch, true),
        ]
    }

    /// Pairs; comes back with the same address; and again, switched off and on, with another one (P1).
    private static func pairingVerbs(
        _ pairing: ProviderConfiguration.Pairing
    ) -> [(any PhoneVerb, Duration, isOptional: Bool)] {
        var verbs: [(any PhoneVerb, Duration, isOptional: Bool)] = [
            (PhoneVerbs.Wait(milestone: .bonded), patience, true),
            (PhoneVerbs.Disconnect(), patience, true),
            (PhoneVerbs.Wait(milestone: .restored), patience, true),
            (PhoneVerbs.Restart(), patience, true),
            (PhoneVerbs.Wait(milestone: .restored), patience, true),
        ]
        // Where pairing waits for the accessory, it may never come.
        if pairing == .whenNeeded { verbs.insert((PhoneVerbs.Pair(), patience, true), at: 0) }
        return verbs
    }
}
