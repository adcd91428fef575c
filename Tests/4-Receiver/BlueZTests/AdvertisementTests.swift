import ANCSEvents
import BluetoothLE
import DBus
import Octets
import Testing

@testable import BlueZ

@Suite struct AdvertisementTests {
    private static let register = "RegisterAdvertisement hci0"
    private static let unregister = "UnregisterAdvertisement hci0"
    private static let count = "Get ActiveInstances hci0"
    private static let maximum = BusError.blueZ("NotPermitted", "Maximum advertisements reached")

    /// bluetoothd is about to be asked to advertise.
    private static func registering() -> Bench {
        let bench = Bench()
        bench.addAdapter()
        bench.daemonBegins()
        bench.answer("RegisterAgent /org/bluez")
        return bench
    }

    private static func onAir() -> Bench {
        let bench = Bench()
        bench.begin()
        return bench
    }

    @Test func whatIsRefusedIsTriedAgainWithGrowingPauses() {
        let bench = Self.registering()
        for pause in [2, 4, 8, 16, 32, 60, 60] {
            #expect(
                bench.finish(Self.register, .failure(Self.maximum)) == [
                    .event(.advertisingRefused(Self.maximum))
                ])
            #expect(bench.wait(.seconds(pause) - .milliseconds(1)).isEmpty)
            #expect(bench.wait(.milliseconds(1)) == [.call(Self.unregister)])
            #expect(
                bench.refuse(Self.unregister, "DoesNotExist", "Does Not Exist") == [
                    .call(Self.register)
                ])
        }
        #expect(bench.answer(Self.register) == [.call(Self.count)])
        #expect(bench.answer(Self.count, .byte(1)) == [.event(.advertising(true))])
    }

    @Test func anAdvertisementThatIsNotCountedIsNotOnAir() {
        let bench = Self.registering()
        bench.answer(Self.register)
        #expect(bench.answer(Self.count, .byte(0)).isEmpty)
        #expect(bench.wait(.seconds(2)) == [.call(Self.unregister)])
    }

    @Test func aCountThatCannotBeReadIsNone() {
        let bench = Self.registering()
        bench.answer(Self.register)
        #expect(bench.finish(Self.count, .failure(BusError(BusError.noReply))).isEmpty)
        #expect(bench.wait(.seconds(2)) == [.call(Self.unregister)])
    }

    @Test func theCountMayBeSignalledBeforeItIsRead() {
        let bench = Self.registering()
        bench.answer(Self.register)
        #expect(
            bench.change("/org/bluez/hci0", Bench.advertisingManager, ["ActiveInstances": .byte(1)])
                == [.event(.advertising(true))])
        #expect(bench.answer(Self.count, .byte(1)).isEmpty)
    }

    @Test func aRegistrationThatIsNotAnsweredIsTriedAgain() {
        let bench = Self.registering()
        #expect(
            bench.lose(Self.register) == [.event(.advertisingRefused(BusError(BusError.noReply)))])
        #expect(bench.wait(.seconds(2)) == [.call(Self.unregister)])
    }

    @Test func oneThatIsThereFromBeforeIsReplaced() {
        let bench = Self.registering()
        #expect(
            bench.refuse(Self.register, "AlreadyExists", "Already Exists") == [
                .call(Self.unregister)
            ])
        #expect(bench.answer(Self.unregister) == [.call(Self.register)])
    }

    @Test func whenNoneIsOnAirAnyMoreItIsSaidAndTriedAgain() {
        let bench = Self.onAir()
        bench.change("/org/bluez/hci0", Bench.advertisingManager, ["ActiveInstances": .byte(1)])
        #expect(
            bench.change("/org/bluez/hci0", Bench.advertisingManager, ["ActiveInstances": .byte(0)])
                == [.event(.advertising(false))])
        #expect(bench.wait(.seconds(2)) == [.call(Self.unregister)])
        #expect(bench.goOnAir().last == .event(.advertising(true)))
    }

    @Test func oneThatBluetoothdReleasesIsRegisteredAgain() {
        let bench = Self.onAir()
        #expect(
            bench.call(Advertisement.path, Advertisement.interface, "Release") == [
                .answer(InvocationID(rawValue: 1), .success([])), .event(.advertising(false)),
            ])
        #expect(bench.wait(.seconds(2)) == [.call(Self.unregister)])
    }

    @Test func itIsRenewedAfterADisconnection() {
        let bench = Self.onAir()
        bench.serve()
        bench.goOnAir()
        #expect(bench.disconnect().calls == [Self.register])
        #expect(bench.goOnAir() == [.call(Self.count), .event(.advertising(true))])
        // One that could not be served until then.
        bench.addDevice("dev_2")
        bench.input { $0.leave(PhoneID(rawValue: 2), at: $1) }
        bench.goOnAir()
        #expect(bench.disconnect("dev_2").calls.isEmpty)
    }

    @Test func itIsRenewedAfterASuspendAndStaysOnAirToTheUser() {
        let bench = Self.onAir()
        #expect(bench.prepareForSleep(true).isEmpty)
        #expect(bench.prepareForSleep(false) == [.event(.resumed), .call(Self.unregister)])
        #expect(bench.goOnAir() == [.call(Self.register), .call(Self.count)])
    }

    @Test func aSuspendMeanwhileRenewsWhatIsJustBeingRegistered() {
        let bench = Self.registering()
        #expect(bench.prepareForSleep(false) == [.event(.resumed)])
        #expect(bench.answer(Self.register) == [.call(Self.unregister)])
        #expect(bench.answer(Self.unregister) == [.call(Self.register)])
    }

    @Test func aPauseEndsWithASuspend() {
        let bench = Self.registering()
        bench.finish(Self.register, .failure(Self.maximum))
        #expect(bench.prepareForSleep(false) == [.event(.resumed), .call(Self.unregister)])
    }

    @Test func itIsOffAirWhileThereIsNoRoom() {
        let bench = Self.onAir()
        bench.addPairedPhone()
        bench.goOnAir()
        #expect(bench.connect().suffix(2) == [.event(.advertising(false)), .call(Self.unregister)])
        bench.answer(Self.unregister)
        #expect(bench.resolve().calls.isEmpty)
        #expect(bench.disconnect().calls == [Self.register])
    }

    @Test func aPhoneThatMayNotPairTakesNoRoom() {
        let bench = Bench()
        bench.addAdapter()
        bench.addPairedPhone("dev_9")
        bench.daemonBegins()
        bench.goOnAir()
        #expect(bench.addDevice().calls.isEmpty)
    }

    @Test func noPhoneIsLetInAnyMore() {
        let bench = Self.onAir()
        #expect(
            bench.input { $0.stopAdvertising(at: $1) } == [
                .event(.advertising(false)), .call(Self.unregister),
            ])
        #expect(bench.answer(Self.unregister).isEmpty)
        #expect(bench.prepareForSleep(false) == [.event(.resumed)])
    }

    @Test func whatIsNotWantedAnyMoreIsNeverOnAir() {
        let bench = Self.registering()
        #expect(bench.input { $0.stopAdvertising(at: $1) }.isEmpty)
        #expect(bench.answer(Self.register) == [.call(Self.unregister)])
        #expect(bench.answer(Self.unregister).isEmpty)
    }

    // MARK: What bluetoothd reads

    private static let properties = ObjectTree.propertiesInterface

    @Test func itSolicitsANCSByName() throws {
        let bench = Self.registering()
        let lines = bench.call(
            Advertisement.path, Self.properties, "GetAll", .string(Advertisement.interface))
        guard case .answer(_, .success(let values)) = lines.first else {
            Issue.record("no answer")
            return
        }
        let properties = try #require(values.first?.properties)
        #expect(properties["Type"] == .string("peripheral"))
        #expect(properties["SolicitUUIDs"] == .strings([BluetoothUUID.ancs.text]))
        #expect(properties["LocalName"] == .string("desk lamp"))
        #expect(properties["Discoverable"] == .bool(true))
        #expect(properties["MinInterval"] == .uint32(20))
        #expect(properties["MaxInterval"] == .uint32(20))
        #expect(values.first?.signature == "a{sv}")
    }

    @Test func oneOfItsPropertiesCanBeRead() {
        let bench = Self.registering()
        #expect(
            bench.call(
                Advertisement.path, Self.properties, "Get", .string(Advertisement.interface),
                .string("Type"))
                == [.answer(InvocationID(rawValue: 1), .success([.variant(.string("peripheral"))]))]
        )
        #expect(
            bench.call(
                Advertisement.path, Self.properties, "Get", .string(Advertisement.interface),
                .string("Duration"))
                == [
                    .answer(
                        InvocationID(rawValue: 2),
                        .failure(BusError(BusError.unknownProperty, "Duration")))
                ])
    }

    @Test func anotherProgramIsToldNothing() {
        let bench = Self.onAir()
        for (interface, member) in [
            (Self.properties, "GetAll"), (Advertisement.interface, "Release"),
        ] {
            guard
                case .answer(_, .failure(let error)) = bench.call(
                    Advertisement.path, interface, member, from: ":1.77"
                ).first
            else {
                Issue.record("it is answered")
                continue
            }
            #expect(error.name == BusError.accessDenied)
        }
        #expect(bench.nextDeadline == nil)
    }
}
