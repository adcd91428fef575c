internal import BluetoothLE
package import BluetoothTypes
package import HCITransports

/// Sees, in the packets of a controller, how much of an answer the accessory had when it wrote its next command: the
/// phone has queued the whole answer long before. Of the accessory's own controller it is certain; of the phone's, the
/// controller acknowledges packets by HCI_Number_Of_Completed_Packets, which data may overtake (decision 0026).
///
/// To be used on the loop's thread only. Bounded, however long a link lasts.
package final class AnswerWitness: @unchecked Sendable {
    // Unchecked because all use is on the loop's thread, as that of the transports.

    /// Whose controller it watches.
    package enum Side: Sendable { case accessory, phone }

    /// How much of an answer the accessory has.
    struct Share: Equatable, Sendable {
        var values = 0
        var octets = 0
        /// When the phone's controller acknowledged the whole answer; `nil` if it has not.
        var completedAt: MonotonicInstant?
    }

    /// What was sent over a link: a command or a value.
    private struct Item {
        /// The attribute of a notified value; `nil` for a written one.
        var attribute: AttributeHandle?
        var octets: [UInt8]
        /// The number of the packet in which it ended, or in which a command that is written in parts began.
        var packet: Int
        /// How many packets the controller had acknowledged then.
        var completed: Int
    }

    private final class Link {
        var toAccessory = L2CAPReassembler()
        var toPhone = L2CAPReassembler()
        var items: [Item] = []
        /// The place of the command that is being written in parts.
        var preparedAt: Int?
        /// The packets that went to the accessory.
        var packets = 0
        var completed = 0
        var completions: [(packets: Int, at: MonotonicInstant)] = []
    }

    private static let (maximumItems, maximumLinks) = (2048, 32)

    let side: Side
    private var links: [ConnectionHandle: Link] = [:]

    package init(_ side: Side) { self.side = side }

    /// Shows the witness a packet; `sent` is from the host to the controller.
    package func see(
        _ packet: HCIPacket, _ direction: BtsnoopWriter.Direction, at now: MonotonicInstant
    ) {
        switch packet {
        case .acl(let body):
            guard let packet = try? ACLPacket(decoding: body.span) else { return }
            receive(packet, toAccessory: (side == .phone) == (direction == .sent))
        case .event(let body): receive(event: body, at: now)
        // With a reset, all links are gone (Core Vol 4, Part E, 7.3.2).
        case .command(let body):
            let command = try? HCICommandPacket(decoding: body.span)
            if command?.opcode == .reset { links = [:] }
        }
    }

    private func receive(event: [UInt8], at now: MonotonicInstant) {
        // Others, such as the many advertising reports, need not be decoded.
        let wanted = [HCIEventCode.disconnectionComplete, .numberOfCompletedPackets].map(\.code)
        guard let code = event.first, wanted.contains(code),
            let event = try? HCIEvent(decoding: event.span)
        else { return }
        switch event {
        case .disconnectionComplete(let end) where end.status == .success: links[end.handle] = nil
        case .numberOfCompletedPackets(let event):
            for entry in event.entries {
                guard let link = links[entry.handle] else { continue }
                link.completed += Int(entry.count)
                if link.completions.count == Self.maximumItems {
                    link.completions.removeFirst(Self.maximumItems / 2)
                }
                link.completions.append((link.completed, now))
            }
        default: break
        }
    }

    private func receive(_ packet: ACLPacket, toAccessory: Bool) {
        guard links[packet.handle] != nil || links.count < Self.maximumLinks else { return }
        let link = links[packet.handle] ?? Link()
        links[packet.handle] = link
        if toAccessory {
            link.packets += 1
            link.toAccessory.receive(packet)
            while let output = link.toAccessory.pollOutput() { note(output, on: link) }
        } else {
            link.toPhone.receive(packet)
            while let output = link.toPhone.pollOutput() { note(output, on: link) }
        }
    }

    /// A command is written at once or in parts; a value is notified (Core Vol 3, Part F, 3.4.5 to 3.4.7).
    private func note(_ output: L2CAPReassembler.Output, on link: Link) {
        guard case .pdu(let pdu) = output, pdu.channel == .attributeProtocol else { return }
        if let pdu = try? ATTClientPDU(decoding: pdu.payload.span) {
            switch pdu {
            case .writeRequest(_, let value): append(value, of: nil, to: link)
            case .prepareWriteRequest(_, _, let value): prepare(value, on: link)
            case .executeWriteRequest: link.preparedAt = nil
            default: break
            }
        } else if case .handleValueNotification(let value)? = try? ATTServerPDU(
            decoding: pdu.payload.span)
        {
            append(value.value, of: value.handle, to: link)
        }
    }

    /// A part of a command. With the first, the accessory has decided on it: what it gets meanwhile is too late for that.
    private func prepare(_ part: [UInt8], on link: Link) {
        if let place = link.preparedAt {
            guard link.items[place].octets.count < 512 else { return }
            link.items[place].octets += part
        } else {
            append(part, of: nil, to: link)
            link.preparedAt = link.items.count - 1
        }
    }

    private func append(_ octets: [UInt8], of attribute: AttributeHandle?, to link: Link) {
        if link.items.count == Self.maximumItems {
            let excess = Self.maximumItems / 2
            link.items.removeFirst(excess)
            link.preparedAt = link.preparedAt.flatMap { $0 < excess ? nil : $0 - excess }
        }
        link.items.append(
            Item(
                attribute: attribute, octets: octets, packet: link.packets,
                completed: link.completed))
    }

    /// How much the accessory had of the answer to a command when it began to write the next one. The answer begins with
    /// `header` and has `count` octets, if that is known. `nil` if it cannot be told, as when two accessories wrote the
    /// same.
    func share(
        ofAnswerTo command: [UInt8], _ header: [UInt8], count: Int?, before next: [UInt8]
    ) -> Share? {
        let found = links.values.compactMap { link in
            link.items.lastIndex { $0.attribute == nil && $0.octets.elementsEqual(next) }
                .map { (link, $0) }
        }
        guard found.count == 1, let (link, end) = found.first,
            let start = link.items[..<end].lastIndex(where: {
                $0.attribute == nil && $0.octets.elementsEqual(command)
            })
        else { return nil }
        var share = Share()
        var total = 0
        var attribute: AttributeHandle?
        for (index, item) in zip(start..., link.items[start...]) {
            guard let source = item.attribute, attribute == nil || attribute == source,
                attribute != nil || zip(item.octets, header).allSatisfy(==)
            else { continue }
            attribute = source
            let isThere =
                side == .accessory ? index < end : item.packet <= link.items[end].completed
            if isThere {
                share.values += 1
                share.octets += item.octets.count
            }
            total += item.octets.count
            guard let count, total >= count else { continue }
            share.completedAt = link.completions.first { $0.packets >= item.packet }?.at
            break
        }
        return share
    }
}
