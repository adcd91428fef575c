import BluetoothLE
import JSONText
import Octets
import Testing

/// Exchanges with a server: what comes in, what the server notifies, and every PDU that goes out.
/// `att_server.json` holds them; its tables `small`, `large` and `pair` are those with which BlueZ
/// tests, `raw` is ours.
struct ServerExchangeTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var json: JSONValue
        var table: JSONValue
        var testDescription: String { json["name"]?.string ?? "?" }
    }

    static let cases: [Case] = {
        guard let vectors = try? vector("att_server"), let cases = vectors["cases"]?.array else {
            return []
        }
        return cases.compactMap { json in
            json["database"]?.string.flatMap { vectors["databases"]?[$0] }.map {
                Case(json: json, table: $0)
            }
        }
    }()

    @Test("there are exchanges")
    func exist() {
        #expect(Self.cases.count > 500)
    }

    @Test("an exchange follows the specification", arguments: cases)
    func exchange(_ row: Case) throws {
        var bench = BearerBench(
            receiveMTU: try #require(row.json["mtu"]?.integer),
            table: try AttributeTable(vector: row.table))
        if let link = row.json["link"] { bench.security = LinkSecurity(vector: link) }
        var sent = [String]()
        var expected = [String]()
        for step in try #require(row.json["steps"]?.array) {
            let text = try #require(step.array?.last?.string)
            switch step.array?.first?.string {
            case "in": sent += try bench.answers(to: text)
            case "out": expected.append(text)
            case "notify":
                let (handle, value) = try Self.split(text)
                try? bench.bearer.notify(value, of: handle, table: bench.table)
                sent += bench.drain().pdus
            default:
                let (handle, value) = try Self.split(text)
                try? bench.bearer.indicate(value, of: handle, table: bench.table, at: bench.now)
                sent += bench.drain().pdus
            }
        }
        #expect(sent == expected)
    }

    private static func split(_ text: String) throws -> (AttributeHandle, [UInt8]) {
        let handle = try #require(UInt16(text.prefix(4), radix: 16))
        return (AttributeHandle(handle), try hex(String(text.dropFirst(4))))
    }
}

extension LinkSecurity {
    fileprivate init(vector json: JSONValue) {
        let isEncrypted = json["encrypted"]?.boolean ?? false
        self.init(
            isEncrypted: isEncrypted, isAuthenticated: json["authenticated"]?.boolean ?? false,
            keySize: isEncrypted ? json["key_size"]?.integer ?? 16 : 0,
            isBonded: json["bonded"]?.boolean ?? false,
            isAuthorized: json["authorised"]?.boolean ?? false)
    }
}
