import BluetoothLE
import LinuxIO
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

@Suite("Values for trusted centrals only")
struct ProtectedValueTests {
    /// No other octets on air are like it.
    static let secret = [UInt8](repeating: 0xA7, count: 60)
    static let secretOnAir = [UInt8](repeating: 0xA7, count: 3)

    /// A profile with an email address that the app keeps, and one that it has given away.
    struct Profile: Sendable {
        let service = MutableService(type: BluetoothUUID(UInt16(0xFFE0)))
        let email = MutableCharacteristic(
            type: BluetoothUUID(UInt16(0xFFE1)),
            properties: [.read, .write, .notifyEncryptionRequired],
            permissions: [.readEncryptionRequired, .writeEncryptionRequired])
        let number = MutableCharacteristic(
            type: BluetoothUUID(UInt16(0xFFE2)), properties: .read, value: secret,
            permissions: .readEncryptionRequired)

        init() { service.characteristics = [email, number] }
    }

    /// Publishes the profile, with an app that tells the secret to whoever may ask.
    static func publish(at bench: isolated ManagerBench) async throws -> Profile {
        let profile = Profile()
        try await bench.manager.add(profile.service)
        bench.setApp { event, manager in
            switch event {
            case .didReceiveRead(let request):
                request.value = secret
                manager.respond(to: request, withResult: .success)
            case .didReceiveWrite(let requests):
                manager.respond(to: requests[0], withResult: .success)
            default: break
            }
        }
        return profile
    }

    @Test("an unpaired central gets no octet with any request, and is asked to pair once")
    func unpaired() async throws {
        try await ManagerBench.run { bench in
            let profile = try await Self.publish(at: bench)
            let central = try await bench.connectedCentral(isObliging: false)
            let email = await bench.handle(of: profile.email)
            let number = await bench.handle(of: profile.number)
            let configuration = await bench.descriptor(of: profile.email)
            for (request, handle) in [
                ("0a" + email, email), ("0a" + number, number),
                ("0c" + number + "0100", number), ("0c" + email + "0000", email),
                ("080100ffffe2ff", number), ("080100ffffe1ff", email),
                ("0e" + number + email, number), ("20" + email + number, email),
                ("12" + email + "00", email), ("16" + email + "000000", email),
                ("12" + configuration + "0100", configuration),
            ] {
                let code = request.prefix(2)
                #expect(try await central.answer(to: request) == "01" + code + handle + "05")
            }
            // A search for the value does not tell whether it was right.
            let guess = "060100ffffe2ff" + Hexadecimal.text(Array(Self.secret.prefix(16)))
            #expect(try await central.answer(to: guess) == "010601000a")
            await central.send(Hexadecimal.octets("52" + email + "00") ?? [])
            #expect(await bench.manager.updateValue(Self.secret, for: profile.email) == true)
            try await bench.pass(.seconds(5))
            #expect(await central.air.contains(Self.secretOnAir) == false)
            #expect(bench.events.contains { $0.isAboutAttributes } == false)
            // Security Request: Core Vol 3, Part H, 3.6.7.
            #expect(await central.securityPDUs.map { $0[0] } == [0x0B])
        }
    }

    @Test("a central that pairs is trusted, and gets the values that it was refused before")
    func paired() async throws {
        try await ManagerBench.run { bench in
            let profile = try await Self.publish(at: bench)
            let central = try await bench.connectedCentral()
            let email = await bench.handle(of: profile.email)
            #expect(try await central.answer(to: "0a" + email) == "010a" + email + "05")
            try await bench.pair(central)
            let start = Hexadecimal.text(Array(Self.secret.prefix(22))).lowercased()
            #expect(try await central.answer(to: "0a" + email) == "0b" + start)
            #expect(try await central.answer(to: "0c" + email + "3800") == "0d" + "a7a7a7a7")
            #expect(try await central.answer(to: "12" + email + "01") == "13")
            let configuration = await bench.descriptor(of: profile.email)
            #expect(try await central.answer(to: "12" + configuration + "0100") == "13")
            #expect(await bench.manager.updateValue([1, 2], for: profile.email) == true)
            try await bench.wait("the value arrives") { await central.updates == [[1, 2]] }
        }
    }

    /// What the adapter shows, when the central asks for it.
    static func digits(
        for central: TestCentral, at bench: isolated ManagerBench
    ) async throws -> UInt32 {
        try await bench.wait("the central asks for digits") { await central.isAskedForPasskey }
        var shown: UInt32?
        for case .peer(_, .pairing(.display(let display))) in bench.adapterEvents {
            shown = display.passkey.value
        }
        return try #require(shown)
    }

    @Test("the user's code makes a central trusted")
    func passkey() async throws {
        try await ManagerBench.run(configuration: { $0.controller.pairing.ability = .display }) {
            bench in
            let profile = try await Self.publish(at: bench)
            let central = try await bench.connectedCentral(ability: .keyboard)
            let email = await bench.handle(of: profile.email)
            #expect(try await central.answer(to: "0a" + email) == "010a" + email + "05")
            let shown = try await Self.digits(for: central, at: bench)
            #expect(await central.air.contains(Self.secretOnAir) == false)
            try await central.enterPasskey(shown)
            try await bench.wait("pairing ends") { await central.security?.isEncrypted ?? false }
            #expect(await central.security?.isAuthenticated == true)
            #expect(try await central.answer(to: "0a" + email).hasPrefix("0ba7a7a7"))
        }
    }

    @Test("a wrong code leaves the central untrusted")
    func wrongPasskey() async throws {
        try await ManagerBench.run(configuration: { $0.controller.pairing.ability = .display }) {
            bench in
            let profile = try await Self.publish(at: bench)
            let central = try await bench.connectedCentral(ability: .keyboard)
            let email = await bench.handle(of: profile.email)
            try await central.pair()
            let shown = try await Self.digits(for: central, at: bench)
            try await central.enterPasskey((shown + 1) % 1_000_000)
            try await bench.wait("pairing fails") {
                bench.adapterEvents.contains {
                    if case .peer(_, .securityFailed) = $0 { true } else { false }
                }
            }
            #expect(try await central.answer(to: "0a" + email) == "010a" + email + "05")
            #expect(await central.air.contains(Self.secretOnAir) == false)
        }
    }

    @Test("a central that refuses to pair is asked once on a link, and again on the next")
    func refusal() async throws {
        try await ManagerBench.run { bench in
            let profile = try await Self.publish(at: bench)
            let central = try await bench.connectedCentral(isObliging: false)
            let email = await bench.handle(of: profile.email)
            for link in 1...2 {
                for _ in 1...3 {
                    #expect(try await central.answer(to: "0a" + email) == "010a" + email + "05")
                    // Pairing Failed: Pairing Not Supported. Core Vol 3, Part H, 3.5.5.
                    await central.send([0x05, 0x05], on: 0x06)
                    try await bench.pass(.milliseconds(100))
                }
                #expect(await central.securityPDUs.count == link)
                guard link == 1 else { break }
                try await central.disconnect()
                try await bench.wait("it has left") { await bench.adapter.connectedPeers.isEmpty }
                try await bench.connect(central)
            }
        }
    }

    @Test("a trusted central that returns is trusted again as soon as the link is encrypted")
    func returns() async throws {
        try await ManagerBench.run { bench in
            let profile = try await Self.publish(at: bench)
            let central = try await bench.connectedCentral()
            try await bench.pair(central)
            let configuration = await bench.descriptor(of: profile.email)
            #expect(try await central.answer(to: "12" + configuration + "0100") == "13")
            let subscriber = try #require(profile.email.subscribedCentrals.first)
            try await central.disconnect()
            try await bench.wait("it has left") { profile.email.subscribedCentrals.isEmpty }
            #expect(bench.events.last == .didUnsubscribe(subscriber, from: profile.email))
            let name = subscriber.identifier

            try await bench.connect(central)
            let email = await bench.handle(of: profile.email)
            // Known, but not proven: Core Vol 3, Part C, 10.3.1.
            let seen = await central.air.count
            #expect(try await central.answer(to: "0a" + email) == "010a" + email + "0f")
            #expect(await bench.manager.updateValue(Self.secret, for: profile.email) == true)
            #expect(await central.air[seen...].contains(Self.secretOnAir) == false)
            // The Security Request makes it encrypt, with the keys that it has.
            try await bench.wait("the link is encrypted") {
                await central.security?.isEncrypted ?? false
            }
            try await bench.wait("its subscription counts again") {
                !profile.email.subscribedCentrals.isEmpty
            }
            let returned = try #require(profile.email.subscribedCentrals.first)
            #expect(returned.identifier == name)
            #expect(bench.events.last == .didSubscribe(returned, to: profile.email))
            #expect(try await central.answer(to: "0a" + email).hasPrefix("0ba7a7a7"))
            #expect(await bench.manager.updateValue([9], for: profile.email) == true)
            try await bench.wait("the value arrives") { await central.updates.last == [9] }
        }
    }

    @Test("a central with a trusted one's address but without its keys gets nothing")
    func lostBond() async throws {
        try await ManagerBench.run { bench in
            let profile = try await Self.publish(at: bench)
            let central = try await bench.connectedCentral()
            try await bench.pair(central)
            let configuration = await bench.descriptor(of: profile.email)
            #expect(try await central.answer(to: "12" + configuration + "0100") == "13")
            try await central.disconnect()
            try await bench.wait("it has left") { profile.email.subscribedCentrals.isEmpty }
            let identity = try #require(await central.bonds.first?.bond.identityAddress)
            await central.input { host, now in _ = host.removeBond(identity: identity, at: now) }

            try await bench.connect(central)
            let seen = await central.air.count
            #expect(await bench.manager.updateValue(Self.secret, for: profile.email) == true)
            let email = await bench.handle(of: profile.email)
            #expect(try await central.answer(to: "0a" + email) == "010a" + email + "0f")
            #expect(await bench.manager.updateValue(Self.secret, for: profile.email) == true)
            try await bench.pass(.milliseconds(100))
            #expect(await central.air[seen...].contains(Self.secretOnAir) == false)
        }
    }

    @Test("a public value in the same service is read without pairing")
    func open() async throws {
        try await ManagerBench.run { bench in
            let service = MutableService(type: BluetoothUUID(UInt16(0xFFE5)))
            let name = MutableCharacteristic(
                type: BluetoothUUID(UInt16(0xFFE6)), properties: .read, value: [0x41],
                permissions: .readable)
            service.characteristics = [name]
            try await bench.manager.add(service)
            let central = try await bench.connectedCentral()
            #expect(try await central.answer(to: "0a" + bench.handle(of: name)) == "0b41")
            #expect(await central.securityPDUs.isEmpty)
        }
    }
}

extension PeripheralManagerEvent {
    /// Whether a central asked or subscribed to something.
    fileprivate var isAboutAttributes: Bool {
        switch self {
        case .didSubscribe, .didUnsubscribe, .didReceiveRead, .didReceiveWrite: true
        case .stateUpdated, .didStartAdvertising, .advertisingInterrupted, .didStopAdvertising,
            .isReadyToUpdateSubscribers, .missed:
            false
        }
    }
}
