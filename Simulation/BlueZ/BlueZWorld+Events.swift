import ANCS
import ANCSKit
import BlueZTestKit
import DBus
import LinuxIO
import Octets

// Handles what happens at the phones, at bluetoothd and at the accessory.
extension BlueZWorld {
    /// The session of a phone did something.
    func observed(_ output: ProviderSession.Output, of phone: DoublePhone) {
        guard let index = phones.firstIndex(where: { $0 === phone }) else { return }
        note("phone \(index): \(output)")
        switch output {
        case .started:
            announced[index] = [:]
            referee.sessionStarted(with: 0, at: index)
        case .link(.notify(.notificationSource, let value)): announce(value, index)
        case .commandReceived(.decoded(let command)):
            referee.received(command, from: 0, at: index, loop.now)
        case .commandReceived(.malformed(let octets, let reason)):
            referee.violate("a command that is none", "phone \(index): \(octets), \(reason)")
        case .answered(.decoded(let command), let outcome):
            referee.answered(command, outcome, from: 0, at: index, loop.now)
        case .perform(let request):
            referee.did(request.actionID, with: request.notificationID, at: index)
            referee.performed(request, for: 0, at: index)
        case .link, .ended, .answered(.malformed, _), .dropLink: break
        }
    }

    private func announce(_ value: [UInt8], _ index: Int) {
        guard let source = try? NotificationSourceValue(decoding: value.span) else {
            return referee.violate("an announcement that is none", "phone \(index): \(value)")
        }
        let uid = source.notificationUID
        if let id = phones[index].session.notificationID(of: uid) { announced[index][uid] = id }
        guard let id = announced[index][uid] else { return }
        // The session has already forgotten its UID when the removal is announced.
        if source.eventID == .removed { announced[index][uid] = nil }
        referee.announced(source, of: id, to: 0, at: index)
    }

    /// bluetoothd was called.
    func observed(_ call: BusMethodCall) {
        note("bluetoothd: \(call.member) \(call.path.lastElement)")
        guard call.member == "WriteValue", let index = index(of: call.path) else { return }
        if phones[index].write != nil {
            referee.violate("a second command at a time", "phone \(index): \(call.arguments)")
        }
    }

    func read(_ accessory: NotificationConsumer) async {
        do throws(DeviceError) {
            for try await event in accessory.events {
                note("accessory: \(event)")
                handle(event)
            }
        } catch { referee.violate("the accessory failed", error.message) }
    }

    private func handle(_ event: ConsumerEvent) {
        switch event {
        case .device(.ready): isReady = true
        case .session(_, .started(let id)): referee.sessionStarted(id, at: 0)
        case .session(_, .ended(let id, _)):
            referee.sessionEnded(with: id.provider, at: 0, loop.now)
        case .session(_, .announced(let call)):
            referee.reported(call.delivery.source, by: call.provider, at: 0)
        case .notification(let notification):
            referee.delivered(notification.delivery, by: notification.provider, at: 0)
        case .device(.missed(let count)): referee.violate("events dropped", "\(count)")
        // The user does what the advice is.
        case .device(.warning(let warning)) where warning.message.contains("off and on"): help()
        case .peer(_, .securityFailed): help()
        case _: break
        }
    }

    /// The user turns Bluetooth off and on at the phones without a session.
    private func help() {
        Task(executorPreference: loop) {
            try? await self.loop.sleep(for: .seconds(5))
            await self.turnOffAndOn()
        }
    }

    private func turnOffAndOn() async {
        let served = Set((referee.shown[0] ?? [:]).values.compactMap(\.phone))
        for index in phones.indices where !served.contains(index) {
            note("phone \(index): its user turns Bluetooth off and on")
            await double.disconnect(phones[index].path)
        }
    }
}
