import ANCSKit
import BluetoothTypes
import Testing
import Kinds

@testable import LaboratoryCommands

@Suite struct PublicationTests {
    private static func publication(_ text: String) throws -> Publication {
        try Publication(parsing: Array(text.utf8))
    }

    private static func complaint(_ text: String) -> String? {
        do {
            _ = try publication(text)
            return nil
        } catch { return (error as? DocumentErrors)?.errors.first?.message }
    }

    private static func complaint(characteristic: String) -> String? {
        complaint(
            #"{"services":[{"uuid":"180F","characteristics":[\#(characteristic)]}]}"#)
    }

    @Test("services with characteristics, permissions, values and descriptors")
    func reading() throws {
        let publication = try Self.publication(
            #"""
            {"services": [
              {"uuid": "180F", "characteristics": [
                {"uuid": "2A19", "properties": ["read", "notify"], "octets": "64"}]},
              {"uuid": "7905F431-B5CE-4E99-A40F-4B1E122D0000", "primary": false, "characteristics": [
                {"uuid": "C0DE", "properties": ["read", "write", "notifyEncryptionRequired"],
                 "permissions": ["readEncryptionRequired", "writeEncryptionRequired"],
                 "value": "ada@example.com",
                 "descriptors": [{"uuid": "2901", "value": "E-mail"}]},
                {"uuid": "C0DF", "properties": ["read"], "static": true, "value": "1.0"}]}
            ]}
            """#)
        let battery = publication.services[0]
        #expect(battery.uuid == BluetoothUUID(0x180F as UInt16))
        #expect(battery.isPrimary)
        #expect(battery.characteristics[0].properties == [.read, .notify])
        #expect(battery.characteristics[0].permissions == .readable)
        #expect(battery.characteristics[0].value == [0x64])
        let profile = publication.services[1]
        #expect(!profile.isPrimary)
        let mail = profile.characteristics[0]
        #expect(mail.properties == [.read, .write, .notifyEncryptionRequired])
        #expect(mail.permissions == [.readEncryptionRequired, .writeEncryptionRequired])
        #expect(mail.value == Array("ada@example.com".utf8))
        #expect(mail.descriptors.map(\.uuid) == [BluetoothUUID(0x2901 as UInt16)])
        #expect(profile.characteristics[1].isStatic)
    }

    @Test("a characteristic is shown by the shortest name that a command accepts, and its meaning")
    func labels() throws {
        let publication = try Self.publication(
            #"""
            {"services": [
              {"uuid": "180F", "characteristics": [
                {"uuid": "2A19", "properties": []}, {"uuid": "C0DE", "properties": []}]},
              {"uuid": "180D", "characteristics": [
                {"uuid": "C0DE", "properties": []},
                {"uuid": "C0DF", "properties": [],
                 "descriptors": [{"uuid": "2901", "value": "E-mail\u001b"}]}]}
            ]}
            """#)
        #expect(
            publication.labels.values.sorted() == [
                "180D/C0DE", "180F/C0DE", "2A19 (Battery Level)", #"C0DF (E-mail\u{1B})"#,
            ])
    }

    @Test("without permissions any central may do what the properties allow")
    func permissions() throws {
        let publication = try Self.publication(
            #"""
            {"services":[{"uuid":"180F","characteristics":[
                {"uuid":"0001","properties":["writeWithoutResponse"]},
                {"uuid":"0002","properties":["notify"]},
                {"uuid":"0003","properties":["read","write"],"permissions":[]}]}]}
            """#)
        #expect(
            publication.services[0].characteristics.map(\.permissions) == [.writeable, [], []])
    }

    @Test("a fault in the document is named with its place")
    func complaints() {
        let rows: [(String?, String)] = [
            (Self.complaint("{"), "line 1, column 2: expected"),
            (Self.complaint("[]"), "$: expected a publication, found []"),
            (Self.complaint("{}"), #"$: expected the member "services""#),
            (
                Self.complaint(#"{"services":[{"uuid":"18"}]}"#),
                "$.services[0].uuid: expected a UUID such as"
            ),
            (
                Self.complaint(#"{"services":[{"uuid":"180F"},{"uuid":"0000180F"}]}"#),
                "$.services[1]: expected each service only once"
            ),
            (
                Self.complaint(#"{"services":[{"uuid":"180F","characteristic":[]}]}"#),
                #"did you mean "characteristics"?"#
            ),
            (
                Self.complaint(characteristic: #"{"uuid":"2A19","properties":["reed"]}"#),
                #"properties[0]: expected a property: read, writeWithoutResponse, write, notify, "#
                    + #"indicate, notifyEncryptionRequired or indicateEncryptionRequired, "#
                    + #"found "reed"; did you mean "read"?"#
            ),
            (
                Self.complaint(
                    characteristic:
                        #"{"uuid":"2A19","properties":["read"],"permissions":["readable",7]}"#),
                "permissions[1]: expected a permission: readable"
            ),
            (
                Self.complaint(
                    characteristic: #"{"uuid":"2A19","properties":["read"],"octets":"6"}"#),
                "octets: expected at most 512 octets in hexadecimal"
            ),
            (
                Self.complaint(
                    characteristic:
                        #"{"uuid":"2A19","properties":["read"],"octets":"64","value":"d"}"#),
                #"expected either "value" or "octets""#
            ),
            (
                Self.complaint(
                    characteristic:
                        #"{"uuid":"2A19","properties":["read","write"],"static":true}"#),
                "characteristics[0]: expected a static characteristic with only the property read"
            ),
            (
                Self.complaint(
                    characteristic:
                        #"{"uuid":"2A19","properties":[],"value":"\#(String(repeating: "é", count: 257))"}"#
                ), "value: expected a string of at most 512 octets"
            ),
            (
                Self.complaint(
                    characteristic: #"{"uuid":"1","properties":[],"descriptors":[{"uuid":"2901"}]}"#
                ), "characteristics[0].uuid"
            ),
            (
                Self.complaint(
                    characteristic:
                        #"{"uuid":"2A19","properties":[],"descriptors":[{"uuid":"2901"}]}"#),
                #"descriptors[0]: expected the member "value""#
            ),
            (
                Self.complaint(
                    characteristic:
                        #"{"uuid":"2A19","properties":[]},{"uuid":"2A19","properties":[]}"#),
                "characteristics[1]: expected each characteristic of a service only once"
            ),
        ]
        for (complaint, expected) in rows {
            #expect(complaint?.contains(expected) == true, "\(complaint ?? "-") for \(expected)")
        }
    }
}

@Suite struct PublishedValuesTests {
    private static func values() throws -> PublishedValues {
        PublishedValues(
            try Publication(
                parsing: Array(
                    #"""
                    {"services":[
                        {"uuid":"180F","characteristics":[
                            {"uuid":"2A19","properties":["read"],"octets":"0102030405"}]},
                        {"uuid":"180D","characteristics":[
                            {"uuid":"2A19","properties":["read"]},
                            {"uuid":"2A38","properties":["read"]}]}]}
                    """#.utf8)))
    }

    private static func key(_ service: UInt16, _ characteristic: UInt16) -> PublishedValues.Key {
        .init(service: BluetoothUUID(service), characteristic: BluetoothUUID(characteristic))
    }

    private static let battery = key(0x180F, 0x2A19)
    private static let heart = key(0x180D, 0x2A38)

    @Test("a write replaces the value, and one with an offset appends to it")
    func writes() throws {
        var values = try Self.values()
        #expect(values[Self.battery] == [1, 2, 3, 4, 5])
        let written = try values.write([
            .init(key: Self.battery, offset: 0, octets: [9, 8]),
            .init(key: Self.battery, offset: 2, octets: [7]),
            .init(key: Self.heart, offset: 0, octets: [1]),
        ])
        #expect(written == [Self.battery, Self.heart])
        #expect(values[Self.battery] == [9, 8, 7])
        #expect(values[Self.heart] == [1])
    }

    @Test("of several writes all are carried out or none")
    func atomicity() throws {
        for (write, code) in [
            (
                PublishedValues.Write(key: Self.heart, offset: 1, octets: []),
                ATTErrorCode.invalidOffset
            ),
            (
                .init(key: Self.heart, offset: 0, octets: [UInt8](repeating: 0, count: 513)),
                .invalidAttributeValueLength
            ), (.init(key: Self.key(1, 2), offset: 0, octets: []), .attributeNotFound),
        ] {
            var values = try Self.values()
            let error = #expect(throws: PublishedValues.Refusal.self) {
                try values.write([.init(key: Self.battery, offset: 0, octets: [0]), write])
            }
            #expect(error?.code == code)
            #expect(values[Self.battery] == [1, 2, 3, 4, 5])
        }
    }

    @Test("a characteristic is named by its UUID, or with its service where there are several")
    func names() throws {
        let values = try Self.values()
        #expect(values.keys(named: "2A38") == [Self.heart])
        #expect(values.keys(named: "2A19").count == 2)
        #expect(values.keys(named: "180f/2a19") == [Self.battery])
        #expect(values.keys(named: "1800/2A19").isEmpty)
        #expect(values.keys(named: "x").isEmpty)
        #expect(values.keys(named: "180F/2A19/").isEmpty)
    }
}
