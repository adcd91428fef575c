internal import ANCSKit
internal import Printing

/// Judges the use of the Apple Media Service.
extension AccessoryGrader {
    /// How long an accessory may take to notice that the supported commands are others.
    private static let notice = Duration.seconds(2)
    /// How often within ten seconds it may ask for the position.
    private static let maximumPolls = 3
    /// How many values are a burst.
    private static let burst = 20

    mutating func mediaHappened(_ event: MediaSourceEvent, at now: MonotonicInstant) {
        switch event {
        case .subscriptionChanged(let characteristic, let isOn):
            subscribed(isOn, to: characteristic, at: now)
        case .registered(let registration, let error): registered(registration, error, at: now)
        case .asked(let attribute, let error): asked(attribute, error, at: now)
        case .read(let attribute, let part, let count): read(attribute, part, of: count, at: now)
        case .commanded(let command, let error): commanded(command, error, at: now)
        case .malformed(let octets):
            media.isUsed = true
            fail(
                .sendsWholeMediaWrites, "it wrote octets that make no sense (\(octets.hexText))",
                at: now)
            livesOn(at: now)
        case .offered(let commands): offered(commands, at: now)
        case .updated(let update): updated(update, at: now)
        }
        judgePosition(at: now)
    }

    // MARK: The phone

    mutating func mediaChanged(
        _ service: MediaService?, isAnnounced: Bool, at now: MonotonicInstant
    ) {
        closeMediaReturn(at: now, "until it was changed again")
        defer { media.service = service }
        guard let service else { return }
        media.lacksParts = service != MediaService()
        // What is not announced need not be noticed.
        if media.service != service, isAnnounced { media.returnedAt = now }
    }

    mutating func mediaFault(_ fault: ScenarioFault) {
        switch fault {
        case .media(.linkLoss): media.awaitsLinkLoss = true
        case .media(.vanishing): media.awaitsVanishing = true
        case .media(.burst): media.awaitsBurst = true
        case .positionJump: media.awaitsJump = true
        case .answer, .droppedSubscriptions, .parameters: break
        }
    }

    mutating func clearMediaFaults() {
        (media.awaitsLinkLoss, media.awaitsVanishing, media.awaitsBurst) = (false, false, false)
        media.burstCount = nil
    }

    // MARK: Setting up

    private mutating func subscribed(
        _ isOn: Bool, to characteristic: MediaCharacteristic, at now: MonotonicInstant
    ) {
        let isVanishing =
            !isOn && media.awaitsVanishing && media.service != nil && media.link.chosen != nil
        // The fault withdrew the service, and what was not read whole is no fault of the accessory.
        if isVanishing { (media.awaitsVanishing, media.service) = (false, nil) }
        switch characteristic {
        case .remoteCommand: if !isOn { media.link.offered = nil }
        case .entityUpdate:
            media.link.isSubscribedToUpdates = isOn
            if !isOn { closeUpdates(at: now) }
        }
        guard isOn else {
            if isVanishing {
                begin(.goesOnAfterMediaVanished, "AMS vanished during a read", at: now)
            }
            return
        }
        media.isUsed = true
        livesOn(at: now)
        if media.service?.absent.contains(.entityUpdate) == true { returned() }
    }

    /// The service that appeared is used.
    private mutating func returned() {
        if media.hasEverBegun, media.returnedAt != nil { card.pass(.followsMedia) }
        if media.lacksParts { card.pass(.usesMediaInParts) }
        (media.returnedAt, media.hasEverBegun) = (nil, true)
    }

    private mutating func registered(
        _ registration: EntityUpdateRegistration, _ error: MediaServiceError?,
        at now: MonotonicInstant
    ) {
        media.isUsed = true
        card.pass(.sendsWholeMediaWrites)
        let names = registration.attributeIDs.map { id in
            MediaAttribute(registration.entityID, id)
        }
        judge(names, at: now)
        judge(
            .registersAfterSubscribing, isKept: media.link.isSubscribedToUpdates,
            otherwise:
                "it registered for \(names.map(\.description).joined(separator: ", ")) without the subscription to "
                + "Entity Update", at: now)
        livesOn(at: now)
        guard error == nil else { return }
        judgeLess(registration, at: now)
        if registration.attributes.contains(.playbackInfo),
            media.link.registered.contains(.playbackInfo)
        {
            polled(at: now)
        }
        media.link.registered.subtract(.all(of: registration.entityID))
        media.link.registered.formUnion(registration.attributes)
        if registration.attributes.contains(.playerName), media.awaitsLinkLoss {
            media.awaitsLinkLoss = false
            media.lostRegistration = registration
            return
        }
        returned()
        if exchange(&media.awaitsBurst, with: false) { media.burstCount = 0 }
        if media.quirks.contains(.silentVolume), registration.attributes.contains(.volume) {
            odd("the volume is never reported", at: now)
        }
    }

    private mutating func judge(_ attributes: [MediaAttribute], at now: MonotonicInstant) {
        let reserved = attributes.filter { MediaAttributeSet($0).isEmpty }
        guard let first = reserved.first else { return card.pass(.asksForKnownMedia) }
        fail(
            .asksForKnownMedia,
            "it asked for attribute \(first.attributeID) of entity \(first.entityID.rawValue), which is reserved",
            at: now)
    }

    private mutating func judgeLess(
        _ registration: EntityUpdateRegistration, at now: MonotonicInstant
    ) {
        guard let lost = media.lostRegistration, lost.entityID == registration.entityID else {
            return
        }
        media.lostRegistration = nil
        judge(
            .asksForLessMedia, isKept: registration.attributes.isStrictSubset(of: lost.attributes),
            otherwise:
                "the link was lost right after a registration for the player's name, and it registered for the same "
                + "again", at: now)
    }

    // MARK: Values

    private mutating func updated(_ update: EntityUpdate, at now: MonotonicInstant) {
        let attribute = update.attribute
        closeTruncated(attribute, at: now)
        countBurst(at: now)
        if update.isTruncated, media.service?.absent.contains(.entityAttribute) != true {
            media.link.truncated[attribute] = now
            if UTF8Text.endsWithinCharacter(update.value) {
                begin(.survivesCutCharacters, "\(attribute) ended within a character", at: now)
            }
        }
        if media.quirks.contains(.decimalComma), update.value.contains(UInt8(ascii: ",")),
            attribute == .volume || attribute == .duration || attribute == .playbackInfo
        {
            begin(.survivesDecimalComma, "\(attribute) had a decimal comma", at: now)
        }
        if media.quirks.contains(.silentTracks), attribute == .title {
            odd("the title changed without PlaybackInfo", at: now)
        }
        guard attribute == .playbackInfo else { return }
        if exchange(&media.awaitsJump, with: false) { odd("the position jumped back", at: now) }
        let isPlaying = PlaybackInfo(decoding: update.value)?.state == .playing
        media.link.playingSince = isPlaying ? media.link.playingSince ?? now : nil
    }

    /// A burst is one when many values have been sent: what follows shows that it was survived.
    private mutating func countBurst(at now: MonotonicInstant) {
        guard let count = media.burstCount else { return }
        media.burstCount = count < Self.burst ? count + 1 : nil
        guard media.burstCount == nil else { return }
        begin(.survivesMediaBurst, "a burst of values followed a registration", at: now)
    }

    private mutating func odd(_ what: String, at now: MonotonicInstant) {
        begin(.survivesOddMedia, what, at: now)
    }

    private mutating func asked(
        _ attribute: MediaAttribute, _ error: MediaServiceError?, at now: MonotonicInstant
    ) {
        media.isUsed = true
        card.pass(.sendsWholeMediaWrites)
        judge([attribute], at: now)
        livesOn(at: now)
        if attribute == .playbackInfo, media.link.truncated[attribute] == nil { polled(at: now) }
        let before = media.link.chosen
        if let before, before != attribute {
            if media.link.readCount == 0 {
                media.link.skipped = before
            } else if media.link.isWholeRead {
                if media.link.skipped == nil { card.pass(.readsOneValueAtATime) }
            } else {
                readPart(of: before, at: now)
            }
        }
        (media.link.chosen, media.link.readCount, media.link.isWholeRead) =
            (error == nil ? attribute : nil, 0, false)
    }

    private mutating func readPart(of attribute: MediaAttribute, at now: MonotonicInstant) {
        guard media.link.truncated.removeValue(forKey: attribute) != nil else { return }
        fail(
            .readsTruncatedValues,
            "\(attribute) was truncated, and it read \(counted(media.link.readCount, "octet")) of it, which are not "
                + "all", at: now)
    }

    private mutating func read(
        _ attribute: MediaAttribute, _ part: Range<Int>, of count: Int, at now: MonotonicInstant
    ) {
        livesOn(at: now)
        if let skipped = media.link.skipped, part.lowerBound == 0, media.link.readCount > 0 {
            fail(
                .readsOneValueAtATime,
                "it chose \(skipped), then \(attribute), and read twice: both times it got \(attribute)",
                at: now)
            media.link.skipped = nil
        }
        media.link.readCount = part.upperBound
        guard part.upperBound >= count else { return }
        media.link.isWholeRead = true
        if media.link.truncated.removeValue(forKey: attribute) != nil {
            card.pass(.readsTruncatedValues)
        }
    }

    /// A truncated value is replaced, or nothing follows: was there time to read it?
    private mutating func closeTruncated(_ attribute: MediaAttribute, at now: MonotonicInstant) {
        guard let since = media.link.truncated.removeValue(forKey: attribute),
            now - since >= Self.patience
        else { return }
        fail(
            .readsTruncatedValues, "\(attribute) was sent truncated, and not read whole", at: since)
    }

    // MARK: The position

    private mutating func polled(at now: MonotonicInstant) {
        media.link.polls.removeAll { now - $0 > .seconds(10) }
        media.link.polls.append(now)
        guard media.link.polls.count > Self.maximumPolls else { return }
        fail(
            .computesPosition,
            "it asked for PlaybackInfo \(media.link.polls.count) times within 10 s, although nothing had changed",
            at: now)
        media.link.polls = []
    }

    private mutating func judgePosition(at now: MonotonicInstant) {
        guard let since = media.link.playingSince, now - since >= .seconds(10),
            media.link.registered.contains(.playbackInfo)
        else { return }
        card.pass(.computesPosition)
    }

    // MARK: Commands

    private mutating func offered(_ commands: RemoteCommandSet, at now: MonotonicInstant) {
        for octet in media.link.offered?.octets ?? [] {
            let command = RemoteCommandID(rawValue: octet)
            if !commands.contains(command) { media.link.withdrawn.insert(command) }
        }
        let still = media.link.withdrawn.octets.map { RemoteCommandID(rawValue: $0) }
        media.link.withdrawn = RemoteCommandSet(still.filter { !commands.contains($0) })
        (media.link.offered, media.link.offeredAt) = (commands, now)
    }

    private mutating func commanded(
        _ command: RemoteCommandID, _ error: MediaServiceError?, at now: MonotonicInstant
    ) {
        media.isUsed = true
        card.pass(.sendsWholeMediaWrites)
        livesOn(at: now)
        defer { media.link.sent.insert(command) }
        guard command.rawValue <= 13 else {
            return fail(
                .sendsKnownMediaCommands, "the command \(command.rawValue) is reserved", at: now)
        }
        card.pass(.sendsKnownMediaCommands)
        guard let offered = media.link.offered else {
            // It cannot have a list that nobody can subscribe to.
            guard media.service?.withoutConfiguration.contains(.remoteCommand) != true else {
                return
            }
            return fail(
                .sendsSupportedCommands,
                "\(command) arrived although it has no list of what the player supports", at: now)
        }
        if offered.contains(command) {
            card.pass(.sendsSupportedCommands)
            // It had used a command that is gone, and now uses another.
            let gone = media.link.withdrawn.octets.map { RemoteCommandID(rawValue: $0) }
            if gone.contains(where: { media.link.sent.contains($0) }) {
                card.pass(.replacesCommands)
            }
            guard error != nil else { return }
            return begin(
                .goesOnWithOldCommands, "\(command) was refused although the list had it", at: now)
        }
        // A command may cross the new list.
        guard now - media.link.offeredAt > Self.notice else { return }
        let text = "\(command) arrived, which the list of \(stamp(media.link.offeredAt)) has not"
        fail(.sendsSupportedCommands, text, at: now)
        if media.link.withdrawn.contains(command) {
            fail(.replacesCommands, text + ", but an earlier one had", at: now)
        }
    }

    // MARK: Life

    /// The accessory did something of its own accord: it continues after what went wrong before.
    private mutating func livesOn(at now: MonotonicInstant) {
        // What was sent at the same time says nothing.
        for trial in trials
        where trial.requirement.isOfMedia && now - trial.since > max(interval, .milliseconds(50)) {
            card.pass(trial.requirement)
            trials.removeAll { $0 == trial }
        }
    }

    // MARK: Ends

    private mutating func closeUpdates(at now: MonotonicInstant) {
        judgePosition(at: now)
        if let chosen = media.link.chosen, media.link.readCount > 0, !media.link.isWholeRead,
            media.service != nil
        {
            readPart(of: chosen, at: now)
        }
        for attribute in media.link.truncated.keys.sorted(byText: \.description) {
            closeTruncated(attribute, at: now)
        }
        media.link.registered = []
        (media.link.chosen, media.link.skipped, media.link.playingSince) = (nil, nil, nil)
    }

    private mutating func closeMediaReturn(at now: MonotonicInstant, _ until: String) {
        guard let returnedAt = exchange(&media.returnedAt, with: nil), media.hasEverBegun,
            now - returnedAt >= Self.patience
        else { return }
        fail(
            media.lacksParts ? .usesMediaInParts : .followsMedia,
            "AMS appeared\(media.lacksParts ? " without some of its parts" : ""), and no use of it followed \(until)",
            at: returnedAt)
    }

    /// The link ended, or the run.
    mutating func closeMedia(at now: MonotonicInstant, _ until: String) {
        closeUpdates(at: now)
        closeMediaReturn(at: now, until)
        media.link = MediaGrading.Link()
        // The faults are those of a link.
        clearMediaFaults()
    }
}
