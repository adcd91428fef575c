package import ANCSEvents
internal import LinuxIO
package import Octets

// The service of phones beside ANCS that is used, where one is: the Apple Media Service.
extension BlueZAccessory {
    package mutating func request(
        _ request: CompanionRequest, of phone: PhoneID, at now: MonotonicInstant
    ) {
        if case .find(.appleMedia) = request, companions[phone] == nil {
            companions[phone] = PhoneCompanion(allowsTextsOnBus: configuration.allowsTextsOnBus)
        }
        let route = route(at: now)
        companions[phone]?.request(request, by: route, at: now)
        settle(at: now)
    }

    mutating func eachCompanion(_ body: (inout PhoneCompanion?) -> Void) {
        for phone in companions.keys { body(&companions[phone]) }
    }

    /// They follow their phones, and what they want is carried out.
    mutating func updateCompanions(at now: MonotonicInstant) {
        for id in companions.keys.sorted(byNumber: \.rawValue) {
            guard var companion = companions[id] else { continue }
            let phone = phones.first { $0.id == id && $0.link.state != .leaving }
            let textsOnBus = configuration.allowsTextsOnBus
            let places = phone.map { tree.media(on: $0.path, textsOnBus: textsOnBus) }
            companion.changed(to: places ?? [:], at: now)
            while let output = companion.pollOutput() { carryOut(output, of: id, companion.era) }
            companions[id] = phone == nil ? nil : companion
        }
    }

    private mutating func carryOut(_ output: PhoneCompanion.Output, of phone: PhoneID, _ era: Int) {
        switch output {
        case .call(.subscription(let path, .stop))
        where daemon.owner == nil || !sockets.mayStop(path, under: circumstances): break
        case .call(let call):
            guard let bus = call.bus else { return }
            let purpose = Purpose.companion(phone, call, era: era)
            let id = self.call(bus, for: purpose, within: call.limit)
            if case .subscription(let path, .acquire) = call {
                sockets.acquires(id, of: path, under: circumstances)
            }
        case .open(let socket, let descriptor): self.output(.open(socket, descriptor))
        case .close(let socket): self.output(.close(socket))
        case .event(let event):
            if index(of: phone) != nil { self.output(.report(.companion(phone, event))) }
        }
    }
}
