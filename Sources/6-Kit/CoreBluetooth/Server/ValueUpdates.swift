internal import ANCSKit

/// The values of a ``CBPeripheralManager`` that wait for room at its subscribers, in order. On the loop only.
final class ValueUpdates: @unchecked Sendable {
    // Unchecked: on the loop only.

    /// A value, and what follows once it is on its way.
    struct Update: Sendable {
        let value: [UInt8]
        let characteristic: MutableCharacteristic
        let centrals: [Central]?
        let completion: @Sendable () -> Void
    }

    private var waiting: [Update] = []

    func add(_ update: Update, _ manager: isolated PeripheralManager) {
        waiting.append(update)
        if waiting.count == 1 { proceed(manager) }
    }

    /// There may be room.
    func proceed(_ manager: isolated PeripheralManager) {
        while let next = waiting.first,
            manager.updateValue(
                next.value, for: next.characteristic, onSubscribedCentrals: next.centrals)
        {
            waiting.removeFirst()
            next.completion()
        }
    }
}
