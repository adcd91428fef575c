import Octets

@testable import ANCS
@testable import ANCSProvider

/// A ``ProviderSession`` with a store that changes, an accessory that subscribes and writes as the input
/// gives, and a link that has room or not.
struct ProviderTarget: ~Copyable {
    private var input: FuzzInput
    private var session: ProviderSession
    private var store: NotificationStore
    private var rules: ProviderRules
    private var now = MonotonicInstant.zero
    private var actions: [ProviderSession.ActionRequest] = []
    private var hasRoom = true

    static func run(_ script: [UInt8]) throws {
        var target = Self(FuzzInput(script))
        try target.drain()
        while !target.input.isAtEnd { try target.event() }
        // Everything pending is sent now.
        target.hasRoom = true
        try target.drain()
        while let deadline = target.session.nextDeadline {
            target.session.handleTimeout(at: deadline)
            try target.drain()
        }
        target.disconnect()
        try target.drain()
        try target.rules.hasEnded()
    }

    private init(_ script: FuzzInput) {
        input = script
        var limits = NotificationStore.Limits()
        limits.notifications = input.number(in: 1...32)
        limits.apps = input.number(in: 1...4)
        store = NotificationStore(limits: limits)
        var configuration = ProviderSession.Configuration()
        configuration.maximumPendingAnswers = input.number(in: 1...8)
        let behavior = input.flag() ? ScriptedProvider.behavior(&input) : ProviderBehavior()
        rules = ProviderRules(behavior)
        session = ProviderSession(
            behavior: behavior, isConsented: input.choice(4) > 0, configuration: configuration)
        subscribe(to: .dataSource)
        subscribe(to: .notificationSource)
    }

    // MARK: Events

    private mutating func event() throws {
        switch input.choice(20) {
        case 0, 1: try post()
        case 2: try replace()
        case 3: try remove()
        case 4: installApp()
        case 5...9: try write(input.choice(4) > 0 ? command() : input.octets(atMost: 512))
        case 10: finishAction()
        case 11: subscribe(to: characteristic())
        case 12: unsubscribe(from: characteristic())
        case 13: session.consentChanged(input.flag())
        case 14: changeMTU()
        case 15:
            now = now + input.duration()
            session.handleTimeout(at: now)
        case 16:
            rules.isFaulty = true
            session.inject(ScriptedProvider.fault(&input))
        case 17:
            session.behavior = ScriptedProvider.behavior(&input)
            rules.changed(session.behavior)
            if input.flag() { session.clearFaults() }
        case 18:
            let characteristic = characteristic()
            if characteristic == .dataSource { rules.isSubscribedToDataSource = false }
            session.loseSubscription(to: characteristic)
        default:
            if input.choice(4) == 0 { disconnect() } else { hasRoom.toggle() }
        }
        try drain()
    }

    private mutating func characteristic() -> NotifyingCharacteristic {
        input.flag() ? .dataSource : .notificationSource
    }

    private mutating func subscribe(to characteristic: NotifyingCharacteristic) {
        if characteristic == .dataSource { rules.isSubscribedToDataSource = true }
        receive(.subscribed(characteristic))
    }

    private mutating func unsubscribe(from characteristic: NotifyingCharacteristic) {
        if characteristic == .dataSource { rules.isSubscribedToDataSource = false }
        receive(.unsubscribed(characteristic))
    }

    private mutating func receive(_ report: ProviderSession.LinkReport) {
        session.receive(report, store: store, at: now)
    }

    private mutating func disconnect() {
        rules.isSubscribedToDataSource = false
        rules.linkEnded()
        session.disconnected()
    }

    private mutating func changeMTU() {
        let mtu = Int(input.number(UInt16.self))
        rules.largestMTU = max(rules.largestMTU, mtu)
        receive(.mtuChanged(mtu))
    }

    private mutating func finishAction() {
        guard !actions.isEmpty else { return }
        let action = actions.remove(at: input.choice(actions.count))
        session.actionFinished(action, performed: input.flag())
    }

    // MARK: The store

    private mutating func post() throws {
        let notification = ScriptedProvider.notification(&input)
        guard let change = try? store.post(notification) else {
            let isFull = store.count == store.limits.notifications
            return try check(isFull, "a store with room does not take a notification")
        }
        session.storeChanged(change)
    }

    private mutating func replace() throws {
        guard !store.ids.isEmpty else { return }
        let id = input.element(of: store.ids)
        session.storeChanged(try store.replace(id, with: ScriptedProvider.notification(&input)))
    }

    private mutating func remove() throws {
        guard !store.ids.isEmpty else { return }
        session.storeChanged(try store.remove(input.element(of: store.ids)))
    }

    private mutating func installApp() {
        guard let app = ScriptedAnswer.app(&input) else { return }
        let name = String(decoding: input.text(), as: UTF8.self)
        try? input.flag() ? store.uninstall(app) : store.install(app, displayName: name)
    }

    // MARK: Commands

    private mutating func command() -> [UInt8] {
        let uid = NotificationUID(rawValue: UInt32(input.choice(8)))
        switch input.choice(4) {
        case 0:
            let app = ScriptedAnswer.app(&input)
            return [CommandID.getAppAttributes.rawValue] + (app?.octets ?? []) + [0]
                + input.take(input.choice(4))
        case 1:
            let action = ActionID(rawValue: UInt8(input.choice(3)))
            return PerformNotificationAction(notificationUID: uid, actionID: action).octets
        default:
            var octets = [
                CommandID.getNotificationAttributes.rawValue, UInt8(uid.rawValue), 0, 0, 0,
            ]
            for _ in 0..<input.choice(8) {
                let id = NotificationAttributeID(rawValue: UInt8(input.choice(9)))
                octets.append(id.rawValue)
                if id.takesMaximumLength { octets += [input.octet(), 0] }
            }
            return octets
        }
    }

    private mutating func write(_ value: [UInt8]) throws {
        let ignored = session.ignoredWrites
        receive(.controlPointWritten(value))
        if session.ignoredWrites == ignored { rules.commandWritten() }
    }

    // MARK: Outputs

    private mutating func drain() throws {
        var count = 0
        while let output = session.pollOutput(from: store, hasRoom: hasRoom) {
            trace("\(now.nanoseconds / 1_000_000) ms: \(output)")
            count += 1
            try check(count < 100_000, "one input brings outputs without end")
            if case .perform(let action) = output { actions = actions.suffix(3) + [action] }
            if case .link(.notify) = output {
                try check(hasRoom, "a value is sent although the link has no room")
            }
            try rules.note(output)
        }
        trace("drained")
    }
}
