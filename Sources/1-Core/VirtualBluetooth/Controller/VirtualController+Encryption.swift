internal import BluetoothLE

// Starting and refreshing encryption. Core Vol 6, Part B, 5.1.3.
//
//     Central                                      Peripheral
//     LE Enable Encryption ─▶ encryptionRequest ─▶ LE Long Term Key Request
//                             startEncryptionRequest ◀─ LE Long Term Key Request Reply
//             startEncryptionResponse (encrypted) ─▶ wrong key: MIC failure
//             ◀─ startEncryptionResponse (encrypted)   Encryption Change
//     Encryption Change
extension VirtualController {
    func runEncryption(_ packet: HCICommandPacket) -> Bool {
        switch packet.opcode {
        case .leEnableEncryption: begin(packet, enableEncryption)
        case .leLongTermKeyRequestReply: complete(packet, keyCame)
        case .leLongTermKeyRequestNegativeReply: complete(packet, noKeyCame)
        default: return false
        }
        return true
    }

    private func enableEncryption(_ command: HCI.LEEnableEncryption) throws(HCIStatus) {
        let link = try existingLink(command.handle)
        guard link.role == .central, link.encryption == .idle, !link.isTerminating else {
            throw .commandDisallowed
        }
        link.encryption = .requested(key: command.longTermKey)
        transmit(
            .encryptionRequest(
                random: command.random, diversifier: command.encryptedDiversifier), on: link)
    }

    func receiveEncryption(_ pdu: LinkPDU, on link: ControllerLink) {
        switch (pdu, link.encryption) {
        case (.encryptionRequest(let random, let diversifier), .idle) where link.role == .peripheral:
            keyRequested(random, diversifier, on: link)
        case (.startEncryptionRequest, .requested(let key)):
            link.encryption = .starting(key: key)
            link.transmitKey = key
            transmit(.startEncryptionResponse, on: link)
        case (.startEncryptionResponse, .starting(let key)):
            link.receiveKey = key
            if link.role == .peripheral {
                link.transmitKey = key
                transmit(.startEncryptionResponse, on: link)
            }
            encryptionStarted(on: link)
        default:
            // An unexpected PDU ends the link. Core Vol 6, Part B, 5.1.3.1.
            transmit(.terminate(.micFailure), on: link)
            end(link, reason: .micFailure)
        }
    }

    private func keyRequested(_ random: UInt64, _ diversifier: UInt16, on link: ControllerLink) {
        guard features.contains(.encryption) else {
            return transmit(.reject(.encryption, .unsupportedRemoteFeature), on: link)
        }
        guard masks.allows(HCI.LELongTermKeyRequest.code) else {
            return transmit(.reject(.encryption, .pinOrKeyMissing), on: link)
        }
        link.encryption = .awaitingKey
        emit(HCI.LELongTermKeyRequest.layout(link.handle, random, diversifier))
    }

    private func keyCame(
        _ command: HCI.LELongTermKeyRequestReply
    ) throws(HCIStatus) -> HCIConnectionStatus {
        let link = try existingLink(command.handle)
        guard link.encryption == .awaitingKey else { throw .commandDisallowed }
        link.encryption = .starting(key: command.longTermKey)
        transmit(.startEncryptionRequest, on: link)
        return .layout(.success, link.handle)
    }

    private func noKeyCame(
        _ command: HCI.LELongTermKeyRequestNegativeReply
    ) throws(HCIStatus) -> HCIConnectionStatus {
        let link = try existingLink(command.handle)
        guard link.encryption == .awaitingKey else { throw .commandDisallowed }
        link.encryption = .idle
        if link.hasBeenEncrypted {
            // Encryption cannot continue with the old key. Core Vol 6, Part B, 5.1.3.2.
            link.isTerminating = true
            transmit(.terminate(.pinOrKeyMissing), on: link)
        } else {
            transmit(.reject(.encryption, .pinOrKeyMissing), on: link)
            releaseData(of: link)
        }
        return .layout(.success, link.handle)
    }

    func encryptionRejected(_ reason: HCIStatus, on link: ControllerLink) {
        guard case .requested = link.encryption else { return }
        link.encryption = .idle
        reportEncryption(reason, isEnabled: false, on: link)
        releaseData(of: link)
    }

    private func encryptionStarted(on link: ControllerLink) {
        link.encryption = .idle
        if link.hasBeenEncrypted {
            emit(HCI.EncryptionKeyRefreshComplete.layout(.success, link.handle))
        } else {
            link.hasBeenEncrypted = true
            reportEncryption(.success, isEnabled: true, on: link)
        }
        releaseData(of: link)
    }

    /// Sends [v2] of the event if the host enabled it. Core Vol 4, Part E, 7.7.8.
    private func reportEncryption(_ status: HCIStatus, isEnabled: Bool, on link: ControllerLink) {
        guard masks.allows(HCI.EncryptionChangeV2.code) else {
            return emit(HCI.EncryptionChange.layout(status, link.handle, isEnabled ? 1 : 0))
        }
        emit(HCI.EncryptionChangeV2.layout(status, link.handle, isEnabled ? 1 : 0, 16))
    }
}
