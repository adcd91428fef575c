internal import BluetoothLE

/// Flow control towards the host, if it enables that. Core Vol 4, Part E, 4.1.2.
struct HostFlowControl {
    var isEnabled = false
    /// The number of the host's buffers; there is no flow control before the host sets it.
    var bufferCount = 0
    /// Packets of each link that the host has not completed.
    var unprocessed: [HCI.NumberOfCompletedPackets.Entry] = []

    var hasRoom: Bool {
        !isEnabled || bufferCount == 0 || unprocessed.reduce(0) { $0 + Int($1.count) } < bufferCount
    }

    mutating func sent(on handle: ConnectionHandle) {
        guard isEnabled else { return }
        if let index = unprocessed.firstIndex(where: { $0.handle == handle }) {
            unprocessed[index].count += 1
        } else {
            unprocessed.append(.layout(handle, 1))
        }
    }

    mutating func completed(_ count: UInt16, on handle: ConnectionHandle) {
        guard let index = unprocessed.firstIndex(where: { $0.handle == handle }) else { return }
        unprocessed[index].count -= min(count, unprocessed[index].count)
    }
}

// ACL data from the host to the air and back, and the credits for both.
extension VirtualController {
    /// Whether the host has room for data from the air.
    var acceptsData: Bool { hostFlow.hasRoom }

    func receiveData(_ body: [UInt8]) {
        guard let packet = try? ACLPacket(decoding: body.span) else {
            return outputs.append(.fault(.malformedPacket))
        }
        guard let link = link(packet.handle) else {
            // The host may not know yet that a link has ended.
            guard packet.handle.rawValue == 0 || packet.handle.rawValue > highestHandle else {
                return
            }
            return outputs.append(.fault(.unknownConnection(packet.handle)))
        }
        guard packet.data.count <= abilities.buffers.length else {
            outputs.append(.fault(.packetTooLong(packet.data.count)))
            return emit(HCI.DataBufferOverflow.layout(0x01))
        }
        let occupied = links.reduce(0) { $0 + $1.occupiedBuffers }
        guard occupied < abilities.buffers.count else {
            outputs.append(.fault(.bufferOverflow))
            return emit(HCI.DataBufferOverflow.layout(0x01))
        }
        link.occupiedBuffers += 1
        for pdu in fragments(of: packet, size: Int(link.transmitLength.octets)) {
            if link.encryption == .idle {
                transmit(pdu, on: link)
            } else {
                // No data while encryption is being started. Core Vol 6, Part B, 5.1.3.1.
                link.heldData.append(pdu)
            }
        }
    }

    private func fragments(of packet: ACLPacket, size: Int) -> [LinkPDU] {
        let isFirst = packet.boundary != .continuing
        var pieces: [LinkPDU] = []
        var start = 0
        repeat {
            let end = min(start + size, packet.data.count)
            pieces.append(
                .data(
                    Array(packet.data[start..<end]), isFirst: isFirst && start == 0,
                    endsPacket: end == packet.data.count))
            start = end
        } while start < packet.data.count
        return pieces
    }

    func transmit(_ pdu: LinkPDU, on link: ControllerLink) {
        outputs.append(.transmit(link.handle, LinkFrame(pdu: pdu, key: link.transmitKey)))
    }

    /// Sends the data held during encryption.
    func releaseData(of link: ControllerLink) {
        for pdu in exchange(&link.heldData, with: []) { transmit(pdu, on: link) }
    }

    /// Passes each PDU from the air to the host as a packet, as real controllers do.
    func deliver(_ data: [UInt8], isFirst: Bool, on link: ControllerLink) {
        // Empty PDUs, which keep a link alive, are not passed to the host.
        guard !data.isEmpty else { return }
        hostFlow.sent(on: link.handle)
        let packet = ACLPacket(
            handle: link.handle, boundary: isFirst ? .first : .continuing, data: data)
        outputs.append(.toHost(.acl(packet.octets)))
    }

    /// The peer has received a frame.
    func acknowledged(_ frame: LinkFrame, on handle: ConnectionHandle) {
        guard let link = link(handle) else { return }
        switch frame.pdu {
        case .data(_, _, endsPacket: true):
            link.occupiedBuffers -= 1
            if let index = completed.firstIndex(where: { $0.handle == handle }) {
                completed[index].count += 1
            } else {
                completed.append(.layout(handle, 1))
            }
        case .terminate: end(link, reason: .connectionTerminatedByLocalHost)
        case .connectionUpdate(let timing):
            link.timing = timing
            _ = link.end(.update)
            reportUpdate(.success, of: link)
        default: break
        }
    }

    // MARK: Host flow control

    func setHostFlowControl(_ command: HCI.SetControllerToHostFlowControl) throws(HCIStatus) {
        guard command.mode <= 3 else { throw .invalidCommandParameters }
        // Not while there are links. Core Vol 4, Part E, 7.3.38.
        guard links.isEmpty else { throw .commandDisallowed }
        hostFlow.isEnabled = command.mode & 1 != 0
        hostFlow.unprocessed = []
    }

    func setHostBuffers(_ command: HCI.HostBufferSize) throws(HCIStatus) {
        guard command.aclLength > 0, command.aclCount > 0 else { throw .invalidCommandParameters }
        hostFlow.bufferCount = Int(command.aclCount)
    }

    /// Answered only if it is invalid. Core Vol 4, Part E, 7.3.40.
    func hostCompleted(_ packet: HCICommandPacket) {
        let parameters = packet.parameters.span
        guard let command = try? HCI.HostNumberOfCompletedPackets(decoding: parameters) else {
            return complete(packet) {
                (_: HCI.HostNumberOfCompletedPackets) throws(HCIStatus) in
                throw .invalidCommandParameters
            }
        }
        for entry in command.entries { hostFlow.completed(entry.count, on: entry.handle) }
        if acceptsData { outputs.append(.hostHasRoom) }
    }
}
