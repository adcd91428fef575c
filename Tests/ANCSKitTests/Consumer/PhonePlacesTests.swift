import BluetoothLE
import LinuxIO
import Octets
import Testing
import VirtualBluetooth

@testable import ANCSKit

@Suite("Who has the places of the phones")
struct PhonePlacesTests {
    static let phone = ProviderID(rawValue: 1)
    static let stranger = ProviderID(rawValue: 2)

    static func at(_ seconds: Int) -> MonotonicInstant { .zero + .seconds(seconds) }

    @Test("a stranger does not count while a bonded phone is away, and ends when it comes")
    func away() {
        var places = PhonePlaces()
        places.update(isPhoneAway: true, isOnAir: true)
        places.connected(Self.stranger, isKnownPhone: false, at: .zero)
        #expect(places.maximumCentrals(at: .zero) == 2)
        #expect(places.overdue(at: .zero).isEmpty)
        places.connected(Self.phone, isKnownPhone: true, at: Self.at(1))
        places.update(isPhoneAway: false, isOnAir: false)
        #expect(places.overdue(at: Self.at(1)) == [Self.stranger])
        places.leaving(Self.stranger)
        #expect(places.overdue(at: Self.at(1)).isEmpty)
        #expect(places.maximumCentrals(at: Self.at(1)) == 1)
    }

    @Test("the first phone of all has the place as soon as it connects")
    func first() {
        var places = PhonePlaces()
        places.connected(Self.phone, isKnownPhone: false, at: .zero)
        #expect(places.maximumCentrals(at: .zero) == 1)
        places.serviceFound(Self.phone)
        #expect(places.nextDeadline(at: .zero) == nil)
        #expect(places.isPhone(Self.phone, at: .zero))
    }

    @Test("a link without ANCS ends after three minutes, counted from when it paired or lost it")
    func limit() {
        var places = PhonePlaces()
        places.connected(Self.stranger, isKnownPhone: false, at: .zero)
        #expect(places.nextDeadline(at: .zero) == Self.at(180))
        places.paired(Self.stranger, at: Self.at(60))
        places.serviceLacks(Self.stranger)
        #expect(places.overdue(at: Self.at(239)).isEmpty)
        #expect(places.overdue(at: Self.at(240)) == [Self.stranger])
        places.serviceFound(Self.stranger)
        places.serviceLost(Self.stranger, at: Self.at(300))
        #expect(places.nextDeadline(at: Self.at(300)) == Self.at(480))
    }

    @Test("the address of a phone counts for five seconds, its keys for as long as nobody waits")
    func proof() {
        var places = PhonePlaces()
        places.connected(Self.phone, isKnownPhone: true, at: .zero)
        #expect(places.isPhone(Self.phone, at: Self.at(4)))
        #expect(places.nextDeadline(at: Self.at(4)) == Self.at(5))
        #expect(!places.isPhone(Self.phone, at: Self.at(5)))
        places.proven(Self.phone)
        #expect(places.isPhone(Self.phone, at: Self.at(5)))
        #expect(places.nextDeadline(at: Self.at(5)) == nil)
        // It shows no ANCS, and another phone waits for the place.
        places.update(isPhoneAway: true, isOnAir: false)
        #expect(places.overdue(at: Self.at(179)).isEmpty)
        #expect(places.overdue(at: Self.at(180)) == [Self.phone])
    }

    @Test("off air, a stranger that was searched for ANCS ends at once, or a while after pairing")
    func offAir() {
        var places = PhonePlaces()
        places.update(isPhoneAway: true, isOnAir: false)
        places.connected(Self.stranger, isKnownPhone: false, at: .zero)
        #expect(places.overdue(at: Self.at(2)).isEmpty)
        places.serviceLacks(Self.stranger)
        #expect(places.overdue(at: Self.at(2)) == [Self.stranger])
        places.paired(Self.stranger, at: Self.at(2))
        #expect(places.overdue(at: Self.at(31)).isEmpty)
        #expect(places.overdue(at: Self.at(32)) == [Self.stranger])
    }

    @Test(
        "a stranger who paired keeps the bonded phone from nothing",
        arguments: [VirtualControllerAbilities.bluetooth5_3, .bluetooth4_0])
    func phoneComesBack(_ abilities: VirtualControllerAbilities) async throws {
        try await ConsumerScene.run(abilities: abilities) { scene in
            await scene.startPhone()
            try await scene.expect("1 session")
            scene.setPhoneInRange(false)
            try await scene.expect("1 disconnected")
            let stranger = try await scene.addCentral()
            try await scene.connect(stranger)
            try await scene.expect("2 paired")
            try await scene.expect("2 waits")
            scene.setPhoneInRange(true)
            try await scene.expect("3 session", for: .seconds(120))
            try await scene.wait("the stranger is gone") { await stranger.link == nil }
        }
    }

    @Test("a stranger who takes the bonded phone's address and proves nothing does not keep it out")
    func takenAddress() async throws {
        try await ConsumerScene.run { scene in
            await scene.startPhone()
            try await scene.expect("1 session")
            let identity = try #require(await scene.bonds.first?.identity)
            scene.setPhoneInRange(false)
            try await scene.expect("1 disconnected")
            let thief = try await scene.addCentral(
                identity: DeviceAddress(text: identity, kind: .random))
            await thief.setSilent()
            try await scene.connect(thief)
            try await scene.loop.sleep(for: .seconds(6))
            scene.setPhoneInRange(true)
            try await scene.expect("3 session", for: .seconds(60))
            #expect(!scene.lines.contains("3 paired"))
        }
    }
}
