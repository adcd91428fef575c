@testable import BluetoothLE
import Octets
import Testing

/// A Central and a Peripheral, each a host at its controller, and the air between them.
final class HostLink {
    static let firstCentral = DeviceAddress(0xCC11_2233_4455, kind: .random)

    let centralAddress: DeviceAddress
    let central: HostBench
    let peripheral: HostBench
    let handle = HostBench.handle
    /// The key that the Central encrypts with, until the Peripheral answers.
    private var keyOnItsWay: UInt128?
    private var isEncrypted = false

    init(
        central: SecurityConfiguration = SecurityConfiguration(),
        peripheral: SecurityConfiguration = SecurityConfiguration(),
        centralAddress: DeviceAddress = HostLink.firstCentral, centralBonds: [BondRecord] = [],
        peripheralBonds: [BondRecord] = [],
        configure: (inout HostConfiguration) -> Void = { _ in },
        configureCentral: (inout HostConfiguration) -> Void = { _ in }
    ) {
        self.centralAddress = centralAddress
        self.central = HostBench(
            address: centralAddress, security: central, bonds: centralBonds,
            configure: configureCentral)
        self.peripheral = HostBench(
            security: peripheral, bonds: peripheralBonds, configure: configure)
        for bench in [self.central, self.peripheral] { bench.start() }
        // The link owns both benches and outlives what they tell.
        self.central.dataSent = { [unowned self] in carry($0, to: self.peripheral) }
        self.peripheral.dataSent = { [unowned self] in carry($0, to: self.central) }
        self.central.commandSent = { [unowned self] in obey($0, of: self.central) }
        self.peripheral.commandSent = { [unowned self] in obey($0, of: self.peripheral) }
        forget()
    }

    /// The Peripheral advertises and the Central connects to it.
    func connect() throws {
        try peripheral.advertise()
        try central.host.connect(to: peripheral.onAir, at: central.now)
        central.run()
        peripheral.connect(handle, as: .peripheral, to: central.onAir)
        central.connect(handle, as: .central, to: peripheral.onAir)
        run()
    }

    /// Two devices that have bonded, parted and been restarted. One of them may have lost its bond.
    static func bonded(
        keepsCentral: Bool = true, keepsPeripheral: Bool = true,
        centralAddress: DeviceAddress = HostLink.firstCentral,
        before: (HostLink) throws -> Void = { _ in }
    ) throws -> HostLink {
        let first = HostLink(centralAddress: centralAddress)
        try before(first)
        try first.connect()
        try first.secure()
        try #require(first.central.bonds.count == 1 && first.peripheral.bonds.count == 1)
        return first.restarted(keepsCentral: keepsCentral, keepsPeripheral: keepsPeripheral)
    }

    /// The same devices with what they have stored, and nothing else.
    func restarted(keepsCentral: Bool = true, keepsPeripheral: Bool = true) -> HostLink {
        HostLink(
            centralAddress: centralAddress, centralBonds: keepsCentral ? central.bonds : [],
            peripheralBonds: keepsPeripheral ? peripheral.bonds : [])
    }

    /// What both users are asked to compare.
    func comparisons() throws -> (central: UInt32, peripheral: UInt32) {
        func number(_ bench: HostBench) -> UInt32? {
            for case .security(_, .ask(.compare(let number))) in bench.takeOutputs() {
                return number
            }
            return nil
        }
        return (try #require(number(central)), try #require(number(peripheral)))
    }

    /// The Central pairs, or encrypts with the bond.
    func secure(replacingBond: Bool = false) throws {
        try central.host.pair(handle, replacingBond: replacingBond, at: central.now)
        run()
    }

    /// Runs a procedure of the Central to its end.
    func perform(_ procedure: GATTProcedure) throws -> Result<GATTResult, GATTFailure>? {
        let id = try central.host.start(procedure, on: handle, at: central.now)
        run()
        for case .attribute(_, .completed(id, let result)) in central.takeOutputs() {
            return result
        }
        return nil
    }

    /// The link is lost, which both controllers notice.
    func lose() {
        for bench in [central, peripheral] { bench.disconnect(handle, reason: .connectionTimeout) }
        isEncrypted = false
        run()
    }

    func run() {
        while step() {}
    }

    /// Delivers one packet to either device, at random if the order of its packets is.
    private func step() -> Bool {
        central.order?.chance(0.5) == true
            ? peripheral.step() || central.step() : central.step() || peripheral.step()
    }

    func forget() {
        for bench in [central, peripheral] { bench.forget() }
    }

    // MARK: The air

    private func carry(_ packet: ACLPacket, to receiver: HostBench) {
        var packet = packet
        if packet.boundary == .firstNonFlushable { packet.boundary = .first }
        receiver.enqueue(.acl(packet.octets))
    }

    /// What two controllers do with a command besides answering it.
    private func obey(_ command: HCICommandPacket, of sender: HostBench) {
        let parameters = command.parameters.span
        switch command.opcode {
        case .disconnect:
            guard let disconnect = try? HCI.Disconnect(decoding: parameters) else { return }
            let other = sender === central ? peripheral : central
            let ended = HCI.DisconnectionComplete(
                status: .success, handle: handle, reason: disconnect.reason)
            sender.enqueue(
                HCI.DisconnectionComplete(
                    status: .success, handle: handle, reason: .connectionTerminatedByLocalHost))
            other.enqueue(ended)
            isEncrypted = false
        case .leEnableEncryption:
            guard let enable = try? HCI.LEEnableEncryption(decoding: parameters) else { return }
            keyOnItsWay = enable.longTermKey
            peripheral.enqueue(
                HCI.LELongTermKeyRequest(
                    handle: handle, random: enable.random,
                    encryptedDiversifier: enable.encryptedDiversifier))
        case .leLongTermKeyRequestReply:
            guard let reply = try? HCI.LELongTermKeyRequestReply(decoding: parameters) else {
                return
            }
            encrypt(reply.longTermKey == keyOnItsWay)
        case .leLongTermKeyRequestNegativeReply:
            central.enqueue(
                HCI.EncryptionChange(status: .pinOrKeyMissing, handle: handle, isEnabled: false))
        case .leConnectionUpdate:
            guard let update = try? HCI.LEConnectionUpdate(decoding: parameters) else { return }
            for bench in [central, peripheral] {
                bench.enqueue(
                    HCI.LEConnectionUpdateComplete(
                        status: .success, handle: handle,
                        interval: update.parameters.intervalMaximum,
                        latency: update.parameters.latency,
                        supervisionTimeout: update.parameters.supervisionTimeout))
            }
        default: break
        }
    }

    private func encrypt(_ isSameKey: Bool) {
        for bench in [peripheral, central] {
            if !isSameKey {
                bench.enqueue(
                    HCI.DisconnectionComplete(
                        status: .success, handle: handle, reason: .micFailure))
            } else if isEncrypted {
                bench.enqueue(HCI.EncryptionKeyRefreshComplete(status: .success, handle: handle))
            } else {
                bench.enqueue(
                    HCI.EncryptionChange(status: .success, handle: handle, isEnabled: true))
            }
        }
        isEncrypted = isSameKey
    }
}
