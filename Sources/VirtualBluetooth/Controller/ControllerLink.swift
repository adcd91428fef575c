internal import BluetoothLE

/// One end of a link, as its controller knows it.
///
/// A class, so that a command can change the link that it found; it stays in its controller.
final class ControllerLink {
    /// How far encryption is being started. Core Vol 6, Part B, 5.1.3.
    enum Encryption: Equatable {
        case idle
        /// Central: LL_ENC_REQ is on its way; the key is the host's.
        case requested(key: UInt128)
        /// Peripheral: the host was asked for the key.
        case awaitingKey
        /// LL_START_ENC_RSP of the other side is awaited, under the key.
        case starting(key: UInt128)
    }

    let handle: ConnectionHandle
    let role: LinkRole
    /// The address on air of this side and of the other.
    let ownAddress: DeviceAddress
    let peerAddress: DeviceAddress
    /// The other side as the host knows it: its identity, where the controller resolved it.
    let peer: DeviceAddress
    var timing: LinkTiming
    var encryption = Encryption.idle
    /// The keys of the two directions, once encryption has been switched on.
    var transmitKey: UInt128?
    var receiveKey: UInt128?
    /// Encryption has been switched on once: from then on it is refreshed.
    var hasBeenEncrypted = false
    /// Data PDUs that wait until encryption has been started.
    var heldData: [LinkPDU] = []
    /// How many buffers the packets of the host occupy.
    var occupiedBuffers = 0
    /// What this side has asked of the other and has no answer to.
    var procedures: [LinkProcedure] = []
    var isTerminating = false
    /// How many octets this side would send and may receive, and what both sides have agreed on.
    var wantedLength: DataLength
    var transmitLength = DataLength.minimum
    var receiveLength = DataLength.minimum
    var transmitPHY = PHY.le1M
    var receivePHY = PHY.le1M
    /// In units of 10 ms; 30 s unless the host sets it. Core Vol 4, Part E, 7.3.94.
    var payloadTimeout: UInt16 = 0x0BB8

    init(
        handle: ConnectionHandle, role: LinkRole, ownAddress: DeviceAddress,
        peerAddress: DeviceAddress, peer: DeviceAddress, timing: LinkTiming,
        wantedLength: DataLength
    ) {
        self.handle = handle
        self.role = role
        self.ownAddress = ownAddress
        self.peerAddress = peerAddress
        self.peer = peer
        self.timing = timing
        self.wantedLength = wantedLength
    }

    /// The key that a frame of the other side must have. Its LL_START_ENC_RSP is the first with a
    /// new one.
    func expectedKey(of pdu: LinkPDU) -> UInt128? {
        guard case .startEncryptionResponse = pdu, case .starting(let key) = encryption else {
            return receiveKey
        }
        return key
    }

    /// Notes that a procedure was begun; false where it is under way already.
    func begin(_ procedure: LinkProcedure) -> Bool {
        guard !procedures.contains(procedure) else { return false }
        procedures.append(procedure)
        return true
    }

    /// Whether the procedure was under way; it is over now.
    func end(_ procedure: LinkProcedure) -> Bool {
        guard let index = procedures.firstIndex(of: procedure) else { return false }
        procedures.remove(at: index)
        return true
    }
}
