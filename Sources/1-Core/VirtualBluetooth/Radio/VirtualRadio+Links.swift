internal import BluetoothLE

// Links: connection events, their PDUs, and failures.
extension VirtualRadio {
    mutating func link(
        _ central: RadioLink.End, _ peripheral: RadioLink.End?, _ timing: LinkTiming,
        at now: MonotonicInstant
    ) {
        let link = RadioLink(central: central, peripheral: peripheral, timing: timing, at: now)
        for end in link.ends { nodes[end.controller].links.append(link) }
        conditionsChanged(of: link, at: now)
        guard link.isEstablished else { return }
        for end in link.ends {
            nodes[end.controller].controller.settled(end.handle)
            unsettle(end.controller)
        }
    }

    mutating func transmit(
        _ frame: LinkFrame, from node: Int, on handle: ConnectionHandle, at now: MonotonicInstant
    ) {
        for link in nodes[node].links {
            guard let side = link.side(of: node, handle) else { continue }
            link.enqueue(frame, from: side)
            plan(link, at: now)
            return
        }
    }

    /// A controller has left its end of a link.
    mutating func left(_ node: Int, _ handle: ConnectionHandle, at now: MonotonicInstant) {
        guard let link = nodes[node].links.first(where: { $0.side(of: node, handle) != nil }),
            let side = link.side(of: node, handle)
        else { return }
        link.left(side)
        nodes[node].links.removeAll { $0 === link }
        if link.isOver { link.plannedEvent = nil } else { conditionsChanged(of: link, at: now) }
    }

    // MARK: Planning

    private func isInRange(_ link: RadioLink) -> Bool {
        guard link.isEstablished else { return false }
        return path(between: link.ends[0].controller, and: link.ends[1].controller).isInRange
    }

    private func loss(on link: RadioLink) -> Double {
        path(between: link.ends[0].controller, and: link.ends[1].controller).loss
    }

    /// Whether both ends are in range, whatever is lost.
    private func canMeet(_ link: RadioLink) -> Bool {
        isInRange(link) && link.ends.contains { $0.isPresent }
            && link.ends.allSatisfy { $0.isPresent || !$0.queue.isEmpty }
    }

    mutating func conditionsChanged(of link: RadioLink, at now: MonotonicInstant) {
        let isSolid =
            isInRange(link) && link.ends.allSatisfy { $0.isPresent } && loss(on: link) == 0
        if link.isSolid, link.isEstablished { link.settleHearing(at: now) }
        link.isSolid = isSolid
        if !isSolid { superviseEnds(of: link) }
        plan(link, at: now)
    }

    /// Plans the next connection event, if one is needed.
    mutating func plan(_ link: RadioLink, at now: MonotonicInstant) {
        guard canMeet(link), link.hasData || !link.isSolid else { return }
        let isImmediate = configuration.timing == .immediate && link.isSolid
        let time = isImmediate ? now : link.nextEvent(after: now)
        if let planned = link.plannedEvent, planned <= time { return }
        link.plannedEvent = time
        link.plan &+= 1
        events.insert(.connectionEvent(link, plan: link.plan), at: time)
    }

    // MARK: Connection events

    /// A connection event: Central and Peripheral send in turn while either has PDUs.
    mutating func meet(_ link: RadioLink, at now: MonotonicInstant) {
        guard canMeet(link) else { return }
        let loss = loss(on: link)
        let isImmediate = configuration.timing == .immediate && link.isSolid
        let capacity =
            isImmediate ? Int.max : link.capacity(limit: configuration.maximumPDUsPerEvent)
        var exchanged = 0
        var hasMoved = true
        while hasMoved, exchanged < capacity, canMeet(link) {
            exchanged += 1
            hasMoved = false
            for side in [RadioLink.central, RadioLink.peripheral] {
                // A lost packet ends the event; the rest is sent in the next one.
                guard !random.chance(loss) else { return plan(link, at: now) }
                link.heard(1 - side, at: now)
                hasMoved = send(from: side, of: link, at: now) || hasMoved
            }
        }
        // PDUs for which the host has no room wait until it has some.
        if hasMoved || !link.isSolid { plan(link, at: now) }
    }

    /// Sends the first queued frame. Returns whether there was one that the peer accepted.
    private mutating func send(
        from side: Int, of link: RadioLink, at now: MonotonicInstant
    ) -> Bool {
        let receiver = link.ends[1 - side]
        guard receiver.isPresent, let next = link.ends[side].queue.first else { return false }
        if case .data = next.pdu {
            let room = nodes[receiver.controller].controller
            guard room.acceptsData else { return false }
        }
        guard let frame = link.popFrame(from: side) else { return false }
        if configuration.latency > .zero {
            events.insert(.delivery(link, from: side, frame), at: now + configuration.latency)
        } else {
            deliver(frame, of: link, from: side, at: now)
        }
        return true
    }

    mutating func deliver(
        _ frame: LinkFrame, of link: RadioLink, from side: Int, at now: MonotonicInstant
    ) {
        let sender = link.ends[side]
        let receiver = link.ends[1 - side]
        // PDUs in transit are lost when a link fails.
        guard receiver.isPresent else { return }
        if case .connectionUpdate(let timing) = frame.pdu { link.change(timing, at: now) }
        nodes[receiver.controller].controller.receive(frame, on: receiver.handle)
        nodes[sender.controller].controller.acknowledged(frame, on: sender.handle)
        unsettle(receiver.controller)
        unsettle(sender.controller)
    }

    // MARK: Supervision

    private mutating func superviseEnds(of link: RadioLink) {
        for side in link.ends.indices where link.ends[side].isPresent {
            guard !link.ends[side].isSupervised else { continue }
            link.setSupervised(side, true)
            events.insert(.supervision(link, side: side), at: link.supervisionDeadline(of: side))
        }
    }

    /// Core Vol 6, Part B, 4.5.2.
    mutating func supervise(_ link: RadioLink, _ side: Int, at now: MonotonicInstant) {
        link.setSupervised(side, false)
        guard link.ends[side].isPresent, !link.isSolid else { return }
        guard link.supervisionDeadline(of: side) <= now else { return superviseEnds(of: link) }
        let end = link.ends[side]
        nodes[end.controller].controller.lost(
            end.handle,
            reason: link.isEstablished ? .connectionTimeout : .connectionFailedToBeEstablished)
        unsettle(end.controller)
    }
}
