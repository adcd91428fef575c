@testable import BluetoothLE
import Octets
import Testing
@testable import VirtualBluetooth

/// Commands that our host does not send but our controllers accept, and their events, as another stack
/// (Bumble) encodes them.
@Suite struct HCIControllerSideTests {
    private static let peer = DeviceAddress(0xF0F1_F2F3_F4F5, kind: .random)
    private static let handle = ConnectionHandle(rawValue: 0x0040)
    private static let key: UInt128 = 0x0F0E_0D0C_0B0A_0908_0706_0504_0302_0100

    /// A command has these octets, is decoded from them, and not from fewer.
    private func expect<Command: HCICommand>(
        _ command: Command, is hexadecimal: String, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let packet = HCICommandPacket(command)
        #expect(Hexadecimal.text(packet.octets) == hexadecimal, sourceLocation: location)
        #expect(
            try Command(decoding: packet.parameters.span) == command, sourceLocation: location)
        for count in packet.parameters.indices {
            #expect(throws: DecodingError.self, sourceLocation: location) {
                _ = try Command(decoding: Array(packet.parameters[..<count]).span)
            }
        }
    }

    @Test("commands about advertising sets, links and the filter accept list")
    func setsLinksAndFilter() throws {
        try expect(HCI.LERemoveAdvertisingSet(set: 7), is: "3c200107")
        try expect(HCI.LEClearAdvertisingSets(), is: "3d2000")
        try expect(HCI.SetEventMaskPage2(mask: 1 << 25), is: "630c08" + "0000000200000000")
        try expect(HCI.ReadRemoteVersionInformation(handle: Self.handle), is: "1d04024000")
        try expect(HCI.LEReadRemoteFeatures(handle: Self.handle), is: "1620024000")
        try expect(
            HCI.LESetDataLength(handle: Self.handle, octets: 251, microseconds: 2120),
            is: "2220064000fb004808")
        try expect(HCI.LEReadFilterAcceptListSize(), is: "0f2000")
        try expect(HCI.LEClearFilterAcceptList(), is: "102000")
        try expect(
            HCI.LEAddDeviceToFilterAcceptList(address: Self.peer), is: "11200701f5f4f3f2f1f0")
        try expect(
            HCI.LERemoveDeviceFromFilterAcceptList(address: Self.peer), is: "12200701f5f4f3f2f1f0")
    }

    @Test("commands of privacy")
    func privacy() throws {
        try expect(
            HCI.LEAddDeviceToResolvingList(
                peerIdentity: Self.peer, peerIRK: Self.key, localIRK: Self.key),
            is: "27202701f5f4f3f2f1f0000102030405060708090a0b0c0d0e0f"
                + "000102030405060708090a0b0c0d0e0f")
        try expect(
            HCI.LERemoveDeviceFromResolvingList(peerIdentity: Self.peer),
            is: "28200701f5f4f3f2f1f0")
        try expect(HCI.LEClearResolvingList(), is: "292000")
        try expect(HCI.LEReadResolvingListSize(), is: "2a2000")
        try expect(
            HCI.LEReadPeerResolvableAddress(peerIdentity: Self.peer), is: "2b200701f5f4f3f2f1f0")
        try expect(
            HCI.LEReadLocalResolvableAddress(peerIdentity: Self.peer), is: "2c200701f5f4f3f2f1f0")
        try expect(HCI.LESetAddressResolutionEnable(isEnabled: true), is: "2d200101")
        try expect(HCI.LESetResolvablePrivateAddressTimeout(seconds: 900), is: "2e20028403")
        try expect(
            HCI.LESetPrivacyMode(peerIdentity: Self.peer, mode: .device),
            is: "4e200801f5f4f3f2f1f001")
    }

    @Test("commands of PHYs and of the state of a link")
    func linkState() throws {
        try expect(HCI.LEReadPHY(handle: Self.handle), is: "3020024000")
        try expect(
            HCI.LESetDefaultPHY(
                withoutPreference: 1, transmitPHYs: .le2M, receivePHYs: [.le1M, .le2M]),
            is: "312003010203")
        try expect(
            HCI.LESetPHY(
                handle: Self.handle, withoutPreference: 0, transmitPHYs: .le2M,
                receivePHYs: .le2M, options: 1), is: "32200740000002020100")
        try expect(HCI.ReadAuthenticatedPayloadTimeout(handle: Self.handle), is: "7b0c024000")
        try expect(
            HCI.WriteAuthenticatedPayloadTimeout(handle: Self.handle, timeout: 3000),
            is: "7c0c044000b80b")
        try expect(
            HCI.LESetHostChannelClassification(channels: DataChannels(rawValue: 0x05_0403_0201)),
            is: "1420050102030405")
        try expect(HCI.LEReadChannelMap(handle: Self.handle), is: "1520024000")
    }

    @Test("commands of flow control and of cryptography")
    func flowControl() throws {
        try expect(HCI.SetControllerToHostFlowControl(mode: 1), is: "310c0101")
        try expect(
            HCI.HostBufferSize(aclLength: 251, scoLength: 0, aclCount: 8, scoCount: 0),
            is: "330c07fb000008000000")
        try expect(
            HCI.HostNumberOfCompletedPackets(entries: [.init(handle: Self.handle, count: 2)]),
            is: "350c050140000200")
        try expect(
            HCI.LEEncrypt(key: Self.key, block: 1),
            is: "172020000102030405060708090a0b0c0d0e0f" + "01000000000000000000000000000000")
        try expect(HCI.LERand(), is: "182000")
        try expect(HCI.LEReadLocalP256PublicKey(), is: "252000")
        let key = P256PublicKey(
            x: P256Scalar(high: 0, low: 1), y: P256Scalar(high: 2, low: 0))
        let zeroes = String(repeating: "00", count: 15)
        try expect(
            HCI.LEGenerateDHKey(publicKey: key),
            is: "262040" + "01" + zeroes + "00" + zeroes + "00" + zeroes + "02" + zeroes)
    }

    @Test("commands that read a controller's properties")
    func controllerInformation() throws {
        try expect(HCI.LEReadAdvertisingTransmitPower(), is: "072000")
        try expect(HCI.LEReadSupportedStates(), is: "1c2000")
        try expect(HCI.LEReadSuggestedDefaultDataLength(), is: "232000")
        try expect(HCI.LEReadTransmitPower(), is: "4b2000")
        try expect(HCI.LEReadBufferSizeV2(), is: "602000")
    }

    @Test("events that only our controllers send")
    func controllerSide() {
        #expect(
            Hexadecimal.text(
                HCI.LEScanRequestReceived(set: 2, scanner: Self.peer).eventPacket)
                == "3e09130201f5f4f3f2f1f0")
        #expect(
            Hexadecimal.text(
                HCI.LEDirectedAdvertisingReport(
                    count: 1, eventType: 1, addressType: 2, address: Self.peer,
                    directAddress: Self.peer, rssi: -1
                ).eventPacket) == "3e120b010102f5f4f3f2f1f001f5f4f3f2f1f0ff")
        let secret = P256Scalar(high: 0, low: 5)
        #expect(
            Hexadecimal.text(
                HCI.LEGenerateDHKeyComplete(status: .success, sharedSecret: secret).eventPacket)
                == "3e220900" + "05" + String(repeating: "00", count: 31))
    }
}
