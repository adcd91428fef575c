internal import Octets

/// Services that are visible only on encrypted links. A server may show more services to a client that it
/// knows: iOS shows some only to paired devices. For the client that is a change of the table, which Service
/// Changed reports (Core Vol 3, Part G, 2.5.2); until then the Database Hash is a different one.
extension AttributeTable {
    /// The services that are visible only on encrypted links.
    var hiddenRanges: [AttributeHandleRange] {
        services.filter { $0.isHiddenUntilEncrypted }.map { $0.range }
    }

    /// Whether an attribute is hidden from links that are not encrypted.
    func isHidden(_ handle: AttributeHandle) -> Bool {
        services.contains { $0.isHiddenUntilEncrypted && $0.range.contains(handle) }
    }

    /// Makes the service that starts at a handle visible on all links, or only on encrypted ones. Returns its
    /// range if that is a change; then call ``updateDatabaseHash(using:)``.
    mutating func setHiddenUntilEncrypted(
        _ isHidden: Bool, serviceAt handle: AttributeHandle
    ) -> AttributeHandleRange? {
        guard let index = services.firstIndex(where: { $0.range.first == handle }),
            exchange(&services[index].isHiddenUntilEncrypted, with: isHidden) != isHidden
        else { return nil }
        return services[index].range
    }

    /// Computes the Database Hash and stores it in the characteristic of the Generic Attribute service, if
    /// there is one. The most significant octet comes first; clients only compare it. Call this after adding
    /// or removing services. Core Vol 3, Part G, 7.3.1.
    public mutating func updateDatabaseHash(using toolbox: borrowing some SecurityToolbox) {
        let hash = toolbox.aesCMAC(key: 0, message: databaseHashMessage { _ in true })
        databaseHash = hash
        hashOfVisible = nil
        if !hiddenRanges.isEmpty {
            hashOfVisible = toolbox.aesCMAC(key: 0, message: databaseHashMessage { !isHidden($0) })
        }
        guard let attribute = attributes.first(where: { $0.type == .databaseHash }) else { return }
        setValue(Self.octets(ofHash: hash), of: attribute.handle)
    }

    /// The value of the Database Hash characteristic.
    static func octets(ofHash hash: UInt128) -> [UInt8] {
        (0..<16).reversed().map { UInt8(truncatingIfNeeded: hash >> UInt128(8 * $0)) }
    }

    /// The message of which the Database Hash is the AES-CMAC. Core Vol 3, Part G, 7.3.1.
    private func databaseHashMessage(where isIncluded: (AttributeHandle) -> Bool) -> [UInt8] {
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
