internal import ANCS
package import Octets

// User input on popups.
extension DesktopNotifications {
    // MARK: Closing

    /// A popup was closed; it may belong to another program.
    package mutating func closed(_ id: UInt32, _ reason: ClosingReason, at now: MonotonicInstant) {
        guard !hasStopped else { return }
        let index = table.index(up: id)
        // Popups of other programs count too: they reveal that all popups were closed at once.
        if reason != .closed {
            let record = index.flatMap { dismissed(table[$0], reason, at: now) }
            dismissals.closed(record, at: now)
        }
        if let index { receiveEnd(of: index, byUser: reason == .dismissed) }
        advance(at: now)
    }

    /// The record of a popup, if closing it by hand clears it on the phone.
    private func dismissed(
        _ popup: TrackedPopup, _ reason: ClosingReason, at now: MonotonicInstant
    ) -> RecordID? {
        guard composer.desktop.dismiss == .clear, reason == .dismissed, let record = popup.record,
            !record.isCall, record.offers(.negative), let up = popup.up, !up.wasPressed
        else { return nil }
        // It was not visible long enough for the user to mean it, or its contents are out of date.
        guard now - up.since >= .seconds(1), !popup.isDue, outstanding?.key != popup.key else {
            return nil
        }
        return record.id
    }

    /// A popup was closed.
    mutating func receiveEnd(of index: Int, byUser: Bool) {
        if outstanding?.key == table[index].key {
            // Its replacement is being posted, and will appear as a new popup.
            table[index].place = .waiting
        } else if table[index].isSummary {
            folded.removeAll()
            _ = table.remove(at: index)
        } else {
            table[index].place = .closed(byUser: byUser)
        }
    }

    // MARK: Buttons

    /// A button was pressed; it may belong to a popup of another program.
    package mutating func actionInvoked(_ id: UInt32, _ key: String, at now: MonotonicInstant) {
        guard !hasStopped, let index = table.index(up: id), var up = table[index].up else { return }
        guard up.content.actions.contains(where: { $0.key == key }) else { return }
        up.wasPressed = true
        table[index].place = .up(up)
        if let phone = table[index].asked, let answer = PairingAnswer(pressed: key, about: phone) {
            outputs.append(.answer(phone.digest, answer))
        }
        if key == PopupPress.harmlessKey {
            if let command = table[index].record.flatMap(composer.opened) {
                outputs.append(.open(command))
            } else if composer.server?.defaultAction == .button {
                // Servers leave a resident popup up.
                outputs.append(.close(id))
                receiveEnd(of: index, byUser: true)
            }
            return advance(at: now)
        }
        guard let record = table[index].record else { return }
        guard let press = PopupPress(key: key), press.record == record.id else { return }
        perform(press.kind, record, at: now)
        advance(at: now)
    }

    private mutating func perform(
        _ kind: PopupPress.Kind, _ record: Record, at now: MonotonicInstant
    ) {
        switch kind {
        case .positive:
            guard record.offers(.positive), !isDoubleClick(record.id, at: now) else { return }
            lastPositive = (record.id, now)
            outputs.append(.perform(record.id, .positive))
        case .negative:
            guard record.offers(.negative) else { return }
            negatives.want(record.id, isCall: record.isCall, at: now)
        case .copy: if let code = record.code { outputs.append(.copy(code)) }
        }
    }

    private func isDoubleClick(_ record: RecordID, at now: MonotonicInstant) -> Bool {
        guard let lastPositive, lastPositive.record == record else { return false }
        return now - lastPositive.instant < .seconds(1)
    }

    /// Performs the requested negative actions that are due and still possible.
    mutating func performNegatives(at now: MonotonicInstant) {
        while let id = negatives.takeDue(at: now) {
            guard let index = table.index(of: id), let record = table[index].record,
                record.offers(.negative)
            else { continue }
            outputs.append(.perform(id, .negative))
        }
    }
}
