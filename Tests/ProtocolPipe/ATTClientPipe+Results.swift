internal import BluetoothLE
internal import JSONText
internal import Octets

extension ATTClientPipe {
    /// A result in JSON: with `value` if there is one, with `att` if the server returned an error.
    static func json(_ result: Result<GATTResult, GATTFailure>) -> JSONValue {
        switch result {
        case .failure(.errorResponse(let code, let handle)):
            [
                "result": "error", "att": .integer(Int(code.rawValue)),
                "handle": .integer(Int(handle.rawValue)),
            ]
        case .failure(let failure): ["result": "error", "reason": .string("\(failure)")]
        case .success(.done): ["result": "ok"]
        case .success(.mtu(let mtu)): ["result": "ok", "mtu": .integer(mtu)]
        case .success(.value(let value)):
            ["result": "ok", "value": .string(Hexadecimal.text(value))]
        case .success(.values(let values)):
            [
                "result": "ok",
                "value": .string(Hexadecimal.text(values.flatMap(\.value))),
                "values": .array(
                    values.map {
                        [
                            "handle": json($0.handle),
                            "value": .string(Hexadecimal.text($0.value)),
                        ]
                    }),
            ]
        case .success(.services(let services)):
            ["result": "ok", "services": .array(services.map(json))]
        case .success(.includedServices(let included)):
            ["result": "ok", "included": .array(included.map(json))]
        case .success(.characteristics(let characteristics)):
            ["result": "ok", "characteristics": .array(characteristics.map(json))]
        case .success(.descriptors(let descriptors)):
            ["result": "ok", "descriptors": .array(descriptors.map(json))]
        case .success(.database(let database)):
            ["result": "ok", "services": .array(database.services.map(json))]
        }
    }

    private static func json(_ handle: AttributeHandle) -> JSONValue {
        .integer(Int(handle.rawValue))
    }

    private static func json(_ service: RemoteDatabase.Service) -> JSONValue {
        [
            "start": json(service.range.first), "end": json(service.range.last),
            "uuid": .string(service.uuid.text), "primary": .boolean(service.isPrimary),
            "included": .array(service.includedServices.map(json)),
            "characteristics": .array(service.characteristics.map(json)),
        ]
    }

    private static func json(_ included: RemoteDatabase.IncludedService) -> JSONValue {
        [
            "handle": json(included.declaration), "start": json(included.range.first),
            "end": json(included.range.last), "uuid": .string(included.uuid.text),
        ]
    }

    private static func json(_ characteristic: RemoteDatabase.Characteristic) -> JSONValue {
        [
            "handle": json(characteristic.declaration), "value": json(characteristic.value),
            "properties": .integer(Int(characteristic.properties.rawValue)),
            "uuid": .string(characteristic.uuid.text),
            "descriptors": .array(characteristic.descriptors.map(json)),
        ]
    }

    private static func json(_ descriptor: RemoteDatabase.Descriptor) -> JSONValue {
        ["handle": json(descriptor.handle), "uuid": .string(descriptor.type.text)]
    }
}
