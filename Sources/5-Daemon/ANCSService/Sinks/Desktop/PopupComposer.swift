internal import ANCSReceiver

/// Composes the popups of records.
struct PopupComposer: Sendable {
    /// The user's configuration.
    var desktop: ServiceConfiguration.DesktopSection
    /// The server's capabilities; `nil` if there is no server.
    var server: DesktopServer?
    /// The programs that a click on a popup can open.
    var programs = InstalledPrograms()
    /// What the phones that are paired are called, by their digests. If there are several, a popup says whose it is.
    var labels: [String: String] = [:]

    private static let limitOfNames = 128
    private static let limitOfLines = 256
    private static let limitOfBody = 4096
    private static let limitOfLabels = 64

    // MARK: Records

    /// The popup of a record; `nil` if rules or configuration suppress it. That of a call that is cut off, because its
    /// phone does not report it now, has no buttons that would do nothing, and says why.
    func popup(of record: Record, isCutOff: Bool = false) -> DesktopPopup? {
        guard desktop.popups, !record.verdict.isMuted, let verdict = record.verdict.popup else {
            return nil
        }
        if record.isCall, desktop.calls == .none { return nil }
        let kind = DesktopKind(record.notification.category)
        let word = word(of: record, kind)
        var popup = DesktopPopup(
            appName: appName(of: record), icon: verdict.icon ?? icon(of: record, kind),
            summary: summary(of: record, kind, word))
        popup.body =
            isCutOff
            ? "The phone no longer reports the call, which may go on there" : body(of: record, word)
        popup.actions = isCutOff ? harmless(record) : actions(of: record, kind)
        popup.urgency = verdict.urgency ?? urgency(of: record)
        popup.category = desktop.content == .none && !record.isCall ? nil : kind.category
        popup.sound = sound(of: record, verdict)
        popup.isResident = record.isRinging
        popup.expiry = expiry(of: record, verdict)
        return popup
    }

    /// Whether a record without a popup gets one: a pre-existing one only if the configuration says so.
    func introduces(_ record: Record) -> Bool {
        guard record.isEarlier else { return true }
        return switch desktop.preExisting {
        case .all: true
        case .unseen: record.notification.wasSeen != true
        case .none: false
        }
    }

    /// The name of its app.
    func appName(of record: Record) -> String {
        guard desktop.content != .none else { return "iPhone" }
        let name = record.notification.app.description
        let owner = label(of: record) ?? record.phone.name ?? "iPhone"
        return line(name.isEmpty ? owner : name, Self.limitOfNames)
    }

    /// The heading. A server that shows no body has the word for a call there.
    private func summary(of record: Record, _ kind: DesktopKind, _ word: String) -> String {
        // Without an app, it is the phone that has sent it.
        let owner = record.notification.app.description.isEmpty ? nil : label(of: record)
        let suffix =
            (owner.map { " · " + line($0, Self.limitOfLabels) } ?? "")
            + (word.isEmpty || showsBody ? "" : " (\(word.lowercased()))")
        let sign = record.isCall && server?.showsIcons == false ? "☎ " : ""
        let heading = heading(of: record, kind)
        let named = naming(
            appName(of: record), heading.isEmpty ? kind.words : heading,
            limit: Self.limitOfLines - (sign + suffix).utf8.count)
        return sign + named + suffix
    }

    /// What tells its phone from the others; `nil` if there is only one.
    private func label(of record: Record) -> String? {
        labels.count > 1 ? labels[record.phone.digest] : nil
    }

    /// What the phone calls it; empty if it has no title.
    private func heading(of record: Record, _ kind: DesktopKind) -> String {
        switch desktop.content {
        case .full:
            [record.notification.title, record.notification.subtitle].filter { !$0.isEmpty }
                .joined(separator: " – ")
        case .app: kind.words
        case .none: record.isRinging ? kind.words : "New notification"
        }
    }

    /// A heading, after the name of its app if the server does not show that. Beside letters from right to left the
    /// groups of a caller's number would change places, for which iOS wraps it in marks (S13) that the fold drops: there,
    /// and where it stands alone and had such marks, its direction is its own.
    private func naming(_ app: String, _ heading: String, limit: Int) -> String {
        let prefix = server?.showsAppNames == true ? "" : "\(app): "
        let scalars = (prefix + heading).unicodeScalars
        guard scalars.contains(where: \.isRightToLeft) || scalars.first?.isBeginning == true else {
            return line(prefix + heading, limit)
        }
        let isolates = ["\u{2068}", "\u{2069}"]
        let rest = limit - (prefix + isolates.joined()).utf8.count
        return prefix + isolates[0] + line(heading, rest) + isolates[1]
    }

    /// The word for a call, whose title is the caller, if nothing else says that it is a call: no text of the
    /// phone, and no icon and no button.
    private func word(of record: Record, _ kind: DesktopKind) -> String {
        let message = record.notification.message
        guard desktop.content == .full, !heading(of: record, kind).isEmpty,
            CategoryID.calls.contains(record.notification.category)
        else { return "" }
        if server?.showsCalls == true, showsBody { return message.isEmpty ? kind.words : "" }
        let isSaid = showsBody && message.lowercased().contains(kind.words.lowercased())
        return isSaid ? "" : kind.words
    }

    private func body(of record: Record, _ word: String) -> String {
        guard desktop.content == .full else { return "" }
        let texts = [showsBody ? word : "", record.notification.message]
        return body(texts.filter { !$0.isEmpty }.joined(separator: "\n"))
    }

    private var showsBody: Bool { server?.hasBody ?? true }

    private func urgency(of record: Record) -> RuleVerdict.Popup.Urgency {
        // Also one that the phone announces again after a pause of the link, as silent.
        if record.isRinging { return .critical }
        if record.notification.isSilent { return .low }
        // iOS also sets the flag Important on ordinary messages, so it counts for calls only.
        return record.isCall && record.notification.isImportant ? .critical : .normal
    }

    private func sound(of record: Record, _ verdict: RuleVerdict.Popup) -> DesktopPopup.Sound {
        if record.notification.isPreExisting { return .none }
        switch verdict.sound {
        case "": return .none
        case let sound? where sound.hasPrefix("/"): return .file(sound)
        case let sound?: return .named(sound)
        case nil: return record.notification.isSilent ? .none : .ofDesktop
        }
    }

    private func expiry(of record: Record, _ verdict: RuleVerdict.Popup) -> DesktopPopup.Expiry {
        guard let expiry = verdict.expiry else { return record.isRinging ? .never : .ofDesktop }
        guard expiry > .zero else { return .never }
        let milliseconds = max(1, min(expiry / .milliseconds(1), Double(Int32.max)))
        return .after(milliseconds: Int32(milliseconds))
    }

    /// The icon of the app or of the category, or a neutral one if neither must be shown.
    private func icon(of record: Record, _ kind: DesktopKind) -> String {
        guard desktop.content != .none else { return "phone" }
        let app = record.notification.app.identifier
        guard !CategoryID.calls.contains(record.notification.category) else { return kind.icon }
        return programs[app]?.icon ?? AppFace.of(app)?.icon ?? kind.icon
    }

    // MARK: Actions

    /// A click on the popup itself invokes the action `default`; without one, some servers invoke the only
    /// action that there is. So every popup with actions has a harmless one, which opens the program for the app
    /// if there is one, and does nothing otherwise. Where it is a button, it closes the popup and says so: OK beside
    /// Answer and Decline could be taken for either.
    func harmless(_ record: Record?) -> [DesktopPopup.Action] {
        guard server?.hasActions == true else { return [] }
        let opens = record.map { opened($0) != nil } ?? false
        let label =
            switch server?.defaultAction {
            case _ where opens: "Open"
            case .clickAndLabel: ""
            case .button: "Close"
            case .click, nil: "OK"
            }
        return [DesktopPopup.Action(key: PopupPress.harmlessKey, label: label)]
    }

    /// The command that a click on the popup of a record runs; `nil` for nothing. A call is not clicked away.
    func opened(_ record: Record) -> [String]? {
        guard !record.isCall, desktop.content != .none else { return nil }
        return programs.command(for: record.notification.app.identifier)
    }

    /// Servers without buttons may show a dialog instead, so they get no actions.
    private func actions(of record: Record, _ kind: DesktopKind) -> [DesktopPopup.Action] {
        guard server?.hasActions == true else { return [] }
        var actions = harmless(record)
        if !record.isCall || desktop.calls == .buttons {
            let labels = record.notification.actions
            if let label = labels.positive {
                actions.append(action(.positive, record, label, kind.positive))
            }
            if let label = labels.negative {
                actions.append(action(.negative, record, label, kind.negative))
            }
        }
        if canCopy(record) {
            actions.append(action(.copy, record, "Copy \(record.code ?? "")", "Copy"))
        }
        return actions
    }

    /// Whether its code may be shown and copied.
    private func canCopy(_ record: Record) -> Bool {
        record.code != nil && !desktop.copy.isEmpty && desktop.content == .full
    }

    /// A button with the phone's label or, before that has arrived, a neutral one.
    private func action(
        _ kind: PopupPress.Kind, _ record: Record, _ label: String, _ neutral: String
    ) -> DesktopPopup.Action {
        let isKnown = !label.isEmpty && desktop.content == .full
        return DesktopPopup.Action(
            key: PopupPress(kind, record.id).key,
            label: isKnown ? line(label, Self.limitOfLabels) : neutral)
    }

    // MARK: The summary

    /// The summary of the records without popups.
    func summary(of folded: FoldedRecords) -> DesktopPopup {
        let count = folded.isIncomplete ? "At least \(folded.count)" : "\(folded.count)"
        var popup = DesktopPopup(
            appName: "iPhone", icon: "phone",
            summary: naming(
                "iPhone", "\(count) more notification" + (folded.count == 1 ? "" : "s"),
                limit: Self.limitOfLines))
        if desktop.content != .none { popup.body = body(appCounts(of: folded)) }
        popup.actions = harmless(nil)
        popup.sound = .none
        return popup
    }

    private func appCounts(of folded: FoldedRecords) -> String {
        let counts = folded.countsByApp
        var parts = counts.prefix(5).map { "\($0.app): \($0.count)" }
        let others = counts.dropFirst(5).reduce(0) { $0 + $1.count }
        if others > 0 { parts.append("others: \(others)") }
        return parts.joined(separator: "\n")
    }

    // MARK: Text

    private func line(_ text: String, _ limit: Int) -> String {
        PopupText.shown(text, as: .line, limit: limit)
    }

    private func body(_ text: String) -> String {
        let shape: PopupText.Shape = server?.hasMarkup == true ? .markup : .lines
        return PopupText.shown(text, as: shape, limit: Self.limitOfBody)
    }
}

extension Record {
    /// Whether it is a ringing or an active call. Closing its popup never has an effect.
    var isCall: Bool { isRinging || notification.category == .activeCall }
    /// Whether it was on the phone before the session, and is not a ringing call.
    var isEarlier: Bool { notification.isPreExisting && !isRinging }
    /// Whether the phone offers an action for it.
    func offers(_ action: ActionID) -> Bool {
        action.flag.map(notification.flags.contains) ?? false
    }
}

extension Unicode.Scalar {
    /// Whether it may be a letter that is written from right to left: Unicode Standard Annex #9, table 4.
    fileprivate var isRightToLeft: Bool {
        switch value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFC, 0x10800...0x10FFF,
            0x1E800...0x1EFFF:
            true
        default: false
        }
    }

    /// Whether an embedding, an override from left to right, or an isolate begins with it.
    fileprivate var isBeginning: Bool {
        switch value {
        case 0x202A, 0x202B, 0x202D, 0x2066...0x2068: true
        default: false
        }
    }
}
