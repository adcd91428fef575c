@testable import BluetoothLE
import Octets
import Testing

/// Octets of events as another stack (Bumble) encodes them.
@Suite struct HCIEventTests {
    static let peer = HCICommandTests.peer
    static let handle = HCICommandTests.handle
    static let interval = ConnectionInterval(rawValue: 24)
    static let timeout = SupervisionTimeout(rawValue: 600)

    /// The parameters have these octets as an event, the octets are the event; no prefix is, neither
    /// of the packet nor of the parameters; and octets that a controller appends do no harm.
    func expect(
        _ parameters: some HCIEventParameters, _ event: HCIEvent, is hexadecimal: String,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let packet = parameters.eventPacket
        #expect(Hexadecimal.text(packet) == hexadecimal, sourceLocation: location)
        #expect(try HCIEvent(decoding: packet.span) == event, sourceLocation: location)
        for count in packet.indices {
            #expect(throws: DecodingError.self, sourceLocation: location) {
                _ = try HCIEvent(decoding: Array(packet[..<count]).span)
            }
        }
        if case .commandComplete = event { return }
        for count in 2..<packet.count {
            var short = Array(packet[..<count])
            short[1] = UInt8(count - 2)
            #expect(throws: DecodingError.self, sourceLocation: location) {
                _ = try HCIEvent(decoding: short.span)
            }
        }
        var longer = packet + [0xAA, 0xBB]
        longer[1] += 2
        #expect(try HCIEvent(decoding: longer.span) == event, sourceLocation: location)
    }

    @Test("events about commands")
    func commands() throws {
        let complete = HCI.CommandComplete(credits: 1, opcode: .reset, returnParameters: [0x00])
        try expect(complete, .commandComplete(complete), is: "0e0401030c00")
        let status = HCI.CommandStatus(status: .success, credits: 1, opcode: .disconnect)
        try expect(status, .commandStatus(status), is: "0f0400010604")
    }

    @Test("events about links")
    func links() throws {
        let disconnection = HCI.DisconnectionComplete(
            status: .success, handle: Self.handle, reason: .remoteUserTerminatedConnection)
        try expect(disconnection, .disconnectionComplete(disconnection), is: "050400400013")
        let encryption = HCI.EncryptionChange(
            status: .success, handle: Self.handle, isEnabled: true)
        try expect(encryption, .encryptionChange(encryption), is: "080400400001")
        let encryption2 = HCI.EncryptionChangeV2(
            status: .success, handle: Self.handle, isEnabled: true, keySize: 16)
        try expect(encryption2, .encryptionChangeV2(encryption2), is: "59050040000110")
        let refresh = HCI.EncryptionKeyRefreshComplete(status: .success, handle: Self.handle)
        try expect(refresh, .encryptionKeyRefreshComplete(refresh), is: "3003004000")
        let version = HCI.ReadRemoteVersionInformationComplete(
            status: .success, handle: Self.handle, version: 9, manufacturer: 0x4C,
            subversion: 0x1234)
        try expect(
            version, .readRemoteVersionInformationComplete(version), is: "0c08004000094c003412")
    }

    @Test("events about the controller")
    func controller() throws {
        let completed = HCI.NumberOfCompletedPackets(entries: [
            .init(handle: Self.handle, count: 2),
            .init(handle: ConnectionHandle(rawValue: 0x41), count: 3),
        ])
        try expect(completed, .numberOfCompletedPackets(completed), is: "1309024000020041000300")
        let error = HCI.HardwareError(hardwareCode: 0x42)
        try expect(error, .hardwareError(error), is: "100142")
        let overflow = HCI.DataBufferOverflow(linkType: 1)
        try expect(overflow, .dataBufferOverflow(overflow), is: "1a0101")
    }

    @Test("events about LE links that begin")
    func leLinks() throws {
        let connection = HCI.LEConnectionComplete(
            status: .success, handle: Self.handle, role: .peripheral, peerAddress: Self.peer,
            interval: Self.interval, latency: 2, supervisionTimeout: Self.timeout,
            centralClockAccuracy: 5)
        try expect(
            connection, .leConnectionComplete(connection),
            is: "3e13010040000101f5f4f3f2f1f018000200580205")
        let enhanced = HCI.LEEnhancedConnectionComplete(
            status: .success, handle: Self.handle, role: .peripheral, peerAddressType: 3,
            peerAddressValue: Self.peer.rawValue, localResolvablePrivateAddress: 0,
            peerResolvablePrivateAddress: 0x4A01_0203_0405, interval: Self.interval, latency: 2,
            supervisionTimeout: Self.timeout, centralClockAccuracy: 5)
        try expect(
            enhanced, .leEnhancedConnectionComplete(enhanced),
            is: "3e1f0a0040000103f5f4f3f2f1f000000000000005040302014a18000200580205")
        let terminated = HCI.LEAdvertisingSetTerminated(
            status: .success, set: 0, handle: Self.handle, completedEvents: 0)
        try expect(terminated, .leAdvertisingSetTerminated(terminated), is: "3e06120000400000")
        let algorithm = HCI.LEChannelSelectionAlgorithm(handle: Self.handle, algorithm: 1)
        try expect(algorithm, .leChannelSelectionAlgorithm(algorithm), is: "3e0414400001")
    }

    @Test("events about LE links that change")
    func leChanges() throws {
        let update = HCI.LEConnectionUpdateComplete(
            status: .success, handle: Self.handle, interval: Self.interval, latency: 2,
            supervisionTimeout: Self.timeout)
        try expect(update, .leConnectionUpdateComplete(update), is: "3e0a03004000180002005802")
        let request = HCI.LERemoteConnectionParameterRequest(
            handle: Self.handle, parameters: HCICommandTests.parameters)
        try expect(
            request, .leRemoteConnectionParameterRequest(request),
            is: "3e0b0640001800280002005802")
        let length = HCI.LEDataLengthChange(
            handle: Self.handle, transmitOctets: 251, transmitMicroseconds: 2120,
            receiveOctets: 27, receiveMicroseconds: 328)
        try expect(length, .leDataLengthChange(length), is: "3e0b074000fb0048081b004801")
        let phy = HCI.LEPHYUpdateComplete(
            status: .success, handle: Self.handle, transmitPHY: .le2M, receivePHY: .le1M)
        try expect(phy, .lePHYUpdateComplete(phy), is: "3e060c0040000201")
        let features = HCI.LEReadRemoteFeaturesComplete(
            status: .success, handle: Self.handle,
            features: [.encryption, .dataPacketLengthExtension])
        try expect(
            features, .leReadRemoteFeaturesComplete(features),
            is: "3e0c040040002100000000000000")
        let key = HCI.LELongTermKeyRequest(
            handle: Self.handle, random: 0x0807_0605_0403_0201, encryptedDiversifier: 0x1234)
        try expect(key, .leLongTermKeyRequest(key), is: "3e0d05400001020304050607083412")
    }

    @Test("events about advertisers")
    func advertisers() throws {
        let report = HCI.LEAdvertisingReport(reports: [
            .init(eventType: 0, address: Self.peer, data: [0x02, 0x01, 0x06], rssi: -60)
        ])
        try expect(
            report, .leAdvertisingReport(report), is: "3e0f02010001f5f4f3f2f1f003020106c4")
        let extended = HCI.LEExtendedAdvertisingReport(reports: [
            .init(eventType: 0x13, address: Self.peer, rssi: -60, data: [0x02, 0x01, 0x06])
        ])
        try expect(
            extended, .leExtendedAdvertisingReport(extended),
            is: "3e1d0d01130001f5f4f3f2f1f00100ff7fc400000000000000000003020106")
        let anonymous = HCI.LEExtendedAdvertisingReport(reports: [
            .init(eventType: 0, address: nil, rssi: 127, data: [])
        ])
        #expect(
            try HCIEvent(decoding: anonymous.eventPacket.span)
                == .leExtendedAdvertisingReport(anonymous))
    }

    @Test("version 2 of Enhanced Connection Complete begins like version 1")
    func enhancedV2() throws {
        let octets = try #require(
            Hexadecimal.octets(
                "3e22290040000101f5f4f3f2f1f000000000000000000000000018000200580205ffffff"))
        guard case .leEnhancedConnectionComplete(let event) = try HCIEvent(decoding: octets.span)
        else {
            Issue.record("another event")
            return
        }
        #expect(event.handle == Self.handle)
        #expect(event.peerAddressValue == Self.peer.rawValue)
        #expect(event.supervisionTimeout == Self.timeout)
    }

    @Test("an unknown event is passed on unchanged")
    func unknown() throws {
        #expect(
            try HCIEvent(decoding: [0xFF, 0x02, 0x01, 0x02].span)
                == .unknown(HCIEventCode(0xFF), parameters: [0x01, 0x02]))
        #expect(
            try HCIEvent(decoding: [0x3E, 0x02, 0x7E, 0x02].span)
                == .unknown(HCIEventCode(le: 0x7E), parameters: [0x02]))
    }

    @Test("no event of any code with arbitrary parameters traps")
    func hostile() {
        var decoded = 0
        for code in UInt8.min...UInt8.max {
            for count in [0, 1, 2, 5, 30, 255] {
                for fill in [0x00, 0x01, 0x5A, 0xFF] as [UInt8] {
                    let packet = [code, UInt8(count)] + [UInt8](repeating: fill, count: count)
                    if (try? HCIEvent(decoding: packet.span)) != nil { decoded += 1 }
                }
            }
            let subevent = [0x3E, 0xFF, code] + [UInt8](repeating: 0xFF, count: 254)
            if (try? HCIEvent(decoding: subevent.span)) != nil { decoded += 1 }
        }
        #expect(decoded > 4000)
    }

    @Test("the message of a status has the remedy")
    func status() {
        #expect(HCIStatus.connectionTimeout.message.contains("supervision timeout"))
        #expect(HCIStatus.pinOrKeyMissing.message.contains("forget the pairing"))
        #expect(HCIStatus.micFailure.message.hasSuffix("(0x3d)"))
        #expect(HCIStatus(rawValue: 0xEE).message == "unknown reason (0xee)")
    }

    @Test("a report says whether its address was resolved")
    func resolvedReports() throws {
        var report = HCI.LEAdvertisingReport.Report(
            eventType: 0, address: Self.peer, data: [], rssi: -1)
        report.isResolved = true
        try expect(
            HCI.LEAdvertisingReport(reports: [report]),
            .leAdvertisingReport(HCI.LEAdvertisingReport(reports: [report])),
            is: "3e0c0201" + "0003f5f4f3f2f1f000ff")
    }
}
