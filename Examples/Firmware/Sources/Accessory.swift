import ANCS
import BluetoothLE
import Octets

/// The accessory: advertises for ANCS, pairs, follows each phone that connects, shows its notifications and acts
/// on them. It does no I/O and has no clock: a board reports what happened, drains its outputs, and wakes it.
///
///     octets ─▶ HCILine ─▶ Host ─▶ Phone (ProviderLink, ConsumerSession, Inbox) ─▶ show, report
struct Accessory: ~Copyable {
    enum Output {
        /// Give the packet to the controller.
        case send(HCIPacket)
        case show(Notice)
        case report(Report)
        /// Keep the ``Accessory/state`` across a restart.
        case keep
    }

    private var line = HCILine()
    private var host: Host
    private(set) var state: DeviceState
    private var phones: [Phone] = []
    private var outputs = Queue<Output>()
    private var watchdog = ControllerWatchdog()
    private var schedule = AdvertisingSchedule(slow: AdvertisingSchedule.battery)
    /// The interval of the advertisement that was started last.
    private var interval = AdvertisingInterval.minimum
    /// The phone that was shown something last.
    private var current: ConnectionHandle?

    init(_ state: DeviceState) {
        self.state = state
        host = Host(configuration: Limits.host(state), toolbox: BoardToolbox(), bonds: state.bonds)
    }

    // MARK: Inputs

    mutating func start(at now: MonotonicInstant) {
        host.start(at: now)
        drain(at: now)
    }

    /// Octets came from the controller.
    mutating func receive(_ octets: Span<UInt8>, at now: MonotonicInstant) {
        watchdog.heard(at: now)
        var octets = octets
        while let output = line.next(from: &octets, at: now) {
            handle(output, at: now)
            passOn(at: now)
        }
        drain(at: now)
    }

    mutating func handleTimeout(at now: MonotonicInstant) {
        if let deadline = host.nextDeadline, deadline <= now { host.handleTimeout(at: now) }
        for phone in phones { phone.handleTimeout(at: now) }
        schedule.handleTimeout(at: now)
        switch watchdog.handleTimeout(at: now) {
        case nil: break
        case .ask?: askController(at: now)
        case .reset?: restart(because: .controllerSilent, at: now)
        }
        drain(at: now)
    }

    /// The user pressed a button: an action for the notification that was shown last.
    mutating func press(_ action: ActionID, at now: MonotonicInstant) {
        let phone = phones.first { $0.handle == current }
        if phone?.perform(action, at: now) != true { outputs.append(.report(.nothingToDo)) }
        drain(at: now)
    }

    /// The memory is short: everything that others can fill is given back, the host with all that it remembers.
    @inline(never)
    mutating func memoryRanShort(at now: MonotonicInstant) {
        outputs.append(.report(.memoryShort))
        host.transportLost(at: now)
        drain(at: now)
        host = Host(configuration: Limits.host(state), toolbox: BoardToolbox(), bonds: state.bonds)
        start(at: now)
    }

    mutating func pollOutput() -> Output? { outputs.popFirst() }

    var nextDeadline: MonotonicInstant? {
        var deadline = MonotonicInstant.earliest(host.nextDeadline, line.nextDeadline)
        deadline = .earliest(deadline, watchdog.nextDeadline)
        if host.isAdvertising { deadline = .earliest(deadline, schedule.nextDeadline) }
        for phone in phones { deadline = .earliest(deadline, phone.nextDeadline) }
        return deadline
    }

    /// Seconds since midnight on the clock of a phone that is connected.
    func secondOfDay(at now: MonotonicInstant) -> Int? {
        for phone in phones {
            if let second = phone.clock.secondOfDay(at: now) { return second }
        }
        return nil
    }

    /// How many links there are.
    var linkCount: Int { phones.count }
}

// MARK: - Passing on

extension Accessory {
    /// Passes on what the machines put out, until they rest.
    private mutating func drain(at now: MonotonicInstant) {
        if line.becomesQuiet(at: now) { host.start(at: now) }
        passOn(at: now)
    }

    private mutating func passOn(at now: MonotonicInstant) {
        var isResting = false
        while !isResting {
            isResting = true
            while let output = host.pollOutput() {
                isResting = false
                handle(output, at: now)
            }
            for phone in phones where phone.drain(&host, at: now) { isResting = false }
        }
        for phone in phones {
            while let output = phone.outputs.popFirst() {
                switch output {
                case .report(let report): outputs.append(.report(report))
                case .show(let notice):
                    current = phone.handle
                    outputs.append(.show(notice))
                }
            }
        }
        updateAdvertising(at: now)
    }

    @inline(never)
    private mutating func handle(_ output: HCILine.Output, at now: MonotonicInstant) {
        switch output {
        case .packet(let packet): host.receive(packet, at: now)
        case .lost:
            outputs.append(.report(.lineLost))
            host.transportLost(at: now)
        }
    }

    @inline(never)
    private mutating func handle(_ output: HostOutput, at now: MonotonicInstant) {
        switch output {
        case .send(let packet): outputs.append(.send(packet))
        case .controller(let event): handle(event, at: now)
        case .air(let event): handle(event, at: now)
        case .link(let handle, let event): receive(event, of: handle, at: now)
        case .security(let handle, let event): receive(event, of: handle, at: now)
        case .attribute(let handle, let event):
            phone(handle)?.receive(event, &host, at: now)
        case .bondChanged:
            state.bonds = host.bonds
            outputs.append(.keep)
        }
    }

    private func phone(_ handle: ConnectionHandle) -> Phone? {
        phones.first { $0.handle == handle }
    }
}

// MARK: - The controller

extension Accessory {
    @inline(never)
    private mutating func handle(
        _ event: HostOutput.ControllerEvent, at now: MonotonicInstant
    ) {
        switch event {
        case .ready:
            outputs.append(.report(.ready))
            watchdog.started(at: now)
        case .resetting(let reason):
            if reason != .requested { outputs.append(.report(.controllerReset)) }
        case .failed:
            // It may be one that takes long to start.
            outputs.append(.report(.controllerFailed))
            host.transportLost(at: now)
            watchdog.tryLater(at: now)
        }
    }

    /// Sets the controller up again, whatever state it and the line are in.
    private mutating func restart(because report: Report, at now: MonotonicInstant) {
        outputs.append(.report(report))
        host.transportLost(at: now)
        host.start(at: now)
    }

    /// Any question will do; one without a link has none, so that all is set up again.
    private mutating func askController(at now: MonotonicInstant) {
        guard let phone = phones.first else { return restart(because: .refreshing, at: now) }
        try? host.readRSSI(of: phone.handle, at: now)
    }

    @inline(never)
    private mutating func updateAdvertising(at now: MonotonicInstant) {
        let isWanted = phones.count < Limits.links && !phones.contains { $0.isServing }
        let hasInterval = interval == schedule.interval
        guard host.isReady, isWanted != host.isAdvertising || isWanted && !hasInterval else {
            return
        }
        guard isWanted else { return host.stopAdvertising(at: now) }
        guard watchdog.mayAdvertise(at: now) else { return }
        interval = schedule.interval
        var advertisement = Self.advertisement
        advertisement.interval = interval
        try? host.startAdvertising(advertisement, at: now)
    }

    /// What Apple asks of accessories that want ANCS: the solicitation; and the name beside it (S30).
    private static let advertisement = Advertisement(
        data: AdvertisingData([
            .flags([.generalDiscoverable, .brEDRNotSupported]),
            .solicitedServices([BluetoothUUID(ANCSUUID.service)]), .name("Firmware"),
        ]))

    @inline(never)
    private mutating func handle(_ event: HostOutput.AirEvent, at now: MonotonicInstant) {
        switch event {
        case .advertisingStarted:
            schedule.started(at: now)
            if phones.isEmpty { outputs.append(.report(.advertising)) }
        case .advertisingStopped: break
        case .advertisingFailed:
            outputs.append(.report(.notAdvertising))
            watchdog.tryLater(at: now)
        // This accessory neither scans nor connects.
        case .scanningStarted, .scanningStopped, .scanningFailed, .discovered, .connectingFailed:
            break
        }
    }
}

// MARK: - Links

extension Accessory {
    private mutating func receive(
        _ event: HostOutput.LinkEvent, of handle: ConnectionHandle, at now: MonotonicInstant
    ) {
        switch event {
        case .connected(let description):
            let isBonded = description.peerIdentity != nil
            phones.append(Phone(handle, isBonded: isBonded, at: now))
            try? host.askForParameters(Limits.linkParameters, of: handle, at: now)
            outputs.append(.report(.connected(isBonded: isBonded)))
        case .disconnected(let reason):
            if reason == .connectionTimeout { schedule.linkLost(at: now) }
            schedule.begin(at: now)
            if let index = phones.firstIndex(where: { $0.handle == handle }) {
                phones.remove(at: index).ended(at: now)
            }
            outputs.append(.report(.disconnected))
        case .rssi(nil): restart(because: .controllerReset, at: now)
        // Only a central is asked.
        case .changed, .parameters, .parametersRequested, .hasRoom, .rssi: break
        }
    }

    private mutating func receive(
        _ event: HostOutput.SecurityEvent, of handle: ConnectionHandle, at now: MonotonicInstant
    ) {
        switch event {
        case .changed(let security):
            guard security.isEncrypted else { return }
            outputs.append(.report(.encrypted(isProven: host.isProven(on: handle))))
            phone(handle)?.link.securityChanged(security)
        case .paired: outputs.append(.report(.paired))
        case .failed: outputs.append(.report(.securityFailed))
        // Without display and keys for it, pairing asks nothing.
        case .ask: break
        }
    }
}
