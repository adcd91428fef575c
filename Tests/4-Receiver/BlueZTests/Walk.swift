import ANCSEvents
import ANCS
import BluetoothLE
import DBus
import Octets
import Testing

@testable import BlueZ

/// All that can happen to an accessory, and what must always be so.
final class Walk: RandomWalk<BenchLine> {
    /// What a phone is, and what its session has asked.
    struct Phone {
        var device: String
        var isAvailable = false
        var standing: Set<Bench.Characteristic> = []
        var awaited: Set<Bench.Characteristic> = []
        var ending: Set<Bench.Characteristic> = []
        var isWriting = false
        var isClockRead = false
        /// What it has said of its media, and what was asked of them.
        var media = WalkedMedia()
    }

    static let devices = ["dev_1", "dev_2", "dev_3"]
    /// Devices that nothing may be done at.
    static let others = ["keyboard", "headset", "sensor"]

    let bench: Bench
    var phones: [UInt64: Phone] = [:]
    private var ended: Set<UInt64> = []
    /// Devices whose link was ended from here, and that had no session since.
    var recovered: Set<String> = []
    var invocations: Set<InvocationID> = []
    private var lastInvocation: UInt64 = 1_000_000
    private var questions: [UInt64] = []
    private var isReady = false
    private var owners = 0
    private(set) var served = 0
    /// How often media were subscribed to.
    private(set) var mediaUsed = 0
    var sockets: SocketWatch
    private let maximumPhones: Int

    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var configuration = BlueZAccessory.Configuration(name: "desk lamp")
        configuration.maximumPhones = Int.random(in: 1...2, using: &generator)
        configuration.pairingWindow =
            [.open, .untilPhoneIsBonded, .closed].randomElement(using: &generator) ?? .open
        configuration.allowsTextsOnBus = Bool.random(using: &generator)
        sockets = SocketWatch(allowsTextsOnBus: configuration.allowsTextsOnBus)
        maximumPhones = configuration.maximumPhones
        bench = Bench(configuration)
        super.init(seed: seed, generator)
    }

    // MARK: The checks

    func did(_ what: String, _ lines: [Bench.Line]) {
        note(what, lines, limit: 300)
        for line in lines where !isFailed { check(line) }
        sockets.note(bench.pending)
        let count = phones.values.count { $0.isAvailable }
        if count > maximumPhones { fail("there are \(count) sessions") }
    }

    private func check(_ line: Bench.Line) {
        switch line {
        case .call(let text): checkCall(text)
        case .answer(let invocation, _):
            if invocations.remove(invocation) == nil { fail("a call is answered twice") }
        case .event(.phone(let id, let event)): check(event, id.rawValue)
        case .event(.ready):
            if isReady { fail("it is ready twice") }
            isReady = true
        case .event(.resetting): isReady = false
        case .event(.failed): isFailed = true
        case .companion(let id, let event): check(event, id.rawValue)
        case .event, .open, .close: break
        }
    }

    private func checkCall(_ text: String) {
        let words = text.split(separator: " ")
        guard let member = words.first, let object = words.last else { return }
        let device = String(object.split(separator: "/").first ?? "")
        if bench.owner == nil, member != "GetManagedObjects" { fail("nobody is there for \(text)") }
        if let fault = sockets.fault(of: text, at: bench.now) { fail(fault) }
        if Self.others.contains(device) { fail("\(text) is called at what is no phone") }
        switch member {
        case "Pair":
            let object = bench.objects[Bench.path(device)]?[Bench.device]
            if object?["Paired"] == .bool(true) { fail("\(device) is paired already") }
        case "Disconnect":
            if !recovered.insert(device).inserted { fail("\(device) is disconnected twice") }
        case "AcquireNotify", "StartNotify", "WriteValue", "ReadValue":
            let isOfMedia = object.contains("/service0030/")
            if !phones.values.contains(where: {
                $0.device == device && (isOfMedia ? $0.media.isAvailable : $0.isAvailable)
            }) {
                fail("\(text) without a session")
            }
        case _: break
        }
    }

    private func check(_ event: PhoneEvent, _ id: UInt64) {
        if case .connected(let address, _) = event {
            if phones[id] != nil || ended.contains(id) { fail("phone \(id) is connected twice") }
            phones[id] = Phone(device: "dev_\(address.suffix(1))")
            return
        }
        guard var phone = phones[id] else { return fail("phone \(id) is not connected: \(event)") }
        switch event {
        case .service(.available):
            if phone.isAvailable { fail("phone \(id) is available twice") }
            phone = Phone(device: phone.device, isAvailable: true, media: phone.media)
        case .service(.unavailable):
            if !phone.isAvailable { fail("phone \(id) is unavailable twice") }
            phone = Phone(device: phone.device, media: phone.media)
        case .service(.link(let report)): check(report, &phone)
        case .service(.clockValue), .service(.clockRead):
            if !phone.isAvailable { fail("a clock without a session") }
            if event == .clockRead, !phone.isClockRead { fail("nobody read the clock") }
            if event == .clockRead { phone.isClockRead = false }
        case .ask(let question): questions.append(question.id)
        case .askAboutBond(let question, _, _): questions.append(question)
        case .peer(.disconnected):
            phones[id] = nil
            ended.insert(id)
            return
        case .connected, .peer, .service(.waiting), .paired, .pairedAgain,
            .isBroadcast, .textsRefused, .isTaken, .hung, .discoveredEarly, .dropped,
            .tooManyServices:
            break
        }
        phones[id] = phone
    }

    private func check(_ event: CompanionEvent, _ id: UInt64) {
        if let fault = phones[id]?.media.fault(of: event) { fail("phone \(id): \(fault)") }
        if phones[id] == nil { fail("\(event) of phone \(id), which is not connected") }
        if case .subscribed(_, nil) = event { mediaUsed += 1 }
    }

    private func check(_ report: ConsumerSession.LinkReport, _ phone: inout Phone) {
        if !phone.isAvailable { fail("a report without a session: \(report)") }
        switch report {
        case .subscribed(let characteristic):
            if phone.awaited.remove(characteristic) == nil { fail("nobody awaits \(report)") }
            phone.standing.insert(characteristic)
            if characteristic == .notificationSource { recovered.remove(phone.device) }
            if phone.standing.count == 2 { served += 1 }
        case .subscriptionRefused(let characteristic, _):
            if phone.awaited.remove(characteristic) == nil { fail("nobody awaits \(report)") }
        case .unsubscribed(let characteristic):
            if phone.ending.remove(characteristic) == nil { fail("nobody awaits \(report)") }
        case .controlPointWritten:
            if !phone.isWriting { fail("nobody awaits \(report)") }
            phone.isWriting = false
        case .notificationSource:
            if !phone.standing.contains(.notificationSource) { fail("a value too early") }
        case .dataSource:
            if !phone.standing.contains(.dataSource) { fail("a value too early") }
        case .subscriptionRead: break
        }
    }

    // MARK: The steps

    func run(steps: Int) {
        begin()
        // Most starts succeed.
        while !chance(8), !bench.pending.isEmpty { answerWell(0) }
        for _ in 0..<steps where !isFailed { step() }
    }

    private func step() {
        // The kernel tells every user, or none.
        bench.isEncrypted = chance(20) ? false : chance(2) ? true : nil
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<35: answerOne()
        case 35..<46: changeDevice()
        case 46..<55: changeServices()
        case 55..<60: values()
        case 60..<71: session()
        case 71..<75: media()
        case 75..<80: user()
        case 80..<84: agentIsCalled()
        case 84..<87: changeAdapter()
        case 87..<88: if chance(4) { restart() }
        case 88..<89: did("sleep", bench.prepareForSleep(chance(2)))
        case 89..<92: socket()
        case _: did("wait", bench.wait(.milliseconds(Int.random(in: 0...8_000, using: &generator))))
        }
    }

    private static let errors: [BusError] = [
        BusError(BusError.noReply), BusError(BusError.unknownObject),
        .blueZ("Failed", "Not connected"), .blueZ("NotConnected"), .blueZ("InProgress"),
        .blueZ("NotPermitted", "Notify acquired"), .blueZ("NotPermitted", "Not paired"),
        .blueZ("AlreadyExists"), .blueZ("AuthenticationFailed"), .blueZ("DoesNotExist"),
        .blueZ("Failed", "Operation failed with ATT error: 0xa2"),
    ]

    private func answerOne() {
        guard let index = bench.pending.indices.randomElement(using: &generator) else { return }
        if chance(8) {
            let text = bench.pending[index].text
            sockets.answered(bench.pending[index], isGiven: false)
            did("\(text) is not answered", bench.finish(at: index, .failure(Self.errors[0])))
        } else if chance(5), let error = any(Self.errors) {
            sockets.answered(bench.pending[index], isGiven: false)
            did(
                "\(bench.pending[index].text) ✗ \(error.name)",
                bench.finish(at: index, .failure(error)))
        } else {
            answerWell(index)
        }
    }

    /// bluetoothd does what it is asked.
    func answerWell(_ index: Int) {
        let call = bench.pending[index]
        let values: [BusValue]
        switch call.call.member {
        case "GetManagedObjects": values = [bench.managedObjects]
        case "AcquireNotify": values = [.descriptor(Bench.descriptor), .uint16(185)]
        case "Get": values = [.variant(.byte(chance(4) ? 0 : 1))]
        case "ReadValue": values = [.octets([chance(2) ? 1 : 0, 0])]
        case "Pair":
            let device = String(call.call.path.lastElement)
            did("paired", bench.changeDevice(device, ["Paired": .bool(true)]))
            values = []
        case _: values = []
        }
        guard let index = bench.pending.firstIndex(of: call) else { return }
        sockets.answered(call, isGiven: true)
        did("\(call.text) ✓", bench.finish(at: index, .success(values)))
    }

    func address(_ device: String) -> String { "5A:00:00:00:00:0\(device.suffix(1))" }

    private func changeDevice() {
        guard bench.owner != nil, let device = any(Self.devices + Self.others) else { return }
        guard bench.objects[Bench.path(device)] != nil else { return appear(device) }
        switch Int.random(in: 0..<12, using: &generator) {
        case 0..<5: did("\(device) connects", bench.connect(device))
        case 5: did("\(device) goes", bench.disconnect(device))
        case 6..<9: did("\(device) is resolved", bench.resolve(device))
        case 9 where chance(2):
            let unresolved = ["ServicesResolved": BusValue.bool(false)]
            did("\(device) is not resolved", bench.changeDevice(device, unresolved))
        case 9:
            did(
                "\(device) has a name",
                bench.changeDevice(device, ["Name": .string("n\(chance(2))")]))
        case 10:
            guard Self.devices.contains(device) else { return }
            did("\(device) is paired", bench.changeDevice(device, ["Paired": .bool(!chance(3))]))
        case _:
            guard chance(3) else { return }
            did("\(device) is removed", bench.remove(Bench.path(device)))
            // What is new has no past.
            recovered.remove(device)
        }
    }

    private func appear(_ device: String) {
        var properties: [String: BusValue] = ["Address": .string(address(device))]
        switch device {
        case "keyboard":
            properties["Paired"] = .bool(true)
            properties["AddressType"] = .string("public")
        case "headset":
            properties["AddressType"] = .string("public")
            properties["Class"] = .uint32(0x24_0404)
        case "sensor": properties["RSSI"] = .int16(-60)
        case _:
            properties["Paired"] = .bool(chance(2))
            if chance(2) { properties["UUIDs"] = .strings([BluetoothUUID.ancs.text]) }
        }
        did(
            "\(device) appears",
            bench.addDevice(device, isConnected: chance(2), isResolved: chance(4), and: properties))
    }

    private func changeServices() {
        guard bench.owner != nil, let device = any(Self.devices) else { return }
        let service = chance(4) ? "service0040" : "service0010"
        switch Int.random(in: 0..<13, using: &generator) {
        case 10, 11: did("\(device) has media", bench.addMedia(to: device))
        case 12:
            guard let object = any(Bench.mediaObjects(of: device)) else { return }
            if chance(2) { did("media come", bench.add(object.0, object.1, object.2)) }
            if chance(2) { did("media go", bench.remove(object.0)) }
        case 0..<6: did("\(device) has ANCS", bench.addANCS(to: device, service: service))
        case 8: did("\(device) has a clock", bench.addClock(to: device))
        case 9: did("\(device) has no clock", bench.removeClock(from: device))
        case 6 where chance(3):
            did("\(device) has no ANCS", bench.removeANCS(from: device, service: service))
        case _:
            guard let object = any(Bench.ancsObjects(of: device, service: service)) else { return }
            if chance(2) {
                did("\(object.0) comes", bench.add(object.0, object.1, object.2))
            } else {
                did("\(object.0) goes", bench.remove(object.0))
            }
        }
    }

    private func values() {
        guard bench.owner != nil, let device = any(Self.devices + Self.others) else { return }
        let characteristic =
            any([
                "service0010/char0016", "service0010/char0011", "service0010/char0011",
                "service0020/char0021", "service0030/char0034",
            ]) ?? ""
        did("a value", bench.broadcast([1], of: "\(device)/\(characteristic)"))
    }

    private func socket() {
        guard let socket = any(bench.sockets) else { return }
        if chance(3) {
            did("\(socket) hangs up", bench.input { $0.hungUp(socket, at: $1) })
        } else {
            did("\(socket) has a value", bench.input { $0.receive([1], from: socket, at: $1) })
        }
    }

    private func session() {
        let sessions = phones.filter { $0.value.isAvailable }
        guard let id = any(sessions.keys.sorted()), let phone = phones[id],
            let characteristic = any([Bench.Characteristic.dataSource, .notificationSource])
        else { return }
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<6:
            guard phone.awaited.isEmpty, phone.ending.isEmpty,
                !phone.standing.contains(characteristic)
            else { return }
            phones[id]?.awaited.insert(characteristic)
            did("\(id) subscribes", bench.request(.subscribe(characteristic), of: id))
        case 6 where chance(3):
            guard phone.ending.isEmpty else { return }
            phones[id]?.ending.insert(characteristic)
            phones[id]?.awaited.remove(characteristic)
            phones[id]?.standing.remove(characteristic)
            did("\(id) unsubscribes", bench.request(.unsubscribe(characteristic), of: id))
        case 7 where chance(2):
            did("\(id) reads", bench.request(.readSubscription(characteristic), of: id))
        case 7:
            phones[id]?.isClockRead = true
            did("\(id) reads the clock", bench.readClock(of: id))
        case _:
            guard !phone.isWriting else { return }
            phones[id]?.isWriting = true
            did("\(id) writes", bench.request(.writeControlPoint([0]), of: id))
        }
    }

    /// The media of a phone are asked for something, once they were looked for.
    private func media() {
        guard let id = any(phones.keys.sorted()), let phone = phones[id],
            phone.isAvailable || phone.media.isLookedFor,
            let request = phone.media.request(using: &generator)
        else { return }
        phones[id]?.media.requested(request)
        did("\(id): \(request)", bench.ask(request, of: id))
    }

    private func user() {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: did("open", bench.input { $0.openPairingWindow(for: .seconds(5), at: $1) })
        case 1: did("open", bench.input { $0.openPairingWindow(for: nil, at: $1) })
        case 2: did("close", bench.input { $0.closePairingWindow(at: $1) })
        case 3:
            guard chance(3), let id = any(phones.keys.sorted()) else { return }
            did("leave \(id)", bench.input { $0.leave(PhoneID(rawValue: id), at: $1) })
        case _:
            let answers: [PairingReply.Answer] = [
                .confirm(true), .confirm(false), .cancel, .passkey(1),
            ]
            guard let question = any(questions.suffix(3)), let answer = any(answers) else { return }
            did("the user says", bench.input { $0.answer(question, answer, at: $1) })
        }
    }

    private func agentIsCalled() {
        let members = [
            "RequestConfirmation", "RequestPasskey", "DisplayPasskey", "RequestAuthorization",
            "AuthorizeService", "Cancel", "Release",
        ]
        guard let device = any(Self.devices + Self.others), let member = any(members) else {
            return
        }
        lastInvocation += 1
        let invocation = InvocationID(rawValue: lastInvocation)
        invocations.insert(invocation)
        let isAdvertisement = member == "Release" && chance(2)
        let call = BusMethodCall(
            from: chance(8) ? ":1.66" : bench.owner ?? ":1.66",
            isAdvertisement ? Advertisement.path : PairingAgent.path,
            isAdvertisement ? Advertisement.interface : PairingAgent.interface, member,
            [.objectPath(Bench.path(device)), .uint32(7)])
        did(member, bench.input { $0.receive(call, invocation, at: $1) })
    }

    private func changeAdapter() {
        guard bench.owner != nil else { return }
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: if chance(4) { did("off", bench.power(false)) }
        case 1: if chance(4) { did("unplugged", bench.remove("/org/bluez/hci0")) }
        case 2:
            did(
                "counted",
                bench.change(
                    "/org/bluez/hci0", Bench.advertisingManager,
                    ["ActiveInstances": .byte(chance(2) ? 0 : 1)]))
        case _:
            did(
                "on",
                bench.objects["/org/bluez/hci0"] == nil
                    ? bench.addAdapter(isPairable: chance(2)) : bench.power(true))
        }
    }

    /// bluetoothd ends, begins, or both at once.
    private func restart() {
        recovered = []
        if bench.owner == nil || chance(2) {
            begin()
        } else {
            sockets.daemonEnded(at: bench.now)
            did("it ends", bench.daemonEnds())
        }
    }

    func begin() {
        bench.objects = [:]
        sockets.daemonEnded(at: bench.now)
        owners += 1
        did("it begins", bench.ownerChanged(to: ":2.\(owners)"))
        // Most times, it has an adapter in time.
        guard owners == 1 || !chance(4) else { return }
        did("it has an adapter", bench.addAdapter(isPairable: chance(2)))
    }
}
