import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver
@testable import BluetoothLE

extension ProviderLink {
    mutating func drain() -> [Output] {
        var outputs: [Output] = []
        while let output = pollOutput() { outputs.append(output) }
        return outputs
    }

    /// What the machine puts out after an input.
    mutating func after(_ input: (inout ProviderLink) -> Void) -> [Output] {
        input(&self)
        return drain()
    }

    mutating func encrypted() -> [Output] {
        after { $0.securityChanged(LinkSecurity(isEncrypted: true, keySize: 16)) }
    }

    mutating func end(
        of purpose: Purpose, _ result: Result<GATTResult, GATTFailure> = .success(.done),
        at now: MonotonicInstant = .zero
    ) -> [Output] {
        after { $0.completed(purpose, result, at: now) }
    }

    mutating func timePasses(to now: MonotonicInstant) -> [Output] {
        after { $0.handleTimeout(at: now) }
    }

    /// Service Changed is indicated.
    mutating func serviceChanged(
        _ value: [UInt8] = [0x01, 0x00, 0xFF, 0xFF]
    ) -> [Output] {
        after {
            $0.servicesChanged(
                in: RemoteDatabase.affectedRange(ofServiceChanged: value.span) ?? .all)
        }
    }

    // MARK: States

    static func securing() -> ProviderLink {
        var link = ProviderLink(isBonded: false, cached: nil, at: .zero)
        _ = link.drain()
        return link
    }

    static func preparing(cached: RemoteDatabase? = nil) -> ProviderLink {
        var link = ProviderLink(isBonded: cached != nil, cached: cached, at: .zero)
        _ = link.drain()
        _ = link.encrypted()
        return link
    }

    static func searching(cached: RemoteDatabase? = nil, hash: [UInt8]? = [9]) -> ProviderLink {
        var link = preparing(cached: cached)
        _ = link.end(of: .exchangeMTU)
        _ = link.end(of: .discoverGenericAttribute, .success(.database(.genericAttribute())))
        _ = link.end(of: .readDatabaseHash, .hash(hash))
        return link
    }

    static func waiting() -> ProviderLink {
        var link = searching()
        _ = link.end(of: .discoverANCS, .success(.database(RemoteDatabase())))
        return link
    }

    static func available(_ database: RemoteDatabase = .ancs()) -> ProviderLink {
        var link = searching()
        _ = link.end(of: .discoverANCS, .success(.database(database)))
        return link
    }

    static func over() -> ProviderLink {
        var link = available()
        link.ended()
        return link
    }
}

extension Result where Success == GATTResult, Failure == GATTFailure {
    /// What reading the Database Hash brings.
    static func hash(_ hash: [UInt8]?) -> Self {
        guard let hash else { return .failure(.errorResponse(.attributeNotFound, .first)) }
        return .success(.values([.init(handle: AttributeHandle(6), value: hash)]))
    }
}

extension RemoteDatabase {
    /// The Generic Attribute service of a phone.
    static func genericAttribute(
        hasServiceChanged: Bool = true, hasConfiguration: Bool = true, hasHash: Bool = true
    ) -> RemoteDatabase {
        var service = Service(
            range: AttributeHandleRange(.first, AttributeHandle(6)), uuid: .genericAttribute)
        if hasServiceChanged {
            service.characteristics.append(
                .make(.serviceChanged, at: 2, configuration: hasConfiguration ? 4 : nil))
        }
        if hasHash { service.characteristics.append(.make(.databaseHash, at: 5)) }
        return RemoteDatabase(services: [service])
    }

    /// ANCS in handles 16 to 25, with all of its characteristics or some.
    static func ancs(
        notificationSource: Bool = true, sourceConfiguration: Bool = true,
        controlPoint: Bool = true, dataSource: Bool = true, dataConfiguration: Bool = true,
        hash: [UInt8]? = nil
    ) -> RemoteDatabase {
        var service = Service(
            range: AttributeHandleRange(AttributeHandle(16), AttributeHandle(25)), uuid: .ancs)
        if notificationSource {
            service.characteristics.append(
                .make(.notificationSource, at: 17, configuration: sourceConfiguration ? 19 : nil))
        }
        if controlPoint { service.characteristics.append(.make(.controlPoint, at: 20)) }
        if dataSource {
            service.characteristics.append(
                .make(.dataSource, at: 22, configuration: dataConfiguration ? 24 : nil))
        }
        return RemoteDatabase(services: [service], hash: hash)
    }
}

extension RemoteDatabase.Characteristic {
    static func make(
        _ uuid: BluetoothUUID, at declaration: UInt16, configuration: UInt16? = nil
    ) -> Self {
        var characteristic = Self(
            declaration: AttributeHandle(declaration), value: AttributeHandle(declaration + 1),
            properties: [.read], uuid: uuid)
        if let configuration {
            characteristic.descriptors = [
                .init(
                    handle: AttributeHandle(configuration),
                    type: .clientCharacteristicConfiguration)
            ]
        }
        return characteristic
    }
}

extension MonotonicInstant {
    static func seconds(_ seconds: Int64) -> Self { .zero + .seconds(seconds) }
}
