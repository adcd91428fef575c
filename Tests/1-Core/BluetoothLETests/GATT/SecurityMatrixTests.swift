import BluetoothLE
import JSONText
import Octets
import Testing

/// Who may access what on which link: Core Vol 3, Part C, 10.3.1. The rows are in
/// `security_matrix.json`; the attribute under test is 0x0025, beside an open one at 0x0003.
struct SecurityMatrixTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var json: JSONValue
        var testDescription: String {
            ["link", "attribute", "op"].compactMap { json[$0]?.string }.joined(separator: ", ")
        }
    }

    static let rows: [Row] =
        (try? vector("security_matrix")["rows"]?.array?.map(Row.init(json:))) ?? []

    static let links: [String: LinkSecurity] = [
        "unencrypted, no bond": .none,
        "unencrypted, bond with LTK exists": LinkSecurity(isBonded: true),
        "encrypted with unauthenticated key": LinkSecurity(
            isEncrypted: true, keySize: 16, isBonded: true),
        "encrypted, legacy key": LinkSecurity(
            isEncrypted: true, isAuthenticated: true, keySize: 16, isBonded: true),
        "encrypted with 7-octet key": LinkSecurity(
            isEncrypted: true, isAuthenticated: true, usesSecureConnections: true, keySize: 7,
            isBonded: true),
        "encrypted, authenticated, not authorised": LinkSecurity(
            isEncrypted: true, isAuthenticated: true, usesSecureConnections: true, keySize: 16,
            isBonded: true),
    ]

    static let requirements: [String: AccessRequirement] = [
        "needs encryption": .encrypted,
        "needs encryption only": .encrypted,
        "needs MITM (authenticated key)": .authenticated,
        "needs LE Secure Connections": AccessRequirement(needsSecureConnections: true),
        "needs 16-octet key": AccessRequirement(needsEncryption: true, minimumKeySize: 16),
        "needs authorisation": AccessRequirement(
            needsAuthentication: true, needsAuthorization: true),
    ]

    @Test("there are rows")
    func exist() {
        #expect(Self.rows.count == 49)
    }

    @Test("the link decides", arguments: rows)
    func decides(_ row: Row) throws {
        let requirement = try #require(
            row.json["attribute"]?.string.flatMap { Self.requirements[$0] })
        var bench = BearerBench(table: try Self.table(requirement))
        bench.security = try #require(row.json["link"]?.string.flatMap { Self.links[$0] })
        let answers = try bench.answers(to: try row.json.text(of: "request"))
        let value = bench.table[AttributeHandle(0x0025)]?.storedValue
        if let expected = row.json["expect"]?.array {
            #expect(answers == expected.compactMap(\.string))
        } else {
            let last = try #require(row.json.text(of: "expect").split(separator: " ").last)
            #expect(answers.isEmpty)
            #expect(value == (try hex(String(last))))
        }
    }

    private static func table(_ requirement: AccessRequirement) throws -> AttributeTable {
        var table = AttributeTable()
        try table.insert(
            .init(
                handle: AttributeHandle(0x0003), type: .deviceName,
                storage: .stored(Array("Peer".utf8))))
        try table.insert(
            .init(
                handle: AttributeHandle(0x0025), type: BluetoothUUID(UInt16(0xFFF2)),
                permissions: AttributePermissions(
                    read: requirement, write: requirement, writeCommand: requirement),
                storage: .stored(Array("secret".utf8))))
        return table
    }
}
