internal import ANCSReceiver
internal import EventLines

// The sentence of each step. Names of phones are untrusted: a caller that prints a sentence escapes it.
extension PairingStep {
    /// What happened and what to do, in one sentence.
    package var text: String {
        switch kind {
        case .opened(let seconds): "pairing is open for \(seconds) second\(seconds == 1 ? "" : "s")"
        case .alreadyReceiving(let phones):
            "already receiving from \(phones.listed); waiting for another phone"
        case .onAir:
            "'\(setting.name)' is on air (\(setting.place)): choose it in Settings > Bluetooth on the phone"
        case .offAir:
            "'\(setting.name)' is not on air, so no phone can find it: the adapter is not ready, or as many "
                + "phones are connected as are allowed"
        case .obstacle(let text), .keyTrouble(let text), .adapterFailed(let text): text
        case .connected: "a device has connected: if it is your phone, confirm the pairing there"
        case .crowd(let count): PairingAdvice.crowd(count)
        case .asks(.accept):
            "\(phone.subject) is paired with this machine, by another program, and offers its notifications: say "
                + "whether to accept it; to have digits compared, forget it on both sides, and pair it again"
        case .asks(let kind): "a device wants to pair: \(kind.task)"
        case .noDigits: message(of: .notAuthenticated)
        case .declined: "the device was refused, because the answer was no"
        case .failed(let failure): message(of: failure)
        case .paired(nil): "\(phone.subject) has paired: waiting for its notifications"
        case .paired(let replaced?):
            "\(phone.subject) has paired: the keys of \(replaced.quoted), which was paired before, are "
                + "replaced; waiting for its notifications"
        case .noService:
            "\(phone.subject) does not offer its notifications yet; waiting for them. If it takes longer "
                + "than some seconds, " + missingService
        case .consentMissing:
            "\(phone.subject) does not allow reading its notifications yet; "
                + PairingAdvice.sharing(setting.name).sentence
        case .silent:
            "\(phone.subject) does not answer, though it is connected; \(PairingAdvice.toggle)"
        case .otherApp: PairingAdvice.otherApp(for: setting.name)
        case .hesitation(let count):
            "\(Self.visits(count)) and not paired: if it is your phone, look for the pairing request on its "
                + "screen, and confirm it"
        case .otherCauses:
            "still nothing? On the phone, forget '\(setting.name)' if it is among its devices (the (i), "
                + "Forget This Device), and turn Bluetooth off and on; here, close the desktop's Bluetooth "
                + "settings, and run 'ancs doctor'"
        case .ended(.receiving):
            (["receiving from \(phone.subject)"] + [setting.next].compactMap(\.self)).sentence
        case .ended(.failed(let cause)): text(of: cause)
        }
    }

    private func text(of cause: PairingCause) -> String {
        switch cause {
        case .closed: "pairing was closed before a phone was ready: to go on, \(setting.again)"
        case .adapterGone(let reason):
            "the adapter is gone, and no phone can pair without it: \(reason); when it is back, "
                + setting.again
        case .consentMissing:
            "\(phone.subject) has paired, but does not allow reading its notifications; "
                + PairingAdvice.sharing(setting.name).sentence
        case .noService:
            "\(phone.subject) has paired, but does not offer its notifications; "
                + missingService
        case .silent: "\(phone.subject) has paired, but does not answer; \(PairingAdvice.toggle)"
        case .left:
            "\(phone.subject) has paired, but is no longer connected; \(PairingAdvice.toggle): it comes "
                + "back by itself"
        case .unaccepted:
            "\(phone.subject) is paired with this machine, by another program, and was not accepted: "
                + "\(setting.again), and answer yes"
        case .unfinished:
            "\(phone.subject) has paired, but was not ready in time: 'ancs status' shows when it is"
        case .keyTrouble(let text): text
        case .declined:
            "pairing was refused here, because the answer was no: if both screens show the same digits, "
                + "\(setting.again) and answer yes"
        case .unanswered:
            "the question of pairing was not answered: \(setting.again) in a terminal, and answer within 30 "
                + "seconds"
        case .failed(let failure): "\(message(of: failure)); to try again, \(setting.again)"
        case .noDigits: message(of: .notAuthenticated)
        case .neverPaired(let count):
            "\(Self.visits(count)) but not paired: if it was your phone, forget '\(setting.name)' there, "
                + "\(setting.again), and confirm the pairing on its screen"
        case .notOnAir:
            "'\(setting.name)' was not on air, so no phone could find it: 'ancs doctor' says why"
        case .noDevice(let phones):
            (phones.isEmpty
                ? "no device has connected: "
                : "no other phone has paired; already receiving from \(phones.listed): ")
                + "if the phone does not list '\(setting.name)', \(setting.again), open nRF Connect or "
                + "LightBlue there, and connect to it; 'ancs doctor' examines this machine"
        }
    }

    private func message(of failure: SecurityFailure) -> String {
        failure.message(for: setting.name, unless: setting.acceptance)
    }

    private var missingService: String {
        PairingAdvice.missingService(setting.name, at: setting.stack, removal: "'ancs forget'")
            .sentence
    }

    private static func visits(_ count: Int) -> String {
        count == 1 ? "a device has connected" : "devices have connected \(count) times"
    }
}

extension PairingQuestion.Kind {
    /// What the user has to do.
    fileprivate var task: String {
        switch self {
        case .display: "type on it the digits that are shown here"
        case .compare: "compare the digits on both screens, and answer on both"
        case .enter: "type here the digits that it shows"
        case .consent, .accept: "say whether it may"
        }
    }
}

extension PhoneName? {
    /// The subject of a sentence.
    fileprivate var subject: String { self?.name.map { "'\($0.shortened)'" } ?? "the phone" }
}

extension PhoneName {
    fileprivate var quoted: String { name.map { "'\($0.shortened)'" } ?? "the phone \(digest)" }
}

extension [PhoneName] {
    fileprivate var listed: String {
        map { $0.name?.shortened ?? $0.digest }.joined(separator: ", ")
    }
}

extension [String] {
    /// The steps of an advice, in one sentence.
    var sentence: String { joined(separator: "; ") }
}
