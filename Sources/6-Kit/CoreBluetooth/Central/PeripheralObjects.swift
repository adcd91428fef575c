internal import ANCSKit
internal import Foundation

/// The peripherals that the program holds, and the identifiers of those that it may retrieve. The program is asked to use
/// a manager on its queue, but may not.
final class PeripheralObjects {
    private struct Entry { weak var peripheral: CBPeripheral? }

    /// How many identifiers are known at most.
    private static let limit = 10_000

    private let lock = NSLock()
    private var entries: [UUID: Entry] = [:]
    private var known: Set<UUID> = []
    /// How many entries there may be before those without an object are dropped.
    private var room = 64

    subscript(id: UUID) -> CBPeripheral? { lock.withLock { entries[id]?.peripheral } }

    /// The object with an identifier, which is made if there is none.
    func object(_ id: UUID, make: () -> CBPeripheral) -> CBPeripheral {
        lock.lock()
        defer { lock.unlock() }
        if let peripheral = entries[id]?.peripheral { return peripheral }
        let peripheral = make()
        entries[id] = Entry(peripheral: peripheral)
        remember(id)
        if entries.count > room {
            entries = entries.filter { $0.value.peripheral != nil }
            room = max(64, 2 * entries.count)
        }
        return peripheral
    }

    func know(_ identifiers: [UUID]) { lock.withLock { identifiers.forEach(remember) } }

    private func remember(_ id: UUID) { if known.count < Self.limit { known.insert(id) } }

    func knows(_ id: UUID) -> Bool { lock.withLock { known.contains(id) } }

    /// A peripheral turned out to be one that was known by another identifier.
    func identified(_ former: UUID, as id: UUID, _ device: Peripheral) {
        lock.lock()
        defer { lock.unlock() }
        remember(id)
        guard former != id, let peripheral = entries.removeValue(forKey: former)?.peripheral,
            entries[id]?.peripheral == nil
        else { return }
        (peripheral.identifier, peripheral.device) = (id, device)
        entries[id] = Entry(peripheral: peripheral)
    }
}
