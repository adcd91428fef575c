import ANCS
import ANCSKit
import LinuxIO
import Octets

// Once everything is correct, it must stay so, whatever devices and their users do next.
extension World {
    func carryOutEpilogue() async {
        note("epilogue")
        for index in phones.indices { await loseAnswer(index) }
        await waitUntilSettled(isSilenceNeeded: false)
        for index in accessories.indices { await performAction(index) }
        for index in phones.indices {
            await restart(.phone(index), losingBonds: false, after: .seconds(1))
        }
        await waitUntilSettled(isSilenceNeeded: false)
        for index in accessories.indices {
            await restart(.accessory(index), losingBonds: false, after: .seconds(1))
        }
        await waitUntilSettled(isSilenceNeeded: false)
        guard let loser = plan.epilogue.keyLoser else { return }
        await loseKeys(loser)
        await waitUntilSettled(isSilenceNeeded: false)
    }

    /// One of two texts does not arrive and must be delivered later: the phone answers the request after it.
    private func loseAnswer(_ index: Int) async {
        await phones[index].device?.inject(AnswerFault(.lose, count: 1))
        await post(index, count: 2)
    }

    /// The user of an accessory requests an available action, which must be performed.
    private func performAction(_ index: Int) async {
        guard let accessory = accessories[index].device else { return }
        let (prefersPositive, pick) = plan.epilogue.actions[index]
        var choices: [(SessionID, NotificationUID, ActionID)] = []
        for session in referee.shown[index, default: [:]].values {
            for (uid, delivery) in session.notifications where !referee.wasAsked(uid, in: session) {
                let flags = delivery.source.eventFlags
                let order: [ActionID] =
                    prefersPositive ? [.positive, .negative] : [.negative, .positive]
                let action = order.first { $0.flag.map { flags.contains($0) } ?? false }
                if let action { choices.append((session.id, uid, action)) }
            }
        }
        choices.sort {
            ($0.0.provider.rawValue, $0.1.rawValue) < ($1.0.provider.rawValue, $1.1.rawValue)
        }
        guard !choices.isEmpty else { return }
        let (session, uid, action) = choices[Int(pick % UInt64(choices.count))]
        note("accessory \(index) asks for \(action) of \(uid)")
        perform(action, on: uid, in: session, by: accessory, index, isCalm: true)
        await waitUntilSettled(isSilenceNeeded: false)
    }

    /// An accessory returns with its name but without its keys.
    private func loseKeys(_ index: Int) async {
        note("accessory \(index) loses its keys")
        guard await stopAccessory(index) else { return }
        let store = BondStore(directory: storeDirectory(accessories[index].name))
        do throws(BondStore.Failure) {
            try store.update { $0.bonds = [] }
        } catch { referee.violate("a store that cannot be changed", error.message) }
        referee.lostKeys(index)
        startAccessory(index)
    }
}
