internal import ANCSCapture
internal import AccessoryConformance
internal import BluetoothLE

/// Judges the use of ANCS and AMS by one accessory with one phone: says what a capture shows as a phone would say it.
struct SessionGrade: Sendable {
    /// How many connections are remembered, by which a later one is known.
    private static let maximumConnections = 64

    /// What is known of the present link.
    private struct Link: Sendable {
        var address: DeviceAddress?
        /// Whether all of it was seen so far.
        var isWhole = true
        var hasPaired = false
        /// Whether it is encrypted with an earlier bond, with which subscriptions last. Core Vol 3, Part G, 3.3.3.3.
        var isRestored = false
        /// Whether one of the two tried the keys of an earlier bond.
        var hasTriedKeys = false
        var isEnding = false
        /// How often the attributes of ANCS have changed since something showed that it is there.
        var changes = 0
        var isInDoubt: Bool { changes > 0 }
        var isRefused = false
        /// What the accessory has of the last answer.
        var share = CapturedAccessory.Share(values: 0, octets: 0, mayBeWhole: true)
    }

    /// The side that is the accessory, and the address of the other one; `nil` if only a link from before the capture
    /// is known.
    let side: CaptureEvent.Side
    let peer: DeviceAddress?
    private(set) var connections: [Int] = []
    private(set) var hasSession = false
    private var judge = CapturedAccessory()
    private var link: Link?

    init(_ side: CaptureEvent.Side, _ peer: DeviceAddress?) {
        (self.side, self.peer) = (side, peer)
    }

    /// The verdicts; `isAlone` says that the host that made the capture used one phone.
    func verdicts(isAlone: Bool, at now: MonotonicInstant) -> [RequirementVerdict] {
        let other = peer?.text ?? "the other side"
        let name = side == .remote ? other : isAlone ? "this side" : "this side, with \(other)"
        return judge.verdicts(of: name, at: now)
    }

    mutating func connected(
        _ facts: CaptureEvent.ConnectionFacts, _ address: DeviceAddress, _ connection: Int,
        at now: MonotonicInstant
    ) {
        connections = connections.suffix(Self.maximumConnections - 1) + [connection]
        link = Link(address: address)
        judge.observe(
            .connected(description(nil, facts.parameters.map(LinkParameters.init))), at: now)
    }

    /// A link from before the capture.
    mutating func joined(_ connection: Int) {
        connections = [connection]
        link = Link(isWhole: false)
        judge.hasEarlierSubscriptions()
    }

    /// Records of the link are missing.
    mutating func loseTrack(at now: MonotonicInstant) {
        guard link?.isWhole == true else { return }
        link?.isWhole = false
        judge.loseTrack(at: now)
    }

    private func description(
        _ identity: DeviceAddress?, _ parameters: LinkParameters? = nil
    ) -> PeerDescription {
        let address = link?.address ?? peer
        return PeerDescription(
            address: address?.text ?? "",
            hasResolvableAddress: address?.randomKind == .resolvablePrivate,
            identity: identity?.text, digest: "", link: parameters)
    }

    // MARK: What happened

    /// An event of the present link.
    mutating func observe(_ event: CaptureEvent.Event, at now: MonotonicInstant) {
        guard let link else { return }
        if judge.isFull { return loseTrack(at: now) }
        if case .serviceChanged(on: side.other, _, _) = event { judge.attributesChanged() }
        switch event {
        case .cut, .unreadable, .strayResponse: loseTrack(at: now)
        // The accessory has ANCS itself: the other side is no phone, or both are.
        case .handles(on: side, _, _): loseTrack(at: now)
        case .command(let write, let hasResponse):
            hasSession = true
            wrote(write, hasResponse, link, at: now)
        case .disconnected(let reason, _): disconnected(reason, link, at: now)
        case .disconnecting: self.link?.isEnding = true
        case .source(let octets, _) where link.isWhole:
            hasSession = true
            announced(octets, link, at: now)
        case _ where !link.isWhole: break
        case .mtu(let mtu): judge.observe(.mtuChanged(mtu), at: now)
        case .pairing(let event): follow(event, link, at: now)
        case .encryption(let change): follow(change, link, at: now)
        case .keyMissing where side == .local: lostKeys(at: now)
        case .subscription(let characteristic, let isOn):
            hasSession = true
            subscribed(characteristic, isOn, link, at: now)
        case .serviceChangedSubscription(let isOn):
            judge.observe(.serviceChangedSubscription(isOn), at: now)
        case .serviceChanged(on: side.other, _, concernsANCS: true): change(link, at: now)
        case .sessionEnded: if judge.hasSession { judge.observe(.ended, at: now) }
        case .commandResult(let write, let error, _, _): confirmed(write, error, link, at: now)
        case .answer(let answer, _): answered(answer, link, at: now)
        case .media(let event): follow(event, link, at: now)
        case .adapter, .lost, .notShown, .controllerReset, .hardwareError, .advertising, .malformed,
            .connected, .connectingFailed, .transport, .basicRate, .parametersChanged,
            .parametersWanted, .parametersAnswered, .parametersRefused, .keyMissing, .name,
            .services, .serviceMissing, .handles, .serviceChanged, .requestRefused,
            .requestUnanswered, .subscriptionRead, .sessionBegan, .source, .commandUnanswered,
            .strayAnswer:
            break
        }
    }

    private mutating func disconnected(
        _ reason: HCIStatus?, _ link: Link, at now: MonotonicInstant
    ) {
        self.link = nil
        guard link.isWhole else { return }
        // A link that is lost is nobody's fault.
        let isLeft =
            side == .local
            ? link.isEnding : !link.isEnding && reason == .remoteUserTerminatedConnection
        if !isLeft { judge.phoneDid(.linkEnd(), at: now) }
        judge.observe(.disconnected(reason.map { .link($0) } ?? .left), at: now)
    }

    // MARK: Keys

    private mutating func follow(
        _ event: CaptureEvent.PairingEvent, _ link: Link, at now: MonotonicInstant
    ) {
        switch event {
        case .succeeded(let terms):
            // Without a try of the keys, it may be the phone that has forgotten them.
            if judge.hasBond, !link.hasTriedKeys { judge.phoneDid(.bondForgotten, at: now) }
            self.link?.hasPaired = true
            judge.observe(
                .paired(description(nil), isBonded: terms.isBonding, replacing: nil), at: now)
        case .identity(of: side, let identity) where side == .remote && link.hasPaired:
            judge.observe(.paired(description(identity), isBonded: true, replacing: nil), at: now)
        case .wanted, .began, .agreed, .failed, .stopped, .unfinished, .identity, .deriving,
            .derived, .notDerived:
            break
        }
    }

    private mutating func follow(
        _ change: CaptureEvent.EncryptionChange, _ link: Link, at now: MonotonicInstant
    ) {
        guard !change.isFromPairing, !link.hasPaired else { return }
        if change.status == .success, change.isEnabled {
            self.link?.isRestored = true
            // With a bond that the capture shows from its beginning, it shows what lasts with it.
            if !judge.hasBond { judge.hasEarlierSubscriptions() }
            judge.observe(.bondRestored, at: now)
        } else if change.status == .pinOrKeyMissing, side == .remote {
            lostKeys(at: now)
        }
    }

    /// The accessory does not have the keys of its bond.
    private mutating func lostKeys(at now: MonotonicInstant) {
        link?.hasTriedKeys = true
        judge.observe(.securityFailed(.peerLostBond), at: now)
    }

    // MARK: Sessions

    private mutating func subscribed(
        _ characteristic: ANCSCharacteristic, _ isOn: Bool, _ link: Link, at now: MonotonicInstant
    ) {
        switch characteristic {
        case .dataSource: judge.observe(.subscriptionChanged(.dataSource, isOn), at: now)
        case .notificationSource:
            judge.observe(.subscriptionChanged(.notificationSource, isOn), at: now)
            guard isOn else { return }
            // What is found elsewhere is another session.
            if link.isInDoubt, judge.hasSession { judge.observe(.ended, at: now) }
            returned(link, at: now)
            if !judge.hasSession { judge.observe(.started, at: now) }
        case .controlPoint: break
        }
    }

    /// The service was there before, as a subscription that lasts shows, or a value.
    private mutating func assumeSession(_ link: Link, at now: MonotonicInstant) {
        guard link.isRestored else { return }
        if !judge.canReceiveAnswers {
            judge.assume(.subscriptionChanged(.dataSource, true), at: now)
        }
        guard !judge.hasSession else { return }
        judge.assume(.subscriptionChanged(.notificationSource, true), at: now)
        judge.assume(.started, at: now)
    }

    private mutating func announced(_ octets: [UInt8], _ link: Link, at now: MonotonicInstant) {
        assumeSession(link, at: now)
        self.link?.changes = 0
        guard judge.hasSession, let source = try? NotificationSourceValue(decoding: octets.span)
        else { return }
        judge.announced(source, at: now)
    }

    /// A change may be of anything. Where nothing of ANCS was seen between two of them, it went and returned.
    private mutating func change(_ link: Link, at now: MonotonicInstant) {
        self.link?.changes += 1
        guard link.isInDoubt else { return }
        if judge.hasSession {
            judge.assume(.subscriptionChanged(.dataSource, false), at: now)
            judge.assume(.subscriptionChanged(.notificationSource, false), at: now)
            judge.observe(.ended, at: now)
        }
        if link.changes == 1 || link.changes % 2 == 0 { judge.phoneDid(.unpublished(), at: now) }
        if link.changes % 2 == 1 { judge.phoneDid(.published(isAnnounced: true), at: now) }
    }

    /// The accessory uses ANCS again, which was announced once.
    private mutating func returned(_ link: Link, at now: MonotonicInstant) {
        self.link?.changes = 0
        guard link.changes % 2 == 1 else { return }
        if link.changes == 1 { judge.phoneDid(.unpublished(), at: now) }
        judge.phoneDid(.published(isAnnounced: true), at: now)
    }

    // MARK: Commands

    private mutating func wrote(
        _ write: CaptureEvent.Write, _ hasResponse: Bool, _ link: Link, at now: MonotonicInstant
    ) {
        guard hasResponse else {
            return judge.observe(.commandWithoutResponse(write.octets), at: now)
        }
        guard link.isWhole, !link.isInDoubt else {
            return judge.wroteSomehow(write.octets, at: now)
        }
        assumeSession(link, at: now)
        let interrupted = write.interrupted.map {
            CapturedAccessory.Share(values: $0.values, octets: $0.octets, mayBeWhole: $0.mayBeWhole)
        }
        // The accessory has what it received; what the phone sent may still be on its way.
        judge.wrote(write.octets, side == .local ? interrupted ?? link.share : nil, at: now)
        self.link?.share = .init(values: 0, octets: 0, mayBeWhole: true)
    }

    private mutating func confirmed(
        _ write: CaptureEvent.Write, _ error: ATTErrorCode?, _ link: Link, at now: MonotonicInstant
    ) {
        guard let error else {
            permitted(link, at: now)
            return judge.ended(write.octets, .performed, at: now)
        }
        // The service has gone, which the accessory could not know.
        guard error != .invalidHandle else {
            self.link?.changes = 1
            return judge.ended(write.octets, .abandoned(octets: 0), at: now)
        }
        if error == .writeNotPermitted { self.link?.isRefused = true }
        judge.ended(write.octets, .refused(ControlPointError(rawValue: error.rawValue)), at: now)
    }

    /// The user has given consent since a command was refused (S1).
    private mutating func permitted(_ link: Link, at now: MonotonicInstant) {
        guard link.isRefused else { return }
        self.link?.isRefused = false
        judge.phoneDid(.consent(true), at: now)
    }

    private mutating func answered(
        _ answer: CaptureEvent.Answer, _ link: Link, at now: MonotonicInstant
    ) {
        let octets = answer.parts.reduce(0, +)
        self.link?.share = .init(values: answer.parts.count, octets: octets, mayBeWhole: true)
        guard let identity = answer.content.identity, let attributes = answer.content.attributes
        else { return }
        permitted(link, at: now)
        judge.answered(
            about: identity, attributes, octets: octets, after: answer.duration,
            isWhole: answer.content.fault == nil, at: now)
    }

    // MARK: Media

    private mutating func follow(
        _ event: CaptureEvent.MediaEvent, _ link: Link, at now: MonotonicInstant
    ) {
        hasSession = true
        for event in MediaSourceEvent.events(event) {
            if case .registered = event, link.isRestored, !judge.isSubscribedToUpdates {
                judge.assume(.media(.subscriptionChanged(.entityUpdate, true)), at: now)
            }
            judge.observe(.media(event), at: now)
        }
    }
}

extension MediaSourceEvent {
    /// What a capture shows, as the phone's session of AMS would say it.
    fileprivate static func events(_ event: CaptureEvent.MediaEvent) -> [Self] {
        switch event {
        case .subscription(let characteristic, let isOn):
            return [.subscriptionChanged(characteristic, isOn)]
        case .supported(let commands): return [.offered(commands)]
        case .registration(let octets, let error):
            let registration = try? EntityUpdateRegistration(decoding: octets.span)
            return [
                registration.map { .registered($0, error.map(Self.error)) } ?? .malformed(octets)
            ]
        case .update(let octets):
            return (try? EntityUpdate(decoding: octets.span)).map { [.updated($0)] } ?? []
        case .command(let octets, let error):
            guard octets.count == 1 else { return [.malformed(octets)] }
            return [.commanded(RemoteCommandID(rawValue: octets[0]), error.map(Self.error))]
        // All that was read follows one choice; which others there were is not in it.
        case .value(let attribute?, let octets):
            return [.asked(attribute, nil), .read(attribute, 0..<octets.count, of: octets.count)]
        case .part(let attribute?, let octets):
            let range = 0..<octets.count
            return [.asked(attribute, nil), .read(attribute, range, of: range.upperBound + 1)]
        case .unread(let attribute?, let error): return [.asked(attribute, Self.error(error))]
        case .value, .part, .unread: return []
        }
    }

    private static func error(_ code: ATTErrorCode) -> MediaServiceError {
        MediaServiceError(rawValue: code.rawValue)
    }
}
