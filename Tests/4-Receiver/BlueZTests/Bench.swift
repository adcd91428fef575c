import ANCSEvents
import ANCS
import DBus
import DBusTestKit
import Octets
import Testing

@testable import BlueZ

/// What the accessory does, in the words of a diagram.
enum BenchLine: PlayedLine, Equatable {
    /// A method is called, and an object named by the end of its path: `Pair dev_1`.
    case call(String)
    case open(SocketID)
    case close(SocketID)
    case answer(InvocationID, Result<[BusValue], BusError>)
    case event(BlueZEvent)
    case companion(PhoneID, CompanionEvent)

    static func companion(_ id: UInt64, _ event: CompanionEvent) -> Self {
        .companion(PhoneID(rawValue: id), event)
    }

    static func phone(_ id: UInt64, _ event: PhoneEvent) -> Self {
        .event(.phone(PhoneID(rawValue: id), event))
    }
}

/// An accessory, and bluetoothd as the test plays it.
final class Bench: PlayedDaemon<BlueZAccessory, BenchLine> {
    typealias Line = BenchLine

    static let owner = ":1.5"
    static let secondOwner = ":1.9"

    /// What the kernel says of links; `nil` for nothing.
    var isEncrypted: Bool?
    private(set) var connectedPhones: Set<PhoneID> = []
    /// What SELinux does when the accessory has it looked at, and how often that was.
    var selinux = SELinuxState()
    private(set) var looks = 0
    /// What the accessory wanted to be kept, each time.
    private(set) var remembered: [[DaemonEnds]] = []
    /// What the accessory wanted to be kept about bonds, each time.
    private(set) var decided: [(bond: BondIdentity, isAccepted: Bool?)] = []

    init(
        _ configuration: BlueZAccessory.Configuration = .init(name: "desk lamp"),
        decided: [BondIdentity: Bool] = [:]
    ) {
        var accessory = BlueZAccessory(configuration)
        accessory.decided(decided)
        super.init(accessory)
    }

    @discardableResult
    override func input(_ body: (inout BlueZAccessory, MonotonicInstant) -> Void) -> [Line] {
        let before = looks
        let lines = super.input(body)
        guard looks > before else { return lines }
        let selinux = self.selinux
        return lines + input { $0.selinuxRead(selinux, at: $1) }
    }

    override func line(_ output: BlueZAccessory.Output) -> Line? {
        switch output {
        case .report(.inspect(let phone, _)):
            machine.inspected(phone, isEncrypted: isEncrypted, at: now)
        case .report(.decided(let bond, let isAccepted)): decided.append((bond, isAccepted))
        case .subscribe, .unsubscribe: preconditionFailure("an accessory has all signals")
        case .readSELinux: looks += 1
        case .remember(let ends): remembered.append(ends)
        case .report(.event(let event)):
            note(event)
            return .event(event)
        case .report(.companion(let phone, let event)): return .companion(phone, event)
        case .call, .open, .close, .answer: return super.line(output)
        }
        return nil
    }

    private func note(_ event: BlueZEvent) {
        guard case .phone(let phone, let event) = event else { return }
        if case .connected = event { connectedPhones.insert(phone) }
        if case .peer(.disconnected) = event { connectedPhones.remove(phone) }
    }

    /// logind says that the machine goes to sleep, or that it has slept.
    @discardableResult
    func prepareForSleep(_ isBeginning: Bool) -> [Line] {
        let signal = BusSignal(
            from: ":1.2", "/org/freedesktop/login1", "org.freedesktop.login1.Manager",
            "PrepareForSleep", [.bool(isBeginning)])
        return input { $0.receive(signal, at: $1) }
    }
}
