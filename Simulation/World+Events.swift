import ANCS
import ANCSKit
import BluetoothLE
import LinuxIO
import Octets

// Handles the events of devices.
extension World {
    func read(_ phone: NotificationProvider, _ index: Int) async {
        do throws(DeviceError) {
            for try await event in phone.events {
                note("phone \(index): \(event)")
                await handle(event, of: phone, index)
            }
        } catch { referee.violate("a phone failed", "\(index): \(error.message)") }
    }

    private func handle(
        _ event: ProviderEvent, of phone: NotificationProvider, _ index: Int
    ) async {
        switch event {
        case .peer(let id, .discovered(let description)),
            .peer(let id, .connected(let description)):
            let address = description.identity ?? description.address
            accessoryIndex[index]?[id] = addresses[address]
        case .session(let id, .started):
            guard let accessory = accessoryIndex[index]?[id] else {
                return referee.violate("an unknown accessory", "phone \(index)")
            }
            referee.sessionStarted(with: accessory, at: index)
        case .session(let id, .announced(let notification, let value)):
            guard let accessory = accessoryIndex[index]?[id] else { return }
            referee.announced(value, of: notification, to: accessory, at: index)
        case .notification(.removed, _): break
        case .notification(let event, let id):
            if let notification = await phone.notification(id) {
                referee.changed(id, to: notification, at: index)
                if event == .added { lastAdded[index] = notification }
            }
        case .session(let id, .command(.decoded(let command))):
            guard let accessory = accessoryIndex[index]?[id] else { return }
            referee.received(command, from: accessory, at: index, loop.now)
        case .session(_, .command(.malformed(let octets, let reason))):
            referee.violate("a command that is none", "phone \(index): \(octets), \(reason)")
        case .session(let id, .answered(.decoded(let command), let outcome)):
            guard let accessory = accessoryIndex[index]?[id] else { return }
            referee.answered(command, outcome, from: accessory, at: index, loop.now)
        case .session(let id, .action(let request, performed: true)):
            guard let accessory = accessoryIndex[index]?[id] else { return }
            noteDeed(request, at: index)
            referee.performed(request, for: accessory, at: index)
        case .peer(let id, .paired):
            guard let accessory = accessoryIndex[index]?[id] else { return }
            referee.paired(index, with: accessory)
        case .peer(_, .pairing(.compare(let comparison))): comparison.confirm()
        case .peer(_, .pairing(.consent(let consent))): consent.allow()
        case .peer(let id, .securityFailed(let failure)):
            guard let accessory = accessoryIndex[index]?[id] else { return }
            referee.securityFailed(failure.message, of: index, with: accessory)
            Task(executorPreference: loop) { await self.help(phone, index, with: id, accessory) }
        case .device(.missed(let count)):
            referee.violate("events dropped", "phone \(index): \(count)")
        default: break
        }
    }

    /// The user, after a while, helps an accessory that does not return by itself.
    private func help(
        _ phone: NotificationProvider, _ index: Int, with id: AccessoryID, _ accessory: Int
    ) async {
        try? await loop.sleep(for: .seconds(5))
        let pair = Referee.Pair(phone: index, accessory: accessory)
        guard phones[index].device === phone, referee.bonds[pair] != .kept else { return }
        await phone.forget(id)
        referee.forgot(accessory, by: index)
    }

    /// Records what the phone did by itself, unless the simulation performs the action.
    private func noteDeed(_ request: ProviderSession.ActionRequest, at index: Int) {
        let id = request.notificationID
        guard ownActions[index]?.contains(id) != true else { return }
        var action = request.actionID
        if referee.isCall(id, at: index) {
            switch lastAdded[index]?.categoryID {
            case .activeCall?: action = .positive
            case .missedCall?: action = .negative
            default: return
            }
        }
        referee.did(action, with: id, at: index)
    }

    func read(_ accessory: NotificationConsumer, _ index: Int) async {
        do throws(DeviceError) {
            for try await event in accessory.events {
                note("accessory \(index): \(event)")
                handle(event, of: index)
            }
        } catch { referee.violate("an accessory failed", "\(index): \(error.message)") }
    }

    private func handle(_ event: ConsumerEvent, of index: Int) {
        switch event {
        case .session(_, .started(let id)):
            lastShown[index, default: [:]][id.provider] = loop.now
            referee.sessionStarted(id, at: index)
        case .session(_, .ended(let id, _)):
            referee.sessionEnded(with: id.provider, at: index, loop.now)
        case .session(_, .announced(let call)):
            referee.reported(call.delivery.source, by: call.provider, at: index)
        case .notification(let notification):
            lastShown[index, default: [:]][notification.provider] = loop.now
            referee.delivered(
                notification.delivery, by: notification.provider, at: index)
        case .device(.missed(let count)):
            referee.violate("events dropped", "accessory \(index): \(count)")
        default: break
        }
    }
}
