internal import Octets

/// Services that only encrypted links see. A server may show a client more once it knows it: iOS shows
/// some of its services to paired devices only. For the client that is a change of the table, of which
/// Service Changed tells (Core Vol 3, Part G, 2.5.2), and the Database Hash is another before it.
extension AttributeTable {
    /// The services that only encrypted links see.
    var hiddenRanges: [AttributeHandleRange] {
        services.filter { $0.isHiddenUntilEncrypted }.map { $0.range }
    }

    /// Whether an attribute is there for a link that is not encrypted.
    func isHidden(_ handle: AttributeHandle) -> Bool {
        services.contains { $0.isHiddenUntilEncrypted && $0.range.contains(handle) }
    }

    /// Shows the service that starts at a handle to all links, or to encrypted ones only; returns its
    /// range where that changes anything. Call ``updateDatabaseHash(using:)`` after it.
    mutating func setHiddenUntilEncrypted(
        _ isHidden: Bool, serviceAt handle: AttributeHandle
    ) -> AttributeHandleRange? {
        guard let index = services.firstIndex(where: { $0.range.first == handle }),
            exchange(&services[index].isHiddenUntilEncrypted, with: isHidden) != isHidden
        else { return nil }
        return services[index].range
    }

    /// Computes the Database Hash again and stores it where the Generic Attribute service has a
    /// characteristic for it; most significant octet first, as clients only compare it. Call it
    /// whenever services have come or gone. Core Vol 3, Part G, 7.3.1.
    public mutating func updateDatabaseHash(using toolbox: borrowing some SecurityToolbox) {
        let hash = toolbox.aesCMAC(key: 0, message: databaseHashMessage { _ in true })
        databaseHash = hash
        hashOfVisible = nil
        if !hiddenRanges.isEmpty {
            hashOfVisible = toolbox.aesCMAC(
                key: 0, message: databaseHashMessage { !isHidden($0) })
        }
        guard let attribute = attributes.first(where: { $0.type == .databaseHash }) else { return }
        setValue(Self.octets(ofHash: hash), of: attribute.handle)
    }

    /// A Database Hash as the value of its characteristic.
    static func octets(ofHash hash: UInt128) -> [UInt8] {
        (0..<16).reversed().map { UInt8(truncatingIfNeeded: hash >> UInt128(8 * $0)) }
    }

    /// What the Database Hash is computed from. Core Vol 3, Part G, 7.3.1.
    private func databaseHashMessage(
        where isIncluded: (AttributeHandle) -> Bool
    ) -> [UInt8] {
        var message = [UInt8]()
        for attribute in attributes where isIncluded(attribute.handle) {
            let hashesValue: Bool
            switch attribute.type.shortValue {
            case 0x2800, 0x2801, 0x2802, 0x2803, 0x2900: hashesValue = true
            case 0x2901, 0x2902, 0x2903, 0x2904, 0x2905: hashesValue = false
            default: continue
            }
            message.append(UInt8(truncatingIfNeeded: attribute.handle.rawValue))
            message.append(UInt8(truncatingIfNeeded: attribute.handle.rawValue >> 8))
            message += attribute.type.octets
            if hashesValue { message += attribute.storedValue ?? [] }
        }
        return message
    }
}
