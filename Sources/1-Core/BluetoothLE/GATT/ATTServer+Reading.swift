extension ATTServer {
    /// The response to a request, or why there is none yet. Effects of a write other than on the table and
    /// the client's configuration are added to `effects`.
    mutating func evaluate(
        _ request: ServerRequest, scene: inout ServerScene, effects: inout [ATTBearer.Output]
    ) throws(ServerRequest.Obstacle) -> ATTServerPDU {
        switch request.pdu {
        case .findInformationRequest(let range): return try findInformation(range, scene)
        case .findByTypeValueRequest(let range, let type, let value):
            return try findByTypeValue(range, BluetoothUUID(type), value, scene)
        case .readByTypeRequest(let range, let type):
            return try readByType(range, type, request, scene)
        case .readByGroupTypeRequest(let range, let type):
            return try readByGroupType(range, type, scene)
        case .readRequest(let handle):
            let value = try value(of: handle, request, scene)
            return .readResponse(value.truncated(to: scene.mtu - 1))
        case .readBlobRequest(let handle, let offset):
            let value = try value(of: handle, request, scene)
            guard Int(offset) <= value.count else { throw .error(.invalidOffset, handle) }
            return .readBlobResponse(value.truncated(to: scene.mtu - 1, from: Int(offset)))
        case .readMultipleRequest(let handles):
            var values = [UInt8]()
            for handle in handles { values += try value(of: handle, request, scene) }
            return .readMultipleResponse(values.truncated(to: scene.mtu - 1))
        case .readMultipleVariableRequest(let handles):
            return try readMultipleVariable(handles, request, scene)
        case .writeRequest, .prepareWriteRequest, .executeWriteRequest:
            return try evaluateWrite(request, scene: &scene, effects: &effects)
        case .exchangeMTURequest, .writeCommand, .signedWriteCommand, .handleValueConfirmation:
            throw .error(.requestNotSupported, AttributeHandle(0))
        }
    }

    // MARK: Values

    private func value(
        of handle: AttributeHandle, _ request: ServerRequest, _ scene: ServerScene
    ) throws(ServerRequest.Obstacle) -> [UInt8] {
        guard let attribute = scene[handle] else { throw .error(.invalidHandle, handle) }
        return try value(of: attribute, request, scene)
    }

    private func value(
        of attribute: AttributeTable.Attribute, _ request: ServerRequest, _ scene: ServerScene
    ) throws(ServerRequest.Obstacle) -> [UInt8] {
        guard let requirement = attribute.permissions.read else {
            throw .error(.readNotPermitted, attribute.handle)
        }
        if let violation = requirement.violation(by: scene.security) {
            throw .error(violation, attribute.handle)
        }
        switch attribute.storage {
        case .stored where attribute.type == .databaseHash && !scene.security.isEncrypted:
            let value = scene.table.hashOfVisible.map(AttributeTable.octets)
            return value ?? attribute.storedValue ?? []
        case .stored, .service, .characteristic: return attribute.storedValue ?? []
        case .clientConfiguration: return client[attribute.handle].octets
        case .clientSupportedFeatures:
            return client.supportedFeatures.isEmpty ? [0] : client.supportedFeatures
        case .dynamic:
            switch request.answer(to: .read(attribute.handle))?.answer {
            case .success(let value): return value
            case .failure(let code): throw .error(code, attribute.handle)
            case nil: throw .question(.read(attribute.handle))
            }
        }
    }

    // MARK: Lists

    /// Core Vol 3, Part F, 3.4.3.1.
    private func findInformation(
        _ range: AttributeHandleRange, _ scene: ServerScene
    ) throws(ServerRequest.Obstacle) -> ATTServerPDU {
        var found = [ATTServerPDU.TypedHandle]()
        for attribute in try attributes(in: range, scene) {
            let size = attribute.type.encodedCount
            guard found.first.map({ $0.type.encodedCount == size }) ?? true,
                (found.count + 1) * (2 + size) <= scene.mtu - 2
            else { break }
            found.append(.init(handle: attribute.handle, type: attribute.type))
        }
        guard !found.isEmpty else { throw .error(.attributeNotFound, range.first) }
        return .findInformationResponse(found)
    }

    /// Core Vol 3, Part F, 3.4.3.3. Values that this client may not read are not compared, because the result
    /// would reveal them.
    private func findByTypeValue(
        _ range: AttributeHandleRange, _ type: BluetoothUUID, _ value: [UInt8], _ scene: ServerScene
    ) throws(ServerRequest.Obstacle) -> ATTServerPDU {
        let request = ServerRequest(pdu: .findByTypeValueRequest(range, type: 0, value: []))
        let limit = (scene.mtu - 1) / 4
        var found = [AttributeHandleRange]()
        for attribute in try attributes(in: range, scene) where attribute.type == type {
            guard found.count < limit else { break }
            guard (try? self.value(of: attribute, request, scene)) == value else { continue }
            let end = scene.table.groupEnd(of: attribute)
            found.append(AttributeHandleRange(attribute.handle, end))
        }
        guard !found.isEmpty else { throw .error(.attributeNotFound, range.first) }
        return .findByTypeValueResponse(found)
    }

    /// Core Vol 3, Part F, 3.4.4.1. Only the first attribute can fail the request; a later failure ends the
    /// list.
    private func readByType(
        _ range: AttributeHandleRange, _ type: BluetoothUUID, _ request: ServerRequest,
        _ scene: ServerScene
    ) throws(ServerRequest.Obstacle) -> ATTServerPDU {
        // The length of a tuple is one octet, so a value has at most 253 octets.
        let longest = min(scene.mtu - 4, 253)
        var length: Int?
        var found = [HandleValue]()
        for attribute in try attributes(in: range, scene) where attribute.type == type {
            if let length {
                let size = 2 + min(length, longest)
                guard (found.count + 1) * size <= scene.mtu - 2 else { break }
            }
            let value: [UInt8]
            do {
                value = try self.value(of: attribute, request, scene)
            } catch .question(let question) {
                throw .question(question)
            } catch {
                guard !found.isEmpty else { throw error }
                break
            }
            guard length == nil || length == value.count else { break }
            length = value.count
            found.append(.init(handle: attribute.handle, value: value.truncated(to: longest)))
        }
        guard !found.isEmpty else { throw .error(.attributeNotFound, range.first) }
        return .readByTypeResponse(found)
    }

    /// Core Vol 3, Part F, 3.4.4.9; the group types are those of Part G, 2.5.3.
    private func readByGroupType(
        _ range: AttributeHandleRange, _ type: BluetoothUUID, _ scene: ServerScene
    ) throws(ServerRequest.Obstacle) -> ATTServerPDU {
        let attributes = try attributes(in: range, scene)
        guard type == .primaryService || type == .secondaryService else {
            throw .error(.unsupportedGroupType, range.first)
        }
        // The length of a tuple is one octet, so a value has at most 251 octets.
        let longest = min(scene.mtu - 6, 251)
        var length: Int?
        var found = [ATTServerPDU.GroupValue]()
        for service in attributes where service.type == type {
            guard let value = service.storedValue, length == nil || length == value.count,
                found.isEmpty
                    || (found.count + 1) * (4 + min(value.count, longest)) <= scene.mtu - 2
            else { break }
            length = value.count
            let end = scene.table.groupEnd(of: service)
            found.append(
                .init(
                    range: AttributeHandleRange(service.handle, end),
                    value: value.truncated(to: longest)))
        }
        guard !found.isEmpty else { throw .error(.attributeNotFound, range.first) }
        return .readByGroupTypeResponse(found)
    }

    /// Core Vol 3, Part F, 3.4.4.11. The PDU may end within a value, but not within its length field.
    private func readMultipleVariable(
        _ handles: [AttributeHandle], _ request: ServerRequest, _ scene: ServerScene
    ) throws(ServerRequest.Obstacle) -> ATTServerPDU {
        var room = scene.mtu - 1
        var values = [ATTServerPDU.LengthValue]()
        for handle in handles {
            let value = try value(of: handle, request, scene)
            guard room >= 2 else { continue }
            let part = value.truncated(to: room - 2)
            values.append(.init(length: UInt16(clamping: value.count), value: part))
            room -= 2 + part.count
        }
        return .readMultipleVariableResponse(values)
    }

    private func attributes(
        in range: AttributeHandleRange, _ scene: ServerScene
    ) throws(ServerRequest.Obstacle) -> ArraySlice<AttributeTable.Attribute> {
        guard range.isValid else { throw .error(.invalidHandle, range.first) }
        return scene[range]
    }
}

extension [UInt8] {
    /// At most `count` octets, from an offset that is not beyond the end.
    fileprivate func truncated(to count: Int, from offset: Int = 0) -> [UInt8] {
        // Mostly it is the whole value, which needs no copy.
        offset == 0 && self.count <= count ? self : Array(dropFirst(offset).prefix(count))
    }
}
