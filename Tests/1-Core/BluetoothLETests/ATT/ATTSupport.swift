import BluetoothLE
import Foundation
import JSONText
import Octets
import Testing

/// Octets from hexadecimal digits; spaces are for the reader.
func hex(_ text: String) throws -> [UInt8] {
    try #require(Hexadecimal.octets(text.filter { $0 != " " }))
}

func vector(_ name: String) throws -> JSONValue {
    let url = try #require(Bundle.module.url(forResource: "Vectors/\(name)", withExtension: "json"))
    return try JSONValue(parsing: Array(Data(contentsOf: url)))
}

/// A bearer with its table and its clock, so that tests read as the exchange of PDUs.
struct BearerBench: ~Copyable {
    var bearer: ATTBearer
    var table = AttributeTable()
    var security = LinkSecurity.none
    var now = MonotonicInstant.zero

    init(receiveMTU: Int = 23, table: AttributeTable = AttributeTable()) {
        bearer = ATTBearer(configuration: ATTBearer.Configuration(receiveMTU: receiveMTU))
        self.table = table
    }

    /// Everything that comes out after a PDU came in.
    mutating func receive(_ pdu: String) throws -> [ATTBearer.Output] {
        let octets = try hex(pdu)
        bearer.receive(octets.span, table: &table, security: security, at: now)
        return drain()
    }

    /// The PDUs that go out after a PDU came in, in hexadecimal digits.
    mutating func answers(to pdu: String) throws -> [String] {
        try receive(pdu).pdus
    }

    mutating func start(_ procedure: GATTProcedure) throws -> [ATTBearer.Output] {
        _ = try bearer.start(procedure, at: now)
        return drain()
    }

    mutating func drain() -> [ATTBearer.Output] {
        var outputs = [ATTBearer.Output]()
        while let output = bearer.pollOutput() { outputs.append(output) }
        return outputs
    }

    mutating func advance(by duration: Duration) -> [ATTBearer.Output] {
        now = now + duration
        bearer.handleTimeout(at: now)
        return drain()
    }
}

extension [ATTBearer.Output] {
    var pdus: [String] {
        compactMap { output in
            guard case .send(let pdu) = output else { return nil }
            return Hexadecimal.text(pdu)
        }
    }

    var results: [Result<GATTResult, GATTFailure>] {
        compactMap { output in
            guard case .event(.completed(_, let result)) = output else { return nil }
            return result
        }
    }
}

extension AttributeTable {
    /// Reads services as `protocol-pipe` does.
    init(vector services: JSONValue) throws {
        self.init()
        for service in try #require(services.array) {
            let start = try service.handle(of: "start")
            let end = try service.handle(of: "end")
            let uuid = try service.uuid(of: "uuid")
            try insert(
                Service(
                    range: AttributeHandleRange(start, end), uuid: uuid,
                    isPrimary: service["primary"]?.boolean == true))
            for json in try #require(service["attributes"]?.array) {
                try insert(try Attribute(vector: json))
            }
        }
    }
}

extension AttributeTable.Attribute {
    fileprivate init(vector json: JSONValue) throws {
        let type = try json.uuid(of: "type")
        let names = Set(try #require(json["perm"]?.array).compactMap(\.string))
        let value = try hex(try json.text(of: "value"))
        let write = AccessRequirement(vector: names, "write")
        self.init(
            handle: try json.handle(of: "handle"), type: type,
            permissions: AttributePermissions(
                read: AccessRequirement(vector: names, "read"), write: write,
                writeCommand: write ?? (names.contains("write_no_rsp") ? .open : nil)),
            storage: type == .clientCharacteristicConfiguration
                ? .clientConfiguration : .stored(value))
    }
}

extension AccessRequirement {
    fileprivate init?(vector names: Set<String>, _ access: String) {
        let suffixes = ["", "_encrypt", "_authen", "_author"]
        guard suffixes.contains(where: { names.contains(access + $0) }) else { return nil }
        self.init(
            needsEncryption: names.contains(access + "_encrypt"),
            needsAuthentication: names.contains(access + "_authen"),
            needsAuthorization: names.contains(access + "_author"), minimumKeySize: 16)
    }
}

extension JSONValue {
    func text(of name: String) throws -> String {
        try #require(self[name]?.string)
    }

    fileprivate func handle(of name: String) throws -> AttributeHandle {
        AttributeHandle(UInt16(try #require(self[name]?.integer)))
    }

    fileprivate func uuid(of name: String) throws -> BluetoothUUID {
        let text = try text(of: name)
        return try #require(BluetoothUUID(text: text))
    }
}
