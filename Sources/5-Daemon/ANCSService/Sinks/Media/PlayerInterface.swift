internal import AMS
internal import DBus

// The interfaces of a phone's player: Media Player Remote Interfacing Specification 2.2.

extension BusInterface<PhonePlayer> {
    static let playerRoot = BusInterface(
        name: MPRIS.root,
        // Without effect, as `CanRaise` and `CanQuit` say.
        methods: ["Raise", "Quit"].map { name in Method(name: name) { _, _ in [] } },
        properties: [
            Property(name: "Identity", type: "s") { .string($0.view.identity) },
            Property(name: "DesktopEntry", type: "s") { _ in .string("ancs") },
        ]
            + ["CanQuit", "CanRaise", "HasTrackList"].map { name in
                Property(name: name, type: "b") { _ in .bool(false) }
            }
            + ["SupportedUriSchemes", "SupportedMimeTypes"].map { name in
                Property(name: name, type: "as") { _ in .strings([]) }
            })

    static let player = BusInterface(
        name: MPRIS.player,
        methods: [
            command("Next") { $0.supported(.nextTrack) },
            command("Previous") { $0.supported(.previousTrack) }, command("Play") { $0.play },
            command("Pause") { $0.pause },
            // A phone's player cannot be stopped.
            command("Stop") { $0.pause }, command("PlayPause") { $0.playPause },
            Method(name: "Seek", arguments: [Argument("Offset", "x")]) { object, values, reply in
                let isForward = values[0].integer ?? 0 > 0
                object.send(object.view.supported(isForward ? .skipForward : .skipBackward), reply)
            },
            // Without effect, as `CanSeek` says.
            Method(
                name: "SetPosition",
                arguments: [Argument("TrackId", "o"), Argument("Position", "x")]
            ) { _, _ in [] },
            Method(name: "OpenUri", arguments: [Argument("Uri", "s")]) { object, _, reply in
                object.send(nil, reply)
            },
        ],
        properties: [
            Property(name: "PlaybackStatus", type: "s") {
                .string($0.view.playbackStatus.rawValue)
            },
            Property(
                name: "LoopStatus", type: "s", value: { .string($0.view.loopStatus) },
                set: { object, value throws(ServiceError) in
                    let words = PlayerView.loopStatuses
                    guard let mode = words.firstIndex(of: value.string ?? "") else {
                        throw .invalid("LoopStatus must be \(words.joined(separator: ", "))")
                    }
                    object.aim(.loop, at: mode)
                }),
            Property(
                name: "Shuffle", type: "b",
                value: { .bool($0.view.state.shuffleMode.map { $0 != .off } ?? false) },
                set: { $0.aim(.shuffle, at: $1.bool == true ? 1 : 0) }),
            Property(
                name: "Volume", type: "d",
                value: { .double($0.view.state.volume.map { Double($0) / 1000 } ?? 1) },
                set: { object, value in
                    guard case .double(let volume) = value, volume.isFinite else { return }
                    object.aim(.volume, at: Int(max(0, min(volume, 1)) * 1000))
                }),
            Property(name: "Rate", type: "d", value: { .double($0.view.rate) }, set: { _, _ in }),
            Property(name: "MinimumRate", type: "d") { .double($0.view.rate) },
            Property(name: "MaximumRate", type: "d") { .double($0.view.rate) },
            Property(name: "Metadata", type: "a{sv}") { $0.view.metadata },
            Property(name: "Position", type: "x", isReported: false) {
                .int64($0.view.position(at: $0.now))
            },
            ability("CanGoNext") { $0.supported(.nextTrack) },
            ability("CanGoPrevious") { $0.supported(.previousTrack) },
            ability("CanPlay") { $0.supported(.play, .togglePlayPause) },
            ability("CanPause") { $0.supported(.pause, .togglePlayPause) },
            Property(name: "CanSeek", type: "b") { _ in .bool(false) },
            Property(name: "CanControl", type: "b") { _ in .bool(true) },
        ],
        signals: [Signal(name: "Seeked", arguments: [Argument("Position", "x")])])

    private static func command(
        _ name: String, _ command: @escaping @Sendable (PlayerView) -> RemoteCommandID?
    ) -> Method {
        Method(name: name) { object, _, reply in object.send(command(object.view), reply) }
    }

    private static func ability(
        _ name: String, _ command: @escaping @Sendable (PlayerView) -> RemoteCommandID?
    ) -> Property { Property(name: name, type: "b") { .bool(command($0.view) != nil) } }
}
