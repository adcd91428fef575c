package import ANCSEvents
package import DBus

// Which devices are phones, and what happens with them.
extension BlueZAccessory {
    /// How long before its connection a device may have been published, to count as one that connected to
    /// this device. bluetoothd does not report which side connected; a device that it connects to was
    /// published when it was discovered.
    static let freshness = Duration.seconds(2)
    /// A link that ends within this time without a session is brief.
    static let briefLink = Duration.seconds(15)

    package mutating func changed(_ change: ObjectTree.Change, at now: MonotonicInstant) {
        switch change {
        case .adapter(let path):
            noteBondsOfAdapter(path, at: now)
            adapterChanged(at: now)
            if path == adapter, let manager = tree.advertisingManagers[path] {
                advertisement.counted(manager.activeInstances, at: now)
            }
        case .device(let path):
            noteBond(of: path, at: now)
            deviceChanged(path, at: now)
            noteBasicRateBond(of: path)
            noteExcess(of: path)
        case .characteristicRemoved(let path): desk.sockets.removed(path)
        case .value(let path, let uuid, let value):
            if let index = index(at: path) { phones[index].link.receiveBroadcast(value, of: uuid) }
        case .linkEnds(let path, let reason):
            guard let index = index(at: path) else { return }
            phones[index].link.linkEnds(because: reason)
            drainPhones(at: now)
        }
    }

    /// The services beside ANCS that are used; nothing of one whose phone is left.
    private mutating func updateCompanions(at now: MonotonicInstant) {
        guard phones.contains(where: \.link.companion.isUsed) else { return }
        for index in phones.indices {
            let places = tree.media(
                on: phones[index].path, textsOnBus: configuration.allowsTextsOnBus)
            let isLeft = phones[index].link.state == .leaving
            phones[index].link.companionChanged(to: isLeft ? [:] : places, at: now)
        }
        drainPhones(at: now)
    }

    // MARK: Devices

    mutating func deviceChanged(_ path: ObjectPath, at now: MonotonicInstant) {
        pairedPhoneCount = nil
        let device = tree.devices[path]
        guard let adapter, path.isBelow(adapter) else {
            if device == nil { acquaintances[path] = nil }
            return
        }
        guard let device, device.object.isConnected else {
            acquaintances[path]?.isLeft = false
            disconnected(path, at: now)
            if device == nil {
                acquaintances[path] = nil
                desk.sockets.removed(path)
            }
            releaseSockets(of: path)
            return
        }
        if let index = index(at: path) {
            // One that another program has paired waits for a place like all others.
            guard hasRoom || !device.object.isPaired || phones[index].link.state != .stranger
            else { return }
            if phones[index].link.state == .answering, device.object.isPaired {
                let isAuthenticated = desk.agent.ended(path)
                phones[index].link.isAuthenticated = isAuthenticated
                notePairing(of: path, isAuthenticated: isAuthenticated, hasSucceeded: true, at: now)
            }
            phones[index].link.isAccepted = isAccepted(path, device.object)
            phones[index].link.isRoomLeft = hasRoom
            phones[index].link.changed(device.object, places: tree.places(on: path), at: now)
        } else if isPhone(device, at: path, now: now) {
            connected(path, device.object, at: now)
        }
    }

    /// A device is never paired just because it connects: a phone is one that has services of phones, or a
    /// new device that connected while phones were invited. bluetoothd remembers such a device for 30 s without
    /// a bond, so one that tries again is not new.
    private func isPhone(
        _ device: ObjectTree.Device, at path: ObjectPath, now: MonotonicInstant
    ) -> Bool {
        let acquaintance = acquaintances[path]
        guard !device.object.isBlocked, acquaintance?.isLeft != true,
            acquaintance?.isRefused != true
        else { return false }
        if device.object.isPaired {
            if tree.places(on: path) != nil { return true }
            return isAccepted(path, device.object)
                && (device.object.looksLikeAnAppleDevice || acquaintance?.isPairedHere == true)
        }
        // A device with a Class of Device also uses BR/EDR, or only that; iPhones use private addresses.
        guard device.object.addressType == "random" || device.object.classOfDevice == nil else {
            return false
        }
        if device.object.looksLikeAnAppleDevice { return true }
        guard advertisement.isOnAir else { return false }
        if acquaintance?.wasInvited == true { return true }
        return device.publishedAt.map { now - $0 < Self.freshness } ?? false
    }

    private mutating func connected(
        _ path: ObjectPath, _ device: DeviceObject, at now: MonotonicInstant
    ) {
        // A phone that is paired waits for a place.
        guard hasRoom || device.isPaired else { return }
        let id = makePhoneID()
        if !device.isPaired { acquaintances[path, default: Acquaintance()].wasInvited = true }
        let link = PhoneLink(
            device, places: tree.places(on: path), mayPair: window.isOpen(hasPhone: hasPairedPhone),
            wasRecovered: acquaintances[path]?.wasRecovered == true,
            requiresAuthentication: configuration.requiresAuthentication, route: route(at: now),
            allowsTextsOnBus: configuration.allowsTextsOnBus,
            failedLooks: acquaintances[path]?.failedLooks ?? 0,
            isAccepted: isAccepted(path, device), acceptsAnyBond: configuration.bonds == .any,
            isRoomLeft: hasRoom, at: now)
        output(.readSELinux)
        phones.append(Phone(id: id, path: path, link: link, connectedAt: now))
        noteExcess(of: path)
    }

    /// A device with more services of ANCS than any phone has is not received from, which is said once for its link:
    /// anybody may connect, and to look through all of them would keep the real phones waiting.
    private mutating func noteExcess(of path: ObjectPath) {
        guard tree.devices[path]?.attributes.hasTooManyServices == true,
            let index = index(at: path), !exchange(&phones[index].hasExcess, with: true)
        else { return }
        report(.tooManyServices, of: phones[index].id)
    }

    package var hasRoom: Bool { phones.count { $0.link.isServed } < configuration.maximumPhones }

    private mutating func disconnected(_ path: ObjectPath, at now: MonotonicInstant) {
        guard let index = index(at: path) else { return }
        phones[index].link.noteEnd()
        noteBriefLink(of: index, at: now)
        acquaintances[path, default: Acquaintance()].failedLooks =
            phones[index].link.keyCheck.failedLooks
        phones[index].link.end(.linkEnded)
        // The controller may have stopped advertising for the connection.
        advertisement.renew()
    }

    /// A phone that has forgotten this device connects, is refused to pair again by bluetoothd, and
    /// disconnects. Its services may be resolved meanwhile, because bluetoothd has cached them. One such link
    /// has many possible reasons, so several count.
    private mutating func noteBriefLink(of index: Int, at now: MonotonicInstant) {
        let phone = phones[index]
        guard phone.link.isFruitless, now - phone.connectedAt < Self.briefLink,
            !phone.hasKeyTrouble,
            acquaintances[phone.path, default: Acquaintance()].briefLinks.note(at: now),
            let trouble = noteKeyTrouble(.missing, of: index, at: now)
        else { return }
        report(.peer(.keyTrouble(trouble)), of: phone.id)
    }

    /// Notes trouble with the keys of a phone, once per link; returns what is news.
    private mutating func noteKeyTrouble(
        _ kind: KeyTrouble.Kind, of index: Int, at now: MonotonicInstant
    ) -> KeyTrouble? {
        guard !exchange(&phones[index].hasKeyTrouble, with: true) else { return nil }
        return acquaintances[phones[index].path, default: Acquaintance()]
            .keyTrouble.note(kind, at: now)
    }

    /// Whether a phone is paired that has, or had, ANCS.
    var hasPairedPhone: Bool {
        // A value of a phone in service must not cost a search through all devices.
        phones.contains(where: \.link.isPairedAndAvailable)
            || acceptedPhones.contains { hasANCS($0.path) }
    }

    /// The paired phones whose bonds count, but for those that are pairing.
    private var acceptedPhones: [PairedPhone] {
        let pairing = phones.filter(\.link.isPairing).map(\.path)
        return pairedPhones.filter { $0.isAccepted && !pairing.contains($0.path) }
    }

    /// The paired phones of the adapter, connected or not, in the order of their object paths.
    package var pairedPhones: [PairedPhone] {
        guard let adapter else { return [] }
        var phones: [PairedPhone] = []
        for path in tree.paired {
            let acquaintance = acquaintances[path]
            guard let device = tree.devices[path]?.object, path.isBelow(adapter),
                acquaintance?.isRefused != true,
                hasANCS(path) || acquaintance?.isPairedHere == true
            else { continue }
            phones.append(
                PairedPhone(
                    address: device.address, name: device.name, path: path,
                    isAccepted: isAccepted(path, device),
                    removal: .removal(of: path, at: adapter)))
        }
        return phones.sorted(byText: { $0.path.text })
    }

    /// How many paired phones have a place: those with ANCS, and those that are not connected.
    func countPairedPhones() -> Int {
        acceptedPhones.count {
            tree.devices[$0.path]?.object.isConnected != true || hasANCS($0.path)
        }
    }

    /// Whether a device has, or had, ANCS.
    private func hasANCS(_ path: ObjectPath) -> Bool {
        tree.devices[path]?.object.services.contains(.ancs) == true || tree.places(on: path) != nil
    }

    // MARK: Calls

    package mutating func replied(
        to call: PhoneLink.Call, of phone: PhoneID, in session: Int,
        _ result: BusResult, at now: MonotonicInstant
    ) {
        guard let index = index(of: phone) else { return }
        // ANCS accepts no subscription without encryption.
        if case .success = result, call.isSubscription { noteNewBond(of: index, at: now) }
        if call.isSubscription {
            phones[index].link.isSocketKept =
                tree.places(on: phones[index].path)?.dataSource.map(desk.sockets.isKept) ?? false
        }
        phones[index].link.replied(to: call, in: session, result, socket: makeSocketID(), at: now)
    }

    private mutating func make(_ call: PhoneLink.Call, of phone: Phone, at now: MonotonicInstant) {
        // With bluetoothd, what it keeps has gone.
        guard desk.daemon.owner != nil else { return }
        if call == .pair {
            // bluetoothd asks the agent that was registered first.
            desk.agent.register()
            drainAgent()
            makePairable()
        }
        if call == .remove { acquaintances[phone.path, default: Acquaintance()].isRefused = true }
        if call == .disconnect {
            acquaintances[phone.path, default: Acquaintance()].wasRecovered = true
        }
        let session = phone.link.session
        let reply = self.call(
            busCall(for: call, of: phone), about: call.ofSubscription,
            for: .phone(phone.id, phone.path, call, session: session), within: call.limit)
        if let reply { replied(to: call, of: phone.id, in: session, reply, at: now) }
    }

    private func busCall(for call: PhoneLink.Call, of phone: Phone) -> BusCall? {
        let places = tree.places(on: phone.path)
        switch call {
        case .pair: return .device(phone.path, "Pair")
        case .disconnect: return .device(phone.path, "Disconnect")
        case .remove: return adapter.map { .removal(of: phone.path, at: $0) }
        case .trust: return .set("Trusted", true, of: DeviceObject.interface, at: phone.path)
        case .subscription(.companion(_, let path, _), let call, _): return call.bus(path, nil)
        case .subscription(.ancs(let characteristic), let call, _):
            let place = places?[characteristic]
            return call.bus(place, place.flatMap { tree.configuration(of: $0) })
        case .request(let request): return request.bus
        case .readConfiguration(let characteristic):
            return places?[characteristic].flatMap { tree.configuration(of: $0) }.map { .read($0) }
        case .readClock(let characteristic):
            return tree.clock(on: phone.path, characteristic).map { .read($0) }
        case .followClock, .unfollowClock:
            return tree.clock(on: phone.path, .currentTime).map {
                .attribute($0, call == .followClock ? "StartNotify" : "StopNotify")
            }
        }
    }

    // MARK: Pairing

    /// bluetoothd asks our agent, or ends what it asked.
    mutating func agentCalled(_ call: BusMethodCall, _ invocation: InvocationID) {
        if let device = call.arguments.first?.objectPath,
            let index = phones.firstIndex(where: { $0.path == device && $0.link.isDiscovering })
        {
            switch call.member {
            case "RequestAuthorization" where configuration.requiresAuthentication: break
            case "RequestConfirmation", "RequestPasskey", "RequestAuthorization":
                phones[index].link.agentWasAsked()
                return desk.agent.hold(call, invocation, about: device)
            // Digits that are entered at the phone cannot wait, and it is asked again for each of them.
            case "DisplayPasskey":
                phones[index].link.agentWasAsked()
                phones[index].link.discovered()
            case _: break
            }
        }
        var pairing = Set(phones.filter { $0.link.isPairing || $0.link.isDiscovering }.map(\.path))
        if let device = phoneThatPairsAgain(call) { pairing.insert(device) }
        desk.agent.receive(call, invocation, isPairing: { pairing.contains($0) })
    }

    /// A phone that has forgotten this device pairs again on its own, and bluetoothd asks about one that it
    /// has paired. The answer is no, because an impostor with the phone's address would do the same; but while the
    /// user has opened the window, it is what the user says of the digits. Returns the phone for that.
    private mutating func phoneThatPairsAgain(_ call: BusMethodCall) -> ObjectPath? {
        guard let device = call.arguments.first?.objectPath,
            tree.devices[device]?.object.isPaired == true,
            let index = phones.firstIndex(where: { $0.path == device && !$0.link.isPairing })
        else { return nil }
        let isAboutDigits = ["RequestConfirmation", "RequestPasskey", "DisplayPasskey"]
            .contains(call.member)
        guard isAboutDigits, configuration.requiresAuthentication,
            window.isOpen(hasPhone: hasPairedPhone), !phones[index].link.hasServed
        else {
            phones[index].link.asksToPairAgain()
            return nil
        }
        phones[index].pairsAgain = true
        phones[index].link.inspect()
        return device
    }

    /// A phone without keys has some now: its user has compared digits, and the keys of the bond before are gone.
    mutating func noteNewBond(of index: Int, at now: MonotonicInstant) {
        let phone = phones[index]
        guard phone.pairsAgain, desk.agent.isAuthenticated(phone.path) else { return }
        phones[index].pairsAgain = false
        _ = desk.agent.ended(phone.path)
        notePairing(of: phone.path, isAuthenticated: true, hasSucceeded: true, at: now)
        report(.pairedAgain(identity: phone.link.device.address), of: phone.id)
    }

    /// What bluetoothd asked while services were being discovered is asked now.
    private mutating func releaseQuestions() {
        guard desk.agent.hasHeldQuestions else { return }
        let waiting = phones.filter(\.link.isDiscovering).map(\.path)
        let pairing = phones.filter(\.link.isPairing).map(\.path)
        desk.agent.release(where: { !waiting.contains($0) }, isPairing: { pairing.contains($0) })
    }

    /// Connected phones that are not paired may pair now, while there is room. Not inlined: several places call it.
    @inline(never) mutating func letPhonesPair(again: Bool, at now: MonotonicInstant) {
        guard isReady, window.isOpen(hasPhone: hasPairedPhone) else { return }
        for index in phones.indices where hasRoom {
            phones[index].link.pairingAllowed(again: again, at: now)
        }
    }

    // MARK: After each step

    /// Carries out the outputs of the machines until there are none.
    package mutating func settle(at now: MonotonicInstant) {
        guard !desk.daemon.hasFailed else { return }
        updateRoutes(at: now)
        // The agent is registered before it is needed.
        drainAgent()
        drainPhones(at: now)
        updateWindow(at: now)
        drainPhones(at: now)
        while noteUnserved(at: now) { drainPhones(at: now) }
        updateCompanions(at: now)
        releaseQuestions()
        drainAgent()
        if !phones.contains(where: \.link.isPairing) { restorePairable() }
        noteBarredPhones(at: now)
        noteDiscoverability()
        updateAdvertising()
        drainAdvertisement()
    }

    private mutating func updateWindow(at now: MonotonicInstant) {
        guard isReady else { return }
        let isOpen = window.isOpen(hasPhone: hasPairedPhone)
        guard window.shouldReport(isOpen) else { return }
        report(.device(.pairingWindow(isOpen: isOpen)))
        noteBasicRateBonds()
        letPhonesPair(again: false, at: now)
    }

    /// Removes phones that have ended; those that waited for their places get them.
    mutating func drainPhones(at now: MonotonicInstant) {
        for id in phones.map(\.id) { drain(id, at: now) }
        let count = phones.count
        phones.removeAll { $0.link.state == .ended }
        guard phones.count < count, let adapter else { return }
        let connected = tree.devices.filter { $0.value.object.isConnected }.keys
        for path in connected.sorted(byText: { $0.text }) where path.isBelow(adapter) {
            deviceChanged(path, at: now)
        }
        letPhonesPair(again: false, at: now)
        for id in phones.map(\.id) { drain(id, at: now) }
    }

    private mutating func drain(_ id: PhoneID, at now: MonotonicInstant) {
        while let index = index(of: id), let output = phones[index].link.pollOutput() {
            let phone = phones[index]
            switch output {
            case .call(let call): make(call, of: phone, at: now)
            case .inspect: self.output(.report(.inspect(id, address: phone.link.device.address)))
            case .open(let socket, let descriptor): self.output(.open(socket, descriptor))
            case .close(let socket): self.output(.close(socket))
            case .companion(let event): self.output(.report(.companion(id, event)))
            case .event(let event):
                if event == .peer(.disconnected(.left)) {
                    acquaintances[phone.path, default: Acquaintance()].isLeft = true
                }
                if case .peer(.disconnected) = event { _ = desk.agent.ended(phone.path) }
                if case .peer(.keyTrouble(let trouble)) = event {
                    let news = noteKeyTrouble(trouble.kind, of: index, at: now)
                    if let news { report(.peer(.keyTrouble(news)), of: id) }
                } else {
                    report(event, of: id)
                }
            }
        }
        guard let index = index(of: id), phones[index].link.isServing else { return }
        acquaintances[phones[index].path]?.wasRecovered = false
        acquaintances[phones[index].path]?.keyTrouble = KeyTroubleRecord()
        acquaintances[phones[index].path]?.briefLinks = BriefLinks()
    }
}
