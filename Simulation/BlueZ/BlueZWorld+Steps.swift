import ANCS
import ANCSKit
import BlueZTestKit
import DBus
import DBusTestKit
import LinuxIO
import Octets

// Carries out the steps of a plan, and waits until everything must be correct.
extension BlueZWorld {
    func carryOut(_ entry: BlueZPlan.Entry) async {
        try? await loop.sleep(for: entry.time)
        note("\(entry.step)")
        switch entry.step {
        case .post(let phone, let count): await post(phone, count: count)
        case .modify(let phone, let pick): await modify(phone, pick)
        case .remove(let phone, let pick): await remove(phone, pick)
        case .perform(let pick, let action): perform(pick, action)
        case .leave(let phone, let pause):
            isAway[phone] = true
            await double.disconnect(phones[phone].path)
            try? await loop.sleep(for: pause)
            isAway[phone] = false
        case .withdraw(let index, let pause):
            let phone = phones[index]
            guard phone.isPaired else { return }
            await double.removeServices(of: phone.path)
            try? await loop.sleep(for: pause)
            // bluetoothd may have forgotten the phone, or have been started again.
            await double.run { double in
                if double.objects[phone.path] != nil, double.objects[phone.service] == nil {
                    double.addServices(to: phone)
                }
            }
        case .hangUp: await double.hangUp()
        case .occupy(let phone, let pause):
            phones[phone].isWrittenByOther = true
            try? await loop.sleep(for: pause)
            phones[phone].isWrittenByOther = false
        case .restart:
            do {
                try await double.restart()
            } catch { referee.violate("bluetoothd does not start", "\(error)") }
        case .turnOff(let pause):
            await double.setPower(false)
            try? await loop.sleep(for: pause)
            await double.setPower(true)
        case .resume: await resume()
        }
    }

    private func resume() async {
        let logind = bus.connect()
        await withCheckedContinuation { continuation in
            logind.requestName("org.freedesktop.login1") { _ in continuation.resume() }
        }
        try? logind.emit(
            BusSignal(
                "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep",
                [.bool(false)]), to: nil)
        logind.close()
    }

    // MARK: The phones

    /// Connects a phone whenever it hears the advertisement, until the end.
    func bringBack(_ index: Int) async {
        let phone = phones[index]
        while !isOver {
            try? await loop.sleep(for: .milliseconds(500))
            await tryAgainIfStuck(index)
            guard !phone.isConnected, !isAway[index], await isOnAir else { continue }
            try? await loop.sleep(for: random.duration(below: .seconds(3)))
            guard !isOver, !isAway[index] else { continue }
            await double.comeBack(phone)
            connectedAt[index] = loop.now
            try? await loop.sleep(for: random.duration(below: .seconds(2)))
            if phone.isConnected { await double.resolve(phone.path) }
        }
    }

    /// The user of a phone that does not get paired turns its Bluetooth off for long enough that bluetoothd
    /// forgets the phone, and tries again.
    private func tryAgainIfStuck(_ index: Int) async {
        let phone = phones[index]
        guard phone.isConnected, !phone.isPaired,
            loop.now - connectedAt[index] > Self.patienceOfUser
        else { return }
        note("phone \(index): its user tries again")
        await double.disconnect(phone.path)
        try? await loop.sleep(for: .seconds(31))
    }

    private static let patienceOfUser = Duration.seconds(25)

    private var isOnAir: Bool {
        get async { await double.clients.values.contains { $0.advertisement != nil } }
    }

    func post(_ index: Int, count: Int) async {
        for _ in 0..<count {
            texts += 1
            var notification = ProviderNotification(
                appIdentifier: Self.app(texts % 3, of: index),
                categoryID: .init(rawValue: UInt8(texts % 12)), title: "Title \(texts)",
                subtitle: texts % 3 == 0 ? "Subtitle \(texts)" : "", message: message(),
                date: World.noon, positiveActionLabel: texts % 2 == 0 ? "Open" : nil,
                negativeActionLabel: texts % 5 == 0 ? nil : "Clear")
            if texts % 7 == 0 { notification.isSilent = true }
            await change(index) { [notification] store throws(StoreError) in
                try store.post(notification)
            }
        }
    }

    private func message() -> String {
        "Message \(texts): " + String(repeating: "text ", count: texts * 37 % 60)
    }

    private func modify(_ index: Int, _ pick: UInt64) async {
        guard let id = notification(of: index, pick) else { return }
        texts += 1
        let message = Array(message().utf8)
        await change(index) { store throws(StoreError) in
            try store.modify(id) { $0.message = message }
        }
    }

    private func remove(_ index: Int, _ pick: UInt64) async {
        guard let id = notification(of: index, pick) else { return }
        await change(index) { store throws(StoreError) in try store.remove(id) }
    }

    private func notification(of index: Int, _ pick: UInt64) -> NotificationID? {
        let ids = phones[index].store.ids
        return ids.isEmpty ? nil : ids[Int(pick % UInt64(ids.count))]
    }

    /// Changes what a phone holds; the referee learns of it before it is announced.
    private func change(
        _ index: Int, _ body: @Sendable (inout NotificationStore) throws(StoreError) -> StoreChange
    ) async {
        let phone = phones[index]
        do throws(StoreError) {
            let change = try body(&phone.store)
            switch change {
            case .added(let id), .modified(let id):
                if let notification = phone.store[id] {
                    referee.changed(id, to: notification, at: index)
                }
            case .removed: break
            }
            await double.storeChanged(change, at: phone)
        } catch { referee.violate("a phone that is full", "\(error)") }
    }

    // MARK: The accessory's user

    private func perform(_ pick: UInt64, _ action: ActionID) {
        let choices = referee.choices(at: 0)
        guard !choices.isEmpty else { return }
        let (session, uid) = choices[Int(pick % UInt64(choices.count))]
        perform(action, on: uid, in: session)
    }

    private func perform(_ action: ActionID, on uid: NotificationUID, in session: SessionID) {
        let number = referee.asked(action, on: uid, of: session.provider, at: 0, isCalm: isCalm)
        guard let number, let accessory else { return }
        note("performs \(action) on \(uid)")
        Task(executorPreference: loop) {
            var failure: RequestError.Code?
            do throws(RequestError) {
                try await accessory.perform(action, on: uid, in: session)
            } catch { failure = error.code }
            await self.ended(number, failure)
        }
    }

    private func ended(_ number: Int, _ failure: RequestError.Code?) {
        note("action \(number) ends: \(failure.map { "\($0)" } ?? "performed")")
        referee.ended(number, failure, at: loop.now)
    }

    // MARK: The end

    /// Waits until the accessory shows what the phones hold, and the outcome of every action is known.
    func waitUntilSettled() async {
        let start = loop.now
        while true {
            var differences: [String] = []
            for (index, phone) in phones.enumerated() {
                var held: [NotificationID: ProviderNotification] = [:]
                for id in phone.store.ids { held[id] = phone.store[id] }
                let difference = referee.difference(between: 0, and: index, holding: held)
                if let difference { differences.append("phone \(index): \(difference)") }
            }
            if referee.openActions > 0 { differences.append("actions without an outcome") }
            if differences.isEmpty { break }
            guard loop.now - start < Self.patience else {
                for difference in differences {
                    referee.violate("not the same again in \(Self.patience)", difference)
                }
                return
            }
            try? await loop.sleep(for: .seconds(1))
        }
        note("settled after \(loop.now - start)")
    }

    /// Once everything is correct, it must stay so: each phone has news, and an action of each session is
    /// performed.
    func carryOutEpilogue() async {
        guard referee.violations.isEmpty else { return }
        note("epilogue")
        for index in phones.indices { await post(index, count: 2) }
        await waitUntilSettled()
        for phone in phones.indices {
            let choice = referee.choices(at: 0) { session, uid in
                guard session.phone == phone, !referee.wasAsked(uid, in: session) else {
                    return false
                }
                return session.notifications[uid]?.source.eventFlags.contains(.negativeAction)
                    ?? false
            }.last
            if let (session, uid) = choice { perform(.negative, on: uid, in: session) }
        }
        await waitUntilSettled()
    }
}
