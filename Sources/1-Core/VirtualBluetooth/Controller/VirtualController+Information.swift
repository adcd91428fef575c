internal import BluetoothLE

// Information about the controller, event masks, and computations for the host.
extension VirtualController {
    private static var subversion: UInt16 { 0x0001 }

    func runInformation(_ packet: HCICommandPacket) -> Bool {
        switch packet.opcode {
        case .readLocalVersionInformation: complete(packet, readVersion)
        case .readLocalSupportedCommands:
            complete(packet) { (_: HCI.ReadLocalSupportedCommands) in
                .layout(.success, commands)
            }
        case .readLocalSupportedFeatures: complete(packet, readLMPFeatures)
        case .readBDADDR:
            complete(packet) { (_: HCI.ReadBDADDR) in
                .layout(.success, publicAddress.untyped)
            }
        case .readBufferSize:
            complete(packet) { (_: HCI.ReadBufferSize) in
                .layout(
                    .success, UInt16(abilities.buffers.length), 0, UInt16(abilities.buffers.count),
                    0)
            }
        case .leReadBufferSize:
            complete(packet) { (_: HCI.LEReadBufferSize) in
                .layout(.success, leBufferLength, leBufferCount)
            }
        case .leReadBufferSizeV2:
            complete(packet) { (_: HCI.LEReadBufferSizeV2) in
                .init(
                    status: .success, aclLength: leBufferLength, aclCount: leBufferCount,
                    isoLength: 0, isoCount: 0)
            }
        case .leReadLocalSupportedFeatures:
            complete(packet) { (_: HCI.LEReadLocalSupportedFeatures) in
                .layout(.success, features)
            }
        case .leReadSupportedStates:
            complete(packet) { (_: HCI.LEReadSupportedStates) in
                // All combinations of states, in both roles. Core Vol 4, Part E, 7.8.27.
                .init(status: .success, states: 0x03FF_FFFF_FFFF)
            }
        case .leReadTransmitPower:
            complete(packet) { (_: HCI.LEReadTransmitPower) in
                .init(status: .success, minimum: -20, maximum: Self.transmitPower)
            }
        default: return false
        }
        return true
    }

    func runController(_ packet: HCICommandPacket) -> Bool {
        switch packet.opcode {
        case .reset:
            perform(packet) { (_: HCI.Reset) in
                reset()
            }
        case .setEventMask:
            perform(packet) { (command: HCI.SetEventMask) in
                masks.basic = command.mask
            }
        case .setEventMaskPage2:
            perform(packet) { (command: HCI.SetEventMaskPage2) in
                masks.page2 = command.mask
            }
        case .leSetEventMask:
            perform(packet) { (command: HCI.LESetEventMask) in
                masks.le = command.mask
            }
        case .writeLEHostSupport: complete(packet) { (_: HCI.WriteLEHostSupport) in .success }
        case .setControllerToHostFlowControl: perform(packet, setHostFlowControl)
        case .hostBufferSize: perform(packet, setHostBuffers)
        case .hostNumberOfCompletedPackets: hostCompleted(packet)
        case .leEncrypt: complete(packet, encrypt)
        case .leRand:
            complete(packet) { (_: HCI.LERand) in .init(status: .success, random: random.next()) }
        case .leReadLocalP256PublicKey: begin(packet, makeKeyPair)
        case .leGenerateDHKey: begin(packet, makeSharedSecret)
        default: return false
        }
        return true
    }

    /// The transmit power to report, in dBm.
    static var transmitPower: Int8 { 8 }

    private var leBufferLength: UInt16 {
        abilities.buffers.isShared ? 0 : UInt16(abilities.buffers.length)
    }

    private var leBufferCount: UInt8 {
        abilities.buffers.isShared ? 0 : UInt8(min(abilities.buffers.count, 255))
    }

    private func readVersion(
        _: HCI.ReadLocalVersionInformation
    ) -> HCI.ReadLocalVersionInformation.ReturnParameters {
        .layout(
            .success, abilities.version, ControllerAbilities.virtualSubversion, abilities.version,
            abilities.manufacturer, Self.subversion)
    }

    /// LE Supported, and BR/EDR Not Supported unless both share the buffers. Core Vol 2, Part C, 3.3.
    private func readLMPFeatures(
        _: HCI.ReadLocalSupportedFeatures
    ) -> HCI.ReadLocalSupportedFeatures.ReturnParameters {
        .layout(.success, 1 << 38 | (abilities.buffers.isShared ? 0 : 1 << 37))
    }

    var ownVersion: LinkPDU {
        .versionResponse(
            version: abilities.version, manufacturer: abilities.manufacturer,
            subversion: Self.subversion)
    }

    // MARK: Cryptography

    private func encrypt(
        _ command: HCI.LEEncrypt
    ) throws(HCIStatus) -> HCI.LEEncrypt.ReturnParameters {
        guard let toolbox else { throw .unknownCommand }
        return .init(
            status: .success, block: toolbox.aes128(key: command.key, block: command.block))
    }

    private func makeKeyPair(_: HCI.LEReadLocalP256PublicKey) throws(HCIStatus) {
        guard let pair = toolbox?.makeKeyPair() else { throw .unknownCommand }
        keyPair = pair
        emit(HCI.LEReadLocalP256PublicKeyComplete(status: .success, publicKey: pair.publicKey))
    }

    private func makeSharedSecret(_ command: HCI.LEGenerateDHKey) throws(HCIStatus) {
        guard let toolbox else { throw .unknownCommand }
        // The host must have requested a key pair before. Core Vol 4, Part E, 7.8.37.
        guard let keyPair else { throw .commandDisallowed }
        let secret = toolbox.sharedSecret(
            privateKey: keyPair.privateKey, publicKey: command.publicKey)
        let invalid = P256Scalar(high: .max, low: .max)
        emit(
            HCI.LEGenerateDHKeyComplete(
                status: secret == nil ? .invalidCommandParameters : .success,
                sharedSecret: secret ?? invalid))
    }
}
