// Whether a phone that another program has paired is to be received from.
extension DesktopNotifications {
    /// How many questions are shown: a machine has few phones.
    private static var questionLimit: Int { 4 }

    /// Asks about a phone. A question that was closed is still asked, and does not pop up again.
    mutating func ask(_ phone: PhoneName, _ name: String) {
        guard table.index(asking: phone.digest) == nil,
            table.count(where: { $0.asked != nil }) < Self.questionLimit,
            let wanted = composer.question(about: phone, name)
        else { return }
        table.append(.question(phone, name), wanted, .waiting)
        wantsServer = true
    }

    mutating func withdraw(_ phone: PhoneName) {
        if let index = table.index(asking: phone.digest) { close(index) }
    }

    mutating func composeQuestionsAgain() {
        for index in table.indices.reversed() {
            guard case .question(let phone, let name) = table[index].subject else { continue }
            if let wanted = composer.question(about: phone, name) {
                table[index].wanted = wanted
            } else {
                close(index)
            }
        }
    }
}

extension PopupComposer {
    /// The popup with a question; `nil` if no popups are wanted. Neither a click on it nor closing it is an answer.
    func question(about phone: PhoneName, _ name: String) -> DesktopPopup? {
        guard desktop.popups else { return nil }
        let subject = name.isEmpty ? "A device" : "'\(name)'"
        var popup = DesktopPopup(
            appName: "ancs", icon: "phone",
            summary: PopupText.shown(
                "Receive notifications from \(subject)?", as: .line, limit: 256))
        let hasButtons = server?.hasActions == true
        popup.body =
            "It is paired with this machine, by another program. If it is not your phone, decline. To have digits "
            + "compared, forget it on both sides, and pair it again with 'ancs pair'"
            + (hasButtons ? "." : ", which also asks whether to accept it.")
        if hasButtons {
            popup.actions =
                harmless(nil) + [
                    .init(key: QuestionPress.accept(phone), label: "Accept"),
                    .init(key: QuestionPress.decline(phone), label: "Decline"),
                ]
        }
        popup.category = "device"
        popup.expiry = .never
        return popup
    }
}

/// The actions of a question. Their identifiers contain the phone, so that a press is never mistaken for another's.
enum QuestionPress {
    static func accept(_ phone: PhoneName) -> String { "accept-\(phone.digest)" }
    static func decline(_ phone: PhoneName) -> String { "decline-\(phone.digest)" }
}

extension PairingAnswer {
    /// What a press of a button says about a phone; `nil` if nothing.
    init?(pressed key: String, about phone: PhoneName) {
        switch key {
        case QuestionPress.accept(phone): self = .yes
        case QuestionPress.decline(phone): self = .no
        default: return nil
        }
    }
}
