package import DBus
/// The media of the session bus: pauses the players of this machine during calls, see ``PlayerPauses``, and shows those of
/// the phones, see ``PhonePlayer``. While nothing of it is wanted, or there is nothing to do, it is not on the bus.
package final class MediaSink: Sink, @unchecked Sendable {
    // Unchecked: confined to the loop's thread, as every sink.

    package let name = "media"
    private let control: any ServiceControl
    private let place: BusConnection.Bus
    private let directory: String
    private var configuration: ServiceConfiguration
    /// The players of the phones, by digest.
    private var players: [String: PhonePlayer] = [:]
    private var problem: String?
    private var pause = GrowingPause(first: .seconds(1), longest: .seconds(300))
    private lazy var timer = LoopTimer(on: control.loop) { [weak self] in self?.showAll() }
    private lazy var pauser = MusicPauser(
        configuration.desktop.pauseMedia, control: control, at: place, directory: directory
    ) { [weak self] owner in self?.players.values.contains { $0.owner == owner } ?? false }

    /// A sink that remembers in `directory` what it has paused.
    package init(
        _ configuration: ServiceConfiguration, control: any ServiceControl,
        at place: BusConnection.Bus = .session, directory: String
    ) {
        (self.configuration, self.control, self.place) = (configuration, control, place)
        self.directory = directory
    }

    package var status: SinkStatus {
        let pauses = configuration.desktop.pauseMedia
        let isOn = pauses != .never || configuration.media.mpris
        let problem = isOn ? problem ?? pauser.problem : nil
        let work =
            "players of this desktop pause: \(pauses.rawValue)"
            + (configuration.media.mpris ? "; those of phones are shown" : "")
        return SinkStatus(isWorking: problem == nil, message: problem ?? (isOn ? work : "off"))
    }

    package func open() {
        pauser.reportRemains()
        showAll()
    }

    package func receive(_ event: ServiceEvent) {
        switch event {
        case .call(let record, let event):
            pauser.step { pauses, _ in
                pauses.receive(event, of: record.id, isMuted: record.verdict.isMuted)
            }
        case .phone(let status): show(status)
        case .forgotten(let phone): players.removeValue(forKey: phone.digest)?.close()
        case .state(let state) where state.phase == .stopping: pauser.close()
        case .announced, .added, .modified, .removed, .pairing, .pairingStep, .pairingWindow,
            .state:
            break
        }
    }

    package func reconfigure(_ configuration: ServiceConfiguration) {
        self.configuration = configuration
        pauser.step { pauses, _ in pauses.reconfigure(configuration.desktop.pauseMedia) }
        showAll()
    }

    package func close(_ done: @escaping @Sendable () -> Void) {
        timer.deadline = nil
        pauser.close()
        closePlayers()
        control.loop.execute(done)
    }

    // MARK: The players of phones

    private func showAll() {
        guard configuration.media.mpris else { return closePlayers() }
        for status in control.phones { show(status) }
    }

    private func closePlayers() {
        for player in exchange(&players, with: [:]).values { player.close() }
    }

    private func show(_ status: PhoneStatus) {
        let digest = status.phone.digest
        guard let state = status.player, configuration.media.mpris else {
            players.removeValue(forKey: digest)?.close()
            return
        }
        if let player = players[digest] {
            if player.owner != nil { pause.reset() }
            return player.update(status.phone, state)
        }
        guard !pause.isOn(at: control.loop.now) else { return }
        do throws(IOError) {
            players[digest] = try PhonePlayer(
                status.phone, state, control: control, at: place
            ) { [weak self] reason in self?.ended(digest, reason) }
            problem = nil
        } catch { ended(digest, error.message) }
    }

    /// The bus is gone, or refuses a player.
    private func ended(_ digest: String, _ reason: String) {
        players.removeValue(forKey: digest)?.close()
        if problem != reason { control.log("the player of a phone is not shown: \(reason)") }
        problem = reason
        pause.begin(at: control.loop.now)
        timer.deadline = pause.end
    }
}
