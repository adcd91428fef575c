import ANCS
import ANCSKit
import Octets

@testable import ANCSService

/// The notification server, as it should be and as none should.
extension DesktopModel {
    mutating func changeServer() {
        if isPresent {
            // One that is ended may say that it closed all.
            if random.chance(0.5) { closeAll() }
            vanish()
        } else {
            appear()
        }
    }

    mutating func vanish() {
        isPresent = false
        screen = [:]
        let lost = late
        late = []
        // The bus says the one or the other first.
        if random.chance(0.5) { sayVanished() }
        for call in lost {
            machine.postFailed(call.token, .lost, at: now)
            drain()
        }
        if isKnown { sayVanished() }
        // What was dismissed last may be the end's doing.
        closings.append(Closing(instant: now, record: nil))
    }

    mutating func sayVanished() {
        isKnown = false
        machine.serverVanished(at: now)
        drain()
    }

    mutating func appear() {
        isPresent = true
        isKnown = true
        if random.chance(0.7) { lastID = 0 }
        let all = ["actions", "body", "body-markup", "icon-static"]
        let capabilities = random.chance(0.9) ? all : ["body"]
        machine.serverAppeared("Plasma", version: "1", capabilities: capabilities, at: now)
    }

    mutating func receive(
        _ token: DesktopNotifications.PostToken, _ popup: DesktopPopup
    ) {
        check(popup)
        guard isPresent else {
            if !isKnown { fault("a post without a server") }
            return machine.postFailed(token, .lost, at: now)
        }
        switch mood {
        case .good: answer(token, popup)
        case .refusing where random.chance(0.7):
            machine.postFailed(token, .refused("org.x.Full"), at: now)
        case .refusing: answer(token, popup)
        case .slow, .silent:
            let delay = random.duration(below: .seconds(mood == .slow ? 9 : 50))
            late.append(Late(token: token, popup: popup, due: now + delay))
        case .renumbering, .mad: answer(token, popup)
        }
    }

    mutating func answer(
        _ token: DesktopNotifications.PostToken, _ popup: DesktopPopup
    ) {
        var id = popup.replaces
        if id == 0 || mood == .renumbering || (screen[id] == nil && random.chance(0.5)) {
            screen[popup.replaces] = nil
            lastID += 1
            id = lastID
        }
        if mood == .mad, random.chance(0.2) {
            screen[id] = nil
            id = UInt32(random.next() % 6)
        }
        if id != 0 { screen[id] = Shown(popup: popup, since: now) }
        machine.posted(token, id, at: now)
        if random.chance(0.1) { machine.posted(token, id, at: now) }
    }

    /// A popup shows what its record says now, and none shows what has gone.
    mutating func check(_ popup: DesktopPopup) {
        if popup.summary.hasSuffix("more notification")
            || popup.summary.hasSuffix("more notifications")
        {
            counts.summaries += 1
            if !popup.actions.allSatisfy({ $0.key == PopupPress.harmlessKey }) {
                fault("a summary with a button")
            }
            return
        }
        if let first = popup.actions.first, first.key != PopupPress.harmlessKey {
            fault("the first action is not harmless")
        }
        let shown = Shown(popup: popup, since: now)
        guard shown.title != "Incoming call" else { return }
        guard let record = shown.record.flatMap({ records[$0] }) else {
            return fault("a popup of what is gone: \(shown.title)")
        }
        if record.notification.title != shown.title { fault("an old text: \(shown.title)") }
        let presses = popup.actions.compactMap { PopupPress(key: $0.key)?.kind }
        if record.isCall, configuration.calls != .buttons, presses.contains(where: { $0 != .copy })
        {
            fault("buttons on a call")
        }
    }
}
