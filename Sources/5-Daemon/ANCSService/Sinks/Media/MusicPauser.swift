internal import DBus
internal import Glibc
internal import JSONText

/// Carries out what ``PlayerPauses`` decides, on the session bus. It is connected during a call only, and until no player
/// is paused. On the loop's thread only.
final class MusicPauser: @unchecked Sendable {
    // Unchecked: see the type's comment.

    /// How long the bus, and a player that has not been paused yet, have to answer.
    private static let patience = Duration.seconds(1)

    private let control: any ServiceControl
    private let place: BusConnection.Bus
    /// The file with the names of the players that are paused.
    private let path: String
    /// Whether a bus name belongs to a player that this program offers.
    private let isOwn: @Sendable (_ owner: String) -> Bool
    private var pauses: PlayerPauses
    private var bus: BusConnection?
    private lazy var timer = LoopTimer(on: control.loop) { [weak self] in
        self?.step { $0.handleTimeout(at: $1) }
    }

    init(
        _ setting: ServiceConfiguration.DesktopSection.PauseMedia, control: any ServiceControl,
        at place: BusConnection.Bus, directory: String,
        isOwn: @escaping @Sendable (_ owner: String) -> Bool
    ) {
        (self.control, self.place, self.isOwn) = (control, place, isOwn)
        path = directory + "/paused-players.json"
        pauses = PlayerPauses(setting)
    }

    /// What goes wrong with the bus; `nil` if nothing is known to.
    private(set) var problem: String?

    func close() {
        step { pauses, _ in pauses.stop() }
        bus?.close()
        bus = nil
    }

    func step(_ body: (inout PlayerPauses, MonotonicInstant) -> Void) {
        body(&pauses, control.loop.now)
        drain()
    }

    private func drain() {
        while let output = pauses.pollOutput() {
            switch output {
            case .search(let number): search(number)
            case .ask(let owner, let number, let isUrgent): ask(owner, number, isUrgent)
            case .pause(let owner): pause(owner)
            case .play(let owner): bus?.call(call(owner, "Play"), within: nil) { _ in }
            case .remember(let names): write(names)
            case .finish:
                bus?.close()
                bus = nil
            }
        }
        timer.deadline = pauses.nextDeadline
    }

    // MARK: The bus

    private func connect() -> BusConnection? {
        if let bus { return bus }
        do throws(IOError) {
            let bus = try BusConnection(place, on: control.loop)
            self.bus = bus
            problem = nil
            bus.open { [weak self] error in self?.ended(error.message) }
            bus.signals(
                BusMatch(
                    path: MPRIS.path, interface: MPRIS.properties, member: "PropertiesChanged",
                    argument0: MPRIS.player)
            ) { [weak self] signal in
                guard signal.arguments.count == 3,
                    let status = Self.status(signal.arguments[1].properties?["PlaybackStatus"])
                else { return }
                self?.step { pauses, _ in pauses.changed(signal.sender, to: status) }
            }
            return bus
        } catch {
            ended(error.message)
            return nil
        }
    }

    private func ended(_ message: String) {
        bus = nil
        if problem == nil { control.log("no music is paused or played again: \(message)") }
        problem = message
        step { pauses, _ in pauses.busEnded() }
    }

    private func search(_ number: Int) {
        guard let bus = connect() else { return }
        bus.call(.bus("ListNames"), within: Self.patience) { [weak self] result in
            let names = ((try? result.get())?.first?.strings ?? []).filter {
                $0.hasPrefix(MPRIS.prefix) && $0 != MPRIS.proxy
            }
            for name in names.sorted(byText: \.self).prefix(128) { self?.find(name, number) }
        }
    }

    private func find(_ name: String, _ number: Int) {
        bus?.call(.bus("GetNameOwner", [.string(name)]), within: Self.patience) {
            [weak self] result in
            guard let self, let owner = (try? result.get())?.first?.string else { return }
            let isOwn = isOwn(owner)
            step { pauses, _ in pauses.found(owner, name: name, isOwn: isOwn, number: number) }
        }
    }

    private func ask(_ owner: String, _ number: Int, _ isUrgent: Bool) {
        let call = call(
            owner, "Get", [.string(MPRIS.player), .string("PlaybackStatus")], of: MPRIS.properties)
        bus?.call(call, within: isUrgent ? Self.patience : nil) { [weak self] result in
            let status = Self.status((try? result.get())?.first)
            self?.step { $0.answered(owner, status, number: number, at: $1) }
        }
    }

    private func pause(_ owner: String) {
        bus?.call(call(owner, "Pause"), within: nil) { [weak self] result in
            var isTaken = false
            if case .success = result { isTaken = true }
            self?.step { $0.told(owner, isTaken: isTaken, at: $1) }
        }
    }

    private func call(
        _ owner: String, _ member: String, _ arguments: [BusValue] = [],
        of interface: String = MPRIS.player
    ) -> BusCall { BusCall(owner, MPRIS.path, interface, member, arguments, startsProgram: false) }

    private static func status(_ value: BusValue?) -> MPRIS.PlaybackStatus? {
        value?.string.flatMap(MPRIS.PlaybackStatus.init(rawValue:))
    }

    // MARK: The file

    /// Reports what a daemon that was killed has left paused.
    func reportRemains() {
        do throws(IOError) {
            guard let octets = try PrivateFile.read(path: path) else { return }
            let names = (try? JSONValue(parsing: octets))?.array?.compactMap(\.string) ?? []
            let players = names.map { String($0.dropFirst(MPRIS.prefix.count)) }
            control.log(
                "'ancs serve' ended during a call for which it had paused "
                    + (players.isEmpty ? "a player" : players.joined(separator: ", "))
                    + ": what is still paused does not play again by itself")
        } catch { control.log(error.message) }
        unlink(path)
    }

    private func write(_ names: [String]) {
        guard !names.isEmpty else {
            unlink(path)
            return
        }
        do throws(IOError) {
            let names = JSONValue.array(names.map { .string($0) })
            try PrivateFile.write(path: path, contents: Array((names.text + "\n").utf8))
        } catch {
            control.log("what is paused is not remembered after a restart: \(error.message)")
        }
    }
}
