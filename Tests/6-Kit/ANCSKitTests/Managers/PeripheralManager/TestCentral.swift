import BluetoothLE
import HCITransports
import LinuxIO
import Octets

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// A central of which a test sees every octet: a host of its own on the radio, and a hand on its ATT
/// bearer, with which a test can ask what no careful client would.
actor TestCentral {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let port: VirtualPort
    /// Whether it hears Security Requests; otherwise it pairs only when the test says so.
    private var isObliging: Bool
    private var host: Host
    private var timer: LoopTimer?
    private var fragments: [UInt8] = []
    private(set) var link: ConnectionHandle?
    /// Everything that came over links, as it was on air.
    private(set) var air: [UInt8] = []
    /// The ATT PDUs that came.
    private(set) var pdus: [[UInt8]] = []
    /// The SMP PDUs that came.
    private(set) var securityPDUs: [[UInt8]] = []
    /// What the host told, but for packets.
    private(set) var events: [HostOutput] = []
    /// The advertisers that were heard, the last word of each.
    private(set) var heard: [DeviceAddress: Discovery] = [:]
    private(set) var discoveries = 0

    /// A central with an identity, abilities to pair, and what it knows from before.
    init(
        _ port: VirtualPort, number: UInt64, identity: DeviceAddress? = nil,
        ability: PairingAbility = .noInputNoOutput, isObliging: Bool = true, isBonding: Bool = true,
        usesPrivateAddress: Bool = false, identityResolvingKey: UInt128 = 0,
        bonds: [BondRecord] = [], seed: UInt64? = nil,
        on loop: EventLoop
    ) {
        var security = SecurityConfiguration(ability: ability)
        if !isBonding { security.authentication.remove(.bonding) }
        security.localKeys.identityResolvingKey = identityResolvingKey
        self.port = port
        self.isObliging = isObliging
        self.loop = loop
        var configuration = HostConfiguration(
            deviceName: "Central \(number)",
            identityAddress: identity
                ?? DeviceAddress(0xC000_0000_0000 + number, kind: .random),
            security: security)
        if usesPrivateAddress { configuration.ownAddress = .resolvablePrivate() }
        host = Host(
            configuration: configuration, toolbox: OpenSSLToolbox(simulatedFrom: seed ?? number),
            bonds: bonds)
    }

    func start() throws {
        timer = LoopTimer(on: loop) { [weak self] in
            self?.assumeIsolated { central in
                central.input { host, now in host.handleTimeout(at: now) }
            }
        }
        try port.attach { [weak self] packets in
            self?.assumeIsolated { central in
                for packet in packets { central.received(packet) }
            }
        }
        input { host, now in host.start(at: now) }
    }

    /// Hears no Security Requests from now on.
    func setSilent() { isObliging = false }

    func stop() {
        timer?.deadline = nil
        timer = nil
        port.detach()
    }

    private func received(_ packet: HCIPacket) {
        if case .acl(let octets) = packet {
            tap(octets)
            // Core Vol 3, Part H, 3.6.7.
            if !isObliging, octets[6] == 0x06, octets[8] == 0x0B { return }
        }
        input { host, now in host.receive(packet, at: now) }
    }

    @discardableResult
    func input<Value, Failure: Error>(
        _ body: (inout Host, MonotonicInstant) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        defer { drain() }
        return try body(&host, loop.now)
    }

    private func drain() {
        while let output = host.pollOutput() {
            switch output {
            case .send(let packet): port.send(packet)
            case .link(let handle, .connected): link = handle
            case .link(_, .disconnected): link = nil
            case .air(.discovered(let discovery)):
                heard[discovery.address] = discovery
                discoveries += 1
            default: break
            }
            if case .send = output { continue }
            events.append(output)
        }
        timer?.deadline = host.nextDeadline
    }

    /// Notes what an ACL packet carries: Core Vol 4, Part E, 5.4.2, and Vol 3, Part A, 3.1.
    private func tap(_ packet: [UInt8]) {
        air += packet.dropFirst(4)
        let isFirst = packet[1] >> 4 & 0x03 != 0x01
        fragments = isFirst ? Array(packet[4...]) : fragments + packet[4...]
        guard fragments.count >= 4 else { return }
        let length = Int(fragments[0]) | Int(fragments[1]) << 8
        guard fragments.count == 4 + length else { return }
        let payload = Array(fragments[4...])
        switch fragments[2] {
        case 0x04: pdus.append(payload)
        case 0x06: securityPDUs.append(payload)
        default: break
        }
    }

    // MARK: What a test does

    var isReady: Bool { host.isReady }
    var bonds: [BondRecord] { host.bonds }
    var security: LinkSecurity? { link.flatMap { host.security(of: $0) } }

    func scan(isActive: Bool = true) throws {
        try input { host, now throws(HostUsageError) in
            try host.startScanning(
                ScanParameters(isActive: isActive, filtersDuplicates: false), at: now)
        }
    }

    func forgetHeard() { heard = [:] }

    func connect(to address: DeviceAddress) throws {
        try input { host, now throws(HostUsageError) in
            host.stopScanning(at: now)
            try host.connect(to: address, at: now)
        }
    }

    func disconnect() throws {
        guard let link else { return }
        try input { host, now throws(HostUsageError) in try host.disconnect(link, at: now) }
    }

    func pair() throws {
        guard let link else { return }
        try input { host, now throws(HostUsageError) in try host.pair(link, at: now) }
    }

    var isAskedForPasskey: Bool {
        events.contains { event in
            if case .security(_, .ask(.enterPasskey)) = event { true } else { false }
        }
    }

    func enterPasskey(_ passkey: UInt32) throws {
        guard let link else { return }
        try input { host, now throws(HostUsageError) in
            try host.enterPasskey(link, passkey, at: now)
        }
    }

    /// Puts a PDU on air, whatever the host would say to it.
    func send(_ pdu: [UInt8], on channel: UInt8 = 0x04) {
        guard let link else { return }
        let frame = Self.littleEndian(pdu.count) + [channel, 0x00] + pdu
        var offset = 0
        while offset < frame.count {
            let part = frame[offset..<min(offset + 27, frame.count)]
            let flags: UInt16 = offset == 0 ? 0x0000 : 0x1000
            let header =
                Self.littleEndian(Int(link.rawValue | flags)) + Self.littleEndian(part.count)
            port.send(.acl(header + part))
            offset += part.count
        }
    }

    private static func littleEndian(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
    }

    /// The response to a request, in hexadecimal digits as the request.
    func answer(to request: String) async throws -> String {
        let count = pdus.count
        send(Hexadecimal.octets(request) ?? [])
        while true {
            if let response = pdus[count...].first(where: { !Self.isUnasked($0) }) {
                return Hexadecimal.text(response).lowercased()
            }
            guard link != nil else { return "closed" }
            try await loop.sleep(for: .milliseconds(1))
        }
    }

    /// Whether a server sends it by itself: notifications and indications.
    private static func isUnasked(_ pdu: [UInt8]) -> Bool { pdu[0] == 0x1B || pdu[0] == 0x1D }

    /// The values that were notified or indicated.
    var updates: [[UInt8]] { pdus.filter(Self.isUnasked).map { Array($0.dropFirst(3)) } }

    func clearUpdates() { pdus = [] }
}
