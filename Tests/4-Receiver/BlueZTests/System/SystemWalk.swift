import ANCSEvents
import BluetoothLE
import DBus
import Octets
import Testing

@testable import ANCSKit
@testable import BlueZ

/// All that can happen between a system, its clients and bluetoothd, and what must always be so.
final class SystemWalk: RandomWalk<SystemBenchLine> {
    typealias Line = SystemBenchLine

    static let devices = ["dev_1", "dev_2", "dev_3", "dev_4"]
    static let clients = [SystemBench.app, SystemBench.otherApp]

    let bench: SystemBench
    private var owners = 0
    /// The requests that are not completed.
    private var open: Set<UInt64> = []
    /// How many requests have succeeded.
    private(set) var succeeded = 0
    /// The peers with links, and the clients that use them, as events say.
    private var users: [PeerKey: Set<ClientID>] = [:]
    /// The devices whose links other programs have made.
    private var foreign: Set<String> = []
    /// The devices whose `Pair` was called and is not answered.
    private var pairing: Set<String> = []
    private var sockets: Set<SocketID> = []
    private var openInvocations: Set<InvocationID> = []
    private var questions: [UInt64] = []

    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let maximumRequests = Int.random(in: 5...60, using: &generator)
        bench = SystemBench(
            maximumRequests: maximumRequests,
            maximumAbsentPeers: Int.random(in: 1...4, using: &generator), seed: seed)
        super.init(seed: seed, generator)
        bench.holdsUsage = true
    }

    // MARK: What must be so

    private func did(_ what: String, _ lines: [Line]) {
        note(what, lines, limit: 400)
        for line in lines where !isFailed { check(line) }
        let calls = Dictionary(grouping: bench.pending, by: \.text).filter { $0.value.count > 1 }
        for (text, twice) in calls where text.hasPrefix("WriteValue") || text.hasPrefix("ReadValue")
        {
            // One of an earlier link or attribute may still wait for its answer.
            if twice.count(where: { isOfThisLink($0) }) > 1 { fail("\(text) is called twice") }
        }
        if let wrong = bench.wrongUsage { fail("\(wrong) is known, and not so") }
        if bench.query({ $0.requestCount }) != open.count { fail("requests are counted wrongly") }
        if bench.query({ $0.book.peers.count }) > Self.devices.count * 3 {
            fail("there are too many peers")
        }
    }

    private func isOfThisLink(_ call: PendingCall) -> Bool {
        bench.query { system in
            guard case .own(.peer(let id, let purpose, let link))? = system.desk.pending[call.id],
                let peer = system.book.peers[id], peer.linkNumber == link
            else { return false }
            switch purpose {
            case .request(let handle, let request):
                return peer.queues[handle]?.first?.id == request.id
            // The configuration may also be read for a client.
            case .subscription(_, .tryReading), .readMTU: return false
            case .connect, .disconnect, .pair, .subscription: return true
            }
        }
    }

    private func check(_ line: Line) {
        switch line {
        case .call(let text): checkCall(text)
        case .open(let socket): sockets.insert(socket)
        case .close(let socket):
            if sockets.remove(socket) == nil { fail("a socket is closed twice") }
        case .answer(let invocation, _):
            if openInvocations.remove(invocation) == nil { fail("a call is answered twice") }
        case .completed(let request, let result):
            if open.remove(request) == nil { fail("request \(request) is completed twice") }
            if case .success = result { succeeded += 1 }
        case .event(let event): check(event)
        case .remember, .rememberEnds: break
        }
    }

    private func checkCall(_ text: String) {
        if bench.owner == nil, !text.hasPrefix("GetManagedObjects") {
            fail("nobody is there for \(text)")
        }
        let words = text.split(separator: " ")
        guard let member = words.first, let object = words.last else { return }
        let device = String(object.split(separator: "/").first ?? "")
        let properties = bench.objects[Bench.path(device)]?[Bench.device] ?? [:]
        switch member {
        case "ReadValue", "WriteValue", "AcquireNotify", "StartNotify":
            if properties["Connected"] != .bool(true) { fail("\(text) on a dead link") }
            if properties["ServicesResolved"] != .bool(true) { fail("\(text) without services") }
            let path = ObjectPath("/org/bluez/hci0/\(object)") ?? .root
            if bench.objects[path] == nil { fail("\(text) of an object that is gone") }
            if pairing.contains(device) { fail("\(text) while it pairs") }
        case "Pair":
            pairing.insert(device)
            if properties["Paired"] == .bool(true) { fail("\(device) is paired already") }
            if properties["Connected"] != .bool(true) { fail("\(text) on a dead link") }
        case "Disconnect":
            if foreign.contains(device) { fail("\(text) of another program's link") }
            let isUsed = bench.query { $0.book.peers[peer(device)]?.isUsedByOthers == true }
            if isUsed, properties["Connected"] == .bool(true) { fail("\(text), which is in use") }
        case "Connect": if properties["Connected"] == .bool(true) { fail("\(text) of a link") }
        case _: break
        }
    }

    private func check(_ said: SystemSays) {
        switch said.event {
        case .link(let peer, .up):
            if users[peer] != nil { fail("\(peer) is connected twice") }
            users[peer] = []
        case .link(let peer, .connected):
            if users[peer] == nil { fail("\(peer) has no link") }
            if let client = said.client { users[peer]?.insert(client) }
        case .link(let peer, .down):
            if users.removeValue(forKey: peer) == nil { fail("\(peer) has no link") }
            pairing = pairing.filter { isConnected($0) }
        case .value(let peer, _), .link(let peer, .servicesChanged), .link(let peer, .mtuChanged),
            .link(let peer, .unsubscribed), .security(let peer, .failed),
            .security(let peer, .paired), .link(let peer, .hasRoom):
            if users[peer] == nil { fail("\(said) without a link") }
        // bluetoothd refused the first look: the last event.
        case .controller(.failed): isFailed = true
        case .controller(.stateChanged(let state, _)):
            pairing = []
            if state != .poweredOn, !users.isEmpty { fail("links survive \(state)") }
        case .security(_, .ask(_, let question)): questions.append(question)
        case .controller, .scan, .link, .peer, .security, .server, .advertising: break
        }
    }

    // MARK: The steps

    func run(steps: Int) {
        begin()
        while !chance(8), !bench.pending.isEmpty { answerWell(0) }
        for _ in 0..<steps where !isFailed { step() }
    }

    private func step() {
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<30: answerOne()
        case 30..<44: changeDevice()
        case 44..<50: changeAttributes()
        case 50..<54: values()
        case 54..<66: links()
        case 66..<84: requests()
        case 84..<88: scans()
        case 88..<90: user()
        case 90..<92: if chance(3) { did("adapter", bench.power(!chance(3))) }
        case 92..<93: if chance(2) { restart() }
        case _: wait(.milliseconds(Int.random(in: 0...9_000, using: &generator)))
        }
    }

    private func wait(_ duration: Duration) { did("wait \(duration)", bench.wait(duration)) }

    private static let errors: [BusError] = [
        BusError(BusError.noReply), BusError(BusError.unknownObject),
        .blueZ("Failed", "Not connected"), .blueZ("NotConnected"), .blueZ("InProgress"),
        .blueZ("NotPermitted", "Notify acquired"), .blueZ("NotPermitted", "Not paired"),
        .blueZ("NotPermitted", "Write acquired"), .blueZ("AlreadyExists"),
        .blueZ("AuthenticationFailed"), .blueZ("NotReady"), .blueZ("NotSupported"),
        .blueZ("Failed", "Operation failed with ATT error: 0x81"),
    ]

    private func answerOne() {
        guard let index = bench.pending.indices.randomElement(using: &generator) else { return }
        let text = bench.pending[index].text
        answered(text)
        if chance(12) {
            did("\(text) is lost", bench.finish(at: index, .failure(Self.errors[0])))
        } else if chance(4), let error = any(Self.errors) {
            did("\(text) ✗ \(error)", bench.finish(at: index, .failure(error)))
        } else {
            answerWell(index)
        }
    }

    private func answered(_ text: String) {
        let words = text.split(separator: " ")
        if words.first == "Pair", let device = words.last { pairing.remove(String(device)) }
    }

    /// bluetoothd does what it is asked.
    func answerWell(_ index: Int) {
        let call = bench.pending[index]
        let device = String(call.call.path.text.split(separator: "/").dropFirst(3).first ?? "")
        var values: [BusValue] = []
        switch call.call.member {
        case "GetManagedObjects": values = [bench.managedObjects]
        case "AcquireNotify": values = [.descriptor(Bench.descriptor), .uint16(185)]
        case "ReadValue": values = [.octets([1])]
        case "Pair" where bench.objects[Bench.path(device)] != nil:
            did("paired", bench.changeDevice(["Paired": .bool(true)], of: device))
        case "Connect" where bench.objects[Bench.path(device)] != nil:
            if !isConnected(device) { comesUp(device) }
        case "Disconnect": if isConnected(device) { goesDown(device) }
        case _: break
        }
        guard let index = bench.pending.firstIndex(of: call) else { return }
        answered(call.text)
        did("\(call.text) ✓", bench.finish(at: index, .success(values)))
    }

    // MARK: Devices

    private func isConnected(_ device: String) -> Bool {
        bench.objects[Bench.path(device)]?[Bench.device]?["Connected"] == .bool(true)
    }

    private func peer(_ device: String) -> PeerKey {
        bench.query { $0.book.id(at: Bench.path(device)) } ?? bench.peer(device)
    }

    private func comesUp(_ device: String) {
        // Without a call for it, another program has made it; its reply may still say so.
        let calls = bench.pending.contains { $0.text == "Connect \(device)" }
        if !calls { foreign.insert(device) }
        did("\(device) connects", bench.linkUp(device))
    }

    private func goesDown(_ device: String) {
        let reason = any(["Local", "Remote", "Timeout"])
        did("\(device) goes", bench.linkDown(device, reason: chance(2) ? reason : nil))
        foreign.remove(device)
    }

    private func changeDevice() {
        guard bench.owner != nil, let device = any(Self.devices) else { return }
        guard bench.objects[Bench.path(device)] != nil else {
            if chance(3) { foreign.insert(device) }
            let lines = bench.addDevice(
                device, isConnected: foreign.contains(device), isPaired: chance(3))
            return did("\(device) appears", lines)
        }
        switch Int.random(in: 0..<12, using: &generator) {
        case 0..<3: if !isConnected(device) { comesUp(device) }
        case 3: if isConnected(device) { goesDown(device) }
        case 4..<9: if isConnected(device) { did("\(device) resolved", bench.resolve(device)) }
        case 9:
            did("\(device) heard", bench.changeDevice(["RSSI": .int16(-60)], of: device))
        case 10:
            did("\(device) paired", bench.changeDevice(["Paired": .bool(!chance(3))], of: device))
        case _:
            guard chance(3) else { return }
            did("\(device) objects", bench.removeAttributes(from: device))
            did("\(device) removed", bench.remove(Bench.path(device)))
            foreign.remove(device)
        }
    }

    private func changeAttributes() {
        guard bench.owner != nil, let device = any(Self.devices),
            bench.objects[Bench.path(device)] != nil,
            let object = any(SystemBench.attributes(of: device))
        else { return }
        switch Int.random(in: 0..<6, using: &generator) {
        case 0..<4: did("\(device) has attributes", bench.addAttributes(to: device))
        case 4: did("\(object.0) goes", bench.remove(object.0))
        case _: did("\(object.0) comes", bench.add(object.0, object.1, object.2))
        }
    }

    private func values() {
        guard bench.owner != nil, let device = any(Self.devices) else { return }
        let path = SystemBench.attributes(of: device)[1].0
        if chance(2), let socket = any(sockets.sorted { $0.rawValue < $1.rawValue }) {
            if chance(4) {
                did("\(socket) hangs up", bench.input { $0.hungUp(socket, at: $1) })
            } else {
                did("\(socket) has a value", bench.input { $0.receive([1], from: socket, at: $1) })
            }
        } else if let name = any(["Value", "Notifying", "NotifyAcquired"]) {
            let value: BusValue = name == "Value" ? .octets([1]) : .bool(chance(2))
            did(
                "\(name) of \(device)",
                bench.change(path, "org.bluez.GattCharacteristic1", [name: value]))
        }
    }

    // MARK: Clients

    private func links() {
        guard let client = any(Self.clients), let device = any(Self.devices) else { return }
        let peer = peer(device)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0..<5:
            let timeout: Duration? = chance(4) ? .seconds(7) : nil
            did(
                "\(client) connects \(peer)",
                bench.input { $0.connect(peer, by: client, timeout: timeout, at: $1) })
        case 5:
            users[peer]?.remove(client)
            did(
                "\(client) releases",
                bench.input { system, now in
                    system.change(peer, at: now) { $0.release(client, at: now) }
                })
        case 6:
            guard chance(4) else { return }
            for peer in users.keys { users[peer]?.remove(client) }
            did("\(client) goes", bench.input { $0.dismiss(client, at: $1) })
        case _:
            did(
                "pair \(peer)",
                bench.input { system, now in
                    system.change(peer, at: now) { $0.pairForClient(at: now) }
                })
        }
    }

    private func requests() {
        guard let device = any(Self.devices), let client = any(Self.clients) else { return }
        let peer = peer(device)
        let procedures: [GATTProcedure] = [
            .discoverPrimaryServices, .discoverCharacteristics(.all), .discoverDescriptors(.all),
            .readValue(SystemBench.readable), .readValue(SystemBench.readable),
            .writeValue(SystemBench.writable, [1]), .writeValue(SystemBench.writable, [2]),
            .writeValue(AttributeHandle(0x18), [1]), .readMultiple([]), .exchangeMTU,
        ]
        open.insert(bench.request + 1)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0..<5:
            guard let procedure = any(procedures) else { return }
            did("\(procedure)", bench.start(procedure, on: peer, by: client))
        case 5: did("command", bench.writeWithoutResponse([1], of: peer))
        case 6: did("unsubscribe", bench.subscribe(false, of: peer, by: client))
        case _: did("subscribe", bench.subscribe(of: peer, by: client))
        }
    }

    private func scans() {
        guard let client = any(Self.clients) else { return }
        var request = ScanRequest()
        request.allowsDuplicates = chance(2)
        if chance(2) { request.services = [BluetoothUUID(0x180D as UInt16)] }
        if chance(3) {
            did("stop", bench.input { $0.stopScanning(by: client, at: $1) })
        } else {
            did("scan", bench.input { $0.scan(request, by: client, at: $1) })
        }
    }

    private func user() {
        if chance(2), let question = any(questions.suffix(3)) {
            did("answer", bench.input { $0.passOn(.confirm(self.chance(2)), to: question, at: $1) })
        } else if let device = any(Self.devices), bench.owner != nil {
            openInvocations.insert(bench.nextInvocation)
            did("agent", bench.askAgent("RequestConfirmation", 7, about: device))
        }
    }

    // MARK: bluetoothd

    /// bluetoothd ends, begins, or both at once.
    private func restart() {
        foreign = []
        if bench.owner == nil || chance(2) { begin() } else { end() }
    }

    private func end() {
        foreign = []
        did("it ends", bench.daemonEnds())
        // The bus answers what was called.
        while !bench.pending.isEmpty, !isFailed {
            did("lost", bench.finish(at: 0, .failure(Self.errors[0])))
        }
    }

    private func begin() {
        bench.objects = [:]
        owners += 1
        did("it begins", bench.ownerChanged(to: ":2.\(owners)"))
        guard owners == 1 || !chance(4) else { return }
        did("it has an adapter", bench.addAdapter(modalias: chance(2) ? "" : "d0555"))
    }

    // MARK: All is well

    /// With a bluetoothd that does what it is asked, every request is completed, and a request to connect is
    /// fulfilled.
    func recover(byRestart isByRestart: Bool) {
        guard !isFailed else { return }
        if isByRestart || bench.owner == nil {
            end()
            begin()
        }
        settle()
        if bench.objects["/org/bluez/hci0"] == nil { did("plugged", bench.addAdapter()) }
        settle()
        did("on", bench.power(true))
        settle()
        for device in Self.devices {
            if isConnected(device) { goesDown(device) }
            settle()
        }
        if !open.isEmpty { fail("requests \(open) are never completed") }
        let device = "dev_1"
        if bench.objects[Bench.path(device)] == nil { did("appears", bench.addDevice(device)) }
        did("attributes", bench.addAttributes(to: device))
        let peer = peer(device)
        did("connect", bench.input { $0.connect(peer, by: SystemBench.app, at: $1) })
        settle()
        if users[peer]?.contains(SystemBench.app) != true { fail("it is not connected") }
        did("resolved", bench.resolve(device))
        settle()
        let before = succeeded
        for procedure in [
            GATTProcedure.readValue(SystemBench.readable), .writeValue(SystemBench.writable, [1]),
            .discoverPrimaryServices,
        ] {
            open.insert(bench.request + 1)
            did("\(procedure)", bench.start(procedure, on: peer))
        }
        open.insert(bench.request + 1)
        did("subscribe", bench.subscribe(of: peer))
        settle()
        if succeeded < before + 4 { fail("\(succeeded - before) of 4 requests have succeeded") }
        checkEnd()
    }

    /// Answers all calls, and lets time pass, until nothing moves any more.
    private func settle() {
        for _ in 0..<400 where !isFailed {
            while !bench.pending.isEmpty, !isFailed { answerWell(0) }
            guard let deadline = bench.nextDeadline else { return }
            wait(max(.zero, deadline - bench.now))
        }
        if !isFailed { fail("it never comes to rest") }
    }

    /// When the clients have gone, nothing is left of what they wanted; with bluetoothd, everything of it goes.
    private func checkEnd() {
        guard !isFailed else { return }
        for client in Self.clients {
            for peer in users.keys { users[peer]?.remove(client) }
            did("\(client) goes", bench.input { $0.dismiss(client, at: $1) })
        }
        settle()
        guard !isFailed else { return }
        for (device, peer) in Self.devices.map({ ($0, self.peer($0)) })
        where users[peer] != nil && !foreign.contains(device) && !isSeenInUse(peer) {
            fail("the link of \(device) is left")
        }
        end()
        if !users.isEmpty { fail("a link is left") }
        if !sockets.isEmpty { fail("a socket is left") }
        if !open.isEmpty { fail("a request is left") }
        if !openInvocations.isEmpty { fail("a call is not answered") }
        let left = bench.query { system in
            system.desk.pending.count + system.active.count + system.socketPeers.count
        }
        if left > 0 { fail("\(left) things are left") }
    }

    private func isSeenInUse(_ peer: PeerKey) -> Bool {
        bench.query { system in
            guard let peer = system.book.peers[peer] else { return false }
            return peer.isUsedByOthers || peer.link == .up(.other)
        }
    }
}
