import ANCS
import ANCSKit
import LinuxIO
import Octets

// What devices tell.
extension World {
    func read(_ phone: NotificationProvider, _ index: Int) async {
        do throws(DeviceError) {
            while let event = try await phone.nextEvent() {
                note("phone \(index): \(event)")
                await handle(event, of: phone, index)
            }
        } catch { referee.violate("a phone failed", "\(index): \(error.message)") }
    }

    private func handle(
        _ event: ProviderEvent, of phone: NotificationProvider, _ index: Int
    ) async {
        switch event {
        case .discovered(let id, let description), .connected(let id, let description):
            let address = description.identity ?? description.address
            accessoryIndex[index]?[id] = addresses[address]
        case .sessionStarted(let id):
            guard let accessory = accessoryIndex[index]?[id] else {
                return referee.violate("an accessory that nobody is", "phone \(index)")
            }
            referee.sessionStarted(with: accessory, at: index)
        case .announced(let id, let notification, let value):
            guard let accessory = accessoryIndex[index]?[id] else { return }
            referee.announced(value, of: notification, to: accessory, at: index)
        case .notification(.removed, _): break
        case .notification(_, let id):
            if let notification = await phone.notification(id) {
                referee.changed(id, to: notification, at: index)
            }
        case .pairing(let id, let question):
            if case .display = question { return }
            await phone.answerPairing(.confirm(true), of: id)
        case .securityFailed(let id, _):
            // What a user would do whose accessory does not come back.
            await phone.forget(id)
        case .missed(let count): referee.violate("events dropped", "phone \(index): \(count)")
        default: break
        }
    }

    func read(_ accessory: NotificationConsumer, _ index: Int) async {
        do throws(DeviceError) {
            while let event = try await accessory.nextEvent() {
                note("accessory \(index): \(event)")
                handle(event, of: index)
            }
        } catch { referee.violate("an accessory failed", "\(index): \(error.message)") }
    }

    private func handle(_ event: ConsumerEvent, of index: Int) {
        switch event {
        case .sessionStarted(let id):
            lastShown[index, default: [:]][id] = loop.now
            referee.sessionStarted(with: id, at: index)
        case .sessionEnded(let id, _): referee.sessionEnded(with: id, at: index)
        case .notification(let id, let delivery):
            lastShown[index, default: [:]][id] = loop.now
            referee.delivered(delivery, by: id, at: index)
        case .missed(let count): referee.violate("events dropped", "accessory \(index): \(count)")
        default: break
        }
    }
}
