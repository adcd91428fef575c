package import DBus

/// What decides whether `AcquireNotify` ends bluetoothd.
///
/// On Fedora, RHEL and their relatives, SELinux policies before November 2025 forbid the bus to pass on the socket
/// of `AcquireNotify`. The bus then disconnects bluetoothd, which ends (fedora-selinux/selinux-policy, issue
/// 1458, pull requests 2898 and 2915).
public struct DaemonCircumstances: Equatable, Sendable {
    /// The adapter's `Modalias`, which has the version of bluetoothd: `usb:v1D6Bp0246d0542` for 5.66.
    public var modalias: String
    /// What SELinux does.
    public var selinux: SELinuxState

    /// These circumstances.
    public init(modalias: String = "", selinux: SELinuxState = SELinuxState()) {
        self.modalias = modalias
        self.selinux = selinux
    }
}

/// What SELinux does at this machine.
public struct SELinuxState: Equatable, Sendable {
    /// Whether it refuses what its policy does not allow.
    public var isEnforcing: Bool
    /// Identifies the policy; empty without SELinux, or if that is not known.
    public var policy: String

    /// This state; without SELinux by default.
    public init(isEnforcing: Bool = false, policy: String = "") {
        self.isEnforcing = isEnforcing
        self.policy = policy
    }
}

/// How often bluetoothd has ended while an `AcquireNotify` was pending, under the same circumstances.
public struct DaemonEnds: Equatable, Sendable {
    /// The circumstances.
    public var circumstances: DaemonCircumstances
    /// How often, 1 to ``maximumCount``.
    public var count: Int
    /// How long ago the last time was.
    public var age: Duration

    /// The largest count; further ends are not counted.
    public static let maximumCount = 1_000
    /// Under how many different circumstances ends are remembered.
    public static let maximumRecords = 8
    /// Without an enforcing SELinux, how long after the last end there is another attempt.
    public static let pause = Duration.seconds(900)

    /// This many ends.
    public init(_ circumstances: DaemonCircumstances, count: Int, age: Duration) {
        (self.circumstances, self.count, self.age) = (circumstances, count, age)
    }

    /// Whether `AcquireNotify` must not be called under these circumstances. Where SELinux enforces a policy, one
    /// end is enough: the next call would end bluetoothd too, and keyboard and headset with it. Elsewhere the
    /// first may be chance, and after two there is a pause.
    public var forbidsSockets: Bool {
        circumstances.selinux.isEnforcing ? count >= 1 : count >= 2 && age < Self.pause
    }
}

extension DaemonCircumstances {
    /// The version of bluetoothd, such as 0x0555 for 5.85: the last four digits of the modalias. `nil` if it is unknown.
    package var version: UInt16? {
        modalias.lastIndex(of: "d").flatMap {
            UInt16(modalias[modalias.index(after: $0)...], radix: 16)
        }
    }

    /// Whether `AcquireNotify` is answered if the peer refuses, and `StopNotify` may follow one that has failed, as since
    /// 5.84; not where the version is unknown.
    package var answersRefusedSockets: Bool { version.map { $0 >= 5 << 8 | 84 } ?? false }
}

/// Knows what `AcquireNotify` has done to bluetoothd, and decides whether it may be called again. It also knows
/// for which characteristics `StopNotify` is dangerous: before 5.84, bluetoothd uses freed memory if `StopNotify`
/// follows a failed `AcquireNotify`. And it knows which sockets bluetoothd may keep for this program though it has not
/// handed them over, which exclude every later one.
@usableFromInline package struct SocketGuard: Sendable {
    /// How long after a lost reply bluetoothd may still be ending: the bus reports the end of a program after
    /// the failure of its calls, and the kernel closes a connection only after it has written the core.
    static let endingTime = Duration.seconds(10)

    private struct Pending: Sendable {
        let characteristic: ObjectPath
        let circumstances: DaemonCircumstances
        /// Whether bluetoothd keeps nothing for it any more, though it was not answered.
        var isReleased = false
    }

    /// The ends, under one circumstance each, and when the last of each was; the latest last.
    private var records: [(circumstances: DaemonCircumstances, count: Int, at: MonotonicInstant)] =
        []
    /// The calls of `AcquireNotify` that are not answered.
    private var pending: [CallID: Pending] = [:]
    /// The circumstances of a call whose reply was lost, and until when bluetoothd may be ending for that.
    private var lost: (circumstances: DaemonCircumstances, until: MonotonicInstant)?
    /// The characteristics of this bluetoothd whose `AcquireNotify` has failed.
    private var failed: Set<ObjectPath> = []
    /// Those of them that have had no answer, and no later socket either.
    private var unanswered: Set<ObjectPath> = []

    package init() {}

    /// The connection to the bus is lost: what is pending is never answered, which says nothing about bluetoothd.
    package mutating func busLost() {
        pending = [:]
        lost = nil
    }

    // MARK: What is remembered

    /// Takes over what earlier runs have seen.
    package mutating func remember(_ ends: [DaemonEnds], at now: MonotonicInstant) {
        records = ends.suffix(DaemonEnds.maximumRecords).map {
            let count = min(max(1, $0.count), DaemonEnds.maximumCount)
            return ($0.circumstances, count, now + (.zero - max(.zero, $0.age)))
        }
    }

    /// What has to be remembered beyond this run.
    package func ends(at now: MonotonicInstant) -> [DaemonEnds] {
        records.map { DaemonEnds($0.circumstances, count: $0.count, age: now - $0.at) }
    }

    /// Whether `AcquireNotify` may be called.
    package func allowsSockets(
        under circumstances: DaemonCircumstances, at now: MonotonicInstant
    ) -> Bool {
        ends(at: now).first { $0.circumstances == circumstances }?.forbidsSockets != true
    }

    /// When it may be called again though nothing changes; `nil` for never.
    func nextChance(under circumstances: DaemonCircumstances) -> MonotonicInstant? {
        guard !circumstances.selinux.isEnforcing else { return nil }
        return records.first { $0.circumstances == circumstances }.map { $0.at + DaemonEnds.pause }
    }

    // MARK: What happens

    /// `AcquireNotify` is called.
    @usableFromInline package mutating func acquires(
        _ call: CallID, of characteristic: ObjectPath, under circumstances: DaemonCircumstances
    ) { pending[call] = Pending(characteristic: characteristic, circumstances: circumstances) }

    /// A call was answered, whatever it was. Returns whether there is something new to remember.
    @usableFromInline package mutating func replied(
        to call: CallID, _ result: BusResult, at now: MonotonicInstant
    ) -> Bool {
        // Any reply shows that bluetoothd is not ending, unless it says that the call is still pending.
        switch result {
        case .failure(let error) where !error.isOfDaemon || error.isAcquired: break
        case .success, .failure: lost = nil
        }
        guard !pending.isEmpty, let acquired = pending.removeValue(forKey: call) else {
            return false
        }
        switch result {
        case .success:
            let count = records.count
            records.removeAll { $0.circumstances == acquired.circumstances }
            unanswered.remove(acquired.characteristic)
            return records.count < count
        case .failure(let error):
            failed.insert(acquired.characteristic)
            if error.isNoReply, !acquired.isReleased { unanswered.insert(acquired.characteristic) }
            if !error.isOfDaemon { lost = (acquired.circumstances, now + Self.endingTime) }
            return false
        }
    }

    /// bluetoothd has ended. Returns whether there is something new to remember.
    package mutating func daemonEnded(at now: MonotonicInstant) -> Bool {
        let circumstances =
            pending.values.first?.circumstances
            ?? lost.flatMap { now <= $0.until ? $0.circumstances : nil }
        pending = [:]
        lost = nil
        failed = []
        unanswered = []
        guard let circumstances else { return false }
        let count = records.first { $0.circumstances == circumstances }?.count ?? 0
        records.removeAll { $0.circumstances == circumstances }
        records.append((circumstances, min(count + 1, DaemonEnds.maximumCount), now))
        records.removeFirst(max(0, records.count - DaemonEnds.maximumRecords))
        return true
    }

    /// bluetoothd has removed a characteristic, or a device with its characteristics.
    package mutating func removed(_ object: ObjectPath) {
        func isGone(_ path: ObjectPath) -> Bool { path == object || path.isBelow(object) }
        failed = failed.filter { !isGone($0) }
        release(isGone)
    }

    /// Whether it may be this program for which bluetoothd keeps a socket that it does not hand over. In all versions it
    /// forgets an `AcquireNotify` that waits for security when the link ends, and before 5.84 also one that the phone
    /// refuses: it answers neither, and refuses all later ones.
    package func isKept(_ characteristic: ObjectPath) -> Bool {
        unanswered.contains(characteristic)
            || pending.values.contains { $0.characteristic == characteristic && !$0.isReleased }
    }

    /// The link to a device has ended. Returns the characteristics for which `StopNotify` has to be called, so that
    /// bluetoothd keeps no socket for them. It closes that of any program, but without a link there is none.
    package mutating func linkEnded(
        to device: ObjectPath, under circumstances: DaemonCircumstances
    ) -> [ObjectPath] {
        // What `mayStop` is about.
        guard !unanswered.isEmpty || !pending.isEmpty, circumstances.answersRefusedSockets else {
            return []
        }
        let waiting = pending.values.filter { !$0.isReleased }.map(\.characteristic)
        let kept = unanswered.union(waiting).filter { $0.isBelow(device) }
        release(kept.contains)
        return kept.sorted(byText: \.text)
    }

    /// bluetoothd keeps nothing for these characteristics any more.
    private mutating func release(_ isReleased: (ObjectPath) -> Bool) {
        unanswered = unanswered.filter { !isReleased($0) }
        for call in pending.keys where pending[call].map({ isReleased($0.characteristic) }) ?? false
        { pending[call]?.isReleased = true }
    }

    /// Whether `StopNotify` may be called: before 5.84, bluetoothd uses freed memory if it follows a failed `AcquireNotify`.
    @usableFromInline package func mayStop(
        _ characteristic: ObjectPath, under circumstances: DaemonCircumstances
    ) -> Bool {
        circumstances.answersRefusedSockets
            || !failed.contains(characteristic)
                && !pending.values.contains { $0.characteristic == characteristic }
    }
}
