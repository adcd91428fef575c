internal import Foundation

/// Which peripherals `registerForConnectionEvents(options:)` means.
struct ConnectionEventFilter {
    let services: [CBUUID]
    private let identifiers: [UUID]

    init(_ options: [CBConnectionEventMatchingOption: Any]) {
        services = options[.serviceUUIDs] as? [CBUUID] ?? []
        identifiers = options[.peripheralUUIDs] as? [UUID] ?? []
    }

    func contains(_ id: UUID, _ services: [CBUUID]) -> Bool {
        identifiers.contains(id) || services.contains(where: self.services.contains)
    }
}
