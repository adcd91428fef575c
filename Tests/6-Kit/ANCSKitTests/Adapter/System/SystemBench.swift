import BluetoothLE
import HCITransports
import VirtualTransports
import LinuxIO
import Octets
import Testing
import VirtualBluetooth

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// A client of a system that notes what it is told, a line each, and can be waited for.
final class SystemProbe: SystemClient, @unchecked Sendable {
    static let topics = SystemTopics(rawValue: .max)

    // Unchecked: touched on the loop's thread only.

    let system: SystemDriver
    let id: ClientID
    /// What was told and not read, and who waits for what.
    private var lines: [String] = []
    private var waiting: (line: String, continuation: CheckedContinuation<Bool, Never>)?
    private var timer: LoopTimer?
    /// Who was heard, by their names.
    private(set) var heard: [String: PeerKey] = [:]
    /// What to do when something is told.
    var reaction: (SystemEvent) -> Void = { _ in }

    init(_ system: SystemDriver) {
        self.system = system
        id = system.makeClientID()
        system.enroll(self, as: id)
    }

    func receive(_ event: SystemEvent) {
        lines.append(event.line)
        if case .scan(.discovered(let peer, let discovery)) = event,
            let name = discovery.advertisement.localName
        {
            heard[name] = peer
        }
        reaction(event)
        if event.line == waiting?.line { resume(true) }
    }

    private func resume(_ isReported: Bool) {
        timer?.deadline = nil
        timer = nil
        exchange(&waiting, with: nil)?.continuation.resume(returning: isReported)
    }

    /// What was told since the last time.
    func take() -> [String] { exchange(&lines, with: []) }

    /// Waits until something is told, unless it has been already; not beyond what is ever to be waited for.
    func wait(for line: String) async {
        let isReported = await withCheckedContinuation { continuation in
            // Here, since things may happen before this is called.
            if lines.contains(line) { return continuation.resume(returning: true) }
            waiting = (line, continuation)
            let timer = LoopTimer(on: system.loop) { [unowned self] in resume(false) }
            timer.deadline = system.loop.now + .seconds(10_000)
            self.timer = timer
        }
        if !isReported { Issue.record("'\(line)' was never told, but \(lines.suffix(20))") }
    }
}

/// Two devices with a system each on one virtual radio, in virtual time. Everything runs on the loop.
final class SystemBench: @unchecked Sendable {
    // Unchecked: touched on the loop's thread only.

    let loop: EventLoop
    let radio: RadioLoop
    let ports: [VirtualPort]
    private var seeds: UInt64 = 100
    private var systems: [SystemDriver] = []

    private init(_ loop: EventLoop) {
        self.loop = loop
        let radio = RadioLoop(
            configuration: RadioConfiguration(seed: 1),
            toolbox: OpenSSLToolbox(simulatedFrom: 1), on: loop)
        self.radio = radio
        ports = [radio.addController(), radio.addController()]
    }

    /// Calls with a bench, on its loop.
    static func run(_ body: @escaping @Sendable (SystemBench) async throws -> Void) async throws {
        let loop = try EventLoop(clock: .virtual)
        defer { loop.shutdown() }
        try await Task(executorPreference: loop) {
            let bench = await withCheckedContinuation { continuation in
                loop.execute { continuation.resume(returning: SystemBench(loop)) }
            }
            try await body(bench)
            for system in bench.systems { system.close() }
            bench.radio.close()
        }.value
    }

    /// A device that was just switched on.
    func start(
        _ port: Int, _ name: String, store: BondStore? = nil, usesPrivateAddress: Bool = false,
        _ change: (inout AdapterConfiguration) -> Void = { _ in }
    ) async throws -> SystemProbe {
        var configuration = AdapterConfiguration(
            name: name, controller: HCIConfiguration(.virtual(ports[port]), store: store))
        configuration.controller.usesPrivateAddress = usesPrivateAddress
        change(&configuration)
        seeds += 1
        configuration.controller.toolbox = OpenSSLToolbox(simulatedFrom: seeds)
        let system = try SystemDriver(configuration, on: loop)
        systems.append(system)
        let probe = SystemProbe(system)
        system.open()
        await probe.wait(for: "poweredOn")
        _ = probe.take()
        return probe
    }

    /// Lets what the calls so far came to be told.
    func settle() async {
        await withCheckedContinuation { continuation in
            loop.execute { continuation.resume() }
        }
    }

    /// Whether the devices hear each other from now on.
    func setInRange(_ isInRange: Bool) {
        radio.change { [ports] radio, now in
            radio.setPath(
                RadioPath(isInRange: isInRange), between: ports[0].controller,
                and: ports[1].controller, at: now)
        }
    }
}

extension SystemProbe {
    /// Advertises under a name until somebody connects, or for good.
    func advertise(_ name: String, services: [BluetoothUUID] = [], forGood: Bool = false) throws {
        try system.advertise(
            AdvertisingArbiter.Request(
                wanted: .init(localName: name, services: services), stopsOnConnection: !forGood),
            by: id)
    }

    /// The peer with a name that was heard.
    func find(_ name: String) async throws -> PeerKey {
        system.scan(ScanRequest(), by: id)
        await wait(for: "discovered \(name)")
        system.stopScanning(by: id)
        let peer = heard[name]
        return try #require(peer)
    }
}

extension SystemEvent {
    /// The event without what differs from run to run.
    fileprivate var line: String {
        switch self {
        case .controller(.stateChanged(let state, _)): "\(state)"
        case .scan(.changed(let isScanning)): "scanning \(isScanning)"
        case .scan(.discovered(_, let discovery)):
            "discovered \(discovery.advertisement.localName ?? "nobody")"
        case .scan(.passedOver(let discovery)):
            "passed over \(discovery.advertisement.localName ?? "nobody")"
        case .link(_, .up): "link up"
        case .link(_, .down): "link down"
        case .link(_, .connected): "connected"
        case .link(_, .connectFailed(let failure)): "failed: \(failure)"
        case .link(_, .mtuChanged(let mtu)): "MTU \(mtu)"
        case .link(_, .parametersRequested): "parameters requested"
        case .peer(_, .identified): "identified"
        case .security(_, .paired): "paired"
        case .security(_, .bondRestored): "bond restored"
        case .security(_, .keyTrouble(_, let news)): "key trouble\(news == nil ? "" : ", news")"
        case .security(_, .changed(let security)): "encrypted \(security.isEncrypted)"
        case .value(_, .notification(_, let value)), .value(_, .indication(_, let value)):
            "value \(Hexadecimal.text(value))"
        case .advertising(.changed(let isOnAir)): "advertising \(isOnAir)"
        case .server(_, .subscriptionChanged(_, let value)): "subscribed \(value.rawValue)"
        case .server(_, .accessDenied(_, let code)): "denied \(code.rawValue)"
        case .server(_, .readRequested): "readRequested"
        case .server(_, .writeRequested): "writeRequested"
        case .controller(.listening): "listening"
        case .controller(.failed): "failed"
        case .controller(.warning): "warning"
        case .controller(.closed): "closed"
        case .controller(.resumed): "resumed"
        case .controller(.pairingWindow): "pairingWindow"
        case .scan(.failed): "scanningFailed"
        case .link(_, .changed): "linkChanged"
        case .link(_, .parameters(_, let outcome)): "parameters \(outcome)"
        case .link(_, .hasRoom): "hasRoom"
        case .link(_, .servicesChanged): "servicesChanged"
        case .link(_, .serviceChangedSubscribed): "serviceChangedSubscribed"
        case .link(_, .serviceChangedConfirmed): "serviceChangedConfirmed"
        case .link(_, .unsubscribed): "unsubscribed"
        case .peer(_, .changed): "peerChanged"
        case .security(_, .ask): "ask"
        case .security(_, .withdrawn): "withdrawn"
        case .security(_, .failed): "securityFailed"
        case .server(_, .valueWritten): "valueWritten"
        case .server(_, .indicationConfirmed): "indicationConfirmed"
        case .advertising(.onAir): "onAir"
        case .advertising(.failed): "advertisingFailed"
        case .advertising(.ended): "advertisingEnded"
        }
    }
}
