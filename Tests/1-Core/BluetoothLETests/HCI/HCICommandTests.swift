@testable import BluetoothLE
import Octets
import Testing

/// Octets of commands as another stack (Bumble) encodes them, from opcode to the last parameter.
@Suite struct HCICommandTests {
    static let peer = DeviceAddress(0xF0F1_F2F3_F4F5, kind: .random)
    static let nobody = DeviceAddress(0, kind: .public)
    static let handle = ConnectionHandle(rawValue: 0x0040)
    static let parameters = ConnectionParameters(
        intervalMinimum: ConnectionInterval(rawValue: 24),
        intervalMaximum: ConnectionInterval(rawValue: 40), latency: 2,
        supervisionTimeout: SupervisionTimeout(rawValue: 600))
    static let key: UInt128 = 0x0F0E_0D0C_0B0A_0908_0706_0504_0302_0100

    /// The command has these octets, they are the command, and no prefix of them is.
    func expect<Command: HCICommand>(
        _ command: Command, is hexadecimal: String, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let packet = HCICommandPacket(command)
        #expect(Hexadecimal.text(packet.octets) == hexadecimal, sourceLocation: location)
        let octets = try #require(Hexadecimal.octets(hexadecimal), sourceLocation: location)
        #expect(try HCICommandPacket(decoding: octets.span) == packet, sourceLocation: location)
        let decoded = try Command(decoding: packet.parameters.span)
        #expect(decoded == command, sourceLocation: location)
        for count in packet.parameters.indices {
            #expect(throws: DecodingError.self, sourceLocation: location) {
                _ = try Command(decoding: Array(packet.parameters[..<count]).span)
            }
        }
        for count in octets.indices {
            #expect(throws: DecodingError.self, sourceLocation: location) {
                _ = try HCICommandPacket(decoding: Array(octets[..<count]).span)
            }
        }
    }

    @Test("commands without parameters are an opcode and a length of zero")
    func parameterless() throws {
        try expect(HCI.Reset(), is: "030c00")
        try expect(HCI.ReadLocalVersionInformation(), is: "011000")
        try expect(HCI.ReadLocalSupportedCommands(), is: "021000")
        try expect(HCI.ReadLocalSupportedFeatures(), is: "031000")
        try expect(HCI.ReadBufferSize(), is: "051000")
        try expect(HCI.ReadBDADDR(), is: "091000")
        try expect(HCI.LEReadBufferSize(), is: "022000")
        try expect(HCI.LEReadLocalSupportedFeatures(), is: "032000")
        try expect(HCI.LECreateConnectionCancel(), is: "0e2000")
        try expect(HCI.LEReadMaximumDataLength(), is: "2f2000")
        try expect(HCI.LEReadMaximumAdvertisingDataLength(), is: "3a2000")
        try expect(HCI.LEReadNumberOfSupportedAdvertisingSets(), is: "3b2000")
    }

    @Test("commands of the controller and the baseband")
    func controller() throws {
        try expect(
            HCI.SetEventMask(mask: EventMask.basic), is: "010c08" + "9088000200800020")
        try expect(
            HCI.WriteLEHostSupport(isSupported: true, simultaneous: 0), is: "6d0c020100")
        try expect(
            HCI.Disconnect(handle: Self.handle, reason: .remoteUserTerminatedConnection),
            is: "060403400013")
        try expect(HCI.LESetEventMask(mask: 0x1F), is: "0120081f00000000000000")
        try expect(HCI.LESetRandomAddress(address: Self.peer), is: "052006f5f4f3f2f1f0")
    }

    @Test("commands of legacy advertising")
    func legacyAdvertising() throws {
        try expect(
            HCI.LESetAdvertisingParameters(
                intervalMinimum: .minimum, intervalMaximum: .milliseconds(30), type: .connectable,
                ownAddressType: .random, peerAddress: Self.nobody, channels: .all, filterPolicy: 0),
            is: "06200f20003000000100000000000000" + "0700")
        let zeroes = String(repeating: "00", count: 28)
        try expect(
            HCI.LESetAdvertisingData(data: [0x02, 0x01, 0x06]), is: "08202003020106" + zeroes)
        try expect(
            HCI.LESetScanResponseData(data: [0x02, 0x01, 0x06]), is: "09202003020106" + zeroes)
        try expect(HCI.LESetAdvertisingEnable(isEnabled: true), is: "0a200101")
    }

    @Test("commands of extended advertising")
    func extendedAdvertising() throws {
        try expect(
            HCI.LESetExtendedAdvertisingParameters(
                set: 0, properties: .legacyConnectable, intervalMinimum: .minimum,
                intervalMaximum: .milliseconds(30), channels: .all, ownAddressType: .random,
                peerAddress: Self.nobody, filterPolicy: 0, transmitPower: 127, primaryPHY: .le1M,
                secondaryMaximumSkip: 0, secondaryPHY: .le1M, sid: 0, notifiesScanRequests: false),
            is: "362019001300200000300000070100000000000000007f0100010000")
        try expect(
            HCI.LESetExtendedAdvertisingData(
                set: 0, operation: 3, fragmentPreference: 1, data: [0x02, 0x01, 0x06]),
            is: "37200700030103020106")
        try expect(
            HCI.LESetExtendedScanResponseData(
                set: 0, operation: 3, fragmentPreference: 1, data: [0x02, 0x01, 0x06]),
            is: "38200700030103020106")
        try expect(
            HCI.LESetExtendedAdvertisingEnable(isEnabled: true, sets: [.init(set: 0)]),
            is: "392006010100000000")
        try expect(
            HCI.LESetAdvertisingSetRandomAddress(set: 0, address: Self.peer),
            is: "35200700f5f4f3f2f1f0")
    }

    @Test("commands of scanning")
    func scanning() throws {
        let interval = AdvertisingInterval(rawValue: 0x60)
        let window = AdvertisingInterval(rawValue: 0x30)
        try expect(
            HCI.LESetScanParameters(
                isActive: true, interval: interval, window: window, ownAddressType: .random,
                filterPolicy: 0), is: "0b200701600030000100")
        try expect(
            HCI.LESetScanEnable(isEnabled: true, filtersDuplicates: false), is: "0c20020100")
        try expect(
            HCI.LESetExtendedScanParameters(
                ownAddressType: .random, filterPolicy: 0,
                entries: [
                    .init(phy: .le1M, isActive: true, interval: interval, window: window),
                    .init(
                        phy: .leCoded, isActive: false,
                        interval: AdvertisingInterval(rawValue: 0x61),
                        window: AdvertisingInterval(rawValue: 0x31)),
                ]), is: "41200d01000501600030000061003100")
        try expect(
            HCI.LESetExtendedScanEnable(
                isEnabled: true, duplicateFilter: 1, duration: 2, period: 3),
            is: "422006010102000300")
    }

    @Test("commands that make and change links")
    func links() throws {
        let interval = AdvertisingInterval(rawValue: 0x60)
        let window = AdvertisingInterval(rawValue: 0x30)
        try expect(
            HCI.LECreateConnection(
                scanInterval: interval, scanWindow: window, filterPolicy: 0,
                peerAddress: Self.peer, ownAddressType: .random, parameters: Self.parameters,
                eventLengthMinimum: 1, eventLengthMaximum: 2),
            is: "0d2019600030000001f5f4f3f2f1f001180028000200580201000200")
        try expect(
            HCI.LEExtendedCreateConnection(
                filterPolicy: 0, ownAddressType: .random, peerAddress: Self.peer,
                entries: [
                    .init(
                        phy: .le1M, scanInterval: interval, scanWindow: window,
                        parameters: Self.parameters)
                ]),
            is: "43201a000101f5f4f3f2f1f00160003000180028000200580200000000")
        try expect(
            HCI.LEConnectionUpdate(
                handle: Self.handle, parameters: Self.parameters, eventLengthMinimum: 1,
                eventLengthMaximum: 2), is: "13200e4000180028000200580201000200")
        try expect(
            HCI.LERemoteConnectionParameterRequestReply(
                handle: Self.handle, parameters: Self.parameters, eventLengthMinimum: 1,
                eventLengthMaximum: 2), is: "20200e4000180028000200580201000200")
        try expect(
            HCI.LERemoteConnectionParameterRequestNegativeReply(
                handle: Self.handle, reason: .unacceptableConnectionParameters),
            is: "21200340003b")
        try expect(
            HCI.VirtualFade(handle: Self.handle, milliseconds: 1000),
            is: "faff0a4000e803000000000000")
        try expect(
            HCI.LEWriteSuggestedDefaultDataLength(octets: 251, microseconds: 2120),
            is: "242004fb004808")
    }

    @Test("commands of encryption carry the key least significant octet first")
    func encryption() throws {
        try expect(
            HCI.LEEnableEncryption(
                handle: Self.handle, random: 0x0807_0605_0403_0201, encryptedDiversifier: 0x1234,
                longTermKey: Self.key),
            is: "19201c400001020304050607083412000102030405060708090a0b0c0d0e0f")
        try expect(
            HCI.LELongTermKeyRequestReply(handle: Self.handle, longTermKey: Self.key),
            is: "1a20124000000102030405060708090a0b0c0d0e0f")
        try expect(
            HCI.LELongTermKeyRequestNegativeReply(handle: Self.handle), is: "1b20024000")
    }

    @Test("advertising data that do not fit their length are refused")
    func overlongData() {
        let parameters = [UInt8](repeating: 32, count: 32)
        #expect(throws: DecodingError.self) {
            _ = try HCI.LESetAdvertisingData(decoding: parameters.span)
        }
    }

    @Test("every command that has a bit in the mask finds it")
    func mask() {
        var commands = SupportedCommands()
        #expect(!commands.contains(.leSetExtendedAdvertisingEnable))
        commands.insert(.leSetExtendedAdvertisingEnable)
        #expect(commands.contains(.leSetExtendedAdvertisingEnable))
        #expect(commands.octets[36] == 1 << 5)
        commands.remove(.leSetExtendedAdvertisingEnable)
        #expect(commands == SupportedCommands())
        #expect(!commands.contains(HCIOpcode(rawValue: 0xFC01)))
    }

    @Test(
        "a command has the bit that the specification gives it: Core Vol 4, Part E, 6.27",
        arguments: [
            (HCIOpcode.disconnect, 0, 5), (.reset, 5, 7), (.readLocalVersionInformation, 14, 3),
            (.writeLEHostSupport, 24, 6), (.leSetEventMask, 25, 0), (.leReadBufferSize, 25, 1),
            (.leSetRandomAddress, 25, 4), (.leSetScanEnable, 26, 3), (.leEncrypt, 27, 6),
            (.leReadSupportedStates, 28, 3), (.writeAuthenticatedPayloadTimeout, 32, 5),
            (.leRemoteConnectionParameterRequestReply, 33, 4), (.leReadMaximumDataLength, 35, 3),
            (.leSetAdvertisingSetRandomAddress, 36, 1), (.leClearAdvertisingSets, 37, 1),
            (.leSetExtendedScanParameters, 37, 5), (.leReadTransmitPower, 38, 7),
            (.leSetPrivacyMode, 39, 2), (.leReadBufferSizeV2, 41, 5),
        ])
    func bit(_ opcode: HCIOpcode, _ octet: Int, _ bit: Int) {
        #expect(SupportedCommands([opcode]).octets[octet] == 1 << bit)
        #expect(SupportedCommands([opcode]).octets.count { $0 != 0 } == 1)
    }

    @Test("a command beyond the runs of bits that are known has none", arguments: [0x201D, 0x204F])
    func noBit(_ opcode: UInt16) {
        #expect(SupportedCommands([HCIOpcode(rawValue: opcode)]) == SupportedCommands())
    }

    @Test("a signal strength is a status, a handle and a signed octet, and nothing less")
    func signalStrength() throws {
        try expect(HCI.ReadRSSI(handle: Self.handle), is: "0514024000")
        let measured = HCI.ReadRSSI.ReturnParameters(
            status: .success, handle: Self.handle, rssi: -61)
        #expect(Hexadecimal.text(measured.octets) == "004000c3")
        #expect(try HCI.ReadRSSI.ReturnParameters(decoding: measured.octets.span) == measured)
        for count in measured.octets.indices {
            #expect(throws: DecodingError.self) {
                _ = try HCI.ReadRSSI.ReturnParameters(
                    decoding: Array(measured.octets[..<count]).span)
            }
        }
        var mask = SupportedCommands()
        mask.insert(.readRSSI)
        #expect(mask.octets[15] == 1 << 5)
    }
}
