public import AMS
internal import LinuxIO

// What the phone plays, and the Apple Media Service.
extension NotificationProvider {
    /// The player; `nil` if there is none, which accessories are told too.
    public var player: MediaPlayer? { media.player }

    /// The time on the clock by which the player's position runs.
    public var mediaTime: MonotonicInstant { loop.now }

    /// Starts a player in place of the one before, or ends it.
    public func setPlayer(_ player: MediaPlayer?) { changeMedia { $0 = player } }

    /// Changes the player, and reports to each accessory what it has registered for. Returns `false` if there is none.
    @discardableResult public func changePlayer(
        _ change: @Sendable (inout MediaPlayer, MonotonicInstant) -> Void
    ) -> Bool {
        guard var player = media.player else { return false }
        change(&player, loop.now)
        changeMedia { $0 = player }
        return true
    }

    /// How the phone's media differ from those of a faithful one, from now on.
    public func setMediaQuirks(_ quirks: MediaQuirks) {
        media.quirks = quirks
        for peer in linkedPeers { peer.link?.media.quirks = quirks }
    }

    /// Something goes wrong once: for an accessory or, for `nil`, for each that is connected.
    public func inject(_ fault: MediaFault, at id: AccessoryID? = nil) {
        for peer in linkedPeers where id == nil || peer.id == id { peer.link?.media.inject(fault) }
    }

    /// Offers the Apple Media Service, or withdraws it for `nil`; with `announcing`, Service Changed reports it (M1).
    /// Subscriptions and registrations end with it.
    public func setMediaService(_ service: MediaService?, announcing: Bool = true) {
        media.isDecided = true
        guard media.service != service else { return }
        media.service = service
        port.setMediaService(service, announcing: announcing)
        for peer in linkedPeers {
            receive(.unsubscribed(.remoteCommand), of: peer.id)
            receive(.unsubscribed(.entityUpdate), of: peer.id)
        }
    }

    /// Offers it, unless it was offered or withdrawn before.
    package func offerMedia() { if !media.isDecided { setMediaService(MediaService()) } }

    // MARK: Links

    func receive(_ report: MediaSourceSession.LinkReport, of id: AccessoryID) {
        withLink(of: id) { $0.media.receive(report, from: media.state) }
    }

    /// How long after a value that waits for the link there is another attempt: a connection event.
    static var mediaPause: Duration { .milliseconds(30) }

    /// Carries out what an accessory's use of the media needs. Values wait until nothing else does, so that notifications
    /// overtake them.
    func drainMedia(_ peer: Peer, _ link: PeerLink) {
        while peer.link === link,
            let output = link.media.pollOutput(
                from: media.state, at: loop.now, hasRoom: port.isIdle(for: peer.id))
        {
            switch output {
            case .link(let request): port.request(request, of: peer.id)
            case .event(let event):
                report(.session(peer.id, .media(event)))
                if case .commanded(let command, nil) = event {
                    changeMedia { [now = loop.now] in $0?.obey(command, at: now) }
                }
            case .dropLink: port.disconnect(peer.id)
            case .withdraw: setMediaService(nil)
            }
        }
    }

    private func changeMedia(_ change: (inout MediaPlayer?) -> Void) {
        let before = media.state
        change(&media.player)
        media.state = media.player?.media ?? MediaState()
        if media.timer == nil {
            media.timer = LoopTimer(on: loop) { [weak self] in
                self?.assumeOnLoop { provider in
                    let now = provider.loop.now
                    provider.changeMedia { $0?.handleTimeout(at: now) }
                }
            }
        }
        media.timer?.deadline = media.player?.nextDeadline
        let changed = media.state.attributes(changedSince: before)
        let peers = linkedPeers
        for peer in peers {
            peer.link?.media.changed(changed, commands: media.state.commands != before.commands)
        }
        for peer in peers { withLink(of: peer.id) { _ in } }
    }
}

/// The media of a phone.
struct OfferedMedia {
    var player: MediaPlayer?
    /// What accessories are told of it.
    var state = MediaState()
    /// What the phone offers; `nil` for nothing.
    var service: MediaService?
    /// Whether somebody has said whether it offers it.
    var isDecided = false
    var quirks: MediaQuirks = []
    /// Runs until the end of the track.
    var timer: LoopTimer?
}
