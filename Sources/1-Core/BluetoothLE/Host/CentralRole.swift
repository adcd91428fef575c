package import Octets

/// Scanning and connecting, as the host sees them: two machines that take turns on air.
///
/// The host creates them at the first call to scan or connect, and uses them only through this protocol. A
/// device that does neither needs no memory for them, and the linker can remove their code.
package protocol CentralRole: AnyObject {
    /// Whether either machine wants to use the air.
    var isWanted: Bool { get }
    /// Whether neither machine uses the air.
    var isQuiet: Bool { get }
    /// Whether the owner wants to scan.
    var isScanning: Bool { get }
    /// The address of the current attempt to connect.
    var connectingAddress: DeviceAddress? { get }
    var nextDeadline: MonotonicInstant? { get }

    func startScanning(_ parameters: ScanParameters)
    func stopScanning()
    func connect(
        to address: DeviceAddress, parameters: ConnectionParameters, timeout: Duration?,
        at now: MonotonicInstant
    ) throws(Initiator.UsageError)
    func cancelConnecting()

    /// Lets the machines use the air one after the other, or neither while the device has no address.
    func arrange(hasAddress: Bool)
    /// The controller may still be doing something that it was believed to have stopped.
    func distrust()
    /// The controller did not accept the address; without a status it did not answer.
    func addressRefused(_ status: HCIStatus?)
    /// The next advertisement of the device is news again.
    func forget(_ address: DeviceAddress)
    /// A link as Central was established.
    func connected()
    func connectionFailed(_ status: HCIStatus)
    /// Takes an event that the host does not know: a report about advertisers.
    func receive(_ code: HCIEventCode, _ parameters: [UInt8])
    func commandEnded(_ result: HCICommandResult, at now: MonotonicInstant)
    func handleTimeout(at now: MonotonicInstant)
    func pollOutput() -> CentralOutput?
}

/// An output of a ``CentralRole`` to its host.
package enum CentralOutput {
    case send(HCICommandPacket, HCICommandOwner)
    case event(HostOutput.AirEvent)
}

/// The ``CentralRole`` of a host that scans or connects.
final class CentralMachines: CentralRole {
    private var machines: Machines

    init(abilities: ControllerAbilities, ownAddressType: OwnAddressType) {
        machines = Machines(
            scanner: Scanner(
                configuration: .init(abilities: abilities, ownAddressType: ownAddressType)),
            initiator: Initiator(
                configuration: .init(abilities: abilities, ownAddressType: ownAddressType)))
        // Nothing may use the air before the device has its address.
        arrange(hasAddress: false)
    }

    var isWanted: Bool { machines.isWanted }
    var isQuiet: Bool { machines.isQuiet }
    var isScanning: Bool { machines.scanner.isWanted }
    var connectingAddress: DeviceAddress? { machines.initiator.address }
    var nextDeadline: MonotonicInstant? { machines.initiator.nextDeadline }

    func startScanning(_ parameters: ScanParameters) { machines.scanner.start(parameters) }
    func stopScanning() { machines.scanner.stop() }

    func connect(
        to address: DeviceAddress, parameters: ConnectionParameters, timeout: Duration?,
        at now: MonotonicInstant
    ) throws(Initiator.UsageError) {
        try machines.initiator.connect(
            to: address, parameters: parameters, timeout: timeout, at: now)
    }

    func cancelConnecting() { machines.initiator.cancel() }
    func arrange(hasAddress: Bool) { machines.arrange(hasAddress: hasAddress) }
    func distrust() { machines.scanner.distrust() }

    func addressRefused(_ status: HCIStatus?) {
        let opcode = HCIOpcode.leSetRandomAddress
        machines.scanner.abandon(status.map { .refused(opcode, $0) } ?? .timedOut(opcode))
        machines.initiator.abandon(status.map { .refused($0) } ?? .unanswered)
    }

    func forget(_ address: DeviceAddress) { machines.scanner.forget(address) }
    func connected() { machines.initiator.connected() }
    func connectionFailed(_ status: HCIStatus) { machines.initiator.connectionFailed(status) }

    func receive(_ code: HCIEventCode, _ parameters: [UInt8]) {
        switch code {
        case .leAdvertisingReport:
            if let report = try? HCI.LEAdvertisingReport(decoding: parameters.span) {
                machines.scanner.receive(report)
            }
        case .leExtendedAdvertisingReport:
            if let report = try? HCI.LEExtendedAdvertisingReport(decoding: parameters.span) {
                machines.scanner.receive(report)
            }
        default: break
        }
    }

    func commandEnded(_ result: HCICommandResult, at now: MonotonicInstant) {
        if result.owner == .scanner {
            machines.scanner.receive(result)
        } else {
            machines.initiator.receive(result, at: now)
        }
    }

    func handleTimeout(at now: MonotonicInstant) { machines.initiator.handleTimeout(at: now) }
    func pollOutput() -> CentralOutput? { machines.pollOutput() }
}

/// The scanner and the initiator: one struct, because Swift checks each access to a property of a class.
private struct Machines: ~Copyable {
    var scanner: Scanner
    var initiator: Initiator

    var isWanted: Bool { scanner.isWanted || initiator.address != nil }
    var isQuiet: Bool { scanner.isQuiet && initiator.isQuiet }

    mutating func arrange(hasAddress: Bool) {
        // A controller may be unable to scan and initiate at once (Core Vol 4, Part E, 7.8.27). Whatever it
        // reports, one after the other always works.
        initiator.setHeld(!hasAddress || !scanner.isQuiet)
        scanner.setHeld(!hasAddress || initiator.address != nil)
    }

    mutating func pollOutput() -> CentralOutput? {
        if let output = scanner.pollOutput() {
            switch output {
            case .send(let command): return .send(command, .scanner)
            case .started: return .event(.scanningStarted)
            case .stopped: return .event(.scanningStopped)
            case .failed(let failure): return .event(.scanningFailed(failure))
            case .discovered(let discovery): return .event(.discovered(discovery))
            }
        }
        switch initiator.pollOutput() {
        case .send(let command): return .send(command, .initiator)
        case .failed(let address, let failure):
            scanner.forget(address)
            return .event(.connectingFailed(address, failure))
        case nil: return nil
        }
    }
}
