import ANCSEvents
import ANCS
import DBus
import DBusTestKit
import Octets
import Testing

@testable import BlueZ

/// An accessory, and bluetoothd as the test plays it. Each input returns what the accessory does then, so that
/// a test reads as the diagram of a sequence.
final class Bench: PlayedDaemon {
    /// What the accessory does, in the words of a diagram.
    enum Line: PlayedLine, Equatable {
        /// A method is called, and an object named by the end of its path: `Pair dev_1`.
        case call(String)
        case open(SocketID)
        case close(SocketID)
        case answer(InvocationID, Result<[BusValue], BusError>)
        case event(BlueZEvent)

        static func phone(_ id: UInt64, _ event: PhoneEvent) -> Line {
            .event(.phone(PhoneID(rawValue: id), event))
        }
    }

    static let owner = ":1.5"
    static let secondOwner = ":1.9"
    /// More than any input is followed by.
    static let maximumOutputs = 20_000

    private var accessory: BlueZAccessory
    /// What the kernel says of links; `nil` for nothing.
    var isEncrypted: Bool?
    /// Seconds are enough for most tests.
    private(set) var now = MonotonicInstant.zero
    /// bluetoothd's objects, their interfaces, and the properties of those.
    var objects: [ObjectPath: [String: [String: BusValue]]] = [:]
    private(set) var owner: String?
    /// Calls that wait for an answer, oldest first.
    var pending: [PendingCall] = []
    private(set) var sockets: [SocketID] = []
    private(set) var connectedPhones: Set<PhoneID> = []
    private var lastInvocation: UInt64 = 0
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
        accessory = BlueZAccessory(configuration)
        accessory.decided(decided)
    }

    var nextDeadline: MonotonicInstant? { accessory.nextDeadline }

    /// Passes something to the accessory, and does what the owner of one does.
    @discardableResult
    func input(_ body: (inout BlueZAccessory, MonotonicInstant) -> Void) -> [Line] {
        body(&accessory, now)
        var lines: [Line] = []
        let before = looks
        while let output = accessory.pollOutput() {
            if case .report(.inspect(let phone, _)) = output {
                accessory.inspected(phone, isEncrypted: isEncrypted, at: now)
                continue
            }
            if case .readSELinux = output { looks += 1 }
            if let line = line(output) { lines.append(line) }
            guard lines.count < Self.maximumOutputs else {
                Issue.record("the drain does not end")
                break
            }
        }
        guard looks > before else { return lines }
        let selinux = self.selinux
        return lines + input { $0.selinuxRead(selinux, at: $1) }
    }

    /// What the owner does is not told.
    private func line(_ output: BlueZAccessory.Output) -> Line? {
        switch output {
        case .call(let id, let call, let limit):
            let call = PendingCall(id: id, call: call, limit: limit)
            pending.append(call)
            return .call(call.text)
        case .open(let socket, _):
            sockets.append(socket)
            return .open(socket)
        case .close(let socket):
            sockets.removeAll { $0 == socket }
            return .close(socket)
        case .answer(let invocation, let result): return .answer(invocation, result)
        case .report(.inspect): preconditionFailure("it is answered at once")
        case .report(.decided(let bond, let isAccepted)):
            decided.append((bond, isAccepted))
            return nil
        case .subscribe, .unsubscribe: preconditionFailure("an accessory has all signals")
        case .readSELinux: return nil
        case .remember(let ends):
            remembered.append(ends)
            return nil
        case .report(.event(let event)):
            note(event)
            return .event(event)
        }
    }

    private func note(_ event: BlueZEvent) {
        guard case .phone(let phone, let event) = event else { return }
        if case .connected = event { connectedPhones.insert(phone) }
        if case .peer(.disconnected) = event { connectedPhones.remove(phone) }
    }

    // MARK: Time

    /// Time passes, and every deadline on the way is met.
    @discardableResult
    func wait(_ duration: Duration) -> [Line] {
        let end = now + duration
        var lines: [Line] = []
        while let deadline = accessory.nextDeadline, deadline <= end {
            now = max(now, deadline)
            lines += input { $0.handleTimeout(at: $1) }
            guard accessory.nextDeadline.map({ $0 > now }) ?? true else {
                Issue.record("a deadline stays in the past")
                break
            }
        }
        now = end
        return lines
    }

    // MARK: What bluetoothd does

    func receive(_ result: Result<[BusValue], BusError>, to call: CallID) -> [Line] {
        input { $0.receive(result, to: call, at: $1) }
    }

    func receive(_ signal: BusSignal) -> [Line] { input { $0.receive(signal, at: $1) } }

    @discardableResult
    func ownerChanged(to owner: String?) -> [Line] {
        self.owner = owner
        return input { $0.ownerChanged(to: owner, at: $1) }
    }

    /// What was called is answered by the bus, after the name has gone.
    @discardableResult
    func daemonEnds() -> [Line] {
        objects = [:]
        return ownerChanged(to: nil)
    }

    /// logind says that the machine goes to sleep, or that it has slept.
    @discardableResult
    func prepareForSleep(_ isBeginning: Bool) -> [Line] {
        let signal = BusSignal(
            from: ":1.2", "/org/freedesktop/login1", "org.freedesktop.login1.Manager",
            "PrepareForSleep", [.bool(isBeginning)])
        return input { $0.receive(signal, at: $1) }
    }

    /// bluetoothd, or another program, calls a method of ours; the first of all calls is number 1.
    @discardableResult
    func call(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: BusValue...,
        from sender: String? = nil
    ) -> [Line] {
        lastInvocation += 1
        let invocation = InvocationID(rawValue: lastInvocation)
        let call = BusMethodCall(
            from: sender ?? owner ?? Self.owner, path, interface, member, arguments)
        return input { $0.receive(call, invocation, at: $1) }
    }
}
