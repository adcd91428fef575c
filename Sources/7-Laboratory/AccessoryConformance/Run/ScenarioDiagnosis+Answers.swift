internal import Printing
internal import ANCSKit

// What was answered, and what the phone did that an accessory has to cope with.
extension ScenarioDiagnosis {
    /// Whether a command may have been meant as the expected one: it is of that kind and about that notification
    /// or app, or it is about nothing that the phone knows.
    func concerns(_ deed: Deed, _ pattern: CommandPattern) -> Bool {
        guard case .decoded(let decoded) = deed.command else { return true }
        guard pattern.command == nil || pattern.command == decoded.commandID else { return false }
        switch decoded {
        case .getNotificationAttributes(let get): return concerns(get.notificationUID, pattern)
        case .performNotificationAction(let perform):
            return concerns(perform.notificationUID, pattern)
        case .getAppAttributes(let get):
            return pattern.notification == nil
                && (pattern.app == nil || pattern.app == get.appIdentifier.description)
        }
    }

    private func concerns(_ uid: NotificationUID, _ pattern: CommandPattern) -> Bool {
        guard pattern.app == nil else { return false }
        guard let name = pattern.notification, let id = state.notifications[uid] else {
            return true
        }
        return id == names[name]
    }

    /// Why a command has no answer, as what is said of the command; `nil` if it has one.
    func answerHint(_ exchange: AccessoryKnowledge.Exchange) -> String? {
        switch exchange.outcome {
        case .sent, .performed, .refused: return nil
        case .ignored:
            return "got no response: after 30 seconds it must disconnect, and connect again, S27"
        case nil:
            let delay = exchange.treatment.delay.map { ", \($0.text) late" } ?? ""
            return "is being answered\(delay): the accessory must not take that for the end, S26"
        case .withheld, .abandoned: break
        }
        guard exchange.couldBeAnswered else {
            // What it lacks still is said by itself.
            guard state.canReceiveAnswers else { return nil }
            return
                "arrived before it subscribed to the Data Source, where the answer goes: subscribing to "
                + "that first loses none, S3"
        }
        if exchange.hasLostSubscription {
            return
                "got no answer, as the phone has let go of the subscription to the Data Source without "
                + "telling: it must subscribe again, S27"
        }
        guard state.phone.responsiveness == .normal else {
            return
                "got no answer, as the phone has stopped answering: it must not wait for ever, S27"
        }
        return "got no answer: after 10 s without a value it must continue, S26"
    }

    /// What an accessory must do that was refused for lack of consent: when it asked about a notification, if it has.
    func consentHints(about wanted: NotificationID?) -> [String] {
        let own = state.exchanges.last { exchange in
            exchange.command.notificationUID.flatMap { state.notifications[$0] } == wanted
        }
        guard let refused = wanted == nil ? state.exchanges.last : own ?? state.exchanges.last,
            let at = refused.answeredAt, case .refused(let error) = refused.outcome,
            error.isAuthorization
        else { return [] }
        let fact =
            "\(refused.command.text(title)) was refused with \(error.code.nameWithCode) at "
            + "\((at - origin).text), and it has not tried again since"
        return state.phone.hasConsent
            ? [fact + ", although the user allows it now: S1"]
            : [
                fact
                    + ": the user does not allow its commands, which is no fault of theirs, and it must "
                    + "try now and then, S1"
            ]
    }

    /// A link on which a request got no response is of no more use (Core Vol 3, Part F, 3.3.3).
    var unansweredHints: [String] {
        guard state.isConnected, let exchange = state.exchanges.last, exchange.outcome == .ignored
        else { return [] }
        return [
            "\(exchange.command.text(title)) has had no response for "
                + "\((now - exchange.writtenAt).text), and the link is still up: after 30 s it must "
                + "disconnect, and connect again, S27"
        ]
    }

    /// What an accessory may have that does not follow the phone's clock.
    static let noClock =
        "it may not show the phone's time, which ANCS does not ask for: this step is for those that do"

    /// How an accessory learns that it should read a value.
    func readHints(_ attribute: PhoneAttribute) -> [String] {
        guard state.isConnected, attribute != .batteryLevel else { return [] }
        guard let change = state.phone.clockChange, change >= linkStart else {
            let hasRead = entries(from: linkStart).contains {
                if case .session(_, .attributeRead) = $0.event { true } else { false }
            }
            return hasRead
                ? ["it has read other values on this link, and not \(attribute.text)"]
                : [Self.noClock]
        }
        return state.subscriptions.contains(.currentTime)
            ? [
                "the clock was adjusted, and it was notified of Current Time: it must read "
                    + "\(attribute.text) again"
            ]
            : [
                "the clock was adjusted, and it is not subscribed to Current Time, which reports this"
            ]
    }
}
