import ANCSEvents
import ANCS
import DBus
import Octets
import Testing

@testable import BlueZ

/// bluetoothd ends, in every state that is reached on the way to a session and after it.
@Suite struct DaemonEndTests {
    typealias Step = @Sendable (Bench) -> Void

    private static let source = "StartNotify dev_1/service0010/char0011"
    private static let data = "AcquireNotify dev_1/service0010/char0016"
    private static let confirm: Step = { bench in
        bench.call(
            PairingAgent.path, PairingAgent.interface, "RequestConfirmation",
            .objectPath("/org/bluez/hci0/dev_1"), .uint32(1))
    }
    private static let available: Step = { $0.beginWithPhone() }
    private static let serving: Step = { bench in
        bench.begin()
        bench.serve()
    }
    private static let hangUp: Step = { bench in
        if let socket = bench.sockets.first { bench.input { $0.hungUp(socket, at: $1) } }
    }
    private static let leave: Step = { bench in
        bench.input { $0.leave(PhoneID(rawValue: 1), at: $1) }
    }

    /// The state that the steps lead to, and they.
    static let states: [String: [Step]] = [
        "its objects are asked for": [{ $0.ownerChanged(to: Bench.owner) }],
        "no adapter": [{ $0.daemonBegins() }],
        "the adapter is off": [{ $0.addAdapter(isPowered: false) }, { $0.daemonBegins() }],
        "the advertisement is being registered": [{ $0.addAdapter() }, { $0.daemonBegins() }],
        "it is being counted": [
            { $0.addAdapter() }, { $0.daemonBegins() },
            { $0.answer("RegisterAdvertisement hci0") },
        ],
        "it is refused": [
            { $0.addAdapter() }, { $0.daemonBegins() },
            { $0.refuse("RegisterAdvertisement hci0", "NotPermitted") },
        ],
        "on air": [{ $0.begin() }],
        "renewing": [{ $0.begin() }, { $0.prepareForSleep(false) }],
        "pairing": [{ $0.begin() }, { $0.addDevice() }],
        "pairing at an adapter that is not pairable": [
            { $0.begin(isPairable: false) }, { $0.addDevice() },
        ],
        "pairing, and asking": [{ $0.begin() }, { $0.addDevice() }, confirm],
        "a stranger": [
            { $0.begin() }, { $0.addDevice() }, { $0.refuse("Pair dev_1", "AuthenticationFailed") },
        ],
        "resolving": [{ $0.begin() }, { $0.addPairedPhone() }, { $0.connect() }],
        "waiting": [
            { $0.begin() }, { $0.addPairedPhone() }, { $0.connect() }, { $0.wait(.seconds(20)) },
        ],
        "available": [available],
        "acquiring": [available, { $0.request(.subscribe(.dataSource)) }],
        "pausing": [
            available, { $0.request(.subscribe(.dataSource)) },
            { $0.refuse(data, "NotPermitted", "Notify acquired") },
        ],
        "starting instead": [
            available, { $0.request(.subscribe(.dataSource)) }, { $0.refuse(data, "Failed") },
        ],
        "starting": [available, { $0.request(.subscribe(.notificationSource)) }],
        "serving": [serving],
        "hung up": [serving, hangUp],
        "writing": [serving, { $0.request(.writeControlPoint([0])) }],
        "about to write again": [
            serving, { $0.request(.writeControlPoint([0])) },
            { $0.refuse("WriteValue dev_1/service0010/char0014", "InProgress") },
        ],
        "reading": [serving, { $0.request(.readSubscription(.dataSource)) }],
        "unsubscribing": [serving, { $0.request(.unsubscribe(.notificationSource)) }],
        "recovering": [
            available, { $0.request(.subscribe(.notificationSource)) }, { $0.lose(source) },
        ],
        "the link is ended": [
            available, { $0.request(.subscribe(.notificationSource)) }, { $0.lose(source) },
            { $0.answer("Disconnect dev_1") },
        ],
        "hung": [
            available, { $0.request(.subscribe(.notificationSource)) }, { $0.lose(source) },
            { $0.refuse("Disconnect dev_1", "Failed") },
        ],
        "leaving": [serving, leave],
        "left": [serving, leave, { $0.answer("StopNotify dev_1/service0010/char0011") }],
    ]

    @Test(arguments: states.keys.sorted())
    func nothingIsCalledThenAndAllBeginsAgainWhenItIsBack(_ state: String) {
        let bench = Bench()
        var connected: Set<PhoneID> = []
        for step in Self.states[state] ?? [] { step(bench) }
        connected = bench.connectedPhones
        let old = bench.pending

        let lines = bench.daemonEnds()
        #expect(lines.calls.isEmpty)
        #expect(bench.connectedPhones.isEmpty)
        #expect(bench.sockets.isEmpty)
        #expect(
            lines.phoneEvents.filter { $0 != .withdrawn }
                == (connected.isEmpty ? [] : [.disconnected(.bluetoothGone)]))
        // The bus answers what bluetoothd has not.
        for _ in old {
            #expect(bench.finish(at: 0, .failure(BusError(BusError.noReply))).isEmpty)
        }
        #expect(bench.wait(.seconds(4)).isEmpty)

        bench.addAdapter()
        bench.addPairedPhone(isConnected: true)
        bench.resolve()
        let back = bench.daemonBegins(Bench.secondOwner)
        #expect(back.contains(.event(.ready(adapter: "hci0"))))
        #expect(back.calls.contains("RegisterAgent /org/bluez"))
        #expect(
            back.phoneEvents.last == .available(hasControlPoint: true, hasDataSource: true))
        let phone = bench.connectedPhones.first?.rawValue ?? 0
        bench.subscribe(of: phone)
        #expect(bench.broadcast([9]) == [.report(phone, .notificationSource([9]))])
    }

    @Test func anAnswerOfTheOldBluetoothdIsNotTakenForOneOfTheNew() {
        let bench = Bench()
        bench.addAdapter()
        bench.daemonBegins()
        let old = bench.pending.count
        bench.daemonEnds()
        bench.addAdapter()
        bench.daemonBegins(Bench.secondOwner)
        for _ in 0..<old {
            #expect(bench.finish(at: 0, .failure(BusError(BusError.noReply))).isEmpty)
        }
        #expect(bench.answer("RegisterAdvertisement hci0") == [.call("Get ActiveInstances hci0")])
    }
}
