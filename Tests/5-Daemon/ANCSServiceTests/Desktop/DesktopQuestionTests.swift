import ANCS
import ANCSEvents
import ANCSReceiver
import Octets
import Testing

@testable import ANCSService

@Suite("Popups: whether a paired device is to be received from")
struct DesktopQuestionTests {
    private static let phone = PhoneName(digest: "0123456789abcdef")
    private static let other = PhoneName(digest: "fedcba9876543210")

    private static func asks(_ phone: PhoneName = phone, _ name: String = "BLE lamp")
        -> ServiceEvent
    {
        .pairing(phone, .accept(name))
    }

    @Test("one press accepts it, one declines it, and nothing else answers")
    func presses() throws {
        var bench = DesktopBench()
        let popup = try #require(bench.receive(Self.asks()).posts.first)
        #expect(popup.summary.contains("'BLE lamp'"))
        #expect(popup.actions.map(\.label).suffix(2) == ["Accept", "Decline"])
        #expect(popup.expiry == .never)
        #expect(bench.press(1, "default") == [])
        #expect(bench.press(1, "accept-\(Self.other.digest)") == [])
        let accept = try #require(popup.actions.first { $0.label == "Accept" })
        #expect(bench.press(1, accept.key) == [.answer(Self.phone.digest, .yes)])
        let decline = try #require(popup.actions.first { $0.label == "Decline" })
        #expect(bench.press(1, decline.key) == [.answer(Self.phone.digest, .no)])
    }

    @Test("closing it is no answer, and it does not pop up again")
    func closing() {
        var bench = DesktopBench { $0.dismiss = .clear }
        bench.receive(Self.asks())
        #expect(bench.close(1) == [])
        #expect(bench.pass(.seconds(10)) == [])
        #expect(bench.receive(Self.asks()).posts.isEmpty)
    }

    @Test("it is taken back when it is answered elsewhere")
    func withdrawn() {
        var bench = DesktopBench()
        bench.receive(Self.asks())
        #expect(bench.receive(.pairing(Self.other, nil)) == [])
        #expect(bench.receive(.pairing(Self.phone, nil)) == [.close(1)])
    }

    @Test("a server without buttons says which command asks")
    func withoutButtons() throws {
        var bench = DesktopBench(capabilities: ["body"])
        let popup = try #require(bench.receive(Self.asks()).posts.first)
        #expect(popup.actions.isEmpty && popup.body.contains("'ancs pair'"))
    }

    @Test("it gets its buttons from a server that comes later")
    func laterServer() throws {
        var bench = DesktopBench(capabilities: nil)
        #expect(bench.receive(Self.asks()) == [.start])
        bench.appear()
        #expect(try #require(bench.settle().posts.first).actions.count == 3)
    }

    @Test("many devices do not fill the screen")
    func many() {
        var bench = DesktopBench()
        for number in 0..<50 {
            let digits = String(number + 10)
            bench.receive(Self.asks(PhoneName(digest: "00000000000000" + digits), digits))
        }
        #expect(bench.nextID <= 5)
    }

    @Test("without popups there is none")
    func off() {
        var bench = DesktopBench { $0.popups = false }
        #expect(bench.receive(Self.asks()) == [])
    }
}
