internal import ANCS
package import DBus

/// The desktop: popups on the notification server of the session bus, see ``DesktopNotifications``.
///
/// No server is started before there is something to show. Without a session bus, it tries again after
/// growing pauses.
package final class DesktopSink: Sink, @unchecked Sendable {
    // Unchecked: on the loop's thread only, which the connection to the bus checks.

    /// The state of the server.
    private enum Server {
        case none
        /// Its description was requested.
        case asked(DesktopCalls, DesktopCalls.Introduction)
        case present(DesktopCalls, description: String)
    }

    /// How long closing waits for pending calls.
    private static let limitOfEnd = Duration.milliseconds(500)

    package let name = "desktop"
    private weak let control: (any ServiceControl)?
    private let loop: EventLoop
    private let place: BusConnection.Bus
    private let clipboard: Clipboard
    private var configuration: ServiceConfiguration.DesktopSection
    private var popups: DesktopNotifications
    private var bus: BusConnection?
    private var server = Server.none
    /// Why popups cannot be shown; `nil` if they can, as far as is known.
    private var problem: String?
    private var pause = GrowingPause(first: .seconds(1), longest: .seconds(300))
    private var onClose: (@Sendable () -> Void)?
    private var isOpen = false
    private lazy var timer = LoopTimer(on: loop) { [weak self] in
        self?.step { $0.handleTimeout(at: $1) }
    }
    /// The timer for reconnecting to the bus, and for closing.
    private lazy var laterTimer = LoopTimer(on: loop) { [weak self] in self?.laterTimerFired() }

    /// Creates a sink; ``open()`` connects it.
    package init(
        _ configuration: ServiceConfiguration, control: any ServiceControl,
        at place: BusConnection.Bus = .session,
        limits: DesktopNotifications.Limits = DesktopNotifications.Limits()
    ) {
        self.control = control
        loop = control.loop
        self.place = place
        let desktop = configuration.desktop.withCopier()
        self.configuration = desktop
        clipboard = Clipboard(control: control)
        popups = DesktopNotifications(desktop, limits: limits)
    }

    package var status: SinkStatus {
        let dropped = popups.dropped
        if let problem { return SinkStatus(isWorking: false, message: problem, dropped: dropped) }
        if case .present(_, let description) = server, popups.isServerLate {
            return SinkStatus(
                isWorking: false, message: "\(description) does not answer", dropped: dropped)
        }
        let message =
            switch server {
            case _ where !configuration.popups: "off"
            case .none: "no notification server is running; one is started for the first popup"
            case .asked: "waiting for the notification server"
            case .present(_, let description): description
            }
        return SinkStatus(isWorking: true, message: message, dropped: dropped)
    }

    // MARK: Life

    package func open() {
        isOpen = true
        connect()
    }

    private func connect() {
        do throws(IOError) {
            let bus = try BusConnection(place, on: loop)
            self.bus = bus
            listen(to: bus)
        } catch { failed(error.message) }
    }

    private func listen(to bus: BusConnection) {
        bus.open { [weak self] error in self?.ended(error.message) }
        bus.signals(DesktopCalls.signals) { [weak self] in self?.receive($0) }
        bus.watch(name: DesktopCalls.service) { [weak self] in self?.ownerChanged(to: $0) }
    }

    private func ended(_ message: String) {
        bus = nil
        ownerChanged(to: nil)
        failed(message)
    }

    /// There is no bus, or the connection has ended.
    private func failed(_ message: String) {
        if problem != message { control?.log("no popups are shown: \(message)") }
        problem = message
        pause.begin(at: loop.now)
        laterTimer.deadline = pause.end
    }

    private func laterTimerFired() { if onClose == nil { connect() } else { finish() } }

    package func reconfigure(_ configuration: ServiceConfiguration) {
        let desktop = configuration.desktop.withCopier()
        self.configuration = desktop
        step { $0.reconfigure(desktop, at: $1) }
    }

    package func close(_ done: @escaping @Sendable () -> Void) {
        onClose = done
        step { popups, _ in popups.stop() }
        if bus == nil || popups.isIdle { return finish() }
        laterTimer.deadline = loop.now + Self.limitOfEnd
    }

    private func finish() {
        guard let onClose else { return }
        self.onClose = nil
        isOpen = false
        timer.deadline = nil
        laterTimer.deadline = nil
        bus?.close()
        bus = nil
        clipboard.close(onClose)
    }

    // MARK: Server

    private func ownerChanged(to owner: String?) {
        if bus != nil { pause.reset() }
        if case .present = server { step { $0.serverVanished(at: $1) } }
        server = .none
        guard let bus else { return }
        problem = nil
        guard let owner else { return }
        let calls = DesktopCalls(to: owner, on: bus)
        server = .asked(calls, DesktopCalls.Introduction())
        calls.introduce { [weak self] in self?.introduced(owner, $0) }
    }

    /// A part of the server's description arrived.
    private func introduced(_ owner: String, _ change: (inout DesktopCalls.Introduction) -> Void) {
        guard case .asked(let calls, var introduction) = server, calls.owner == owner else {
            return
        }
        change(&introduction)
        guard let capabilities = introduction.capabilities, let name = introduction.name else {
            server = .asked(calls, introduction)
            return
        }
        let version = introduction.version
        let description = PopupText.shown("\(name) \(version)", as: .line, limit: 128)
        server = .present(calls, description: description)
        control?.log("popups are shown by \(description)")
        // What was installed meanwhile is found with the next server.
        let programs = InstalledPrograms.ofThisProcess
        step {
            $0.know(programs)
            $0.serverAppeared(name, version: version, capabilities: capabilities, at: $1)
        }
    }

    private func start() {
        guard let bus else { return startFailed(problem ?? "no session bus") }
        DesktopCalls.start(on: bus) { [weak self] error in
            guard let error else { return }
            self?.startFailed("no notification server could be started: \(error.message)")
        }
    }

    private func startFailed(_ reason: String) {
        guard case .none = server else { return }
        problem = reason
        step { $0.startFailed(reason, at: $1) }
    }

    private func receive(_ signal: BusSignal) {
        switch DesktopSignal(signal) {
        case .closed(let id, let reason): step { $0.closed(id, reason, at: $1) }
        case .actionInvoked(let id, let key): step { $0.actionInvoked(id, key, at: $1) }
        case nil: break
        }
    }

    // MARK: The machine

    package func receive(_ event: ServiceEvent) { step { $0.receive(event, at: $1) } }

    private func step(_ body: (inout DesktopNotifications, MonotonicInstant) -> Void) {
        guard isOpen else { return }
        body(&popups, loop.now)
        drain()
    }

    /// Apart from `step`, of which the optimizer makes a copy for each closure.
    @inline(never) private func drain() {
        while let output = popups.pollOutput() { carryOut(output) }
        timer.deadline = popups.nextDeadline
        if onClose != nil, popups.isIdle { loop.execute { [weak self] in self?.finish() } }
    }

    private func carryOut(_ output: DesktopNotifications.Output) {
        switch output {
        case .start: loop.execute { [weak self] in self?.start() }
        case .post(let token, let popup): post(popup, token)
        case .ask(let token): ask(about: token)
        case .close(let id): if case .present(let calls, _) = server { calls.close(id) }
        case .withdraw(let id): if case .present(let calls, _) = server { calls.withdraw(id) }
        case .perform(let record, let action): perform(action, record)
        case .answer(let phone, let answer): self.answer(phone, answer)
        case .open(let command): clipboard.open(command)
        case .copy(let code): clipboard.copy(code, with: configuration.copy)
        case .log(let message): control?.log(message)
        }
    }

    private func post(_ popup: DesktopPopup, _ token: DesktopNotifications.PostToken) {
        guard case .present(let calls, _) = server else { return }
        calls.notify(popup) { [weak self] result in
            self?.step(from: calls) { popups, now in
                switch result {
                case .success(let id): popups.posted(token, id, at: now)
                case .failure(let failure): popups.postFailed(token, failure, at: now)
                }
            }
        }
    }

    private func ask(about token: DesktopNotifications.PostToken) {
        guard case .present(let calls, _) = server else { return }
        calls.ask { [weak self] in self?.step(from: calls) { $0.answered(token, at: $1) } }
    }

    /// A step for a reply of a server. The identifiers of an earlier one mean nothing to the present one.
    private func step(
        from calls: DesktopCalls, _ body: (inout DesktopNotifications, MonotonicInstant) -> Void
    ) {
        guard case .present(let present, _) = server, present.owner == calls.owner else { return }
        step(body)
    }

    private func answer(_ phone: String, _ answer: PairingAnswer) {
        do throws(ServiceError) {
            try control?.answerPairing(of: phone, answer, about: "")
        } catch { control?.log("an answer from the desktop failed: \(error.message)") }
    }

    private func perform(_ action: ActionID, _ record: RecordID) {
        control?.perform(action, on: record) { [weak self] result in
            guard case .failure(let error) = result else { return }
            self?.control?.log("an action from the desktop failed: \(error.message)")
        }
    }
}
