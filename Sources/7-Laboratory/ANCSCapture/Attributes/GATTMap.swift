internal import AMS
internal import ANCS
internal import BluetoothLE
internal import LinuxIO

/// The attributes of a server, as far as the discovery in a capture shows them.
struct GATTMap: Equatable, Sendable {
    /// The largest number of attributes that are kept; servers have fewer.
    private static let maximumCount = 1024

    private static let service = BluetoothUUID(ANCSUUID.service)

    private static let ancsUUIDs: Set<BluetoothUUID> = [
        BluetoothUUID(ANCSUUID.notificationSource), BluetoothUUID(ANCSUUID.controlPoint),
        BluetoothUUID(ANCSUUID.dataSource),
    ]

    private struct Characteristic: Equatable {
        var value: AttributeHandle
        var uuid: BluetoothUUID
    }

    private var services: [AttributeHandle: BluetoothUUID] = [:]
    private var characteristics: [AttributeHandle: Characteristic] = [:]
    private var configurations: Set<AttributeHandle> = []
    /// Whether a search for services ended without ANCS, which no Service Changed has put in doubt since.
    private var lacksANCS = false
    /// Whether the search for services is seen from the first handle on.
    private var isSearchWhole = false
    /// The handles of ANCS, as soon as one of its characteristics has been found.
    private(set) var ancs: ANCSHandles?
    /// The handles of AMS, likewise.
    private(set) var ams: AMSHandles?

    /// The services, in the order of their handles.
    package var serviceUUIDs: [BluetoothUUID] {
        services.sorted(byNumber: \.key.rawValue).map(\.value)
    }

    /// The UUID of the characteristic whose value has this handle.
    package func uuid(valueAt handle: AttributeHandle) -> BluetoothUUID? {
        characteristics.values.first { $0.value == handle }?.uuid
    }

    /// Whether a Client Characteristic Configuration descriptor was found there.
    func isConfiguration(_ handle: AttributeHandle) -> Bool { configurations.contains(handle) }

    /// The UUID of the characteristic whose configuration has this handle.
    func uuid(configuredAt handle: AttributeHandle) -> BluetoothUUID? {
        guard isConfiguration(handle) else { return nil }
        return characteristics.filter { $0.key < handle }.max { $0.key < $1.key }?.value.uuid
    }

    /// Whether ANCS may be at the value with this handle, as far as discovery shows: it has no other UUID, and no search
    /// has missed the service.
    func mayHaveANCS(valueAt handle: AttributeHandle) -> Bool {
        !lacksANCS && uuid(valueAt: handle).map(Self.ancsUUIDs.contains) ?? true
    }

    /// A search for services ended that went on to the last handle.
    mutating func foundLastService(from first: AttributeHandle) {
        isSearchWhole = isSearchWhole || first == .first
        if isSearchWhole { lacksANCS = !services.values.contains(Self.service) }
    }

    /// Records what a request and its response show.
    mutating func learn(_ request: ATTClientPDU, _ response: ATTServerPDU) {
        switch (request, response) {
        case (
            .readByGroupTypeRequest(let range, type: .primaryService),
            .readByGroupTypeResponse(let groups)
        ):
            if range.first == .first { isSearchWhole = true }
            for group in groups {
                guard let uuid = try? BluetoothUUID(decoding: group.value.span) else { continue }
                learn(service: uuid, at: group.range.first)
            }
        case (
            .findByTypeValueRequest(_, type: 0x2800, let value),
            .findByTypeValueResponse(let ranges)
        ):
            guard let uuid = try? BluetoothUUID(decoding: value.span) else { return }
            for range in ranges { learn(service: uuid, at: range.first) }
        case (.readByTypeRequest(_, type: .characteristic), .readByTypeResponse(let values)):
            for value in values { learn(declaration: value.value, at: value.handle) }
            updateHandles()
        case (.findInformationRequest, .findInformationResponse(let handles)):
            for handle in handles where handle.type == .clientCharacteristicConfiguration {
                guard configurations.count < Self.maximumCount else { break }
                configurations.insert(handle.handle)
            }
            updateHandles()
        default: break
        }
    }

    /// Forgets a range of attributes that the server says have changed.
    package mutating func forget(_ range: AttributeHandleRange) {
        (lacksANCS, isSearchWhole) = (false, false)
        services = services.filter { !range.contains($0.key) }
        characteristics = characteristics.filter {
            !range.contains($0.key) && !range.contains($0.value.value)
        }
        configurations = configurations.filter { !range.contains($0) }
        updateHandles()
    }

    /// Forgets a service that a search of the whole server did not find.
    package mutating func forget(service uuid: BluetoothUUID) {
        services = services.filter { $0.value != uuid }
        if uuid == Self.service { lacksANCS = true }
    }

    private mutating func learn(service uuid: BluetoothUUID, at handle: AttributeHandle) {
        guard services.count < Self.maximumCount else { return }
        services[handle] = uuid
        if uuid == Self.service { lacksANCS = false }
    }

    /// Records a characteristic declaration: properties, value handle, UUID. Core Vol 3, Part G, 3.3.1.
    private mutating func learn(declaration: [UInt8], at handle: AttributeHandle) {
        guard declaration.count == 5 || declaration.count == 19,
            characteristics.count < Self.maximumCount,
            let uuid = try? BluetoothUUID(decoding: Array(declaration[3...]).span)
        else { return }
        let value = AttributeHandle(UInt16(declaration[1]) | UInt16(declaration[2]) << 8)
        if Self.ancsUUIDs.contains(uuid) {
            // A server has ANCS only once (R4), so the one found earlier has moved.
            characteristics = characteristics.filter { $0.value.uuid != uuid }
        }
        characteristics[handle] = Characteristic(value: value, uuid: uuid)
    }

    private mutating func updateHandles() {
        func value(_ uuid: UInt128) -> AttributeHandle? {
            characteristics.values.filter { $0.uuid == BluetoothUUID(uuid) }.map(\.value).min()
        }
        func configuration(of value: AttributeHandle?) -> AttributeHandle? {
            guard let value else { return nil }
            let next = characteristics.keys.filter { $0 > value }.min() ?? .last
            return configurations.filter { $0 > value && $0 < next }.min()
        }
        var media = AMSHandles(
            remoteCommand: value(AMSUUID.remoteCommand), entityUpdate: value(AMSUUID.entityUpdate),
            entityAttribute: value(AMSUUID.entityAttribute))
        media.remoteCommandConfiguration = configuration(of: media.remoteCommand)
        media.entityUpdateConfiguration = configuration(of: media.entityUpdate)
        ams = media == AMSHandles() ? nil : media
        var handles = ANCSHandles(
            notificationSource: value(ANCSUUID.notificationSource),
            controlPoint: value(ANCSUUID.controlPoint), dataSource: value(ANCSUUID.dataSource))
        guard handles != ANCSHandles() else {
            ancs = nil
            return
        }
        handles.notificationSourceConfiguration = configuration(of: handles.notificationSource)
        handles.dataSourceConfiguration = configuration(of: handles.dataSource)
        ancs = handles
    }
}
