import Octets

@testable import AMS

/// A phone and an accessory whose requests meet in memory, in virtual time. What the phone sends waits until it is
/// delivered, so that a test can change things in between.
struct MediaBench: ~Copyable {
    var remote: MediaRemoteSession
    var source = MediaSourceSession()
    var media = MediaState()
    var now = MonotonicInstant.zero
    /// What each side has seen, in order.
    var events: [MediaRemoteSession.Output] = []
    var seen: [MediaSourceEvent] = []
    /// Requests that the driver of the accessory has not carried out.
    private var requests: [MediaRemoteSession.LinkRequest] = []
    /// The attribute whose read waits for its answer.
    private var readAttribute: MediaAttribute?
    private var writing: MediaRemoteSession.LinkRequest?
    var service = MediaRemoteSession.Service(
        hasRemoteCommand: true, hasEntityUpdate: true, hasEntityAttribute: true)
    var mostRequestsAtOnce = 0

    init(_ configuration: MediaRemoteSession.Configuration = .init()) {
        remote = MediaRemoteSession(configuration: configuration)
        media.playerName = .init(Array("Music".utf8))
        media.bundleIdentifier = .init(Array("com.apple.Music".utf8))
        media.playback = PlaybackInfo(.playing, rate: 1000, elapsed: .seconds(10))
        media.playbackInstant = .zero
        media.volume = 500
        media.title = .init(Array("A title that is longer than one notification".utf8))
        media.duration = .seconds(200)
        media.commands = RemoteCommandSet([.play, .pause, .nextTrack])
    }

    mutating func start() {
        remote.serviceDiscovered(service, at: now)
        settle()
    }

    mutating func change(_ attributes: MediaAttributeSet, commands: Bool = false) {
        source.changed(attributes, commands: commands)
    }

    /// Carries out everything that is possible now.
    mutating func settle() {
        var isBusy = true
        while isBusy {
            isBusy = false
            while let output = remote.pollOutput() {
                isBusy = true
                if case .link(let request) = output {
                    requests.append(request)
                } else {
                    events.append(output)
                }
            }
            mostRequestsAtOnce = max(mostRequestsAtOnce, requests.count)
            if writing == nil, !requests.isEmpty {
                isBusy = true
                carryOut(requests.removeFirst())
            }
            while let output = source.pollOutput(from: media, at: now, hasRoom: true) {
                isBusy = true
                deliver(output)
            }
        }
    }

    mutating func wait(_ duration: Duration) {
        now = now + duration
        remote.handleTimeout(at: now)
        settle()
    }

    private mutating func carryOut(_ request: MediaRemoteSession.LinkRequest) {
        switch request {
        case .subscribe(let characteristic):
            source.receive(.subscribed(characteristic), from: media)
            remote.receive(.subscribed(characteristic, errorCode: nil), at: now)
        case .register(let registration):
            writing = request
            source.receive(.entityUpdateWritten(registration.octets), from: media)
        case .readAttribute(let attribute):
            writing = request
            source.receive(
                .entityAttributeWritten([attribute.entityID.rawValue, attribute.attributeID]),
                from: media)
        case .writeCommand(let command):
            writing = request
            source.receive(.remoteCommandWritten([command.rawValue]), from: media)
        }
    }

    private mutating func deliver(_ output: MediaSourceSession.Output) {
        if case .event(let event) = output { seen.append(event) }
        guard case .link(let link) = output else { return }
        switch link {
        case .notify(.remoteCommand, let value): remote.receive(.remoteCommand(value), at: now)
        case .notify(.entityUpdate, let value): remote.receive(.entityUpdate(value), at: now)
        case .respond(let error): respond(error)
        case .answerRead(let value): endRead(value)
        case .refuseRead: endRead(nil)
        }
    }

    private mutating func respond(_ error: MediaServiceError?) {
        switch writing {
        case .register(let registration)?:
            writing = nil
            remote.receive(.registered(registration.entityID, error), at: now)
        case .readAttribute(let attribute)?:
            readAttribute = attribute
            if error == nil {
                source.receive(.entityAttributeRead(from: 0), from: media)
            } else {
                endRead(nil)
            }
        case .writeCommand(let command)?:
            writing = nil
            remote.receive(.commandWritten(command, error), at: now)
        case .subscribe?, nil: break
        }
    }

    private mutating func endRead(_ value: [UInt8]?) {
        guard let attribute = readAttribute else { return }
        (readAttribute, writing) = (nil, nil)
        remote.receive(.attributeRead(attribute, value), at: now)
    }
}
