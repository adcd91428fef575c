internal import BluetoothLE
internal import Octets

/// Keeps on air what clients want to be found by: one advertisement for all of them, since a controller
/// has one set for sure. A peer answers an advertisement and nothing else, so one that has died without a
/// word is noticed by nobody: it is taken off air and put back from time to time, and at once when the
/// machine was suspended.
///
///     down ──ready──▶ idle ──wanted──▶ starting ──▶ on air ──▶ stopping ─┐
///                      ▲                 ▲           │                   │
///                      └─────────────────┼───────────┘ nobody, refresh   │
///                                     waiting ◀── refused, ended         │
///                      ▲                                                 │
///                      └─────────────────────────────────────────────────┘
///
/// A wish is *active* while there is room for the link that it asks for. The advertisement is the plan of
/// all active wishes, and changes on air as they come and go.
struct AirTime: Sendable {
    /// What one client wants.
    struct Wish: Hashable, Sendable {
        /// What is to be on air.
        var wanted = AdvertisementPlan.Wanted()
        /// Whether it is fulfilled when somebody connects.
        var stopsOnConnection = true
        /// While so many peers are connected that made the link, it is not active.
        var maximumCentrals: Int?
        /// When it is over.
        var endsAt: MonotonicInstant?
        /// The shortest interval that will do.
        var intervalMinimum = AdvertisingInterval.milliseconds(20)
        /// The longest interval that will do.
        var intervalMaximum = AdvertisingInterval.milliseconds(30)

        fileprivate func isOver(at now: MonotonicInstant) -> Bool {
            guard let endsAt else { return false }
            return endsAt <= now
        }
    }

    /// What there is to do, or to tell.
    enum Output: Hashable, Sendable {
        /// Put this on air, or in the place of what is there.
        case start(Advertisement)
        case stop
        /// Whether anything is on air has changed.
        case onAir(Bool)
        /// Whether peers can find this client has changed.
        case tell(ClientID, Bool)
        /// The wish of a client is over.
        case end(ClientID, AdvertisingEnd)
        /// The controller refuses; it is tried again.
        case warn(ClientID, Advertiser.Failure)
    }

    /// Times and limits; none of them is prescribed.
    struct Configuration: Hashable, Sendable {
        /// How many links there may be, of whichever role.
        var maximumLinks = 1
        /// How long an advertisement is trusted to be on air.
        var trust = Duration.seconds(10 * 60)
        /// After how long a refused advertisement is tried again.
        var patience = Duration.seconds(5)
        /// After how long one that the controller has ended is put back: a peer may have connected.
        var pause = Duration.seconds(1)
    }

    private enum State: Hashable, Sendable {
        /// There is no controller.
        case down
        case idle
        case starting
        case onAir(refreshAt: MonotonicInstant)
        case stopping
        case waiting(startAt: MonotonicInstant)
    }

    private struct Entry: Sendable {
        let client: ClientID
        var wish: Wish
        var isTold = false
    }

    private let configuration: Configuration
    private var state = State.down
    /// In the order in which they came.
    private var entries: [Entry] = []
    private var isTold = false
    private var centralCount = 0
    private var linkCount = 0
    /// What was put on air last, and with which intervals.
    private var current: (plan: AdvertisementPlan, advertisement: Advertisement)?
    private var outputs = Queue<Output>()

    init(_ configuration: Configuration = Configuration()) { self.configuration = configuration }

    mutating func pollOutput() -> Output? { outputs.popFirst() }

    var nextDeadline: MonotonicInstant? {
        let next: MonotonicInstant? =
            switch state {
            case .onAir(let refreshAt): refreshAt
            case .waiting(let startAt): startAt
            case .down, .idle, .starting, .stopping: nil
            }
        return entries.reduce(next) { .earliest($0, $1.wish.endsAt) }
    }

    /// What is on air for all clients together.
    var advertisingState: AdvertisingState {
        guard !entries.isEmpty else { return .off }
        guard let plan = current?.plan, !activeWishes.isEmpty else { return .waiting }
        return switch state {
        case .starting: .starting(plan)
        case .onAir, .stopping: .onAir(plan)
        case .down, .idle, .waiting: .waiting
        }
    }

    /// Whether what a client wants is on air, as it was told.
    func isOnAir(_ client: ClientID) -> Bool {
        entries.contains { $0.client == client && $0.isTold }
    }

    // MARK: Wishes

    /// What a client wants, in the place of what it wanted before. Throws where all wishes together do not
    /// fit, and changes nothing then.
    mutating func set(
        _ wish: Wish, of client: ClientID
    ) throws(AdvertisementPlan.PlanningError) {
        var others = entries
        others.removeAll { $0.client == client }
        _ = try Self.plan(of: others.map(\.wish) + [wish])
        if let index = entries.firstIndex(where: { $0.client == client }) {
            entries[index].wish = wish
        } else {
            entries.append(Entry(client: client, wish: wish))
        }
        rearrange()
    }

    /// A client does not want to be found any more.
    mutating func remove(_ client: ClientID) {
        guard let index = entries.firstIndex(where: { $0.client == client }) else { return }
        let entry = entries.remove(at: index)
        if entry.isTold { outputs.append(.tell(client, false)) }
        rearrange()
    }

    /// The end says as well that these are not on air any more.
    private mutating func drop(_ over: [Entry], _ reason: AdvertisingEnd) {
        for client in over.map(\.client) {
            entries.removeAll { $0.client == client }
            outputs.append(.end(client, reason))
        }
    }

    private func isActive(_ wish: Wish) -> Bool {
        linkCount < configuration.maximumLinks
            && centralCount < wish.maximumCentrals ?? .max
    }

    private var activeWishes: [Wish] { entries.map(\.wish).filter(isActive) }

    /// One plan for several wishes; what came first comes first.
    private static func plan(
        of wishes: [Wish]
    ) throws(AdvertisementPlan.PlanningError) -> AdvertisementPlan? {
        guard let first = wishes.first else { return nil }
        return try AdvertisementPlan(
            wishes.dropFirst().reduce(first.wanted) { $0.merging($1.wanted) })
    }

    // MARK: What happens

    /// The controller is ready.
    mutating func ready() {
        state = .idle
        rearrange()
    }

    /// The controller failed; it forgets its advertisement, and clients have to ask anew.
    mutating func reset() {
        state = .down
        entries = []
        current = nil
        isTold = false
    }

    /// Nobody wants to be found any more.
    mutating func end() {
        for client in entries.map(\.client) { remove(client) }
    }

    /// The host does not take the advertisement, and will not later.
    mutating func impossible() {
        if state != .down { state = .idle }
        drop(entries.filter { isActive($0.wish) }, .impossible)
        tellOffAir()
    }

    /// A peer has connected. So many links there are now, so many of them made by peers.
    mutating func centralConnected(links: Int, centrals: Int) {
        drop(entries.filter { $0.wish.stopsOnConnection && isActive($0.wish) }, .connected)
        linksChanged(links: links, centrals: centrals)
    }

    /// So many links there are now, so many of them made by peers.
    mutating func linksChanged(links: Int, centrals: Int) {
        (linkCount, centralCount) = (links, centrals)
        switch state {
        case .waiting: state = .idle
        case .down, .idle, .starting, .onAir, .stopping: break
        }
        rearrange()
    }

    /// It is on air.
    mutating func started(at now: MonotonicInstant) {
        switch state {
        case .starting: state = .onAir(refreshAt: now + configuration.trust)
        // It was taken back meanwhile.
        case .down, .idle, .onAir, .stopping, .waiting: return
        }
        tell(onAir: true)
        rearrange()
    }

    /// It is off air.
    mutating func stopped(_ reason: Advertiser.StopReason, at now: MonotonicInstant) {
        guard state != .down else { return }
        switch reason {
        case .requested:
            state = .idle
            rearrange()
            if state == .idle { tellOffAir() }
        case .connected:
            state = .idle
            tellOffAir()
            rearrange()
        case .ended:
            tellOffAir()
            state = .waiting(startAt: now + configuration.pause)
        }
    }

    /// The controller refuses. With links it may not be able to do better.
    mutating func failed(_ failure: Advertiser.Failure, at now: MonotonicInstant) {
        guard state != .down else { return }
        tellOffAir()
        for entry in entries where isActive(entry.wish) {
            outputs.append(.warn(entry.client, failure))
        }
        state = linkCount > 0 ? .idle : .waiting(startAt: now + configuration.patience)
    }

    /// The machine was suspended; what the controller did meanwhile is not known.
    mutating func resumed() {
        guard case .onAir = state else { return }
        state = .stopping
        outputs.append(.stop)
    }

    mutating func handleTimeout(at now: MonotonicInstant) {
        let count = entries.count
        drop(entries.filter { $0.wish.isOver(at: now) }, .timeLimit)
        switch state {
        case .onAir(let refreshAt) where refreshAt <= now: resumed()
        case .waiting(let startAt) where startAt <= now:
            state = .idle
            rearrange()
        case .down, .idle, .starting, .onAir, .stopping, .waiting:
            if entries.count != count { rearrange() }
        }
    }

    // MARK: What follows

    /// Makes what is on air what active wishes want.
    private mutating func rearrange() {
        let wishes = activeWishes
        // What fits with all wishes fits with some.
        guard let plan = (try? Self.plan(of: wishes)) ?? nil else { return leaveAir() }
        var advertisement = plan.advertisement
        advertisement.intervalMinimum = wishes.map(\.intervalMinimum).min() ?? .minimum
        advertisement.intervalMaximum = wishes.map(\.intervalMaximum).min() ?? .maximum
        let isNew = current?.advertisement != advertisement
        switch state {
        case .idle: state = .starting
        case .starting where isNew, .onAir where isNew: break
        case .starting, .onAir: return tell()
        case .down, .stopping, .waiting: return
        }
        current = (plan, advertisement)
        outputs.append(.start(advertisement))
        tell()
    }

    /// Nobody wants to be found, or could be let in.
    private mutating func leaveAir() {
        switch state {
        case .starting:
            state = .idle
            outputs.append(.stop)
        case .onAir:
            state = .stopping
            outputs.append(.stop)
        case .waiting: state = .idle
        case .down, .idle, .stopping: break
        }
        tellOffAir()
    }

    /// Tells each client whether it can be found.
    private mutating func tell() {
        guard case .onAir = state else { return }
        for index in entries.indices { tell(index, isActive(entries[index].wish)) }
    }

    private mutating func tellOffAir() {
        for index in entries.indices { tell(index, false) }
        if case .stopping = state { return }
        tell(onAir: false)
    }

    private mutating func tell(onAir isOnAir: Bool) {
        guard exchange(&isTold, with: isOnAir) != isOnAir else { return }
        outputs.append(.onAir(isOnAir))
    }

    private mutating func tell(_ index: Int, _ isOnAir: Bool) {
        guard exchange(&entries[index].isTold, with: isOnAir) != isOnAir else { return }
        outputs.append(.tell(entries[index].client, isOnAir))
    }
}
