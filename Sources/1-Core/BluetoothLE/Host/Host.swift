public import Octets

/// An LE host for one controller, as Peripheral and as Central: sets the controller up, advertises, scans,
/// connects, and runs L2CAP, the Security Manager and attributes on every link. It owns the protocol machines
/// and passes the outputs of each one to the next.
///
///     transport ─▶ receive(packet) ─▶ HCI events ─▶ links ─▶ L2CAP ─▶ ATT · SMP · signalling ─▶ outputs
///
/// As for every machine of this module, call its inputs to report what happened, then ``pollOutput()`` until
/// it returns `nil`, and ``handleTimeout(at:)`` at ``nextDeadline``. It makes no decisions about security or
/// services: it pairs, discovers and subscribes when it is called to.
public struct Host: ~Copyable {
    enum State: Equatable, Sendable {
        case idle
        case settingUp
        case running(ControllerAbilities)
        /// The controller or the transport can no longer be used.
        case stopped
    }

    /// The identity of this device, with the identity resolving key in use, and limits.
    public internal(set) var configuration: HostConfiguration
    /// The attributes of this device's server; add services with ``addService(_:startingAt:announcing:at:)``. Its
    /// Database Hash is computed when there is a link.
    public internal(set) var table = AttributeTable()
    /// The bonded peers.
    public internal(set) var bonds: [BondRecord]

    var toolbox: AnySecurityToolbox
    var state = State.idle
    var setup = ControllerSetup()
    var commands = HCICommandChannel()
    var acl = ACLQueue(buffers: ControllerAbilities().buffers)
    var advertiser = Advertiser(configuration: .init(abilities: ControllerAbilities()))
    /// Scanning and connecting; `nil` before the first call for one of them.
    var central: (any CentralRole)?
    var ownAddress: OwnAddress
    var resolver = AddressResolver()
    var throttles = PairingThrottles()
    /// Sorted by handle.
    var connections: [HostConnection] = []
    var earlyPackets = EarlyPackets()
    /// The earliest deadline of all links, stored because every packet needs it.
    private var linkDeadline: MonotonicInstant?
    /// The number of links that are waiting for room.
    var waitingForRoom = 0
    var outputs = Queue<HostOutput>(keepingOctets: 1_024)
    private var unansweredCommands = 0
    /// How often the controller failed during setup since it was last ready.
    private var failedSetups = 0
    /// After this many failures the host gives up; a controller that restarts may fail a few times.
    private static var maximumFailedSetups: Int { 10 }

    /// A host that has not started. `bonds` are the records of earlier `.bondChanged` outputs.
    public init(
        configuration: HostConfiguration, toolbox: some SecurityToolbox, bonds: [BondRecord] = []
    ) {
        var configuration = configuration
        var toolbox = AnySecurityToolbox(toolbox)
        ownAddress = configuration.takeOwnAddress(bonds: bonds, toolbox: &toolbox)
        self.configuration = configuration
        self.toolbox = toolbox
        self.bonds = bonds
        // An empty table has room for both.
        _ = try? table.add(
            .genericAccess(name: configuration.deviceName, appearance: configuration.appearance))
        _ = try? table.add(.genericAttribute)
    }

    // MARK: Inputs

    /// The transport is open: resets the controller and sets it up.
    public mutating func start(at now: MonotonicInstant) {
        guard state == .idle else { return }
        beginSetup(at: now)
    }

    /// Sets the controller up again, as after a failure. Links end without a message to their peers, who
    /// notice after the supervision timeout. Services, bonds and the peers' configurations are kept. A private
    /// address is replaced.
    public mutating func restart(at now: MonotonicInstant) {
        guard case .running = state else { return }
        reset(.requested, at: now)
        if case .resolvablePrivate = configuration.ownAddress { replaceAddress() }
    }

    /// A packet arrived from the controller. A malformed one is ignored.
    public mutating func receive(_ packet: HCIPacket, at now: MonotonicInstant) {
        guard state != .stopped else { return }
        switch packet {
        case .event(let body):
            guard let event = try? HCIEvent(decodingAllButReports: body.span) else { return }
            receive(event, at: now)
        case .acl(let body): receive(acl: body.span, at: now)
        case .command: break
        }
        drainController(at: now)
    }

    /// The transport is closed: all links have ended, and nothing more is sent.
    public mutating func transportClosed(at now: MonotonicInstant) {
        guard state != .stopped else { return }
        endAllConnections(.hardwareFailure, at: now)
        endCentralRole()
        stop()
    }

    /// The transport is closed, until ``start(at:)``: all links have ended. Services, bonds and the peers'
    /// configurations are kept.
    public mutating func transportLost(at now: MonotonicInstant) {
        guard state != .idle else { return }
        endAllConnections(.hardwareFailure, at: now)
        if advertiser.isAnnounced {
            outputs.append(.air(.advertisingStopped(.ended(.hardwareFailure))))
        }
        endCentralRole()
        stop()
        failedSetups = 0
        state = .idle
    }

    /// Call it when ``nextDeadline`` has passed; an early call does nothing.
    public mutating func handleTimeout(at now: MonotonicInstant) {
        commands.handleTimeout(at: now)
        rotateAddress(at: now)
        central?.handleTimeout(at: now)
        earlyPackets.handleTimeout(at: now)
        for connection in connections {
            connection.machines.handleTimeout(at: now)
            applyParameters(of: connection, at: now)
            drain(connection, at: now)
        }
        drainController(at: now)
    }

    /// Takes the next output. After every input, call it until it returns `nil`.
    public mutating func pollOutput() -> HostOutput? { outputs.popFirst() }

    /// When ``handleTimeout(at:)`` is due.
    public var nextDeadline: MonotonicInstant? {
        var deadline = MonotonicInstant.earliest(commands.nextDeadline, central?.nextDeadline)
        deadline = .earliest(deadline, ownAddress.deadline)
        deadline = .earliest(deadline, earlyPackets.nextDeadline)
        return .earliest(deadline, linkDeadline)
    }

    /// Sets the deadline of a link's machines.
    mutating func setDeadline(_ deadline: MonotonicInstant?, of connection: HostConnection) {
        let earlier = exchange(&connection.deadline, with: deadline)
        guard earlier != deadline else { return }
        if earlier != nil, earlier == linkDeadline {
            linkDeadline = connections.reduce(nil) { .earliest($0, $1.deadline) }
        }
        linkDeadline = .earliest(linkDeadline, deadline)
    }

    // MARK: Controller

    /// The controller can no longer be used: drops everything that is queued for it.
    private mutating func stop() {
        state = .stopped
        commands = HCICommandChannel()
        beginAir(ControllerAbilities())
    }

    /// Creates the machines for advertising, scanning and connecting, for a controller that was just set up.
    private mutating func beginAir(_ abilities: ControllerAbilities) {
        advertiser = Advertiser(configuration: .init(abilities: abilities))
        central = nil
        ownAddress.controllerReset()
    }

    private mutating func beginSetup(at now: MonotonicInstant) {
        state = .settingUp
        unansweredCommands = 0
        setup = ControllerSetup()
        commands = HCICommandChannel()
        setup.start()
        drainController(at: now)
    }

    /// The controller was reset, or has to be.
    mutating func reset(_ reason: HostOutput.ResetReason, at now: MonotonicInstant) {
        guard state != .idle, state != .stopped else { return }
        endAllConnections(.hardwareFailure, at: now)
        if advertiser.isAnnounced {
            outputs.append(.air(.advertisingStopped(.ended(.hardwareFailure))))
        }
        endCentralRole()
        beginAir(ControllerAbilities())
        if case .settingUp = state { failedSetups += 1 }
        guard failedSetups < Self.maximumFailedSetups else {
            stop()
            outputs.append(.controller(.failed(.failsRepeatedly)))
            return
        }
        outputs.append(.controller(.resetting(reason)))
        beginSetup(at: now)
    }

    /// Handles the outputs of the controller's machines until there are none.
    mutating func drainController(at now: MonotonicInstant) {
        var isResting = false
        while !isResting {
            isResting = true
            arrangeAir(at: now)
            while let output = setup.pollOutput() {
                isResting = false
                handle(output, at: now)
            }
            while let output = advertiser.pollOutput() {
                isResting = false
                handle(output, at: now)
            }
            while let output = central?.pollOutput() {
                isResting = false
                handle(output, at: now)
            }
            while let output = commands.pollOutput() {
                isResting = false
                handle(output, at: now)
            }
        }
        while let packet = acl.pollOutput() { outputs.append(.send(.acl(packet.octets))) }
        reportOfRoom()
    }

    private mutating func handle(_ output: ControllerSetup.Output, at now: MonotonicInstant) {
        switch output {
        case .send(let command): submit(command, for: .setup, at: now)
        case .finished(let abilities):
            acl = ACLQueue(buffers: abilities.buffers)
            beginAir(abilities)
            state = .running(abilities)
            failedSetups = 0
            outputs.append(.controller(.ready(abilities)))
        case .failed(let failure):
            stop()
            outputs.append(.controller(.failed(failure)))
        }
    }

    private mutating func handle(_ output: Advertiser.Output, at now: MonotonicInstant) {
        switch output {
        case .send(let command): submit(command, for: .advertiser, at: now)
        case .started: outputs.append(.air(.advertisingStarted))
        case .stopped(let reason): outputs.append(.air(.advertisingStopped(reason)))
        case .failed(let failure): outputs.append(.air(.advertisingFailed(failure)))
        }
    }

    private mutating func handle(_ output: HCICommandChannel.Output, at now: MonotonicInstant) {
        switch output {
        case .send(let command): outputs.append(.send(.command(command.octets)))
        case .ended(let result): commandEnded(result, at: now)
        }
    }

    private mutating func commandEnded(_ result: HCICommandResult, at now: MonotonicInstant) {
        unansweredCommands = result.outcome == .timedOut ? unansweredCommands + 1 : 0
        if case .running = state, unansweredCommands >= configuration.maximumUnansweredCommands {
            return reset(.unresponsive, at: now)
        }
        switch result.owner {
        case .setup: setup.receive(result)
        case .advertiser: advertiser.receive(result)
        case .scanner, .initiator: central?.commandEnded(result, at: now)
        case .ownAddress: addressCommandEnded(result, at: now)
        default: hostCommandEnded(result, at: now)
        }
    }

    /// For a command that succeeds, an event reports the result; for one that fails, there is no event.
    private mutating func hostCommandEnded(_ result: HCICommandResult, at now: MonotonicInstant) {
        if result.command.opcode == .readRSSI { return rssiCommandEnded(result) }
        guard !result.isSuccess else { return }
        let parameters = result.command.parameters.span
        if let command = try? HCI.Disconnect(decoding: parameters),
            result.command.opcode == .disconnect
        {
            disconnectFailed(command, result.status, at: now)
        } else if let command = try? HCI.LEEnableEncryption(decoding: parameters),
            result.command.opcode == .leEnableEncryption, let status = result.status
        {
            encryptionChanged(command.handle, status, false, at: now)
        } else if result.command.opcode == .leConnectionUpdate,
            let command = try? HCI.LEConnectionUpdate(decoding: parameters)
        {
            connection(command.handle)?.isUpdating = false
        }
    }

    /// A full queue means that the controller has left so many commands unanswered that it must be reset.
    mutating func submit(
        _ command: HCICommandPacket, for owner: HCICommandOwner, at now: MonotonicInstant
    ) {
        do throws(HCICommandChannel.UsageError) {
            try commands.submit(command, for: owner, at: now)
        } catch { reset(.unresponsive, at: now) }
    }

    mutating func submit(_ command: some HCICommand, at now: MonotonicInstant) {
        submit(HCICommandPacket(command), for: .host, at: now)
    }
}

@available(*, unavailable) extension Host: Sendable {}
