public import BluetoothLE

/// A mistake of a host, which the controller tolerates.
public enum HostFault: Equatable, Sendable {
    /// More ACL packets than the controller has buffers; the packet was dropped.
    case bufferOverflow
    /// An ACL packet longer than a buffer; the packet was dropped.
    case packetTooLong(Int)
    /// An ACL packet for a link that never existed; the packet was dropped.
    case unknownConnection(ConnectionHandle)
    /// Octets that are not a valid packet of their type.
    case malformedPacket
}

/// A controller in software: HCI packets on one side, the air on the other.
///
///     host ─▶ receive(packet) ─▶ commands ─▶ advertising · scanning · links ─▶ outputs ─▶ host, radio
///
/// A class, because Swift 6.3 has no collections of noncopyable types; it is never passed outside the
/// ``VirtualRadio`` that owns it and handles its outputs.
final class VirtualController {
    enum Output {
        case toHost(HCIPacket)
        /// The host made a mistake.
        case fault(HostFault)
        /// A frame for the other end of a link.
        case transmit(ConnectionHandle, LinkFrame)
        /// This end of a link is gone, without informing the other end.
        case left(ConnectionHandle)
        /// Nothing is to be heard for a time, on a link or, for `nil`, on the whole radio.
        case fade(ConnectionHandle?, Duration)
        /// The set started advertising.
        case advertisingStarted(AdvertisingSet.ID)
        /// Scanning or initiating started or stopped.
        case listeningChanged
        /// The host has room again for data that wait at the other ends of its links.
        case hostHasRoom
    }

    let abilities: VirtualControllerAbilities
    let publicAddress: DeviceAddress
    let commands: SupportedCommands
    let features: LEFeatures
    let toolbox: AnySecurityToolbox?
    var random: SeededGenerator
    var outputs = Queue<Output>()

    // What HCI_Reset resets.
    var masks = EventMasks()
    var randomAddress: DeviceAddress?
    /// Legacy and extended commands must not be mixed until a reset. Core Vol 4, Part E, 3.1.1.
    var commandFamily: CommandFamily?
    var advertisingSets: [AdvertisingSet] = []
    var scanner = ScanningState()
    var initiator: InitiatingState?
    var filterAcceptList: [DeviceAddress] = []
    var resolvingList = ResolvingList()
    var links: [ControllerLink] = []
    /// The highest handle of any link so far.
    var highestHandle: UInt16 = 0
    var hostFlow = HostFlowControl()
    /// Packets of each link that have left the buffers since the last event.
    var completed: [HCI.NumberOfCompletedPackets.Entry] = []
    var suggestedDataLength = DataLength.minimum
    /// The PHYs that the host prefers for sending and receiving; `nil` if it has not set any.
    var preferredPHYs: (transmit: PHYs, receive: PHYs)?
    var channels = DataChannels.all
    var keyPair: P256KeyPair?

    init(
        abilities: VirtualControllerAbilities, publicAddress: DeviceAddress,
        toolbox: AnySecurityToolbox?, random: SeededGenerator
    ) {
        self.abilities = abilities
        self.publicAddress = publicAddress
        self.toolbox = toolbox
        self.random = random
        commands = abilities.commands(hasToolbox: toolbox != nil)
        features = abilities.features(hasToolbox: toolbox != nil)
    }

    // MARK: Inputs

    /// A packet arrived from the host.
    func receive(_ packet: HCIPacket, at now: MonotonicInstant) {
        switch packet {
        case .command(let body): receiveCommand(body, at: now)
        case .acl(let body): receiveData(body)
        case .event: outputs.append(.fault(.malformedPacket))
        }
    }

    /// Handles the deadlines that have passed.
    func handleTimeout(at now: MonotonicInstant) {
        endAdvertising(dueAt: now)
        endScan(dueAt: now)
        resolvingList.rotate(at: now)
    }

    /// Resets everything, for HCI_Reset and for power-on.
    func reset() {
        for link in links { outputs.append(.left(link.handle)) }
        let wasListening = isListening
        masks = EventMasks()
        randomAddress = nil
        commandFamily = nil
        advertisingSets = []
        scanner = ScanningState()
        initiator = nil
        filterAcceptList = []
        resolvingList = ResolvingList()
        links = []
        highestHandle = 0
        hostFlow = HostFlowControl()
        completed = []
        suggestedDataLength = .minimum
        preferredPHYs = nil
        channels = .all
        keyPair = nil
        if wasListening { outputs.append(.listeningChanged) }
    }

    /// The hardware fails: resets everything and reports the error, whatever the event masks are.
    func fail(code: UInt8) {
        // What was on its way to the host comes before the report, and the host may still answer it.
        let handle = highestHandle
        reset()
        highestHandle = handle
        send(HCI.HardwareError.layout(code).eventPacket)
    }

    // MARK: Outputs

    /// The next output, or `nil`.
    func pollOutput() -> Output? {
        if let output = outputs.popFirst() { return output }
        guard !completed.isEmpty else { return nil }
        // One event for everything completed meanwhile; it cannot be masked.
        let entries = exchange(&completed, with: [])
        return .toHost(.event(HCI.NumberOfCompletedPackets.layout(entries).eventPacket))
    }

    var nextDeadline: MonotonicInstant? {
        var deadline = MonotonicInstant.earliest(scanner.deadline, resolvingList.nextRotation)
        for set in advertisingSets where set.isEnabled {
            deadline = .earliest(deadline, set.deadline)
        }
        return deadline
    }

    /// Whether it receives advertising.
    var isListening: Bool { scanner.isEnabled || initiator != nil }

    func link(_ handle: ConnectionHandle) -> ControllerLink? { links.first { $0.handle == handle } }

    /// The link of a command.
    func existingLink(_ handle: ConnectionHandle) throws(HCIStatus) -> ControllerLink {
        guard let link = link(handle) else { throw .unknownConnectionIdentifier }
        return link
    }

    // MARK: Events

    /// Sends an event to the host, unless it is masked.
    func emit<Event: HCIEventParameters>(_ event: Event) {
        guard masks.allows(Event.code) else { return }
        send(event.eventPacket)
    }

    func send(_ event: [UInt8]) { outputs.append(.toHost(.event(event))) }
}

/// The events that the host enabled. Core Vol 4, Part E, 7.3.1, 7.3.69 and 7.8.1.
struct EventMasks {
    var basic: UInt64 = 0x1FFF_FFFF_FFFF
    var page2: UInt64 = 0
    var le: UInt64 = 0x1F

    /// Bits of the second page.
    static let encryptionChangeV2: UInt64 = 1 << 25

    func allows(_ code: HCIEventCode) -> Bool {
        if let subevent = code.subevent {
            return basic & 1 << 61 != 0 && le & 1 << UInt64(subevent - 1) != 0
        }
        switch code {
        // Answers and credits cannot be masked.
        case .commandComplete, .commandStatus, .numberOfCompletedPackets: return true
        case .encryptionChangeV2: return page2 & Self.encryptionChangeV2 != 0
        default: return basic & 1 << UInt64(code.code - 1) != 0
        }
    }
}

/// The two families of advertising, scanning and initiating commands.
enum CommandFamily {
    case legacy
    case extended
}

/// A data length in octets, and the duration on LE 1M in microseconds. Core Vol 6, Part B, 4.5.10.
struct DataLength: Equatable {
    var octets: UInt16

    static let minimum = DataLength(octets: 27)

    /// Preamble, access address, header, MIC and CRC add 14 octets of 8 µs each.
    var microseconds: UInt16 { (octets + 14) * 8 }
}
