internal import BluetoothLE

// The way of packets from a controller to its host.
extension VirtualRadio {
    mutating func send(_ packet: HCIPacket, from index: Int, at now: MonotonicInstant) {
        switch nodes[index].controller.abilities.packetOrder {
        case .kept: outputs.append(.send(packet, from: ControllerID(index: index)))
        case .usb:
            let time = arrival(of: packet, from: nodes[index], at: now)
            events.insert(.arrival(packet, at: index, power: nodes[index].power), at: time)
        }
    }

    /// When a packet reaches the host: half of them at once, and none ahead of an earlier one of its kind.
    private mutating func arrival(
        of packet: HCIPacket, from node: Node, at now: MonotonicInstant
    ) -> MonotonicInstant {
        let isDelayed = orderRandom.chance(0.5)
        let delay = isDelayed ? orderRandom.duration(below: VirtualAir.maximumDelay) : .zero
        switch packet {
        case .acl:
            node.lastData = max(node.lastData, now + delay)
            return node.lastData
        case .event, .command:
            node.lastEvent = max(node.lastEvent, now + delay)
            return node.lastEvent
        }
    }
}
