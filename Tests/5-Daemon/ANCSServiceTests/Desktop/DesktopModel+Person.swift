import ANCS
import ANCSKit
import Octets

@testable import ANCSService

/// What a person clicks and closes, and what strangers on the bus say.
extension DesktopModel {
    mutating func clickButton() {
        guard let id = pick(screen.keys.sorted()), let popup = screen[id]?.popup,
            let action = pick(popup.actions)
        else { return }
        screen[id]?.wasPressed = true
        if let press = PopupPress(key: action.key) {
            switch press.kind {
            case .positive: clicks[Click(record: press.record, action: .positive), default: 0] += 1
            case .negative: clicks[Click(record: press.record, action: .negative), default: 0] += 1
            case .copy: break
            }
        }
        let isDouble = random.chance(0.1)
        machine.actionInvoked(id, action.key, at: now)
        if isDouble { machine.actionInvoked(id, action.key, at: now) }
        // Servers close what was clicked, but for what is resident.
        if !popup.isResident || random.chance(0.2) { close(id, .dismissed) }
    }

    /// Keys of buttons that are not there, at numbers that may be somebody else's.
    mutating func clickNonsense() {
        var id = UInt32(random.next() % 40)
        var record = RecordID(rawValue: random.next() % (lastRecord + 1))
        if random.chance(0.7), let live = pick(screen.keys.sorted()), let shown = screen[live] {
            id = live
            record = shown.record ?? record
        }
        let kind = pick([PopupPress.Kind.positive, .negative, .copy]) ?? .negative
        let key = random.chance(0.2) ? "default" : PopupPress(kind, record).key
        guard screen[id]?.popup.actions.contains(where: { $0.key == key }) != true else { return }
        machine.actionInvoked(id, key, at: now)
    }

    mutating func closePopup() {
        guard let id = pick(screen.keys.sorted()) else { return }
        let reasons: [DesktopNotifications.ClosingReason] = [
            .dismissed, .dismissed, .dismissed, .expired, .undefined, .closed,
        ]
        close(id, pick(reasons) ?? .dismissed)
    }

    mutating func closeAll() {
        for id in screen.keys.sorted() { close(id, .dismissed) }
    }

    mutating func strangersSignal() {
        let id = 1000 + UInt32(random.next() % 10)
        let reason: DesktopNotifications.ClosingReason = random.chance(0.5) ? .dismissed : .closed
        if reason != .closed { closings.append(Closing(instant: now, record: nil)) }
        machine.closed(id, reason, at: now)
    }

    mutating func close(_ id: UInt32, _ reason: DesktopNotifications.ClosingReason) {
        guard let shown = screen.removeValue(forKey: id) else { return }
        if reason != .closed {
            closings.append(
                Closing(
                    instant: now, record: reason == .dismissed ? cleared(by: shown) : nil))
        }
        machine.closed(id, reason, at: now)
        drain()
    }

    /// What the contract lets a closing clear.
    func cleared(by shown: Shown) -> RecordID? {
        guard configuration.dismiss == .clear, !shown.wasPressed, now - shown.since >= .seconds(1),
            let record = shown.record.flatMap({ records[$0] }), !record.isCall
        else { return nil }
        return record.id
    }

    mutating func reconfigure() {
        switch random.next() % 5 {
        case 0: configuration.calls = pick([.buttons, .buttons, .show, .none]) ?? .buttons
        case 1: configuration.popups = random.chance(0.8)
        case 2: configuration.dismiss = random.chance(0.7) ? .clear : .never
        case 3: configuration.preExisting = pick([.unseen, .all, .none]) ?? .unseen
        case _: break
        }
        machine.reconfigure(configuration, at: now)
    }
}
