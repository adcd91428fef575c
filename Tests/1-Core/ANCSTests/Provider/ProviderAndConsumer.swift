import Octets
import Testing

@testable import ANCS
@testable import ANCSProvider

/// A provider and a consumer with nothing but octets between them, and what happens to both drawn from
/// a seed. Texts say of which notification they are and how often it was modified, so that the test
/// knows where every octet that arrives comes from.
struct ProviderAndConsumer: ~Copyable {
    var provider: TestProvider
    var feed: NotificationFeed
    var generator: SeededGenerator
    /// What the consumer would show.
    private(set) var picture: [NotificationUID: NotificationFeed.Delivery] = [:]
    /// Which notification each identifier meant in this session.
    private(set) var announced: [NotificationUID: NotificationID] = [:]
    private(set) var openRequests: Set<RequestID> = []
    private(set) var faults: [String] = []
    private var openActions: [ProviderSession.ActionRequest] = []
    private var versions: [NotificationID: Int] = [:]

    static let installed = (0..<3).map { "com.example.app\($0)" }

    /// The app whose texts the consumer does not want.
    private let mutedApp: String?

    init(
        seed: UInt64, _ behavior: ProviderBehavior = ProviderBehavior(),
        muting mutedApp: String? = nil
    ) throws {
        generator = SeededGenerator(seed: seed)
        provider = TestProvider(behavior)
        self.mutedApp = mutedApp
        feed = Self.makeFeed(asksWhatToFetch: mutedApp != nil)
        for app in Self.installed {
            try provider.store.install(AppIdentifier(app), displayName: "name of \(app)")
        }
        provider.receive(.mtuChanged(Int.random(in: 23...80, using: &generator)))
        for _ in 0..<Int.random(in: 0...20, using: &generator) { try post() }
        connect()
    }

    private static func makeFeed(asksWhatToFetch: Bool) -> NotificationFeed {
        var configuration = NotificationFeed.Configuration(
            attributes: [.message, .appIdentifier, .title])
        configuration.asksWhatToFetch = asksWhatToFetch
        return NotificationFeed(configuration: configuration)
    }

    /// A new link: the consumer knows nothing any more.
    mutating func connect() {
        feed = Self.makeFeed(asksWhatToFetch: mutedApp != nil)
        (picture, announced, openRequests, openActions) = ([:], [:], [], [])
        feed.serviceDiscovered(hasControlPoint: true, hasDataSource: true, at: provider.now)
    }
}

// MARK: - What happens

extension ProviderAndConsumer {
    /// One change of the store, one request of the consumer, or a decision about an action.
    mutating func happen() throws {
        let id = provider.store.ids.randomElement(using: &generator)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0, 1: try post()
        case 2, 3:
            guard let id else { return }
            versions[id, default: 0] += 1
            let version = versions[id, default: 0]
            try provider.modify(id) { $0.setTexts(id, version) }
        case 4: if let id { try provider.remove(id) }
        case 5: try requestAction()
        case 6: decide()
        case _:
            let app = try AppIdentifier(
                "com.example.app\(Int.random(in: 0..<5, using: &generator))")
            openRequests.insert(try feed.fetchDisplayName(of: app, at: provider.now))
        }
    }

    private mutating func post() throws {
        // The last two are not installed.
        let app = try AppIdentifier("com.example.app\(Int.random(in: 0..<5, using: &generator))")
        var notification = ProviderNotification(
            appIdentifier: app,
            categoryID: CategoryID(rawValue: .random(in: 0...12, using: &generator)))
        if Bool.random(using: &generator) { notification.negativeActionLabel = Array("No".utf8) }
        let id = try provider.post(notification)
        try provider.modify(id) { $0.setTexts(id, 0) }
    }

    private mutating func requestAction() throws {
        guard
            let uid = picture.keys.sorted(by: { $0.rawValue < $1.rawValue })
                .randomElement(using: &generator)
        else { return }
        do throws(ConsumerSession.UsageError) {
            openRequests.insert(try feed.perform(.negative, on: uid, at: provider.now))
        } catch {
            #expect([.actionUnavailable, .alreadyPerformed, .notificationGone].contains(error))
        }
    }

    private mutating func decide() {
        guard let request = openActions.popLast() else { return }
        provider.session.actionFinished(request, performed: Bool.random(using: &generator))
    }

    /// A fault after which data may be missing, but never in the wrong place.
    mutating func goWrong() {
        let effects: [AnswerFault.Effect] = [
            .refuse(.invalidParameter), .refuse(.writeNotPermitted), .delay(.seconds(3)),
            .delay(.seconds(12)), .lose, .duplicate, .joinWithNext, .headerOnly,
            .reorder(.reversed), .fragment(.every(1)),
            .dropLink(afterOctets: Int.random(in: 0...60, using: &generator)),
        ]
        switch Int.random(in: 0..<16, using: &generator) {
        case 0: provider.session.loseSubscription(to: .notificationSource)
        case 1: provider.session.loseSubscription(to: .dataSource)
        case 2: reconnect()
        case 3: provider.session.consentChanged(Bool.random(using: &generator))
        case _:
            guard let effect = effects.randomElement(using: &generator) else { return }
            faults.append("\(effect)")
            provider.session.inject(AnswerFault(effect))
        }
    }

    mutating func reconnect() {
        provider.session.disconnected()
        feed.end(at: provider.now)
        _ = feed.drain()
        _ = provider.drain(hasRoom: false)
        connect()
    }
}

extension ProviderNotification {
    fileprivate mutating func setTexts(_ id: NotificationID, _ version: Int) {
        title = Array("\(id.rawValue)/\(version)".utf8)
        message =
            Array("\(id.rawValue)/\(version) ".utf8) + Array(repeating: 0x78, count: version * 7)
    }
}

// MARK: - What passes between them

extension ProviderAndConsumer {
    /// Lets up to `count` outputs of the provider pass; whether any did.
    mutating func pass(_ count: Int, hasRoom: Bool = true) -> Bool {
        var passed = drainFeed()
        for _ in 0..<count {
            guard let output = provider.session.pollOutput(from: provider.store, hasRoom: hasRoom)
            else { break }
            passed = true
            handle(output)
            _ = drainFeed()
        }
        return passed
    }

    /// Lets everything pass, and time with it, until nothing is left to happen.
    mutating func settle() {
        for _ in 0..<100_000 {
            while !openActions.isEmpty { decide() }
            if pass(1000) { continue }
            let deadline = MonotonicInstant.earliest(
                feed.nextDeadline, provider.session.nextDeadline)
            guard let deadline else { return }
            advance(to: deadline)
        }
        Issue.record("no rest")
    }

    mutating func advance(to instant: MonotonicInstant) {
        provider.now = max(provider.now, instant)
        provider.session.handleTimeout(at: provider.now)
        feed.handleTimeout(at: provider.now)
    }

    private mutating func handle(_ output: ProviderSession.Output) {
        switch output {
        case .link(.notify(.notificationSource, let value)):
            remember(value)
            feed.receive(.notificationSource(value), at: provider.now)
        case .link(.notify(.dataSource, let value)):
            feed.receive(.dataSource(value), at: provider.now)
        case .link(.respond(let error)):
            feed.receive(.controlPointWritten(error), at: provider.now)
        case .perform(let request):
            #expect(announced[request.notificationUID] == request.notificationID)
            openActions.append(request)
        case .dropLink:
            reconnect()
        case .started, .ended, .commandReceived, .answered:
            break
        }
    }

    /// Checks that the values of a notification come in their order (R19).
    private mutating func remember(_ octets: [UInt8]) {
        guard let value = try? NotificationSourceValue(decoding: octets.span) else {
            Issue.record("a value of \(octets.count) octets")
            return
        }
        let uid = value.notificationUID
        switch value.eventID {
        case .added:
            #expect(announced[uid] == nil)
            announced[uid] = provider.session.notificationID(of: uid)
        case _:
            #expect(announced[uid] != nil)
        }
    }

    private mutating func drainFeed() -> Bool {
        var passed = false
        while let output = feed.pollOutput() {
            passed = true
            switch output {
            case .link(.subscribe(let characteristic)):
                provider.receive(.subscribed(characteristic))
                feed.receive(.subscribed(characteristic), at: provider.now)
            case .link(.unsubscribe(let characteristic)):
                provider.receive(.unsubscribed(characteristic))
                feed.receive(.unsubscribed(characteristic), at: provider.now)
            case .link(.writeControlPoint(let value)):
                checkMuted(value)
                provider.write(value)
            case .notification(let delivery):
                show(delivery)
            case .completed(let request, _):
                #expect(openRequests.remove(request) != nil)
            case .selecting(let delivery, let known):
                let isMuted = delivery[.appIdentifier]?.text == mutedApp
                let rest = isMuted ? NotificationFeed.Selection.nothing : .everything
                feed.select(
                    known == .nothing ? .app : rest, of: delivery.source.notificationUID,
                    at: provider.now)
            case .report, .announced, .link(.readSubscription):
                break
            }
        }
        return passed
    }

    /// No text of the muted app is asked for.
    private func checkMuted(_ command: [UInt8]) {
        guard let mutedApp,
            case .getNotificationAttributes(let get)? = try? ControlPointCommand(
                decoding: command.span),
            let notification = announced[get.notificationUID].flatMap({ provider.store[$0] }),
            notification.appIdentifier.octets == Array(mutedApp.utf8)
        else { return }
        #expect(get.attributes == [.appIdentifier])
    }

    private mutating func show(_ delivery: NotificationFeed.Delivery) {
        let uid = delivery.source.notificationUID
        checkOrigin(delivery)
        picture[uid] = delivery.source.eventID == .removed ? nil : delivery
    }

    /// Whatever arrives belongs to the notification that it is shown for, and all of it to one moment.
    private func checkOrigin(_ delivery: NotificationFeed.Delivery) {
        let id = announced[delivery.source.notificationUID]?.rawValue
        let texts = [delivery[.title], delivery[.message]].compactMap { $0?.text }
        let stamps = texts.map { $0.prefix { $0 != " " } }
        #expect(
            stamps.allSatisfy {
                $0.split(separator: "/").first.map(String.init) == id.map { "\($0)" }
            })
        #expect(Set(stamps).count <= 1)
        if let app = delivery[.appIdentifier]?.text, let name = delivery.displayName?.text {
            #expect(name == (Self.installed.contains(app) ? "name of \(app)" : ""))
        }
    }
}
