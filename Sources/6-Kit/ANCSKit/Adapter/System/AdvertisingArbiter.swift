internal import BluetoothLE

/// Advertises what clients request, in one advertisement for all of them, because controllers are only
/// certain to have one advertising set. If advertising stops silently, nothing reports it: peers can only
/// react to an advertisement that is there. It is therefore restarted from time to time, and at once when the
/// machine was suspended.
///
///     down ──ready──▶ idle ──wanted──▶ starting ──▶ on air ──▶ stopping ─┐
///                      ▲                 ▲           │                   │
///                      └─────────────────┼───────────┘ none, renewal     │
///                                     waiting ◀── refused, ended         │
///                      ▲                                                 │
///                      └─────────────────────────────────────────────────┘
///
/// How often it is sent is a matter of the `AdvertisingSchedule`, and of nobody else.
///
/// A request is *active* while there is room for the link that it asks for. The advertisement is planned from
/// all active requests, and is changed while on air as they come and go.
struct AdvertisingArbiter: Sendable {
    /// What a client requests.
    struct Request: Equatable, Sendable {
        /// What to advertise.
        var wanted = AdvertisementPlan.Wanted()
        /// Whether the request ends when a device connects.
        var stopsOnConnection = true
        /// It is inactive while this many peers are connected that established the link.
        var maximumCentrals: Int?
        /// The time at which the request ends.
        var endsAt: MonotonicInstant?

        fileprivate func isOver(at now: MonotonicInstant) -> Bool {
            guard let endsAt else { return false }
            return endsAt <= now
        }
    }

    /// What to do, or to report.
    enum Output: Equatable, Sendable {
        /// Start this advertisement, or change to it.
        case start(Advertisement)
        case stop
        /// Whether this device advertises has changed.
        case onAir(Bool)
        /// Whether this client's request is on air has changed.
        case report(ClientID, Bool)
        /// The request of a client has ended.
        case end(ClientID, AdvertisingEnd)
        /// The controller refused; there will be another attempt.
        case warn(ClientID, Advertiser.Failure)
    }

    /// Times and limits; none is prescribed by a specification.
    struct Configuration: Equatable, Sendable {
        /// How many links there may be, in either role.
        var maximumLinks = 1
        /// How long an advertisement is assumed to be on air.
        var trust = Duration.seconds(10 * 60)
        /// The pause before a refused advertisement is tried again.
        var patience = Duration.seconds(5)
        /// The pause before an advertisement that the controller ended is restarted: a peer may have
        /// connected.
        var pause = Duration.seconds(1)
        /// The interval after the first 30 s on air.
        var slowInterval = AdvertisingSchedule.mains
        /// The interval while devices are to connect less often: the longest that Apple recommends (QA1931).
        var cautiousInterval = AdvertisingInterval.milliseconds(1285)
    }

    private enum State: Equatable, Sendable {
        /// The controller is not ready.
        case down
        case idle
        case starting
        case onAir(refreshAt: MonotonicInstant)
        case stopping
        case waiting(startAt: MonotonicInstant)
    }

    private struct Entry: Sendable {
        let client: ClientID
        var request: Request
        var isReported = false
    }

    private let configuration: Configuration
    private var state = State.down
    /// In order of arrival.
    private var entries: [Entry] = []
    private var isReported = false
    private var centralCount = 0
    private var linkCount = 0
    private var schedule: AdvertisingSchedule
    /// Until when devices are to connect less often.
    private var cautiousUntil: MonotonicInstant?
    /// The plan, and the advertisement with its interval, that were started last.
    private var current: (plan: AdvertisementPlan, advertisement: Advertisement)?
    private var outputs = Queue<Output>()

    init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        schedule = AdvertisingSchedule(slow: configuration.slowInterval)
    }

    mutating func pollOutput() -> Output? { outputs.popFirst() }

    var nextDeadline: MonotonicInstant? {
        let next: MonotonicInstant? =
            switch state {
            case .onAir(let refreshAt): .earliest(refreshAt, schedule.nextDeadline)
            case .waiting(let startAt): startAt
            case .down, .idle, .starting, .stopping: nil
            }
        return entries.reduce(.earliest(next, cautiousUntil)) { .earliest($0, $1.request.endsAt) }
    }

    /// The advertisement for all clients together.
    var advertisingState: AdvertisingState {
        guard !entries.isEmpty else { return .off }
        guard let plan = current?.plan, !activeRequests.isEmpty else { return .waiting }
        return switch state {
        case .starting: .starting(plan)
        case .onAir, .stopping: .onAir(plan)
        case .down, .idle, .waiting: .waiting
        }
    }

    /// Whether the request of a client is on air, as reported.
    func isOnAir(_ client: ClientID) -> Bool {
        entries.contains { $0.client == client && $0.isReported }
    }

    // MARK: What clients want

    /// Sets the request of a client, in place of an earlier one. Throws if all requests together do not fit,
    /// and then changes nothing.
    mutating func set(
        _ request: Request, of client: ClientID, at now: MonotonicInstant
    ) throws(AdvertisementPlan.PlanningError) {
        var others = entries
        others.removeAll { $0.client == client }
        _ = try Self.plan(of: others.map(\.request) + [request])
        if let index = entries.firstIndex(where: { $0.client == client }) {
            entries[index].request = request
        } else {
            entries.append(Entry(client: client, request: request))
            schedule.begin(at: now)
        }
        rearrange()
    }

    /// Removes the request of a client.
    mutating func remove(_ client: ClientID) {
        guard let index = entries.firstIndex(where: { $0.client == client }) else { return }
        let entry = entries.remove(at: index)
        if entry.isReported { outputs.append(.report(client, false)) }
        rearrange()
    }

    /// The end also implies that these are no longer on air.
    private mutating func drop(_ over: [Entry], _ reason: AdvertisingEnd) {
        for client in over.map(\.client) {
            entries.removeAll { $0.client == client }
            outputs.append(.end(client, reason))
        }
    }

    private func isActive(_ request: Request) -> Bool {
        linkCount < configuration.maximumLinks && centralCount < request.maximumCentrals ?? .max
    }

    private var activeRequests: [Request] { entries.map(\.request).filter(isActive) }

    /// One plan for several requests, earlier ones first.
    private static func plan(
        of requests: [Request]
    ) throws(AdvertisementPlan.PlanningError) -> AdvertisementPlan? {
        guard let first = requests.first else { return nil }
        return try AdvertisementPlan(
            requests.dropFirst().reduce(first.wanted) { $0.merging($1.wanted) })
    }

    // MARK: What happens

    /// The controller is ready.
    mutating func ready(at now: MonotonicInstant) {
        state = .idle
        schedule.begin(at: now)
        rearrange()
    }

    /// The controller failed. Its advertisement is lost, and clients have to make their requests again.
    mutating func reset() {
        state = .down
        entries = []
        current = nil
        isReported = false
    }

    /// Removes all requests.
    mutating func end() { for client in entries.map(\.client) { remove(client) } }

    /// The host refused the advertisement, and would refuse it again.
    mutating func impossible() {
        if state != .down { state = .idle }
        drop(entries.filter { isActive($0.request) }, .impossible)
        reportOffAir()
    }

    /// A peer has connected. `links` is the number of links, `centrals` of those that peers established.
    mutating func centralConnected(links: Int, centrals: Int, at now: MonotonicInstant) {
        drop(entries.filter { $0.request.stopsOnConnection && isActive($0.request) }, .connected)
        linksChanged(links: links, centrals: centrals, at: now)
    }

    /// The link of a Central ended because its supervision timeout passed.
    mutating func linkLost(at now: MonotonicInstant) { schedule.linkLost(at: now) }
    /// Devices are to connect less often until this time: the interval is slow, whatever requests ask for.
    /// `nil` for the intervals that are requested.
    mutating func slowDown(until end: MonotonicInstant?) {
        let wasSlow = exchange(&cautiousUntil, with: end) != nil
        if wasSlow != (end != nil) { rearrange() }
    }

    /// The number of links has changed.
    mutating func linksChanged(links: Int, centrals: Int, at now: MonotonicInstant) {
        // Who has lost its link comes back at once.
        if links < linkCount { schedule.begin(at: now) }
        (linkCount, centralCount) = (links, centrals)
        switch state {
        case .waiting: state = .idle
        case .down, .idle, .starting, .onAir, .stopping: break
        }
        rearrange()
    }

    /// The controller advertises.
    mutating func started(at now: MonotonicInstant) {
        switch state {
        case .starting:
            state = .onAir(refreshAt: now + configuration.trust)
            schedule.started(at: now)
        // It was cancelled meanwhile.
        case .down, .idle, .onAir, .stopping, .waiting: return
        }
        report(onAir: true)
        rearrange()
    }

    /// The controller no longer advertises.
    mutating func stopped(_ reason: Advertiser.StopReason, at now: MonotonicInstant) {
        guard state != .down else { return }
        switch reason {
        case .requested:
            state = .idle
            rearrange()
            if state == .idle { reportOffAir() }
        case .connected:
            state = .idle
            reportOffAir()
            rearrange()
        case .ended:
            reportOffAir()
            state = .waiting(startAt: now + configuration.pause)
        }
    }

    /// The controller refused. With links it may be unable to advertise.
    mutating func failed(_ failure: Advertiser.Failure, at now: MonotonicInstant) {
        guard state != .down else { return }
        reportOffAir()
        for entry in entries where isActive(entry.request) {
            outputs.append(.warn(entry.client, failure))
        }
        state = linkCount > 0 ? .idle : .waiting(startAt: now + configuration.patience)
    }

    /// The machine was suspended; what the controller did meanwhile is unknown.
    mutating func resumed(at now: MonotonicInstant) {
        schedule.begin(at: now)
        renew()
    }

    private mutating func renew() {
        guard case .onAir = state else { return }
        state = .stopping
        outputs.append(.stop)
    }

    mutating func handleTimeout(at now: MonotonicInstant) {
        let (count, interval) = (entries.count, schedule.interval)
        schedule.handleTimeout(at: now)
        drop(entries.filter { $0.request.isOver(at: now) }, .timeLimit)
        if let cautiousUntil, cautiousUntil <= now { slowDown(until: nil) }
        switch state {
        case .onAir(let refreshAt) where refreshAt <= now: renew()
        case .waiting(let startAt) where startAt <= now:
            state = .idle
            rearrange()
        case .down, .idle, .starting, .onAir, .stopping, .waiting:
            if entries.count != count || schedule.interval != interval { rearrange() }
        }
    }

    // MARK: What follows

    /// Brings the advertisement in line with the active requests.
    private mutating func rearrange() {
        let requests = activeRequests
        // If all requests fit together, so do some of them.
        guard let plan = (try? Self.plan(of: requests)) ?? nil else { return leaveAir() }
        var advertisement = plan.advertisement
        advertisement.interval = schedule.interval
        if cautiousUntil != nil {
            advertisement.interval = max(advertisement.interval, configuration.cautiousInterval)
        }
        let isNew = current?.advertisement != advertisement
        switch state {
        case .idle: state = .starting
        case .starting where isNew, .onAir where isNew: break
        case .starting, .onAir: return report()
        case .down, .stopping, .waiting: return
        }
        current = (plan, advertisement)
        outputs.append(.start(advertisement))
        report()
    }

    /// There are no active requests.
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
        reportOffAir()
    }

    /// Reports to each client whether its request is on air.
    private mutating func report() {
        guard case .onAir = state else { return }
        for index in entries.indices { report(index, isActive(entries[index].request)) }
    }

    private mutating func reportOffAir() {
        for index in entries.indices { report(index, false) }
        if case .stopping = state { return }
        report(onAir: false)
    }

    private mutating func report(onAir isOnAir: Bool) {
        guard exchange(&isReported, with: isOnAir) != isOnAir else { return }
        outputs.append(.onAir(isOnAir))
    }

    private mutating func report(_ index: Int, _ isOnAir: Bool) {
        guard exchange(&entries[index].isReported, with: isOnAir) != isOnAir else { return }
        outputs.append(.report(entries[index].client, isOnAir))
    }
}
