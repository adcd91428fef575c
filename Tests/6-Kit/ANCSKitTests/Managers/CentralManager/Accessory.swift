import BluetoothLE
import HCITransports
import VirtualTransports
import LinuxIO
import Octets
import VirtualBluetooth

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// A device with a host of its own that advertises, serves values, and notes what happens to it. Confined
/// to its loop.
final class Accessory: @unchecked Sendable {
    // Unchecked: see the type's comment.

    static let service = BluetoothUUID(UInt16(0x1111))
    static let otherService = BluetoothUUID(UInt16(0x2222))
    static let secondaryService = BluetoothUUID(UInt16(0x3333))
    /// Read, write, write without response, notify; with a Characteristic User Description.
    static let open = BluetoothUUID(UInt16(0xAA01))
    /// Indicate only.
    static let indicated = BluetoothUUID(UInt16(0xAA02))
    /// Read, write and notify, on an encrypted link.
    static let protected = BluetoothUUID(UInt16(0xAA03))
    /// Read, answered by nobody.
    static let silent = BluetoothUUID(UInt16(0xAA04))

    let port: VirtualPort
    let loop: EventLoop
    private(set) lazy var driver = makeDriver()
    private let configuration: HostConfiguration
    private(set) var isReady = false
    private(set) var links: [ConnectionHandle] = []
    private(set) var bonds: [BondRecord]
    /// What is on air whenever there is no link.
    private var advertisement: Advertisement?
    /// The values of dynamic attributes.
    var values: [AttributeHandle: [UInt8]] = [:]
    /// What was written, with a response and without.
    private(set) var writes: [(value: [UInt8], hasResponse: Bool)] = []
    private(set) var subscriptions: [ClientCharacteristicConfiguration] = []
    private(set) var handles: [BluetoothUUID: ServiceHandles.Characteristic] = [:]
    private(set) var pairings = 0

    init(
        _ port: VirtualPort, on loop: EventLoop, bonds: [BondRecord],
        _ change: (inout HostConfiguration) -> Void
    ) {
        self.port = port
        self.loop = loop
        self.bonds = bonds
        let number = UInt64(port.controller.index)
        var configuration = HostConfiguration(
            deviceName: "Band",
            identityAddress: DeviceAddress(0xC0FF_EE00_0000 | number, kind: .random))
        change(&configuration)
        self.configuration = configuration
    }

    private func makeDriver() -> BareHost {
        BareHost(
            .virtual(port), configuration: configuration, bonds: bonds,
            toolbox: OpenSSLToolbox(simulatedFrom: 1000 + UInt64(port.controller.index)), on: loop
        ) { [unowned self] output in handle(output) }
    }

    // MARK: What it serves

    @discardableResult
    func add(_ definition: ServiceDefinition) throws -> ServiceHandles {
        let added = try driver.input { host, now throws(HostUsageError) in
            try host.addService(definition, at: now)
        }
        for (characteristic, handle) in zip(definition.characteristics, added.characteristics) {
            handles[characteristic.uuid] = handle
        }
        return added
    }

    func remove(_ service: ServiceHandles) {
        driver.input { host, now in host.removeService(startingAt: service.range.first, at: now) }
    }

    /// Adds a service with all kinds of characteristics.
    @discardableResult
    func addService(_ uuid: BluetoothUUID = Accessory.service) throws -> ServiceHandles {
        let description = ServiceDefinition.Descriptor(
            type: BluetoothUUID(UInt16(0x2901)),
            permissions: AttributePermissions(read: .open, write: .open), storage: .dynamic)
        let added = try add(
            ServiceDefinition(
                uuid: uuid,
                characteristics: [
                    .init(
                        uuid: Self.open,
                        properties: [.read, .write, .writeWithoutResponse, .notify],
                        permissions: AttributePermissions(
                            read: .open, write: .open, writeCommand: .open),
                        descriptors: [description]),
                    .init(uuid: Self.indicated, properties: .indicate, permissions: .init()),
                    .init(
                        uuid: Self.protected, properties: [.read, .write, .notify],
                        permissions: AttributePermissions(read: .encrypted, write: .encrypted),
                        subscription: .encrypted),
                    .init(uuid: Self.silent, properties: .read),
                ]))
        values[handle(Self.open)] = [1, 2, 3]
        values[handle(Self.protected)] = [7]
        return added
    }

    /// The handle of the value of a characteristic.
    func handle(_ uuid: BluetoothUUID) -> AttributeHandle {
        handles[uuid]?.value ?? AttributeHandle(0)
    }

    func notify(_ value: [UInt8], of uuid: BluetoothUUID) throws {
        let handle = handle(uuid)
        try driver.input { host, now throws(HostUsageError) in
            try host.notify(value, of: handle, on: links[0], at: now)
        }
    }

    func indicate(_ value: [UInt8], of uuid: BluetoothUUID) throws {
        let handle = handle(uuid)
        try driver.input { host, now throws(HostUsageError) in
            try host.indicate(value, of: handle, on: links[0], at: now)
        }
    }

    // MARK: The air

    func advertise(
        _ services: [BluetoothUUID] = [Accessory.service], name: String? = nil,
        others: [AdvertisingData.Structure] = [], isConnectable: Bool = true
    ) {
        var structures: [AdvertisingData.Structure] = [.flags([.generalDiscoverable])]
        if !services.isEmpty { structures.append(.services(services)) }
        let response = AdvertisingData(name.map { [.name($0)] } ?? [])
        advertise(
            Advertisement(
                data: AdvertisingData(structures + others), scanResponse: response,
                isConnectable: isConnectable))
    }

    func advertise(_ advertisement: Advertisement) {
        self.advertisement = advertisement
        startAdvertising()
    }

    func stopAdvertising() {
        advertisement = nil
        driver.input { host, now in host.stopAdvertising(at: now) }
    }

    private func startAdvertising() {
        guard let advertisement else { return }
        driver.attempt { host, now throws(HostUsageError) in
            try host.startAdvertising(advertisement, at: now)
        }
    }

    func disconnect() {
        for link in links { driver.disconnect(link) }
    }

    /// The accessory is switched off.
    func close() { driver.close() }

    // MARK: What happens to it

    private func handle(_ output: HostOutput) {
        switch output {
        case .controller(.ready): isReady = true
        case .link(let link, .connected): links.append(link)
        case .link(let link, .disconnected):
            links.removeAll { $0 == link }
            startAdvertising()
        case .security(_, .paired): pairings += 1
        case .bondChanged: bonds = driver.query { $0.bonds }
        case .attribute(let link, .server(let event)): handle(event, on: link)
        default: break
        }
    }

    private func handle(_ event: ATTBearer.ServerEvent, on link: ConnectionHandle) {
        switch event {
        case .readRequested(let token, let handle):
            if handle == self.handle(Self.silent) { return }
            respond(to: token, .success(values[handle] ?? []), on: link)
        case .subscriptionChanged(_, let configuration): subscriptions.append(configuration)
        case .writeRequested(let token, let requested):
            for write in requested {
                writes.append((write.value, token != nil))
                values[write.handle] = write.value
            }
            if let token { respond(to: token, .success([]), on: link) }
        case .valueWritten, .indicationConfirmed, .accessDenied: break
        }
    }

    private func respond(
        to token: ATTBearer.RequestToken, _ result: Result<[UInt8], ATTErrorCode>,
        on link: ConnectionHandle
    ) {
        driver.attempt { host, now throws(HostUsageError) in
            try host.respond(to: token, with: result, on: link, at: now)
        }
    }
}
