package import DBus
package import LinuxIO
internal import Octets

/// A message bus on one loop, without a process and without sockets, for programs in virtual time. What it
/// does to calls, replies and signals on their way is up to its owner. On the loop only.
///
/// What was sent arrives in order, as on any bus: calls, replies, signals, changes of the owners of names and
/// the end of programs. A reply that is late was sent late.
package final class VirtualBus: @unchecked Sendable {
    // Unchecked: confined to the loop's thread.

    /// What becomes of a call.
    package struct Passage: Sendable {
        /// Whether the program ignores it.
        package var isIgnored: Bool
        /// How late the program sends each copy of its reply; it sends none if this is empty.
        package var replies: [Duration]

        package init(isIgnored: Bool = false, replies: [Duration] = [.zero]) {
            self.isIgnored = isIgnored
            self.replies = replies
        }
    }

    package let loop: EventLoop
    /// Decides what becomes of a call.
    package var passage: (BusCall) -> Passage = { _ in Passage() }
    /// Decides how long something that was sent is on its way, at least.
    package var delay: () -> Duration = { .zero }
    fileprivate var connections: [VirtualConnection] = []
    fileprivate var owners: [String: VirtualConnection] = [:]
    private var lastName: UInt64 = 0

    package init(on loop: EventLoop) { self.loop = loop }

    /// Another program's connection.
    package func connect() -> VirtualConnection {
        lastName += 1
        let connection = VirtualConnection(
            to: self, named: ":1.\(lastName)", owners: owners.compactMapValues(\.uniqueName))
        connections.append(connection)
        return connection
    }

    /// The same, from any task.
    package func connection() async -> VirtualConnection {
        await withCheckedContinuation { continuation in
            loop.execute { continuation.resume(returning: self.connect()) }
        }
    }

    /// The names of the programs that are connected.
    package var names: [String] { connections.compactMap(\.uniqueName) }

    fileprivate func connection(named name: String) -> VirtualConnection? {
        owners[name] ?? connections.first { $0.uniqueName == name }
    }

    fileprivate func own(_ name: String, by owner: VirtualConnection?) {
        let old = owners[name]?.uniqueName
        owners[name] = owner
        changeOwner(of: name, from: old, to: owner?.uniqueName)
    }

    private func changeOwner(of name: String, from old: String?, to new: String?) {
        for connection in connections { connection.queue(.owner(of: name, from: old, to: new)) }
    }

    /// A program has gone, with its names; what it was called for gets no reply.
    fileprivate func left(_ gone: VirtualConnection, named unique: String) {
        connections.removeAll { $0 === gone }
        for (name, owner) in owners where owner === gone {
            owners[name] = nil
            changeOwner(of: name, from: unique, to: nil)
        }
        changeOwner(of: unique, from: unique, to: nil)
        for connection in connections { connection.queue(.ended(unique)) }
    }

    fileprivate func emit(_ signal: BusSignal, to destination: String?) {
        for connection in connections
        where destination == nil || destination == connection.uniqueName {
            connection.queue(.signal(signal))
        }
    }

    fileprivate func after(_ delay: Duration, _ body: @escaping @Sendable () -> Void) {
        guard delay > .zero else { return loop.execute(body) }
        LoopTimer(on: loop, handler: body).deadline = loop.now + delay
    }
}

/// A connection to a ``VirtualBus``.
package final class VirtualConnection: MessageBus, @unchecked Sendable {
    // Unchecked: confined to the loop's thread.

    /// What arrives in order.
    fileprivate enum Item {
        case call(BusMethodCall, BusReply)
        case signal(BusSignal)
        case reply(to: UInt64, Result<[BusValue], BusError>, Copies)
        case owner(of: String, from: String?, to: String?)
        /// The program with this name has ended.
        case ended(String)
    }

    private struct PendingCall {
        let reply: @Sendable (Result<[BusValue], BusError>) -> Void
        let timer: LoopTimer
        /// The unique name of the program that is called.
        let callee: String?
    }

    private struct Subscription {
        let key: UInt64
        let match: BusMatch
        let handler: @Sendable (BusSignal) -> Void
    }

    private struct Watcher {
        let name: String
        let handler: @Sendable (String?) -> Void
        /// What was reported; `nil` before the first report.
        var reported: String??
    }

    private struct Object {
        let key: UInt64
        let handler: @Sendable (BusMethodCall, BusReply) -> Void
    }

    private let bus: VirtualBus
    package private(set) var uniqueName: String?
    private var subscriptions: [Subscription] = []
    private var watchers: [Watcher] = []
    private var objects: [ObjectPath: Object] = [:]
    private var calls: [UInt64: PendingCall] = [:]
    /// The owners of names, as far as their changes have arrived.
    private var owners: [String: String]
    private var inbox = Queue<(at: MonotonicInstant, item: Item)>()
    private var lastArrival = MonotonicInstant.zero
    private lazy var timer = LoopTimer(on: bus.loop) { [weak self] in self?.takeInbox() }
    private var lastKey: UInt64 = 0

    fileprivate init(to bus: VirtualBus, named name: String, owners: [String: String]) {
        self.bus = bus
        self.owners = owners
        uniqueName = name
    }

    private func makeKey() -> UInt64 {
        lastKey += 1
        return lastKey
    }

    // MARK: Life

    package func open(onEnd: @escaping @Sendable (BusError) -> Void) {}

    package func close() {
        guard let name = uniqueName else { return }
        uniqueName = nil
        timer.deadline = nil
        for call in calls.values { call.timer.deadline = nil }
        calls = [:]
        subscriptions = []
        watchers = []
        objects = [:]
        inbox.removeAll()
        bus.left(self, named: name)
    }

    // MARK: Calls

    package func call(
        _ call: BusCall, within limit: Duration?,
        reply: @escaping @Sendable (Result<[BusValue], BusError>) -> Void
    ) {
        guard let uniqueName else { return }
        let number = makeKey()
        let timer = LoopTimer(on: bus.loop) { [weak self] in
            self?.end(number, .failure(BusError(BusError.noReply)))
        }
        let callee = bus.connection(named: call.destination)
        calls[number] = PendingCall(reply: reply, timer: timer, callee: callee?.uniqueName)
        timer.deadline = limit.map { bus.loop.now + $0 }
        guard let callee else {
            return bus.after(.zero) { [weak self] in
                self?.end(number, .failure(BusError(BusError.serviceUnknown)))
            }
        }
        let passage = bus.passage(call)
        guard !passage.isIgnored else { return }
        let copies = Copies(reply)
        let answer = BusReply(on: bus.loop) { [weak self, bus] result in
            for delay in passage.replies {
                bus.after(delay) { [weak self] in self?.queue(.reply(to: number, result, copies)) }
            }
        }
        let received = BusMethodCall(
            from: uniqueName, call.path, call.interface, call.member, call.arguments)
        callee.queue(.call(received, answer))
    }

    /// The copies of a reply.
    fileprivate final class Copies: @unchecked Sendable {
        // Unchecked: used on the loop's thread only.
        let reply: @Sendable (Result<[BusValue], BusError>) -> Void
        var wasAnswered = false

        init(_ reply: @escaping @Sendable (Result<[BusValue], BusError>) -> Void) {
            self.reply = reply
        }
    }

    /// A copy of the reply has arrived. A second one is passed on as well, which a ``BusConnection`` never
    /// does; one that is too late is not.
    private func answered(
        _ number: UInt64, _ result: Result<[BusValue], BusError>, _ copies: Copies
    ) {
        if copies.wasAnswered, uniqueName != nil { return copies.reply(result) }
        copies.wasAnswered = calls[number] != nil
        end(number, result)
    }

    private func end(_ number: UInt64, _ result: Result<[BusValue], BusError>) {
        guard let call = calls.removeValue(forKey: number) else { return }
        call.timer.deadline = nil
        call.reply(result)
    }

    private func receive(_ call: BusMethodCall, _ reply: BusReply) {
        guard let object = objects[call.path] else {
            return reply.fail(BusError(BusError.unknownObject, "there is no object \(call.path)"))
        }
        object.handler(call, reply)
    }

    // MARK: Objects and names

    package func export(
        _ path: ObjectPath, introspection: String,
        handler: @escaping @Sendable (BusMethodCall, BusReply) -> Void
    ) -> BusExport {
        let key = makeKey()
        if uniqueName != nil { objects[path] = Object(key: key, handler: handler) }
        return BusExport(path: path, key: key)
    }

    package func cancel(_ export: BusExport) {
        if objects[export.path]?.key == export.key { objects[export.path] = nil }
    }

    package func requestName(
        _ name: String, reply: @escaping @Sendable (Result<BusNameOutcome, BusError>) -> Void
    ) {
        let isFree = bus.owners[name] == nil
        if isFree { bus.own(name, by: self) }
        bus.after(.zero) { reply(.success(isFree ? .owned : .taken)) }
    }

    // MARK: Signals

    package func signals(
        _ match: BusMatch, handler: @escaping @Sendable (BusSignal) -> Void
    ) -> BusSubscription {
        let key = makeKey()
        if uniqueName != nil {
            subscriptions.append(Subscription(key: key, match: match, handler: handler))
        }
        return BusSubscription(key: key)
    }

    package func cancel(_ subscription: BusSubscription) {
        subscriptions.removeAll { $0.key == subscription.key }
    }

    package func watch(
        name: String, handler: @escaping @Sendable (String?) -> Void
    ) -> BusSubscription {
        let key = makeKey()
        if uniqueName != nil {
            watchers.append(Watcher(name: name, handler: handler))
            bus.after(.zero) { [weak self] in self?.reportOwner(of: name) }
        }
        return BusSubscription(key: key)
    }

    package func emit(_ signal: BusSignal, to destination: String?) throws(BusError) {
        guard let uniqueName else { throw BusError(BusError.disconnected) }
        var signal = signal
        signal.sender = uniqueName
        bus.emit(signal, to: destination)
    }

    fileprivate func queue(_ item: Item) {
        guard uniqueName != nil else { return }
        lastArrival = max(lastArrival, bus.loop.now + bus.delay())
        inbox.append((lastArrival, item))
        if timer.deadline == nil { timer.deadline = lastArrival }
    }

    private func takeInbox() {
        while let next = inbox.first, next.at <= bus.loop.now {
            _ = inbox.popFirst()
            take(next.item)
        }
        timer.deadline = inbox.first?.at
    }

    private func take(_ item: Item) {
        switch item {
        case .call(let call, let reply): receive(call, reply)
        case .signal(let signal): deliver(signal)
        case .reply(let number, let result, let copies): answered(number, result, copies)
        case .owner(let name, let old, let new):
            owners[name] = new
            reportOwner(of: name)
            deliver(
                BusSignal(
                    from: BusMatch.busItself, "/org/freedesktop/DBus", BusMatch.busItself,
                    "NameOwnerChanged",
                    [.string(name), .string(old ?? ""), .string(new ?? "")]))
        case .ended(let name):
            let abandoned = calls.filter { $0.value.callee == name }.keys.sorted()
            for number in abandoned { end(number, .failure(BusError(BusError.noReply))) }
        }
    }

    private func deliver(_ signal: BusSignal) {
        for subscription in subscriptions
        where subscription.match.fits(signal) && subscription.match.fits(signal.arguments) {
            if let name = subscription.match.wellKnownSender, owners[name] != signal.sender {
                continue
            }
            subscription.handler(signal)
        }
    }

    private func reportOwner(of name: String) {
        for index in watchers.indices where watchers[index].name == name {
            let owner = owners[name]
            guard watchers[index].reported != .some(owner) else { continue }
            watchers[index].reported = .some(owner)
            watchers[index].handler(owner)
        }
    }
}
