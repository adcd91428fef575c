public import BluetoothLE

/// Virtual controllers, and the air between them.
///
///     host ─▶ receive(packet) ─▶ controller ─▶ advertising, links ─▶ other controllers ─▶ outputs
///
/// As for every machine of the core, call its inputs to report what happened, then ``pollOutput()`` until it
/// returns `nil`, and ``handleTimeout(at:)`` at ``nextDeadline``. The same seed and inputs give the same
/// outputs, octet by octet, as long as the toolbox generates the same keys.
public struct VirtualRadio: ~Copyable {
    /// An output of the radio.
    public enum Output: Equatable, Sendable {
        /// Pass the packet to the host of a controller.
        case send(HCIPacket, from: ControllerID)
        /// The host of a controller made a mistake.
        case fault(HostFault, of: ControllerID)
    }

    /// A planned event.
    enum Event {
        case advertise(Int, AdvertisingSet.ID, generation: UInt32)
        case timeout(Int, at: MonotonicInstant)
        case connectionEvent(RadioLink, plan: UInt32)
        case delivery(RadioLink, from: Int, LinkFrame)
        case supervision(RadioLink, side: Int)
        case arrival(HCIPacket, at: Int, power: UInt32)
        case fade(periodStart: MonotonicInstant)
        case fadeEnd(Fading, at: MonotonicInstant)
    }

    /// What a fade covers.
    enum Fading: Hashable {
        case all
        case pair(Pair)
    }

    /// A controller and its place.
    final class Node {
        let controller: VirtualController
        var room: RadioRoom
        var links: [RadioLink] = []
        /// When the controller has its next timeout.
        var plannedTimeout: MonotonicInstant?
        /// Whether its outputs have yet to be handled.
        var isUnsettled = false
        /// When the last packet of each kind reaches its host.
        var lastEvent = MonotonicInstant.zero
        var lastData = MonotonicInstant.zero
        /// How often it was turned off: packets from before do not reach its host.
        var power: UInt32 = 0

        init(_ controller: VirtualController, room: RadioRoom) {
            self.controller = controller
            self.room = room
        }
    }

    /// Two controllers, in any order.
    struct Pair: Hashable {
        let first: Int
        let second: Int

        init(_ one: Int, _ other: Int) {
            first = min(one, other)
            second = max(one, other)
        }
    }

    struct ParkedAdvertiser {
        let node: Int
        let set: AdvertisingSet.ID
        let generation: UInt32
    }

    /// How the radio transmits.
    public let configuration: RadioConfiguration
    let toolbox: AnySecurityToolbox?
    var random: SeededGenerator
    /// From sources of their own, so that all else of a seed stays the same.
    var orderRandom: SeededGenerator
    var fadeRandom: SeededGenerator
    var nodes: [Node] = []
    var paths: [Pair: RadioPath] = [:]
    /// When the present fades end.
    var fadings: [Fading: MonotonicInstant] = [:]
    var isFadePlanned = false
    var events = EventHeap<Event>()
    /// The number of events above which stale ones are dropped.
    private var eventLimit = Self.leastEventLimit
    var listeners: [RadioRoom: [Int]] = [:]
    /// Advertisers without listeners, by room: they continue when a device listens.
    var parked: [RadioRoom: [ParkedAdvertiser]] = [:]
    var unsettled = Queue<Int>()
    var outputs = Queue<Output>()

    /// An empty radio. Without a toolbox, its controllers do not support commands that encrypt blocks,
    /// generate keys or resolve private addresses. Links are encrypted in any case.
    public init(
        configuration: RadioConfiguration = RadioConfiguration(), toolbox: (some SecurityToolbox)?
    ) {
        self.configuration = configuration
        self.toolbox = toolbox.map { AnySecurityToolbox($0) }
        random = SeededGenerator(seed: configuration.seed)
        orderRandom = random.branch(UInt64.max)
        fadeRandom = random.branch(UInt64.max - 1)
    }

    /// Adds a controller; by default its public address is derived from its number.
    public mutating func addController(
        _ abilities: VirtualControllerAbilities = .bluetooth5_3,
        publicAddress: DeviceAddress? = nil, in room: RadioRoom = .first
    ) -> ControllerID {
        let index = nodes.count
        let address =
            publicAddress ?? DeviceAddress(0xC0FF_EE00_0000 + UInt64(index + 1), kind: .public)
        let controller = VirtualController(
            abilities: abilities, publicAddress: address, toolbox: toolbox,
            random: random.branch(UInt64(index)))
        nodes.append(Node(controller, room: room))
        return ControllerID(index: index)
    }

    // MARK: Inputs

    /// A packet arrived from the host of a controller.
    public mutating func receive(
        _ packet: HCIPacket, at controller: ControllerID, at now: MonotonicInstant
    ) { input(to: controller.index, at: now) { $0.receive(packet, at: now) } }

    /// Turns a controller off and on: it loses its state, and the other ends of its links receive nothing
    /// more.
    public mutating func powerCycle(_ controller: ControllerID, at now: MonotonicInstant) {
        nodes[controller.index].power &+= 1
        input(to: controller.index, at: now) { $0.reset() }
    }

    /// Makes the hardware of a controller fail: it loses its state and informs its host. Core Vol 4, Part E,
    /// 7.7.16.
    public mutating func fail(_ controller: ControllerID, code: UInt8, at now: MonotonicInstant) {
        input(to: controller.index, at: now) { $0.fail(code: code) }
    }

    /// Call it when ``nextDeadline`` has passed; an early call does nothing.
    public mutating func handleTimeout(at now: MonotonicInstant) { settle(at: now) }

    // MARK: Outputs

    /// Takes the next output. After every input, call it until it returns `nil`.
    public mutating func pollOutput() -> Output? { outputs.popFirst() }

    /// When ``handleTimeout(at:)`` is due.
    public var nextDeadline: MonotonicInstant? { events.earliest }

    /// The number of links between controllers of the radio.
    public var linkCount: Int { nodes.reduce(0) { $0 + $1.controller.links.count } / 2 }

    // MARK: Conditions

    /// Changes the conditions between two controllers.
    public mutating func setPath(
        _ path: RadioPath, between one: ControllerID, and other: ControllerID,
        at now: MonotonicInstant
    ) {
        paths[Pair(one.index, other.index)] = path
        for link in nodes[one.index].links
        where link.ends.contains(where: { $0.controller == other.index }) {
            conditionsChanged(of: link, at: now)
        }
        settle(at: now)
    }

    /// Moves a controller into another room, out of range of its peers.
    public mutating func move(
        _ controller: ControllerID, to room: RadioRoom, at now: MonotonicInstant
    ) {
        let node = nodes[controller.index]
        guard node.room != room else { return }
        stopListening(controller.index)
        unpark(controller.index, at: now)
        node.room = room
        if node.controller.isListening { startListening(controller.index, at: now) }
        for link in node.links { conditionsChanged(of: link, at: now) }
        settle(at: now)
    }

    /// Cuts the links between two controllers: both hosts are informed at once.
    public mutating func cut(
        between one: ControllerID, and other: ControllerID,
        reason: HCIStatus = .connectionTimeout, at now: MonotonicInstant
    ) {
        for link in nodes[one.index].links
        where link.ends.contains(where: { $0.controller == other.index }) {
            for end in link.ends where end.isPresent {
                nodes[end.controller].controller.lost(end.handle, reason: reason)
                unsettle(end.controller)
            }
        }
        settle(at: now)
    }

    /// The Central of the links between two controllers changes their parameters, as phones do by themselves.
    public mutating func setParameters(
        _ parameters: ConnectionParameters, between one: ControllerID, and other: ControllerID,
        at now: MonotonicInstant
    ) {
        for link in nodes[one.index].links
        where link.isEstablished && link.ends.contains(where: { $0.controller == other.index }) {
            let central = link.ends[RadioLink.central]
            nodes[central.controller].controller.setParameters(parameters, of: central.handle)
            unsettle(central.controller)
        }
        settle(at: now)
    }

    /// The current conditions between two controllers.
    func path(between one: Int, and other: Int) -> RadioPath {
        guard nodes[one].room == nodes[other].room, !isFaded(Pair(one, other)) else {
            return RadioPath(isInRange: false)
        }
        return paths[Pair(one, other)] ?? configuration.path
    }

    // MARK: Settling

    private mutating func input(
        to node: Int, at now: MonotonicInstant, _ change: (VirtualController) -> Void
    ) {
        if !isFadePlanned { planFades(at: now) }
        // Earlier events happen first.
        settle(at: now)
        change(nodes[node].controller)
        unsettle(node)
        settle(at: now)
    }

    mutating func unsettle(_ node: Int) {
        guard !nodes[node].isUnsettled else { return }
        nodes[node].isUnsettled = true
        unsettled.append(node)
    }

    /// Handles the outputs of the controllers and the events that are due, until there are none.
    mutating func settle(at now: MonotonicInstant) {
        while true {
            if let node = unsettled.popFirst() {
                nodes[node].isUnsettled = false
                drain(node, at: now)
            } else if let event = events.popDue(at: now) {
                happen(event, at: now)
            } else {
                break
            }
        }
        dropStaleEvents()
    }

    /// Replaced plans stay in the heap until their time, unless there are too many.
    private mutating func dropStaleEvents() {
        guard events.count > eventLimit else { return }
        events.removeAll { [nodes, fadings] event in
            switch event {
            case .advertise(let node, let id, let generation):
                let sets = nodes[node].controller.advertisingSets
                return !sets.contains { $0.id == id && $0.isEnabled && $0.generation == generation }
            case .timeout(let node, let time): return nodes[node].plannedTimeout != time
            case .connectionEvent(let link, let plan): return link.plan != plan
            case .supervision(let link, let side): return !link.ends[side].isPresent
            case .fadeEnd(let fading, let time): return fadings[fading] != time
            case .delivery, .arrival, .fade: return false
            }
        }
        eventLimit = max(2 * events.count, Self.leastEventLimit)
    }

    private static var leastEventLimit: Int { 4096 }

    private mutating func drain(_ index: Int, at now: MonotonicInstant) {
        let node = nodes[index]
        while let output = node.controller.pollOutput() {
            switch output {
            case .toHost(let packet): send(packet, from: index, at: now)
            case .fault(let fault): outputs.append(.fault(fault, of: ControllerID(index: index)))
            case .transmit(let handle, let frame): transmit(frame, from: index, on: handle, at: now)
            case .left(let handle): left(index, handle, at: now)
            case .fade(let handle, let length): fade(index, handle, for: length, at: now)
            case .advertisingStarted(let set): startAdvertising(index, set, at: now)
            case .listeningChanged:
                stopListening(index)
                if node.controller.isListening { startListening(index, at: now) }
            case .hostHasRoom: for link in node.links { plan(link, at: now) }
            }
        }
        planTimeout(of: index)
    }

    private mutating func planTimeout(of index: Int) {
        let node = nodes[index]
        guard let deadline = node.controller.nextDeadline else { return }
        if let planned = node.plannedTimeout, planned <= deadline { return }
        node.plannedTimeout = deadline
        events.insert(.timeout(index, at: deadline), at: deadline)
    }

    private mutating func happen(_ event: Event, at now: MonotonicInstant) {
        switch event {
        case .advertise(let node, let set, let generation):
            advertise(node, set, generation: generation, at: now)
        case .timeout(let index, let time):
            guard nodes[index].plannedTimeout == time else { return }
            nodes[index].plannedTimeout = nil
            nodes[index].controller.handleTimeout(at: now)
            unsettle(index)
        case .connectionEvent(let link, let plan):
            guard link.plan == plan, link.plannedEvent != nil else { return }
            link.plannedEvent = nil
            meet(link, at: now)
        case .delivery(let link, let side, let frame): deliver(frame, of: link, from: side, at: now)
        case .supervision(let link, let side): supervise(link, side, at: now)
        case .arrival(let packet, let index, let power):
            guard nodes[index].power == power else { return }
            outputs.append(.send(packet, from: ControllerID(index: index)))
        case .fade(let start): fadePeriodically(from: start, at: now)
        case .fadeEnd(let fading, let time): endFade(fading, plannedFor: time, at: now)
        }
    }
}

@available(*, unavailable) extension VirtualRadio: Sendable {}
