import ANCS
import BluetoothLE
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// The attributes of a phone, as an accessory finds them.
@Suite struct PhoneServicesTests {
    /// A phone's host, as the provider makes it.
    static func table() throws -> AttributeTable {
        let now = MonotonicInstant(nanoseconds: 0)
        var host = Host(
            configuration: HostConfiguration(
                deviceName: "iPhone",
                identityAddress: DeviceAddress(0xC000_0000_0001, kind: .random)),
            toolbox: OpenSSLToolbox())
        for (definition, start) in PhoneServices.fixed {
            _ = try host.addService(definition, startingAt: start, at: now)
        }
        _ = try host.addService(
            PhoneServices.ancs, startingAt: PhoneServices.ancsHandle, at: now)
        return host.table
    }

    @Test("the services have the handles of an iPhone's, and do not overlap")
    func services() throws {
        let ranges = try Self.table().services.map {
            "\($0.uuid.text.prefix(8)) \($0.range.first.rawValue)-\($0.range.last.rawValue)"
        }
        #expect(
            ranges == [
                "1800 1-5", "1801 6-13", "180A 14-18", "180F 20-23", "1805 24-31",
                "7905F431 35-44",
            ])
    }

    @Test("ANCS has exactly ten handles, in the order of the capture of an iPhone (S24)")
    func ancs() throws {
        let table = try Self.table()
        let range = AttributeHandleRange(AttributeHandle(0x23), AttributeHandle(0x2C))
        #expect(
            table[range].map {
                "\(String($0.handle.rawValue, radix: 16)) \($0.type.text.prefix(8))"
            }
                == [
                    "23 2800", "24 2803", "25 9FBF120D", "26 2902", "27 2803", "28 69D1D8F3",
                    "29 2900", "2a 2803", "2b 22EAC6E9", "2c 2902",
                ])
        let properties = [0x24, 0x27, 0x2A].map {
            table[AttributeHandle(UInt16($0))]?.storedValue?.first
        }
        // Notify; write and extended properties; notify (R6).
        #expect(properties == [0x10, 0x88, 0x10])
        // Reliable Write is enabled. Core Vol 3, Part G, 3.3.3.1.
        #expect(table[AttributeHandle(0x29)]?.storedValue == [1, 0])
    }

    /// What a link is like, and the ATT error that it gets; 0x05 for who is not paired, 0x0F for who is
    /// but has not encrypted. Core Vol 3, Part C, 10.3.1.
    static let links: [(LinkSecurity, ATTErrorCode?)] = [
        (LinkSecurity(), .insufficientAuthentication),
        (LinkSecurity(isBonded: true), .insufficientEncryption),
        (LinkSecurity(isEncrypted: true, keySize: 16), nil),
        (LinkSecurity(isEncrypted: true, keySize: 7, isBonded: true), nil),
    ]

    @Test("every access to ANCS needs a paired, encrypted link (R7)", arguments: links)
    func protection(link: LinkSecurity, error: ATTErrorCode?) throws {
        let table = try Self.table()
        for handle in [UInt16(0x26), 0x28, 0x2C] {
            let write = try #require(table[AttributeHandle(handle)]?.permissions.write)
            #expect(write.violation(by: link) == error)
        }
        // The values themselves are never read.
        for handle in [UInt16(0x25), 0x28, 0x2B] {
            #expect(table[AttributeHandle(handle)]?.permissions.read == nil)
        }
    }

    @Test("the current time has the day of the week for any date")
    func currentTime() throws {
        func value(_ year: Int, _ month: Int, _ day: Int) throws -> [UInt8] {
            let date = try #require(
                NotificationDate(
                    year: year, month: month, day: day, hour: 9, minute: 30, second: 5))
            return PhoneClock(zone: PhoneTimeZone()).currentTime(at: date)
        }
        #expect(try value(2026, 11, 21) == [0xEA, 0x07, 11, 21, 9, 30, 5, 6, 0, 0])
        #expect(try value(2024, 2, 29)[7] == 4)
        #expect(try value(2000, 1, 1)[7] == 6)
        #expect(try value(1999, 12, 31)[7] == 5)
        #expect(try value(2027, 1, 3)[7] == 7)
    }
}
