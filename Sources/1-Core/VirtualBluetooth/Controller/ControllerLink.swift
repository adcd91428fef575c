internal import BluetoothLE

/// One end of a link, as its controller sees it.
///
/// A class, so that a command can change the link that it has looked up; it is never passed outside its
/// controller.
final class ControllerLink {
    /// The progress of starting encryption. Core Vol 6, Part B, 5.1.3.
    enum Encryption: Equatable {
        case idle
        /// Central: LL_ENC_REQ was sent, with the key of the host.
        case requested(key: UInt128)
        /// Peripheral: the host was asked for the key.
        case awaitingKey
        /// LL_START_ENC_RSP of the peer, encrypted with this key, is expected.
        case starting(key: UInt128)
    }

    let handle: ConnectionHandle
    let role: LinkRole
    /// The addresses of this side and of the peer on air.
    let ownAddress: DeviceAddress
    let peerAddress: DeviceAddress
    /// The peer as the host knows it: its identity, if the controller resolved it.
    let peer: DeviceAddress
    var timing: LinkTiming
    var encryption = Encryption.idle
    /// The keys of both directions, once encryption is on.
    var transmitKey: UInt128?
    var receiveKey: UInt128?
    /// Whether encryption was ever on: from then on it is only refreshed.
    var hasBeenEncrypted = false
    /// Data PDUs held until encryption has started.
    var heldData: [LinkPDU] = []
    /// How many buffers the packets of the host occupy.
    var occupiedBuffers = 0
    /// The procedures that this side has started and that have not ended.
    var procedures: [LinkProcedure] = []
    var isTerminating = false
    /// How many octets this side wants to send and can receive, and what was negotiated.
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

    /// The key that a frame of the peer must have. LL_START_ENC_RSP is the first frame with a new key.
    func expectedKey(of pdu: LinkPDU) -> UInt128? {
        guard case .startEncryptionResponse = pdu, case .starting(let key) = encryption else {
            return receiveKey
        }
        return key
    }

    /// Starts a procedure; `false` if it is already in progress.
    func begin(_ procedure: LinkProcedure) -> Bool {
        guard !procedures.contains(procedure) else { return false }
        procedures.append(procedure)
        return true
    }

    /// Ends a procedure; returns whether it was in progress.
    func end(_ procedure: LinkProcedure) -> Bool {
        guard let index = procedures.firstIndex(of: procedure) else { return false }
        procedures.remove(at: index)
        return true
    }
}
