internal import ANCSKit
internal import ANCSMedia
internal import ANCSTestKit

/// The time that a call took, from the phone's Added until the accessory reports it.
struct CallFigures: Sendable {
    var announced: Duration
    var added: Duration
}

extension CallFigures {
    /// Measures a call that arrives while the accessory fetches other notifications, or takes a burst of values of the
    /// phone's media, in virtual time.
    static func measure(
        waiting: Int, losesAnswer: Bool, hasMedia: Bool
    ) async throws -> CallFigures {
        try await TestBench.run { bench in
            let phone = bench.phone
            var accessory = bench.accessory
            if hasMedia {
                await accessory.stop()
                var configuration = ConsumerConfiguration(name: "Accessory")
                configuration.media = .init()
                accessory = try NotificationConsumer(configuration, at: bench.bluetooth())
                await accessory.start()
            }
            for try await event in accessory.events {
                if case .session(_, .started) = event { break }
            }
            if hasMedia { await phone.playInABurst() }
            try await phone.postAndRing(waiting: waiting, losesAnswer: losesAnswer, on: bench)
            for try await event in accessory.events {
                guard case .notification(let call) = event, call.category == .incomingCall else {
                    continue
                }
                if let failure = call.failure { throw failure }
                break
            }
            return try CallFigures(bench.events, hasMedia: hasMedia)
        }
    }

    private init(_ events: [TestEvent], hasMedia: Bool) throws {
        var (rang, announced, added): (Duration?, Duration?, Duration?)
        // Values of the media before the call, and while it is fetched.
        var (before, meanwhile) = (0, 0)
        for event in events {
            switch event.event {
            case ProviderEvent.session(_, .announced(_, let value))
            where value.categoryID == .incomingCall:
                rang = rang ?? event.time
            case ConsumerEvent.session(_, .announced): announced = event.time
            case ConsumerEvent.notification(let call) where call.category == .incomingCall:
                added = event.time
            case ProviderEvent.session(_, .media(.updated)):
                if rang == nil { before += 1 } else if added == nil { meanwhile += 1 }
            default: continue
            }
        }
        guard let rang, let announced, let added, !hasMedia || (before > 0 && meanwhile > 0) else {
            throw NotMeasured(events: events)
        }
        self.init(announced: announced - rang, added: added - rang)
    }

    /// The call did not arrive, or no media beside it.
    private struct NotMeasured: Error {
        var events: [TestEvent]
    }
}

extension NotificationProvider {
    /// What an accessory registers for is sent to it 500 times.
    fileprivate func playInABurst() {
        var player = MediaPlayer(name: "Music")
        player.queue = [MediaPlayer.Track(title: "Note G", artist: "Ada Lovelace", album: "Notes")]
        setPlayer(player)
        inject(.burst(500))
        setMediaService(MediaService())
    }

    fileprivate func postAndRing(
        waiting: Int, losesAnswer: Bool, on bench: TestBench
    ) async throws {
        let app = try AppIdentifier("com.apple.MobileSMS")
        try install(app, displayName: "Messages")
        try install(.phone, displayName: "Phone")
        for number in 0..<waiting {
            try post(
                ProviderNotification(
                    appIdentifier: app, categoryID: .social, title: "Friend \(number)",
                    message: "A message of the day, which took a while to write."))
        }
        if losesAnswer { inject(AnswerFault(.lose, count: 1)) }
        // All of them have been announced, six in each connection event of 45 ms; most have not been requested yet.
        try await bench.sleep(for: .seconds(5))
        try ring(IncomingCall(caller: "Ada"))
    }
}
