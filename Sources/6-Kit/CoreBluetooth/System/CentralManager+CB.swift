internal import ANCSKit
internal import Foundation
internal import LinuxIO

extension LoopActor {
    /// Runs code on the loop, after what was asked for before.
    nonisolated func run(_ body: @escaping @Sendable (isolated Self) -> Void) {
        loop.execute { self.assumeOnLoop { body($0) } }
    }
}

extension CentralManager {
    /// Runs code on the loop after a time.
    nonisolated func wait(for duration: Duration, then body: @escaping @Sendable () -> Void) {
        Task(executorPreference: loop) { [loop] in
            try? await loop.sleep(for: duration)
            body()
        }
    }

    /// The peripheral with an identifier, if the system knows it.
    func retrieve(_ id: UUID) -> Peripheral? {
        retrievePeripherals(withIdentifiers: [PeerIdentifier(id)]).first
    }

    /// Ends the use of a peripheral, or the attempt to connect it.
    nonisolated func cancel(_ id: UUID) {
        run { manager in
            if let device = manager.retrieve(id) { manager.cancelPeripheralConnection(device) }
        }
    }
}

extension Peripheral {
    /// Its identifier and name. On the loop only.
    nonisolated var identity: (id: UUID, name: String?) {
        (UUID(identifier), assumeOnLoop { $0.name })
    }

    /// The longest value without a response. On the loop only.
    nonisolated var writeLimit: Int {
        assumeOnLoop { $0.maximumWriteValueLength(for: .withoutResponse) }
    }
}
