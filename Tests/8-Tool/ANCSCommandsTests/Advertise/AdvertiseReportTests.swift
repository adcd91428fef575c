import ANCSEvents
import ANCSKit
import BluetoothTypes
import Testing

@testable import LaboratoryCommands
@testable import Printing

@Suite struct AdvertiseReportTests {
    private static let person = AdvertiseReport(isJSON: false, isColored: false)
    private static let program = AdvertiseReport(isJSON: true, isColored: false)
    private static let central = PeerIdentifier(
        rawValue: 0x0123_4567_89AB_4CDE_8123_4567_89AB_CDEF)
    private static let level = PublishedValues.Key(
        service: BluetoothUUID(0x180F as UInt16), characteristic: BluetoothUUID(0x2A19 as UInt16))

    @Test("values are shown by their meaning, or as text or octets if it is unknown")
    func values() {
        let rows: [([UInt8], String)] = [
            ([], "(empty)"), ([0x64], "100 %"), ([0x01, 0xFF], "01ff"),
            ([0x1B, 0x5B, 0x32, 0x4A], "1b5b324a"),
        ]
        for (value, text) in rows {
            #expect(
                Self.person.report(.written, by: Self.central, Self.level, value).output
                    == ["  central 01234567 has written 180F/2A19: " + text])
        }
        let own = PublishedValues.Key(
            service: Self.level.service, characteristic: .init(0xC0DE as UInt16))
        #expect(
            Self.person.report(.read, by: Self.central, own, Array("ada@example.com".utf8)).output
                == ["  central 01234567 has read 180F/C0DE: “ada@example.com”"])
    }

    @Test("programs receive octets, and text if the octets are text")
    func json() {
        #expect(
            Self.program.report(.written, by: Self.central, Self.level, [0x64]).output == [
                #"{"event":"written","central":"01234567-89AB-4CDE-8123-456789ABCDEF","#
                    + #""service":"180F","characteristic":"2A19","octets":"64","value":"d"}"#
            ])
        #expect(
            Self.program.report(
                update: Self.level, [0xFF], subscribers: 2, isSent: false
            ).output == [
                #"{"event":"updated","service":"180F","characteristic":"2A19","octets":"ff","#
                    + #""subscribers":2,"sent":false}"#
            ])
        #expect(
            Self.program.report(
                refusalOf: Self.level, by: Self.central, .invalidOffset
            ).output == [
                #"{"event":"refused","central":"01234567-89AB-4CDE-8123-456789ABCDEF","#
                    + #""service":"180F","characteristic":"2A19","attError":7}"#
            ])
    }

    @Test("pairing tells the user what to do")
    func pairing() {
        #expect(
            Self.person.report(of: .peer(Self.central, .pairing(.enter(PasskeyEntry())))).output
                == ["● central 01234567: type the six digits that the central shows:"])
        #expect(
            Self.program.report(of: .peer(Self.central, .pairing(.display(PasskeyDisplay(4711)))))
                .output
                == [
                    #"{"event":"pairing","central":"01234567-89AB-4CDE-8123-456789ABCDEF","#
                        + #""display":4711}"#
                ])
    }

    @Test("the end of an advertisement has a reason, and texts of others are made visible")
    func offAir() {
        #expect(
            Self.person.reportOffAir(.connected, nil).output
                == ["● off air: a central has connected"])
        #expect(
            Self.person.reportOffAir(.interrupted, "a\u{1B}[2J").output
                == [#"● off air temporarily: a\u{1B}[2J"#])
        #expect(
            Self.program.reportOffAir(.timeLimit, nil).output
                == [#"{"event":"advertising","on":false,"reason":"timeLimit"}"#])
        #expect(Self.person.report(problem: "x\u{7}").diagnostics == [#"ancs: x\u{7}"#])
    }
}
