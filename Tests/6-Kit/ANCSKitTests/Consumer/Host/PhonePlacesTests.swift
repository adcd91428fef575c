import BluetoothLE
import LinuxIO
import Octets
import Testing
import VirtualBluetooth

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

@Suite("Which links count as phones")
struct PhonePlacesTests {
    static let phone = PhoneID(rawValue: 1)
    static let stranger = PhoneID(rawValue: 2)

    /// A limit of one phone.
    let one = PhonePlaces.Configuration(maximum: 1)

    static func at(_ seconds: Int) -> MonotonicInstant { .zero + .seconds(seconds) }

    @Test(
        "a stranger does not count while a bonded phone is away, and is disconnected when it comes")
    func away() {
        var places = PhonePlaces(one)
        places.update(phonesAway: 1, isOnAir: true)
        places.connected(Self.stranger, isKnownPhone: false, at: .zero)
        #expect(places.maximumCentrals(at: .zero) == 2)
        #expect(places.overdue(at: .zero).isEmpty)
        places.connected(Self.phone, isKnownPhone: true, at: Self.at(1))
        places.update(phonesAway: 0, isOnAir: false)
        // Its address alone ends nobody's link: a new phone may be about to pair.
        #expect(places.maximumCentrals(at: Self.at(1)) == 1)
        #expect(places.overdue(at: Self.at(1)).isEmpty)
        places.proven(Self.phone, isKnownPhone: true)
        #expect(places.overdue(at: Self.at(1)) == [Self.stranger])
        places.leaving(Self.stranger)
        #expect(places.overdue(at: Self.at(1)).isEmpty)
        #expect(places.maximumCentrals(at: Self.at(1)) == 1)
    }

    @Test("the very first phone counts as soon as it connects")
    func first() {
        var places = PhonePlaces(one)
        places.connected(Self.phone, isKnownPhone: false, at: .zero)
        #expect(places.maximumCentrals(at: .zero) == 1)
        places.serviceFound(Self.phone)
        #expect(places.nextDeadline(at: .zero) == nil)
        #expect(places.isPhone(Self.phone, at: .zero))
    }

    @Test("a link without ANCS ends three minutes after it paired or lost ANCS")
    func limit() {
        var places = PhonePlaces(one)
        places.connected(Self.stranger, isKnownPhone: false, at: .zero)
        #expect(places.nextDeadline(at: .zero) == Self.at(180))
        places.paired(Self.stranger, isBonded: true, at: Self.at(60))
        places.serviceLacks(Self.stranger)
        #expect(places.overdue(at: Self.at(239)).isEmpty)
        #expect(places.overdue(at: Self.at(240)) == [Self.stranger])
        // One that did not bond is nobody that could be known.
        places.paired(Self.stranger, isBonded: false, at: Self.at(240))
        places.serviceFound(Self.stranger)
        places.serviceLost(Self.stranger, at: Self.at(300))
        #expect(places.nextDeadline(at: Self.at(300)) == Self.at(480))
    }

    @Test(
        "a link with a phone's address counts for five seconds, one with its keys as long as no other phone waits"
    )
    func proof() {
        var places = PhonePlaces(one)
        places.connected(Self.phone, isKnownPhone: true, at: .zero)
        #expect(places.isPhone(Self.phone, at: Self.at(4)))
        #expect(places.nextDeadline(at: Self.at(4)) == Self.at(5))
        #expect(!places.isPhone(Self.phone, at: Self.at(5)))
        places.proven(Self.phone, isKnownPhone: true)
        #expect(places.isPhone(Self.phone, at: Self.at(5)))
        #expect(places.nextDeadline(at: Self.at(5)) == nil)
        // It shows no ANCS, and another phone waits for the place.
        places.update(phonesAway: 1, isOnAir: false)
        #expect(places.overdue(at: Self.at(179)).isEmpty)
        #expect(places.overdue(at: Self.at(180)) == [Self.phone])
    }

    @Test(
        "while not advertising, a stranger without ANCS is disconnected at once, or some time after pairing"
    )
    func offAir() {
        var places = PhonePlaces(one)
        places.update(phonesAway: 1, isOnAir: false)
        places.connected(Self.stranger, isKnownPhone: false, at: .zero)
        #expect(places.overdue(at: Self.at(2)).isEmpty)
        places.serviceLacks(Self.stranger)
        #expect(places.overdue(at: Self.at(2)) == [Self.stranger])
        places.paired(Self.stranger, isBonded: true, at: Self.at(2))
        #expect(places.overdue(at: Self.at(31)).isEmpty)
        #expect(places.overdue(at: Self.at(32)) == [Self.stranger])
    }

    @Test("a misused address does not count until a phone has encrypted with its keys")
    func misused() {
        var places = PhonePlaces(one)
        places.update(phonesAway: 1, isOnAir: true)
        places.connected(Self.stranger, isKnownPhone: true, at: .zero)
        #expect(places.maximumCentrals(at: .zero) == 1)
        places.disconnected(Self.stranger)
        places.connected(Self.stranger, isKnownPhone: true, at: Self.at(1))
        #expect(!places.isPhone(Self.stranger, at: Self.at(1)))
        #expect(places.maximumCentrals(at: Self.at(1)) == 2)
        places.connected(Self.phone, isKnownPhone: true, at: Self.at(2))
        places.proven(Self.phone, isKnownPhone: true)
        #expect(places.overdue(at: Self.at(2)) == [Self.stranger])
        places.disconnected(Self.phone)
        places.connected(Self.phone, isKnownPhone: true, at: Self.at(3))
        #expect(places.isPhone(Self.phone, at: Self.at(3)))
    }

    @Test("strangers do not get the last link while a bonded phone is away")
    func full() {
        let configuration = PhonePlaces.Configuration(maximum: 2)
        var places = PhonePlaces(configuration)
        places.connected(Self.phone, isKnownPhone: true, at: .zero)
        places.proven(Self.phone, isKnownPhone: true)
        for number in UInt64(2)...8 {
            places.connected(PhoneID(rawValue: number), isKnownPhone: false, at: Self.at(1))
        }
        places.update(phonesAway: 1, isOnAir: true, isFull: false)
        #expect(places.overdue(at: Self.at(1)).isEmpty)
        places.update(phonesAway: 1, isOnAir: false, isFull: true)
        #expect(places.overdue(at: Self.at(1)) == [Self.stranger])
        // One that ends is enough, however long that takes.
        places.leaving(Self.stranger)
        #expect(places.overdue(at: Self.at(1)).isEmpty)
        places.disconnected(Self.stranger)
        places.update(phonesAway: 0, isOnAir: false, isFull: true)
        #expect(places.overdue(at: Self.at(1)).isEmpty)
    }

    @Test("of two devices with the phone's address, the one with its keys counts")
    func contested() async throws {
        try await ConsumerScene.run(pairing: { $0.window = .untilPhoneIsBonded }) {
            scene in
            await scene.startPhone()
            try await scene.expect("1 session")
            let identity = try #require(await scene.bonds.first?.identity)
            await scene.setPhoneInRange(false)
            try await scene.expect("1 disconnected")
            let thief = try await scene.addCentral(
                identity: DeviceAddress(text: identity, kind: .random))
            await thief.setSilent()
            // It comes back and back, so that its link is always new.
            try await scene.connect(thief)
            try await scene.expect("2 connected")
            try await thief.disconnect()
            try await scene.expect("2 disconnected")
            try await scene.connect(thief)
            try await scene.expect("3 connected")
            await scene.setPhoneInRange(true)
            try await scene.expect("4 session", for: .seconds(4))
            try await scene.wait("the thief is gone") { await thief.link == nil }
            #expect(await scene.bonds.map(\.identity) == [identity])
        }
    }

    @Test("a phone keeps its first link while ANCS is missing for ten minutes")
    func withdrawn() async throws {
        try await ConsumerScene.run { scene in
            await scene.startPhone()
            try await scene.expect("1 session")
            await scene.phone.setANCSPublished(false)
            try await scene.expect("1 waits")
            try await scene.loop.sleep(for: .seconds(600))
            await scene.phone.setANCSPublished(true)
            try await scene.expect("1 session")
            #expect(!scene.lines.contains("2 connected"))
        }
    }

    @Test(
        "a stranger that has paired does not keep the bonded phone out",
        arguments: [VirtualControllerAbilities.bluetooth5_3, .bluetooth4_0])
    func phoneComesBack(_ abilities: VirtualControllerAbilities) async throws {
        try await ConsumerScene.run(abilities: abilities) { scene in
            await scene.startPhone()
            try await scene.expect("1 session")
            await scene.setPhoneInRange(false)
            try await scene.expect("1 disconnected")
            let stranger = try await scene.addCentral()
            try await scene.connect(stranger)
            try await scene.expect("2 paired")
            try await scene.expect("2 waits")
            await scene.setPhoneInRange(true)
            try await scene.expect("3 session", for: .seconds(120))
            // Beside the phone there is room for it, until it has shown for three minutes that it has no ANCS.
            try await scene.wait("the stranger is gone", for: .seconds(200)) {
                await stranger.link == nil
            }
        }
    }

    @Test(
        "a stranger with the bonded phone's address but without its keys does not keep the phone out"
    )
    func takenAddress() async throws {
        try await ConsumerScene.run { scene in
            await scene.startPhone()
            try await scene.expect("1 session")
            let identity = try #require(await scene.bonds.first?.identity)
            await scene.setPhoneInRange(false)
            try await scene.expect("1 disconnected")
            let thief = try await scene.addCentral(
                identity: DeviceAddress(text: identity, kind: .random))
            await thief.setSilent()
            try await scene.connect(thief)
            try await scene.loop.sleep(for: .seconds(6))
            await scene.setPhoneInRange(true)
            try await scene.expect("3 session", for: .seconds(60))
            #expect(!scene.lines.contains("3 paired"))
        }
    }
}
