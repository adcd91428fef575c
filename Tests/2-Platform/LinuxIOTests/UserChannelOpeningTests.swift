import BluetoothLE
import CLinux
import Glibc
import Octets
import Testing

@testable import HCITransports
@testable import LinuxIO

/// A kernel with one interface, as `hci_sock_bind` and `hci_dev_close` of Linux treat it.
final class FakeInterfaces: HCIInterfaces, @unchecked Sendable {
    // Unchecked: touched on the loop's thread, or by one test alone.

    enum Host {
        case down
        /// It comes up after this number of looks at it.
        case comingUp(looks: Int)
        case up
        /// A program has the User Channel.
        case held
    }

    var host: Host
    var connections: [HCIInterface.Connection] = []
    /// How often something brings the interface up as soon as it is down.
    var revivals = 0
    var mayAdminister = true
    var exists = true
    /// Why the User Channel cannot be had although the interface is down.
    var refusal: CInt?
    /// Called when the interface is looked at.
    var look: () -> Void = {}
    private(set) var takenDown = 0
    private(set) var attempts = 0
    /// What the transport under test holds in place of a User Channel, and its other end.
    private var other: CInt = -1

    init(_ host: Host) { self.host = host }

    deinit { if other >= 0 { close(other) } }

    func openUserChannel(_ index: UInt16) -> Result<OwnedDescriptor, SystemError> {
        attempts += 1
        guard mayAdminister else { return .failure(SystemError(errno: EPERM)) }
        guard exists else { return .failure(SystemError(errno: ENODEV)) }
        guard case .down = host else { return .failure(SystemError(errno: EBUSY)) }
        if let refusal { return .failure(SystemError(errno: refusal)) }
        host = .held
        var ends: [CInt] = [-1, -1]
        let kind = CInt(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            return .failure(SystemError(errno: errno))
        }
        other = ends[1]
        return .success(OwnedDescriptor(ends[0]))
    }

    func interface(_ index: UInt16) -> Result<HCIInterface, SystemError> {
        guard exists else { return .failure(SystemError(errno: ENODEV)) }
        look()
        switch host {
        case .down: return .success(HCIInterface(isUp: false))
        case .comingUp(let looks):
            host = looks > 1 ? .comingUp(looks: looks - 1) : .up
            return .success(HCIInterface(isUp: false))
        case .up, .held: return .success(HCIInterface(isUp: true, connections: connections))
        }
    }

    func takeDown(_ index: UInt16) -> Result<Void, SystemError> {
        if case .held = host { return .failure(SystemError(errno: EBUSY)) }
        takenDown += 1
        connections = []
        host = .down
        if revivals > 0 {
            revivals -= 1
            host = .comingUp(looks: 3)
        }
        return .success(())
    }
}

@Suite struct UserChannelOpeningTests {
    /// Opens `hci1` in virtual time: what the transport told up to `.opened` or `.closed`, and when.
    private func open(
        _ interfaces: FakeInterfaces
    ) async throws -> (events: [HCITransport.Event], at: MonotonicInstant) {
        let loop = try EventLoop(clock: .virtual)
        defer { loop.shutdown() }
        let owner = Owner(.hciSocket(index: 1), on: loop, interfaces: interfaces)
        await owner.open()
        var events: [HCITransport.Event] = []
        while true {
            let event = await owner.next()
            events.append(event)
            switch event {
            case .opened, .closed:
                let now = loop.now
                await owner.close()
                return (events, now)
            default: break
            }
        }
    }

    private func failure(_ interfaces: FakeInterfaces) async throws -> IOError {
        let (events, _) = try await open(interfaces)
        guard events.count == 1, case .closed(let error) = events[0] else {
            Issue.record("\(events)")
            return IOError(.systemCallFailed, "")
        }
        return error
    }

    @Test("an interface that is down is used as it is, without a word")
    func down() async throws {
        let interfaces = FakeInterfaces(.down)
        #expect(try await open(interfaces).events == [.opened])
        #expect(interfaces.takenDown == 0)
    }

    @Test("an interface that is up and has no connections is taken down, with a notice")
    func up() async throws {
        let interfaces = FakeInterfaces(.up)
        let (events, _) = try await open(interfaces)
        #expect(events.count == 2 && events.last == .opened)
        guard case .notice(let text) = events.first else {
            Issue.record("the user does not learn of it")
            return
        }
        #expect(text.contains("hci1") && text.contains("taken down"))
        #expect(interfaces.takenDown == 1)
    }

    @Test("an interface that was taken down and cannot be opened is reported")
    func inVain() async throws {
        let interfaces = FakeInterfaces(.up)
        interfaces.refusal = ETIMEDOUT
        let (events, _) = try await open(interfaces)
        guard events.count == 2, case .notice(let text) = events[0], case .closed = events[1] else {
            Issue.record("\(events)")
            return
        }
        #expect(text.contains("taken down") && text.contains("btmgmt -i hci1 power on"))
    }

    @Test("an interface with connections is not used, and they are named")
    func connected() async throws {
        let interfaces = FakeInterfaces(.up)
        interfaces.connections = [
            .init(address: "F0:F1:F2:F3:F4:F5", name: "Keyboard"),
            .init(address: "F0:F1:F2:F3:F4:F6", name: nil),
        ]
        let error = try await failure(interfaces)
        #expect(error.code == .busy && error.responsibility == .unavailable)
        #expect(
            error.message.contains("connected to Keyboard (F0:F1:F2:F3:F4:F5), F0:F1:F2:F3:F4:F6"))
        #expect(interfaces.takenDown == 0 && interfaces.connections.count == 2)
    }

    @Test("an interface that is coming up is waited for, not interrupted")
    func comingUp() async throws {
        let interfaces = FakeInterfaces(.comingUp(looks: 20))
        let (events, now) = try await open(interfaces)
        #expect(events.last == .opened)
        #expect(interfaces.takenDown == 1)
        #expect(now.nanoseconds >= 2_000_000_000)
    }

    @Test("a system that brings the interface up again a few times does not win")
    func revived() async throws {
        let interfaces = FakeInterfaces(.up)
        interfaces.revivals = 3
        let (events, _) = try await open(interfaces)
        #expect(events.count == 2 && events.last == .opened, "told once")
        #expect(interfaces.takenDown == 4)
    }

    @Test("a system that always brings it up again is given up in the end, without spinning")
    func neverFree() async throws {
        let interfaces = FakeInterfaces(.up)
        interfaces.revivals = .max
        let error = try await failure(interfaces)
        #expect(error.code == .busy && error.message.contains("btmgmt -i hci1 power off"))
        #expect(interfaces.attempts < 200)
    }

    @Test("a User Channel of another program is not mistaken for the system's use")
    func held() async throws {
        let interfaces = FakeInterfaces(.held)
        let error = try await failure(interfaces)
        #expect(error.code == .busy && error.errno == EBUSY)
        #expect(error.message.contains("another program"))
        #expect(!error.message.contains("btmgmt"))
        #expect(interfaces.attempts == 1)
    }

    @Test("without the capability nothing is tried")
    func notPermitted() async throws {
        let interfaces = FakeInterfaces(.up)
        interfaces.mayAdminister = false
        #expect(try await failure(interfaces).code == .permissionDenied)
        #expect(interfaces.takenDown == 0)
    }

    @Test("closing while an interface is waited for ends the waiting")
    func closed() async throws {
        let loop = try EventLoop(clock: .virtual)
        defer { loop.shutdown() }
        let interfaces = FakeInterfaces(.comingUp(looks: .max))
        let owner = Owner(.hciSocket(index: 1), on: loop, interfaces: interfaces)
        // Time must not pass before it is closed: virtual time would run to the end of all patience.
        await withCheckedContinuation { closed in
            interfaces.look = {
                loop.execute {
                    owner.assumeIsolated { $0.close() }
                    closed.resume()
                }
            }
            loop.execute { owner.assumeIsolated { $0.open() } }
        }
        interfaces.look = {}
        _ = await loop.iterationsWhileIdle()
        #expect(await owner.drain() == [])
        #expect(interfaces.attempts == 1)
    }
}
