internal import Octets

extension AttributeTable.Storage {
    /// What a characteristic declaration says, however it is stored; `nil` if it says nothing.
    fileprivate var declaration: (value: AttributeHandle, properties: CharacteristicProperties)? {
        switch self {
        case .characteristic(_, let value, let properties): return (value, properties)
        case .stored(let octets, _, _):
            var rest = octets.span
            guard let properties = try? rest.takeUInt8(), let value = try? rest.takeUInt16() else {
                return nil
            }
            return (AttributeHandle(value), CharacteristicProperties(rawValue: properties))
        case .service, .dynamic, .clientConfiguration, .clientSupportedFeatures: return nil
        }
    }
}

/// The structure that GATT derives from the order of attributes. Core Vol 3, Part G, 2.5.3 and 3.3.
extension AttributeTable {
    /// The characteristic that an attribute belongs to.
    struct Characteristic {
        var declaration: AttributeHandle
        var value: AttributeHandle
        var properties: CharacteristicProperties
    }

    /// The last handle of the group that a declaration starts, or the handle itself if the type starts no
    /// group. Core Vol 3, Part G, 2.5.3.
    func groupEnd(of attribute: Attribute) -> AttributeHandle {
        switch attribute.type {
        case .primaryService, .secondaryService:
            services.first { $0.range.first == attribute.handle }?.range.last ?? attribute.handle
        case .characteristic: characteristicEnd(of: attribute.handle)
        default: attribute.handle
        }
    }

    private func characteristicEnd(of declaration: AttributeHandle) -> AttributeHandle {
        let service = services.first { $0.range.contains(declaration) }
        let end = service?.range.last ?? .last
        guard let rest = AttributeHandleRange(declaration, end).after(declaration) else {
            return declaration
        }
        let following = self[rest].first { $0.type.endsCharacteristic }
        guard let following else {
            return service?.range.last ?? attributes.last?.handle ?? declaration
        }
        return AttributeHandle(following.handle.rawValue - 1)
    }

    /// The characteristic of which an attribute is the value or a descriptor.
    func characteristic(containing handle: AttributeHandle) -> Characteristic? {
        guard let index = declarationIndex(of: handle),
            let declared = attributes[index].storage.declaration
        else { return nil }
        return Characteristic(
            declaration: attributes[index].handle, value: declared.value,
            properties: declared.properties)
    }

    /// The index of the declaration of the characteristic that an attribute belongs to. Each notification needs
    /// it, so that no attribute is copied.
    private func declarationIndex(of handle: AttributeHandle) -> Int? {
        var index = firstIndex(from: handle)
        if index == attributes.count || attributes[index].handle != handle { index -= 1 }
        while index >= 0, !attributes[index].type.endsCharacteristic { index -= 1 }
        return index >= 0 && attributes[index].type == .characteristic ? index : nil
    }

    /// The Client Characteristic Configuration descriptor of the characteristic whose value or descriptor
    /// this attribute is; `nil` if there is none.
    public func configurationHandle(of handle: AttributeHandle) -> AttributeHandle? {
        guard let declaration = declarationIndex(of: handle),
            attributes[declaration].storage.declaration != nil
        else { return nil }
        let service = services.first { $0.range.contains(attributes[declaration].handle) }
        let end = service?.range.last ?? .last
        var index = declaration + 1
        while index < attributes.count, attributes[index].handle <= end,
            !attributes[index].type.endsCharacteristic
        {
            if attributes[index].storage == .clientConfiguration { return attributes[index].handle }
            index += 1
        }
        return nil
    }

    /// Whether the handle is a characteristic value for which Reliable Writes are not enabled. Other
    /// attributes have no such setting, and for a dynamic value the application decides. Core Vol 3, Part G,
    /// 3.3.3.1 and 4.9.5.
    func forbidsReliableWrites(_ handle: AttributeHandle) -> Bool {
        guard self[handle]?.storage != .dynamic,
            let characteristic = characteristic(containing: handle), characteristic.value == handle
        else { return false }
        let range = AttributeHandleRange(
            characteristic.declaration, characteristicEnd(of: characteristic.declaration))
        let descriptor = self[range].first { $0.type == .characteristicExtendedProperties }
        guard let value = descriptor?.storedValue, let low = value.first else { return true }
        return low & 0x01 == 0
    }

    /// The value handle of the Service Changed characteristic.
    var serviceChangedHandle: AttributeHandle? {
        attributes.first { $0.type == .serviceChanged }?.handle
    }
}

extension BluetoothUUID {
    /// Whether an attribute of this type ends the characteristic before it.
    fileprivate var endsCharacteristic: Bool {
        switch self {
        case .primaryService, .secondaryService, .include, .characteristic: true
        default: false
        }
    }
}
