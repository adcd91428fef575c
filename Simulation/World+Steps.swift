import ANCS
import ANCSKit
import Glibc
import HCITransports
import VirtualTransports
import LinuxIO
import Octets
import VirtualBluetooth

// Carries out the steps of a plan.
extension World {
    func carryOut(_ entry: Plan.Entry) async {
        try? await loop.sleep(for: entry.time)
        note("\(entry.step)")
        switch entry.step {
        case .post(let phone, let count): await post(phone, count: count)
        case .flicker(let phone, let pause, let isRemoved):
            await flicker(phone, pause, isRemoved: isRemoved)
        case .modify(let index, let pick):
            guard let (phone, id) = await pickNotification(of: index, pick) else { return }
            await modify(id, of: phone, index)
        case .remove(let phone, let pick):
            guard let (phone, id) = await pickNotification(of: phone, pick) else { return }
            try? await phone.remove(id)
        case .ring(let phone):
            texts += 1
            _ = try? await phones[phone].device?.ring(IncomingCall(caller: "Caller \(texts)"))
        case .endCall(let phone, let pick): await endCall(phone, pick)
        case .perform(let accessory, let pick, let action): perform(accessory, pick, action)
        case .inject(let phone, let fault): await phones[phone].device?.inject(fault)
        case .behave(let phone, let behavior): await phones[phone].device?.setBehavior(behavior)
        case .loseSubscription(let phone, let characteristic):
            await phones[phone].device?.loseSubscription(to: characteristic)
        case .restart(let device, let isForgetful, let pause):
            await restart(device, losingBonds: isForgetful, after: pause)
        case .forget(let phone, let accessory): await forget(phone, accessory)
        case .withholdConsent(let phone, let accessory, let pause):
            await withholdConsent(phone, accessory, pause)
        case .unpublish(let phone, let isAnnounced, let pause):
            await phones[phone].device?.setANCSPublished(false, announcing: isAnnounced)
            try? await loop.sleep(for: pause)
            await phones[phone].device?.setANCSPublished(true, announcing: isAnnounced)
        case .cut, .leaveRange, .noise, .fade, .failController: await disturb(entry.step)
        }
    }

    private func disturb(_ step: Plan.Step) async {
        switch step {
        case .cut(let phone, let accessory):
            let (one, other) = (phones[phone].port, accessories[accessory].port)
            radio.change { radio, now in
                radio.cut(between: one.controller, and: other.controller, at: now)
            }
        case .leaveRange(let phone, let accessory, let pause):
            setPath(RadioPath(isInRange: false), phone, accessory)
            try? await loop.sleep(for: pause)
            setPath(RadioPath(), phone, accessory)
        case .noise(let phone, let accessory, let loss, let pause):
            setPath(RadioPath(loss: loss), phone, accessory)
            try? await loop.sleep(for: pause)
            setPath(RadioPath(), phone, accessory)
        case .fade(let phone, let accessory, let length):
            let one = phones[phone].port.controller
            let other = accessory.map { accessories[$0].port.controller }
            radio.change { radio, now in
                if let other {
                    radio.fade(between: one, and: other, for: length, at: now)
                } else {
                    radio.fade(for: length, at: now)
                }
            }
        case .failController(let device):
            let controller = port(of: device).controller
            radio.change { radio, now in radio.fail(controller, code: 0x42, at: now) }
        default: break
        }
    }

    private func port(of device: Plan.Device) -> VirtualPort {
        switch device {
        case .phone(let index): phones[index].port
        case .accessory(let index): accessories[index].port
        }
    }

    // MARK: The phone's user

    func post(_ index: Int, count: Int) async {
        guard let phone = phones[index].device else { return }
        for _ in 0..<count {
            texts += 1
            var notification = ProviderNotification(
                appIdentifier: Self.app(texts % 4, of: index),
                categoryID: .init(rawValue: UInt8(texts % 12)), title: "Title \(texts)",
                subtitle: texts % 3 == 0 ? "Subtitle \(texts)" : "", message: message(),
                date: Self.noon, positiveActionLabel: texts % 2 == 0 ? "Open" : nil,
                negativeActionLabel: texts % 5 == 0 ? nil : "Clear")
            if texts % 7 == 0 { notification.isSilent = true }
            if texts % 11 == 0 { notification.isImportant = true }
            let hasOwn = texts % 3 != 0
            let actions = hasOwn ? self.actions(of: notification, at: index) : .init()
            guard let id = try? await phone.post(notification, actions: actions) else { continue }
            if hasOwn { ownActions[index]?.insert(id) }
            referee.changed(id, to: notification, at: index)
        }
    }

    /// Actions that clear a notification, as the phone does by itself, and record that they did.
    private func actions(
        of notification: ProviderNotification, at index: Int
    ) -> NotificationProvider.Actions {
        func action(_ label: [UInt8]?, _ action: ActionID) -> NotificationProvider.Action? {
            guard let label else { return nil }
            return NotificationProvider.Action(String(decoding: label, as: UTF8.self)) {
                phone, id in
                guard (try? await phone.remove(id)) != nil else { return false }
                await self.did(action, with: id, at: index)
                return true
            }
        }
        return NotificationProvider.Actions(
            positive: action(notification.positiveActionLabel, .positive),
            negative: action(notification.negativeActionLabel, .negative))
    }

    private func did(_ action: ActionID, with id: NotificationID, at index: Int) {
        referee.did(action, with: id, at: index)
    }

    /// A message of random length: one value of the Data Source, or many, which take a while.
    private func message() -> String {
        let limit = texts % 3 == 0 ? 3000 : 300
        return "Message \(texts) " + String(repeating: "·", count: texts * 37 % limit)
    }

    private func flicker(_ index: Int, _ pause: Duration, isRemoved: Bool) async {
        await post(index, count: 1)
        guard let phone = phones[index].device, let id = await phone.notifications.last else {
            return
        }
        for _ in 0..<3 {
            try? await loop.sleep(for: pause)
            await modify(id, of: phone, index)
        }
        guard isRemoved else { return }
        try? await loop.sleep(for: pause)
        try? await phone.remove(id)
    }

    private func modify(
        _ id: NotificationID, of phone: NotificationProvider, _ index: Int
    ) async {
        texts += 1
        let message = message()
        try? await phone.modify(id) { $0.message = Array(message.utf8) }
        // Its event may come later than the announcement.
        if let notification = await phone.notification(id) {
            referee.changed(id, to: notification, at: index)
        }
    }

    private func pickNotification(
        of index: Int, _ pick: UInt64
    ) async -> (NotificationProvider, NotificationID)? {
        guard let phone = phones[index].device else { return nil }
        let ids = await phone.notifications
        guard !ids.isEmpty else { return nil }
        return (phone, ids[Int(pick % UInt64(ids.count))])
    }

    private func endCall(_ index: Int, _ pick: UInt64) async {
        guard let phone = phones[index].device, let call = await phone.ringingCalls.first else {
            return
        }
        switch pick % 3 {
        case 0: _ = try? await phone.answer(call)
        case 1: _ = try? await phone.decline(call)
        default: _ = try? await phone.stopRinging(call)
        }
    }

    private func withholdConsent(_ index: Int, _ accessory: Int, _ pause: Duration) async {
        guard let phone = phones[index].device, let id = accessoryID(accessory, at: index) else {
            return
        }
        await phone.setConsent(false, for: id)
        try? await loop.sleep(for: pause)
        await phone.setConsent(true, for: id)
    }

    private func forget(_ index: Int, _ accessory: Int) async {
        guard let id = accessoryID(accessory, at: index) else { return }
        await phones[index].device?.forget(id)
        referee.forgot(accessory, by: index)
    }

    private func accessoryID(_ accessory: Int, at phone: Int) -> AccessoryID? {
        accessoryIndex[phone]?.filter { $0.value == accessory }.keys
            .max { $0.rawValue < $1.rawValue }
    }

    // MARK: The accessory's user

    private func perform(_ index: Int, _ pick: UInt64, _ action: ActionID) {
        guard let accessory = accessories[index].device else { return }
        let choices = referee.choices(at: index)
        guard !choices.isEmpty else { return }
        let (session, uid) = choices[Int(pick % UInt64(choices.count))]
        perform(action, on: uid, in: session, by: accessory, index, isCalm: false)
    }

    func perform(
        _ action: ActionID, on uid: NotificationUID, in session: SessionID,
        by accessory: NotificationConsumer, _ index: Int, isCalm: Bool
    ) {
        let number = referee.asked(
            action, on: uid, of: session.provider, at: index, isCalm: isCalm)
        guard let number else { return }
        Task(executorPreference: loop) {
            var failure: RequestError.Code?
            do throws(RequestError) {
                try await accessory.perform(action, on: uid, in: session)
            } catch { failure = error.code }
            await self.ended(number, failure)
        }
    }

    private func ended(_ number: Int, _ failure: RequestError.Code?) {
        referee.ended(number, failure, at: loop.now)
    }

    // MARK: Restarts

    func restart(
        _ device: Plan.Device, losingBonds isForgetful: Bool, after pause: Duration
    ) async {
        switch device {
        case .phone(let index):
            guard await stopPhone(index) else { return }
            if isForgetful { removeStore(of: device, phones[index].name) }
            try? await loop.sleep(for: pause)
            await startPhone(index)
        case .accessory(let index):
            guard await stopAccessory(index) else { return }
            if isForgetful { removeStore(of: device, accessories[index].name) }
            try? await loop.sleep(for: pause)
            startAccessory(index)
        }
    }

    private func removeStore(of device: Plan.Device, _ name: String) {
        referee.isReborn(device)
        let directory = storeDirectory(name)
        for file in ["bonds.json", "phone.json"] { unlink("\(directory)/\(file)") }
    }
}
