internal import ANCS
internal import BluetoothLE
internal import Octets

// What the consumer wants.
extension ProviderLink {
    /// Writes the configuration descriptor of a characteristic (R11, S3).
    mutating func subscribe(to characteristic: ConsumerSession.Characteristic) {
        guard let descriptor = configurationHandle(of: characteristic) else {
            // Android's look-alike has no descriptor: it is not ANCS (S31).
            outputs.append(
                .subscribed(characteristic, errorCode: ATTErrorCode.attributeNotFound.rawValue))
            return
        }
        outputs.append(.start(.writeValue(descriptor, [0x01, 0x00]), .subscribe(characteristic)))
    }

    /// Clears the configuration descriptor of a characteristic.
    mutating func unsubscribe(from characteristic: ConsumerSession.Characteristic) {
        guard let descriptor = configurationHandle(of: characteristic) else {
            outputs.append(.unsubscribed(characteristic))
            return
        }
        outputs.append(
            .start(.writeValue(descriptor, [0x00, 0x00]), .unsubscribe(characteristic)))
    }

    /// Reads the configuration descriptor of a characteristic.
    mutating func readSubscription(to characteristic: ConsumerSession.Characteristic) {
        guard let descriptor = configurationHandle(of: characteristic) else { return }
        outputs.append(.start(.readValue(descriptor), .readSubscription(characteristic)))
    }

    /// Ends the session as the specification wants it, by unsubscribing (R49), and then the link.
    mutating func leave() {
        if case .ended = state { return }
        guard let descriptor = configurationHandle(of: .notificationSource) else {
            outputs.append(.disconnect(.left))
            return
        }
        outputs.append(.start(.writeValue(descriptor, [0x00, 0x00]), .leave))
    }

    /// Writes a command with a response; a long one by a long write (R21, S24).
    mutating func writeControlPoint(_ value: [UInt8]) {
        guard case .available(let handles) = state, let controlPoint = handles.controlPoint else {
            outputs.append(
                .controlPointWritten(errorCode: ATTErrorCode.invalidHandle.rawValue))
            return
        }
        outputs.append(.start(.writeValue(controlPoint, value), .writeControlPoint))
    }

    private func configurationHandle(
        of characteristic: ConsumerSession.Characteristic
    ) -> AttributeHandle? {
        guard case .available(let handles) = state else { return nil }
        return switch characteristic {
        case .notificationSource: handles.notificationSourceConfiguration
        case .dataSource: handles.dataSourceConfiguration
        }
    }
}

// What the service consists of.
extension ProviderLink {
    /// The first service that is ANCS: there is one at most (R4), but look-alikes exist (S31).
    static func usableService(
        in database: RemoteDatabase
    ) -> (RemoteDatabase.Service, Handles)? {
        for service in database.services where service.uuid == .ancs {
            if let handles = handles(in: service) { return (service, handles) }
        }
        return nil
    }

    /// Control Point and Data Source are optional, other characteristics are ignored (R8, R9). Without
    /// a Notification Source that can be subscribed to, it is not ANCS (S31).
    private static func handles(in service: RemoteDatabase.Service) -> Handles? {
        guard let source = service.characteristic(.notificationSource),
            let configuration = source.configuration
        else { return nil }
        let dataSource = service.characteristic(.dataSource)
        return Handles(
            range: service.range, notificationSource: source.value,
            notificationSourceConfiguration: configuration,
            controlPoint: service.characteristic(.controlPoint)?.value,
            dataSource: dataSource?.value, dataSourceConfiguration: dataSource?.configuration)
    }
}

extension BluetoothUUID {
    /// The service (R4).
    static let ancs = BluetoothUUID(ANCSUUID.service)
    /// Its characteristics (R6).
    static let notificationSource = BluetoothUUID(ANCSUUID.notificationSource)
    static let controlPoint = BluetoothUUID(ANCSUUID.controlPoint)
    static let dataSource = BluetoothUUID(ANCSUUID.dataSource)
}
