import BluetoothTypes
import EventLines
import Printing
import Testing

@testable import ANCSReceiver
@testable import ANCSService

@Suite("Advice about pairing")
struct PairingAdviceTests {
    private typealias Bench = DialogueBench

    private static func hints(isAtBlueZ: Bool) -> [String] {
        Reporter(side: .accessory, name: "Desk", isAtBlueZ: isAtBlueZ)
            .waitingHints(address: "F0:F1:F2:F3:F4:F5").map { hint in
                if case .hint(let text) = hint { text } else { "" }
            }
    }

    @Test(
        "a phone without ANCS brings the same advice to a terminal and to the daemon",
        arguments: [true, false])
    func missingService(_ isAtBlueZ: Bool) {
        let hints = Self.hints(isAtBlueZ: isAtBlueZ)
        var directory = PhoneDirectory(name: "Desk", keepsBonds: isAtBlueZ)
        _ = directory.receive(.peer(Bench.id(1), .connected(Bench.phone())))
        let news = directory.receive(.session(Bench.id(1), .waitingForService))
        let said = hints.joined(separator: "; ").replacing(
            "'bluetoothctl remove F0:F1:F2:F3:F4:F5'", with: "'ancs forget'")
        #expect(news.map(\.advice) == [said])
    }

    @Test("the last step names what can be done next, where there is a desktop and it is not done")
    func next() {
        func last(_ pauses: Bool, hasDesktop: Bool) -> String {
            var configuration = ServiceConfiguration()
            if pauses { configuration.desktop.pauseMedia = .ringing }
            let setting = PairingSetting(configuration, hasDesktop: hasDesktop)
            return PairingStep(
                .ended(.receiving), of: PhoneName(digest: "1", name: "Ada's iPhone"), at: setting
            ).text
        }
        let plain = "receiving from 'Ada's iPhone'"
        #expect(last(true, hasDesktop: true) == plain && last(false, hasDesktop: false) == plain)
        #expect(
            last(false, hasDesktop: true) == plain
                + "; music can pause during calls: pause-media in the section [desktop] of the configuration"
        )
    }

    @Test("Bluetooth off and on helps a host of one's own, and not bluetoothd")
    func stacks() {
        let own = Self.hints(isAtBlueZ: false).joined()
        #expect(own.contains("turn Bluetooth on the iPhone off and on"))
        #expect(!own.contains("does not do it") && !own.contains("bluetoothctl"))
        let bluetoothd = Self.hints(isAtBlueZ: true).joined()
        #expect(bluetoothd.contains("Bluetooth off and on does not do it"))
        #expect(!bluetoothd.contains("turn Bluetooth"))
    }

    @Test(
        "a user who may have tapped Cancel is told so, and nothing else on that link",
        arguments: [
            PairingFailureReason.passkeyEntryFailed, .unspecified, .numericComparisonFailed,
            .pairingNotSupported,
        ])
    func cancelled(_ reason: PairingFailureReason) throws {
        var bench = Bench()
        bench.receive(
            .peer(Bench.id(1), .connected(Bench.stranger("ada"))),
            .peer(Bench.id(1), .securityFailed(.refusedByPeer(reason))))
        let text = try #require(bench.last?.text)
        #expect(text.hasSuffix("its user may have tapped Cancel: choose 'Desk' there again"))
        bench.wait(.seconds(40))
        #expect(!bench.words.contains("hesitation"))
    }

    @Test("security that cannot be met is named")
    func features() {
        let refused = SecurityFailure.refused(.authenticationRequirements)
        #expect(refused.message.contains("LE Secure Connections"))
        let refusedByPeer = SecurityFailure.refusedByPeer(.authenticationRequirements)
        #expect(refusedByPeer.message.contains("digits to compare or LE Secure Connections"))
        #expect(refusedByPeer.message(for: "Desk", unless: "") == refusedByPeer.message)
    }
}
