public import Octets

/// An LE host at one controller, as Peripheral and as Central: sets it up, advertises, scans, connects,
/// and runs L2CAP, the security manager and attributes on every link. It owns the protocol machines and
/// passes what one puts out to the next.
///
///     transport ─▶ receive(packet) ─▶ HCI events ─▶ links ─▶ L2CAP ─▶ ATT · SMP · signalling ─▶ outputs
///
/// Like every machine of this module it is told what happened, drained with ``pollOutput()`` until `nil`
/// and woken at ``nextDeadline``. It decides nothing about security or services by itself: it pairs,
/// discovers and subscribes when it is told to.
public struct Host: ~Copyable {
    enum State: Hashable, Sendable {
        case idle
        case settingUp
        case running(ControllerAbilities)
        /// The controller or the transport cannot be used any more.
        case stopped
    }

    /// Who this device is, and its limits; with the identity resolving key that is in use.
    public internal(set) var configuration: HostConfiguration
    /// The attributes that this device serves; services are added with
    /// ``addService(_:startingAt:announcing:at:)``.
    public internal(set) var table = AttributeTable()
    /// The bonded peers.
    public internal(set) var bonds: [BondRecord]

    var toolbox: AnySecurityToolbox
    var state = State.idle
    var setup = ControllerSetup()
    var commands = HCICommandChannel()
    var acl = ACLQueue(buffers: ControllerAbilities().buffers)
    var advertiser = Advertiser(configuration: .init(abilities: ControllerAbilities()))
    var scanner = Scanner(configuration: .init(abilities: ControllerAbilities()))
    var initiator = Initiator(configuration: .init(abilities: ControllerAbilities()))
    var ownAddress: OwnAddress
    var resolver = AddressResolver()
    var throttles = PairingThrottles()
    /// In the order of their handles.
    var connections: [HostConnection] = []
    /// The earliest deadline of the links: each packet asks for it, whatever number of links there is.
    private var linkDeadline: MonotonicInstant?
    /// How many links wait for room.
    var waitingForRoom = 0
    var outputs = Queue<HostOutput>()
    private var unansweredCommands = 0
    /// How often the controller failed while it was set up, since it was ready last.
    private var failedSetups = 0
    /// After so many failures it is given up; a controller that restarts may fail a few times.
    private static var maximumFailedSetups: Int { 10 }

    /// A host that has not started. `bonds` are what `.bondChanged` gave earlier.
    public init(
        configuration: HostConfiguration, toolbox: some SecurityToolbox, bonds: [BondRecord] = []
    ) {
        var configuration = configuration
        var toolbox = AnySecurityToolbox(toolbox)
        ownAddress = configuration.takeOwnAddress(bonds: bonds, toolbox: &toolbox)
        self.configuration = configuration
        self.toolbox = toolbox
        self.bonds = bonds
        // A table that is empty has room for both.
        _ = try? table.add(
            .genericAccess(name: configuration.deviceName, appearance: configuration.appearance))
        _ = try? table.add(.genericAttribute)
        table.updateDatabaseHash(using: toolbox)
    }

    // MARK: Inputs

    /// The transport is open: resets the controller and sets it up.
    public mutating func start(at now: MonotonicInstant) {
        guard state == .idle else { return }
        beginSetup(at: now)
    }

    /// Sets the controller up anew, as if it had failed: links end without a word to their peers, who miss
    /// them after the supervision timeout. Services, bonds and what peers have configured stay.
    public mutating func restart(at now: MonotonicInstant) {
        guard case .running = state else { return }
        reset(.requested, at: now)
    }

    /// A packet came from the controller. One that cannot be read is ignored.
    public mutating func receive(_ packet: HCIPacket, at now: MonotonicInstant) {
        guard state != .stopped else { return }
        switch packet {
        case .event(let body):
            guard let event = try? HCIEvent(decoding: body.span) else { return }
            receive(event, at: now)
        case .acl(let body):
            guard let packet = try? ACLPacket(decoding: body.span) else { return }
            receive(packet, at: now)
        case .command: break
        }
        drainController(at: now)
    }

    /// The transport is gone: all links have ended, and nothing more is sent.
    public mutating func transportClosed(at now: MonotonicInstant) {
        guard state != .stopped else { return }
        endAllConnections(.hardwareFailure, at: now)
        endCentralRole()
        stop()
    }

    /// The transport is gone, and ``start(at:)`` says when it is back: all links have ended. Services, bonds
    /// and what peers have configured stay.
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

    /// Time passed.
    public mutating func handleTimeout(at now: MonotonicInstant) {
        commands.handleTimeout(at: now)
        rotateAddress(at: now)
        initiator.handleTimeout(at: now)
        for connection in connections {
            connection.signalling.handleTimeout(at: now)
            connection.security.handleTimeout(at: now)
            connection.bearer.handleTimeout(at: now)
            drain(connection, at: now)
        }
        drainController(at: now)
    }

    /// What to do or to know next, or `nil`.
    public mutating func pollOutput() -> HostOutput? { outputs.popFirst() }

    /// When ``handleTimeout(at:)`` is due.
    public var nextDeadline: MonotonicInstant? {
        var deadline = MonotonicInstant.earliest(commands.nextDeadline, initiator.nextDeadline)
        deadline = .earliest(deadline, ownAddress.deadline)
        return .earliest(deadline, linkDeadline)
    }

    /// Notes when a link has to be told that time passed.
    mutating func setDeadline(_ deadline: MonotonicInstant?, of connection: HostConnection) {
        let earlier = exchange(&connection.deadline, with: deadline)
        guard earlier != deadline else { return }
        if earlier != nil, earlier == linkDeadline {
            linkDeadline = connections.reduce(nil) { .earliest($0, $1.deadline) }
        }
        linkDeadline = .earliest(linkDeadline, deadline)
    }

    // MARK: Controller

    /// The controller cannot be used any more: what waited for it is dropped.
    private mutating func stop() {
        state = .stopped
        commands = HCICommandChannel()
        beginAir(ControllerAbilities())
    }

    /// The machines that use the air, at a controller that was just set up.
    private mutating func beginAir(_ abilities: ControllerAbilities) {
        let addressType = OwnAddressType(ownAddress.address.kind)
        advertiser = Advertiser(configuration: .init(abilities: abilities))
        scanner = Scanner(
            configuration: .init(abilities: abilities, ownAddressType: addressType))
        initiator = Initiator(
            configuration: .init(abilities: abilities, ownAddressType: addressType))
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

    /// The controller has forgotten everything, or must.
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

    /// Passes on what the controller's machines put out, until they rest.
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
            while let output = scanner.pollOutput() {
                isResting = false
                handle(output, at: now)
            }
            while let output = initiator.pollOutput() {
                isResting = false
                handle(output, at: now)
            }
            while let output = commands.pollOutput() {
                isResting = false
                handle(output, at: now)
            }
        }
        while let packet = acl.pollOutput() { outputs.append(.send(.acl(packet.octets))) }
        tellOfRoom()
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
        if case .running = state,
            unansweredCommands >= configuration.maximumUnansweredCommands
        {
            return reset(.unresponsive, at: now)
        }
        switch result.owner {
        case .setup: setup.receive(result)
        case .advertiser: advertiser.receive(result)
        case .scanner: scanner.receive(result)
        case .initiator: initiator.receive(result, at: now)
        case .ownAddress: addressCommandEnded(result, at: now)
        default: hostCommandEnded(result, at: now)
        }
    }

    /// What became of a command that was done, an event tells; one that was not done has no event.
    private mutating func hostCommandEnded(
        _ result: HCICommandResult, at now: MonotonicInstant
    ) {
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
        }
    }

    /// A full queue means that the controller has left so many commands unanswered that it is lost.
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

@available(*, unavailable)
extension Host: Sendable {}
