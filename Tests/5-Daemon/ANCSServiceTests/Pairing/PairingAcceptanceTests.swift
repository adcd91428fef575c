import ANCS
import BluetoothLE
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver
@testable import ANCSService

@Suite("A phone that another program has paired, in the dialogue and in the directory")
struct PairingAcceptanceTests {
    private static let request = PairingRequest.consent(
        PairingConsent(about: BondedPeer(digest: "ada", name: "Ada's iPhone")))
    private static let id = DialogueBench.id(1)

    private static let offer: [ConsumerEvent] = [
        .peer(id, .connected(DialogueBench.phone())), .peer(id, .named("Ada's iPhone")),
        .peer(id, .unserved(.notAccepted)), .peer(id, .pairing(request)),
    ]

    // MARK: The dialogue

    @Test("it is asked about by its name, and followed once it is accepted")
    func accepted() {
        var bench = DialogueBench()
        for event in Self.offer { bench.receive(event) }
        #expect(bench.last?.kind == .asks(.accept))
        #expect(bench.last?.text.contains("'Ada's iPhone'") == true)
        bench.receive(.peer(Self.id, .pairingWithdrawn))
        bench.receive(.session(Self.id, .started(DialogueBench.session(1))))
        bench.receive(.session(Self.id, .authorizationChanged(.authorized)))
        #expect(bench.outcome == .receiving)
    }

    @Test("nobody accepts it: that is the reason, unless something else has come further")
    func unanswered() {
        var bench = DialogueBench()
        for event in Self.offer { bench.receive(event) }
        _ = bench.waitForEnd()
        #expect(bench.cause == .unaccepted)
    }

    @Test("a lamp that nobody answered for is not the reason that a phone gives")
    func anotherPhone() {
        var bench = DialogueBench()
        for event in Self.offer { bench.receive(event) }
        bench.pair(2)
        _ = bench.waitForEnd()
        #expect(bench.cause == .unfinished)
    }

    @Test("it is declined: it is not waited for")
    func declined() {
        var bench = DialogueBench()
        for event in Self.offer { bench.receive(event) }
        bench.receive(.peer(Self.id, .unserved(.declined)))
        _ = bench.waitForEnd()
        #expect(bench.cause != .unaccepted)
    }

    @Test("one without a place is named")
    func noPlace() {
        var bench = DialogueBench()
        bench.receive(
            .peer(Self.id, .connected(DialogueBench.phone())),
            .peer(Self.id, .unserved(.noPlace)))
        #expect(bench.words.contains("obstacle"))
    }

    // MARK: The directory

    private static func directory() -> PhoneDirectory {
        var directory = PhoneDirectory(name: "Desk", keepsBonds: true)
        for event in offer { _ = directory.receive(event) }
        return directory
    }

    @Test("the question stays in the status while it is away, and ends with the answer")
    func status() {
        var directory = Self.directory()
        #expect(directory.phones.map(\.state) == [.unaccepted])
        _ = directory.receive(.peer(Self.id, .disconnected(.linkEnded)))
        #expect(directory.phones.map(\.state) == [.unaccepted])
        #expect(directory.phones.first?.advice?.contains("'ancs pair'") == true)
        #expect(directory.decided("ada", isAccepted: true)?.state == .away)
        #expect(directory.phones.first?.advice == nil)
    }

    @Test("it says that it was declined, and how to be asked again")
    func declinedStatus() {
        var directory = Self.directory()
        let status = directory.decided("ada", isAccepted: false)
        #expect(status?.state == .unaccepted)
        #expect(status?.advice?.contains("declined") == true)
        #expect(directory.decided("nobody", isAccepted: true) == nil)
    }

    @Test("a phone without a place is named, and away when it leaves")
    func withoutPlace() {
        var directory = PhoneDirectory(name: "Desk", keepsBonds: true)
        _ = directory.receive(.peer(Self.id, .connected(DialogueBench.phone())))
        let news = directory.receive(.peer(Self.id, .unserved(.noPlace)))
        #expect(news.map(\.state) == [.noPlace])
        #expect(news.first?.advice?.contains("phones") == true)
        let left = directory.receive(.peer(Self.id, .disconnected(.linkEnded)))
        #expect(left.map(\.state) == [.away] && left.first?.advice == nil)
    }
}
