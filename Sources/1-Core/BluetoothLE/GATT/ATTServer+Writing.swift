extension ATTServer {
    mutating func evaluateWrite(
        _ request: ServerRequest, scene: inout ServerScene, effects: inout [ATTBearer.Output]
    ) throws(ServerRequest.Obstacle) -> ATTServerPDU {
        switch request.pdu {
        case .writeRequest(let handle, let value):
            let attribute = try writableAttribute(handle, scene)
            if let code = check(value, for: attribute, in: scene.table) {
                throw .error(code, handle)
            }
            if attribute.storage == .dynamic {
                try settle([AttributeWrite(handle: handle, value: value)], request)
            }
            write(value, to: attribute, table: &scene.table, effects: &effects)
            return .writeResponse
        case .prepareWriteRequest(let handle, let offset, let value):
            // The response repeats the request, so it is impossible if the request is longer than ATT_MTU.
            guard value.count <= scene.mtu - 5 else {
                throw .error(.invalidPDU, AttributeHandle(0))
            }
            _ = try writableAttribute(handle, scene)
            guard prepared.count < configuration.maximumPreparedWrites else {
                throw .error(.prepareQueueFull, handle)
            }
            prepared.append(AttributeWrite(handle: handle, offset: Int(offset), value: value))
            return .prepareWriteResponse(handle, offset: offset, value: value)
        default:
            guard case .executeWriteRequest(let isCommit) = request.pdu else {
                throw .error(.requestNotSupported, AttributeHandle(0))
            }
            do {
                if isCommit { try execute(request, scene: &scene, effects: &effects) }
            } catch .question(let question) {
                throw .question(question)
            } catch {
                prepared = []
                throw error
            }
            prepared = []
            return .executeWriteResponse
        }
    }

    private func writableAttribute(
        _ handle: AttributeHandle, _ scene: ServerScene
    ) throws(ServerRequest.Obstacle) -> AttributeTable.Attribute {
        guard let attribute = scene[handle] else { throw .error(.invalidHandle, handle) }
        guard let requirement = attribute.permissions.write else {
            throw .error(.writeNotPermitted, handle)
        }
        if let violation = requirement.violation(by: scene.security) {
            throw .error(violation, handle)
        }
        return attribute
    }

    // MARK: Prepared writes

    /// Executes all prepared writes or none: every value is assembled and checked, and the application has
    /// accepted its own, before the first one is written. Core Vol 3, Part F, 3.4.6.3.
    private mutating func execute(
        _ request: ServerRequest, scene: inout ServerScene, effects: inout [ATTBearer.Output]
    ) throws(ServerRequest.Obstacle) {
        let handles = prepared.reduce(into: [AttributeHandle]()) { handles, part in
            if !handles.contains(part.handle) { handles.append(part.handle) }
        }
        // More than one value is a Reliable Write, which the characteristics must enable (Core Vol 3, Part G,
        // 4.9.5).
        if handles.count > 1, let handle = handles.first(where: scene.table.forbidsReliableWrites) {
            throw .error(.requestNotSupported, handle)
        }
        var values = [(attribute: AttributeTable.Attribute, value: [UInt8])]()
        var questions = [AttributeWrite]()
        for handle in handles {
            // The table and the link may have changed since the parts were queued.
            let attribute = try writableAttribute(handle, scene)
            if attribute.storage == .dynamic {
                questions += try contiguousWrites(to: handle)
                continue
            }
            let value = try assembledValue(of: attribute)
            if let code = check(value, for: attribute, in: scene.table) {
                throw .error(code, handle)
            }
            values.append((attribute, value))
        }
        if !questions.isEmpty { try settle(questions, request) }
        for (attribute, value) in values {
            write(value, to: attribute, table: &scene.table, effects: &effects)
        }
    }

    /// The prepared writes to a dynamic attribute; adjacent parts are joined.
    private func contiguousWrites(
        to handle: AttributeHandle
    ) throws(ServerRequest.Obstacle) -> [AttributeWrite] {
        var writes = [AttributeWrite]()
        for part in prepared where part.handle == handle {
            let limit = AttributeTable.maximumValueLength
            guard part.offset <= limit else { throw .error(.invalidOffset, handle) }
            guard part.end <= limit else { throw .error(.invalidAttributeValueLength, handle) }
            if writes.isEmpty || !writes[writes.count - 1].absorb(part) { writes.append(part) }
        }
        return writes
    }

    /// The value that the prepared parts result in. Parts that start at offset 0 replace the value, as a
    /// Write Request does; others change a part of it. Parts may not leave a gap.
    private func assembledValue(
        of attribute: AttributeTable.Attribute
    ) throws(ServerRequest.Obstacle) -> [UInt8] {
        let parts = prepared.filter { $0.handle == attribute.handle }
        var value = parts.first?.offset == 0 ? [] : presentValue(of: attribute)
        for part in parts {
            guard part.offset <= value.count else { throw .error(.invalidOffset, attribute.handle) }
            guard part.end <= AttributeTable.maximumValueLength else {
                throw .error(.invalidAttributeValueLength, attribute.handle)
            }
            value.replaceSubrange(part.offset..<min(value.count, part.end), with: part.value)
        }
        return value
    }

    private func presentValue(of attribute: AttributeTable.Attribute) -> [UInt8] {
        switch attribute.storage {
        case .stored, .service, .characteristic: attribute.storedValue ?? []
        case .dynamic: []
        case .clientConfiguration: client[attribute.handle].octets
        case .clientSupportedFeatures: client.supportedFeatures
        }
    }

    // MARK: Values

    /// Why a value is not acceptable for an attribute; `nil` if it is.
    func check(
        _ value: [UInt8], for attribute: AttributeTable.Attribute, in table: AttributeTable
    ) -> ATTErrorCode? {
        switch attribute.storage {
        case .stored(_, let minimum, let maximum):
            let fits = value.count >= minimum && value.count <= max(minimum, maximum)
            return fits ? nil : .invalidAttributeValueLength
        // Declarations are read-only. Core Vol 3, Part G, 3.1 and 3.3.1.
        case .service, .characteristic: return .writeNotPermitted
        case .dynamic:
            let fits = value.count <= AttributeTable.maximumValueLength
            return fits ? nil : .invalidAttributeValueLength
        case .clientConfiguration:
            guard value.count == 2 else { return .invalidAttributeValueLength }
            let wanted = ClientCharacteristicConfiguration(octets: value)
            let allowed = table.allowedConfiguration(of: attribute.handle)
            return wanted.isSubset(of: allowed) ? nil : .valueNotAllowed
        case .clientSupportedFeatures:
            guard (1...16).contains(value.count) else { return .invalidAttributeValueLength }
            // A client must not withdraw a feature (Core Vol 3, Part G, 7.2).
            for (index, feature) in client.supportedFeatures.enumerated() {
                let written = index < value.count ? value[index] : 0
                guard feature & ~written == 0 else { return .valueNotAllowed }
            }
            return nil
        }
    }

    /// Asks the application about all dynamic attributes that a request writes, unless it has already
    /// answered.
    private func settle(
        _ writes: [AttributeWrite], _ request: ServerRequest
    ) throws(ServerRequest.Obstacle) {
        guard let answer = request.answer(to: .write(writes)) else {
            throw .question(.write(writes))
        }
        guard case .failure(let code) = answer.answer else { return }
        let refused = writes.first { $0.handle == answer.refusedHandle } ?? writes.first
        throw .error(code, refused?.handle ?? AttributeHandle(0))
    }

    /// Writes a value that has been checked.
    mutating func write(
        _ value: [UInt8], to attribute: AttributeTable.Attribute, table: inout AttributeTable,
        effects: inout [ATTBearer.Output]
    ) {
        switch attribute.storage {
        case .stored:
            table.setValue(value, of: attribute.handle)
            effects.append(.event(.server(.valueWritten(attribute.handle, value))))
        case .dynamic, .service, .characteristic: break
        case .clientConfiguration:
            let wanted = ClientCharacteristicConfiguration(octets: value)
            let isNews = client[attribute.handle] != wanted
            client[attribute.handle] = wanted
            // Reported even if unchanged: a service may start something at every subscription.
            if let characteristic = table.characteristic(containing: attribute.handle) {
                effects.append(.event(.server(.subscriptionChanged(characteristic.value, wanted))))
            }
            guard isNews else { return }
            configurationChanged(table, effects: &effects)
        case .clientSupportedFeatures:
            guard client.supportedFeatures != value else { return }
            client.supportedFeatures = value
            configurationChanged(table, effects: &effects)
        }
    }

    /// What is stored refers to the current table, unless the client is known not to know it.
    private mutating func configurationChanged(
        _ table: AttributeTable, effects: inout [ATTBearer.Output]
    ) {
        if isClientAware { client.databaseHash = table.databaseHash }
        effects.append(.clientConfigurationChanged)
    }
}

extension AttributeTable {
    /// The values that a configuration descriptor accepts: those that the characteristic's properties allow
    /// (Core Vol 3, Part G, 3.3.3.3), or both if there is no characteristic declaration.
    func allowedConfiguration(of handle: AttributeHandle) -> ClientCharacteristicConfiguration {
        guard let characteristic = characteristic(containing: handle) else {
            return [.notification, .indication]
        }
        var allowed = ClientCharacteristicConfiguration()
        if characteristic.properties.contains(.notify) { allowed.insert(.notification) }
        if characteristic.properties.contains(.indicate) { allowed.insert(.indication) }
        return allowed
    }
}

extension ClientCharacteristicConfiguration {
    /// The value of a descriptor of two octets, from the wire.
    fileprivate init(octets: [UInt8]) {
        self.init(rawValue: octets.reversed().reduce(0) { $0 << 8 | UInt16($1) })
    }
}
