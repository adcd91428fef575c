import ANCS
import BluetoothLE
import Octets

/// A link to a phone and what runs on it: ``ProviderLink`` has it secured and finds ANCS, the session speaks it,
/// the inbox says what to ask about next.
///
/// A class, because a collection of noncopyable machines does not exist; it never leaves its ``Accessory``.
final class Phone {
    /// What the phone is asked.
    enum Question {
        case nothing
        /// The attributes of a notification.
        case attributes(Inbox.Announcement, RequestID)
        /// The name of its app, which is the last thing to be known, and until when the display waits for it.
        case appName(Notice, RequestID, due: MonotonicInstant)
    }

    enum Output {
        case report(Report)
        case show(Notice)
    }

    /// Whose a procedure is.
    private enum Purpose {
        case link(ProviderLink.Purpose)
        case clock(Clock.Step)
        case media
    }

    let handle: ConnectionHandle
    var link: ProviderLink
    var session = ConsumerSession(configuration: Limits.session)
    var inbox = Inbox()
    private(set) var clock = Clock()
    private var media = Media()
    /// ANCS runs: no other phone is looked for.
    var isServing = false
    var outputs = Queue<Output>()
    /// The procedures that are under way; those without a purpose are of this class.
    private var procedures: [(id: ProcedureID, purpose: Purpose)] = []
    private var serviceChanged: AttributeHandle?
    private var question = Question.nothing
    /// What was shown without the name of its app, which may still come.
    private var nameless: (notice: Notice, request: RequestID)?
    /// The user pressed a button.
    private var action: RequestID?
    /// The phone's user does not let us ask; when to try again all the same.
    private var isHeld = false
    private var tryAgainAt = MonotonicInstant.zero

    init(_ handle: ConnectionHandle, isBonded: Bool, at now: MonotonicInstant) {
        self.handle = handle
        link = ProviderLink(isBonded: isBonded, cached: nil, at: now)
    }

    var nextDeadline: MonotonicInstant? {
        .earliest(
            .earliest(link.nextDeadline, session.nextDeadline),
            .earliest(media.nextDeadline, nameDue))
    }
    private var nameDue: MonotonicInstant? {
        if case .appName(_, _, let due) = question { due } else { nil }
    }

    func handleTimeout(at now: MonotonicInstant) {
        if let deadline = link.nextDeadline, deadline <= now { link.handleTimeout(at: now) }
        if let deadline = session.nextDeadline, deadline <= now { session.handleTimeout(at: now) }
        media.handleTimeout(at: now)
        if case .appName(let notice, let id, let due) = question, due <= now {
            question = .nothing
            nameless = (notice, id)
            show(notice)
        }
    }
}

// MARK: - What the link says

extension Phone {
    /// Carries out what the machine of the link and the session want, until they rest; whether there was anything.
    func drain(_ host: inout Host, at now: MonotonicInstant) -> Bool {
        var isActive = false
        while let output = link.pollOutput() {
            isActive = true
            handle(output, &host, at: now)
        }
        while let output = session.pollOutput() {
            isActive = true
            handle(output, at: now)
        }
        while let (step, procedure) = clock.takeProcedure() {
            isActive = true
            start(procedure, for: .clock(step), &host, at: now)
        }
        while let procedure = media.takeProcedure() {
            isActive = true
            start(procedure, for: .media, &host, at: now)
        }
        if let title = media.takeTitle() { outputs.append(.report(.playing(title))) }
        askNext(at: now)
        return isActive
    }

    private func handle(
        _ output: ProviderLink.Output, _ host: inout Host, at now: MonotonicInstant
    ) {
        switch output {
        case .requestSecurity: requestSecurity(of: &host, at: now)
        case .start(let procedure, let purpose):
            start(procedure, for: .link(purpose), &host, at: now)
        // What is kept beside the keys would wear out the flash, to save half a second.
        case .keep: break
        case .available(let hasControlPoint, let hasDataSource):
            isServing = true
            session = ConsumerSession(configuration: Limits.session, liveness: session.liveness)
            session.serviceDiscovered(
                hasControlPoint: hasControlPoint, hasDataSource: hasDataSource, at: now)
        case .waiting: outputs.append(.report(.noService))
        // It waits, as if there were none.
        case .tooManyServices: break
        case .unavailable:
            outputs.append(.report(.serviceGone))
            endSession(at: now)
        case .report(let report): session.receive(report, at: now)
        case .named(let name): outputs.append(.report(.named(name)))
        case .disconnect(let reason):
            outputs.append(.report(.ending(reason)))
            endSession(at: now)
            try? host.disconnect(handle, at: now)
        }
    }

    private func requestSecurity(of host: inout Host, at now: MonotonicInstant) {
        do throws(HostUsageError) {
            try host.pair(handle, at: now)
        } catch {
            // Otherwise the phone has begun by itself, or the link is about to end.
            if case .security(.tooSoon(let instant)) = error {
                link.securityDelayed(until: instant)
            }
        }
    }

    private func start(
        _ procedure: GATTProcedure, for purpose: Purpose, _ host: inout Host,
        at now: MonotonicInstant
    ) {
        do throws(HostUsageError) {
            procedures.append((try host.start(procedure, on: handle, at: now), purpose))
        } catch {
            ended(purpose, .failure(.closed), &host, at: now)
        }
    }

    private func ended(
        _ purpose: Purpose, _ result: Result<GATTResult, GATTFailure>, _ host: inout Host,
        at now: MonotonicInstant
    ) {
        switch purpose {
        case .link(let purpose):
            if purpose == .discoverGenericAttribute {
                followServiceChanged(in: result, &host, at: now)
            }
            link.completed(purpose, result, at: now)
        case .clock(let step):
            if clock.completed(step, result, at: now) { showClock() }
        case .media: media.completed(result, at: now)
        }
    }

    private func showClock() {
        guard let reading = clock.reading else { return }
        outputs.append(.report(.clock(reading, clock.zone)))
    }

    /// The bearer reported something.
    func receive(_ event: ATTBearer.Event, _ host: inout Host, at now: MonotonicInstant) {
        switch event {
        case .completed(let id, let result):
            guard let index = procedures.firstIndex(where: { $0.id == id }) else { return }
            ended(procedures.remove(at: index).purpose, result, &host, at: now)
        case .value(.indication(let attribute, let value)) where attribute == serviceChanged:
            let range = RemoteDatabase.affectedRange(ofServiceChanged: value.span) ?? .all
            link.servicesChanged(in: range)
            media.servicesChanged(in: range)
        case .value(.notification(let attribute, let value))
        where clock.isTime(attribute):
            if clock.receive(value, at: now) { showClock() }
        case .value(let event):
            if let report = link.report(of: event) { session.receive(report, at: now) }
            media.receive(event, at: now)
        // The host ends the link of a bearer that failed; this accessory serves nothing that changes.
        case .mtuChanged, .failed, .server: break
        }
    }

    /// Subscribes to Service Changed, so that the phone reports when ANCS comes and goes (R5). How that ends makes no difference.
    private func followServiceChanged(
        in result: Result<GATTResult, GATTFailure>, _ host: inout Host, at now: MonotonicInstant
    ) {
        guard case .success(.database(let database)) = result,
            let characteristic = database.service(.genericAttribute)?
                .characteristic(.serviceChanged),
            let descriptor = characteristic.configuration
        else { return }
        serviceChanged = characteristic.value
        _ = try? host.start(.writeValue(descriptor, [0x02, 0x00]), on: handle, at: now)
    }

    /// The link is gone.
    func ended(at now: MonotonicInstant) {
        link.ended()
        endSession(at: now)
    }
}

// MARK: - What the session says

extension Phone {
    private func endSession(at now: MonotonicInstant) {
        isServing = false
        session.end(at: now)
        forget()
    }

    private func forget() {
        inbox = Inbox()
        question = .nothing
        nameless = nil
        action = nil
        isHeld = false
    }

    private func handle(_ output: ConsumerSession.Output, at now: MonotonicInstant) {
        switch output {
        case .link(let request): link.request(request)
        case .report(let report): follow(report)
        case .event(let value): receive(value, at: now)
        case .completed(let id, let outcome): completed(id, outcome, at: now)
        // The display has shown what was true a moment ago.
        case .superseded: break
        }
    }

    private func follow(_ report: ConsumerSession.Report) {
        switch report {
        case .started:
            outputs.append(.report(.subscribed))
            if clock.reading == nil { clock.begin() }
            media.begin()
        case .authorizationChanged(let authorization): changed(authorization)
        case .livenessChanged(let liveness): outputs.append(.report(.liveness(liveness)))
        case .renewing:
            outputs.append(.report(.renewing))
            forget()
        case .subscriptionFailed: forget()
        }
    }

    private func receive(_ value: NotificationSourceValue, at now: MonotonicInstant) {
        guard value.eventID != .removed else {
            if inbox.remove(value.notificationUID) {
                outputs.append(.report(.removed(value.notificationUID)))
            }
            return
        }
        if inbox.announce(value) { outputs.append(.report(.tooMany)) }
        // Something new is reason to try again where the phone refused (S1), but not each time.
        if isHeld, tryAgainAt <= now { isHeld = false }
    }

    private func changed(_ authorization: ConsumerSession.Authorization) {
        switch authorization {
        case .unknown: break
        case .authorized:
            isHeld = false
        case .unauthorized:
            isHeld = true
            outputs.append(.report(.notAllowed))
        }
    }

    /// Asks about the next notification, one at a time.
    private func askNext(at now: MonotonicInstant) {
        guard case .nothing = question, isServing, !isHeld, !inbox.isEmpty,
            let announcement = inbox.next()
        else { return }
        do throws(ConsumerSession.UsageError) {
            let id = try session.fetch(Self.attributes, of: announcement.uid, at: now)
            question = .attributes(announcement, id)
        } catch {
            // The session begins, or begins again.
            inbox.putBack(announcement, first: true)
        }
    }

    private static let attributes: [NotificationAttributeRequest] = {
        var attributes: [NotificationAttributeRequest] = [.appIdentifier]
        if let title = try? NotificationAttributeRequest.title(maxLength: Limits.titleLength) {
            attributes.append(title)
        }
        if let message = try? NotificationAttributeRequest.message(maxLength: Limits.messageLength)
        {
            attributes.append(message)
        }
        return attributes + [.positiveActionLabel, .negativeActionLabel]
    }()

    private func completed(_ id: RequestID, _ outcome: RequestOutcome, at now: MonotonicInstant) {
        if id == action {
            action = nil
            outputs.append(.report(outcome == .performed ? .performed : .notPerformed))
            return
        }
        switch question {
        case .attributes(let announcement, id):
            question = .nothing
            attributesEnded(announcement, outcome, at: now)
        case .appName(var notice, id, _):
            question = .nothing
            if let name = Self.name(in: outcome) { notice.app = name }
            show(notice)
        case .attributes, .appName, .nothing:
            guard let (notice, request) = nameless, request == id else { return }
            nameless = nil
            guard let name = Self.name(in: outcome), inbox.shows(notice.uid) else { return }
            var update = notice
            (update.app, update.isModified) = (name, true)
            outputs.append(.show(update))
        }
    }

    private static func name(in outcome: RequestOutcome) -> [UInt8]? {
        guard case .answered(let response) = outcome,
            let name = response[AppAttributeID.displayName]?.octets, !name.isEmpty
        else { return nil }
        return name
    }

    private func attributesEnded(
        _ announcement: Inbox.Announcement, _ outcome: RequestOutcome, at now: MonotonicInstant
    ) {
        var notice = Notice(announcement)
        switch outcome {
        case .answered(let response):
            notice.take(response.attributes)
            askName(notice, at: now)
        case .performed, .failed(.removed, _), .failed(.sessionEnded, _): break
        case .failed(.refused(let error), _) where error.isAuthorization:
            tryAgainAt = now + .seconds(4)
            isHeld = true
            inbox.putBack(announcement, first: true)
        case .failed(.timedOut, _) where announcement.attempts == 0:
            var again = announcement
            again.attempts += 1
            inbox.putBack(again, first: false)
        case .failed(_, let partial):
            notice.take(partial)
            show(notice)
        }
    }

    private func askName(_ notice: Notice, at now: MonotonicInstant) {
        do throws(ControlPointCommand.UsageError) {
            let app = try AppIdentifier(octets: notice.app)
            do throws(ConsumerSession.UsageError) {
                question = .appName(
                    notice, try session.fetchDisplayName(of: app, at: now),
                    due: now + Limits.session.namePatience)
            } catch { show(notice) }
        } catch { show(notice) }
    }

    private func show(_ notice: Notice) {
        inbox.didShow(notice.uid, notice.flags)
        outputs.append(.show(notice))
    }

    /// The user pressed a button: whether there is something to act on.
    func perform(_ actionID: ActionID, at now: MonotonicInstant) -> Bool {
        guard action == nil, let uid = inbox.newest else { return false }
        do throws(ConsumerSession.UsageError) {
            action = try session.perform(actionID, on: uid, at: now)
            return true
        } catch { return false }
    }
}
