import ANCSEvents
import BluetoothLE
import DBus
import Testing

@testable import ANCSKit
@testable import BlueZ

@Suite struct SystemRequestTests {
    private let bench = SystemBench()
    private let peer: PeerKey
    private static let read = "ReadValue dev_1/service0010/char0014"
    private static let write = "WriteValue dev_1/service0010/char0016"

    init() {
        bench.begin()
        peer = bench.connect()
    }

    private func completed(
        _ request: UInt64, _ failure: PeerRequestFailure
    ) -> SystemBench.Line {
        .completed(request, .failure(failure))
    }

    private func start(_ procedure: GATTProcedure) -> [SystemBench.Line] {
        bench.start(procedure, on: peer)
    }

    @Test func aValueIsRead() {
        #expect(start(.readValue(SystemBench.readable)) == [.call(Self.read)])
        #expect(
            bench.answer(Self.read, .octets([1, 2])) == [.completed(1, .success(.value([1, 2])))])
    }

    @Test func aDescriptorIsReadAndWritten() {
        let name = "dev_1/service0010/char0016/desc0018"
        #expect(start(.readValue(AttributeHandle(0x0018))) == [.call("ReadValue \(name)")])
        #expect(start(.writeValue(AttributeHandle(0x0018), [1])) == [])
        #expect(
            bench.answer("ReadValue \(name)", .octets([]))
                == [.completed(1, .success(.value([]))), .call("WriteValue \(name)")])
        #expect(bench.pending[0].call.interface == "org.bluez.GattDescriptor1")
        #expect(bench.pending[0].call.arguments.last?.properties?.isEmpty == true)
    }

    @Test func twoWritesAreNeverUnderWay() {
        #expect(start(.writeValue(SystemBench.writable, [1])) == [.call(Self.write)])
        #expect(start(.writeValue(SystemBench.writable, [2])) == [])
        #expect(bench.writeWithoutResponse([3], of: peer) == [])
        #expect(bench.pending[0].call.arguments.first?.octets == [1])
        #expect(bench.pending[0].call.arguments.last?.properties?["type"]?.string == "request")
        #expect(
            bench.answer(Self.write) == [.completed(1, .success(.done)), .call(Self.write)])
        #expect(
            bench.answer(Self.write) == [.completed(2, .success(.done)), .call(Self.write)])
        #expect(bench.pending[0].call.arguments.last?.properties?["type"]?.string == "command")
        #expect(bench.answer(Self.write) == [.completed(3, .success(.done))])
    }

    @Test func otherCharacteristicsNeedNotWait() {
        _ = start(.writeValue(SystemBench.writable, [1]))
        #expect(start(.readValue(SystemBench.readable)) == [.call(Self.read)])
    }

    @Test func aLongValueIsOneCall() {
        let value = [UInt8](repeating: 7, count: 512)
        #expect(start(.writeValue(SystemBench.writable, value)) == [.call(Self.write)])
        #expect(
            start(.writeValue(SystemBench.writable, value + [7])) == [
                completed(
                    2,
                    .gatt(.errorResponse(.invalidAttributeValueLength, SystemBench.writable)))
            ])
        bench.answer(Self.write)
        #expect(start(.writeLongValue(SystemBench.writable, value)) == [.call(Self.write)])
        #expect(bench.pending[0].call.arguments.last?.properties?["type"]?.string == "reliable")
    }

    @Test func aCommandFitsIntoOnePDU() {
        #expect(
            bench.writeWithoutResponse([UInt8](repeating: 1, count: 182), of: peer)
                == [.call(Self.write)])
        #expect(
            bench.writeWithoutResponse([UInt8](repeating: 1, count: 183), of: peer) == [
                completed(
                    2,
                    .gatt(.errorResponse(.invalidAttributeValueLength, SystemBench.writable)))
            ])
    }

    @Test func commandsHaveALimitAndRoomIsReported() {
        for _ in 0..<RemotePeer.maximumCommands { bench.writeWithoutResponse([1], of: peer) }
        #expect(!bench.query { $0.hasRoom(to: peer) })
        let number = UInt64(RemotePeer.maximumCommands + 1)
        #expect(
            bench.writeWithoutResponse([1], of: peer) == [completed(number, .tooManyRequests)])
        #expect(bench.answer(Self.write).contains(.event(.hasRoom(peer))))
        #expect(!bench.answer(Self.write).contains(.event(.hasRoom(peer))))
    }

    /// A `Peripheral` asks for room first, and makes no write that would be refused.
    @Test func whoeverAsksForRoomHearsOfIt() {
        for _ in 0..<RemotePeer.maximumCommands { bench.writeWithoutResponse([1], of: peer) }
        #expect(!bench.query { $0.hasRoom(to: peer) })
        #expect(bench.answer(Self.write).contains(.event(.hasRoom(peer))))
    }

    @Test func requestsHaveALimit() {
        let bench = SystemBench(maximumRequests: 3)
        bench.begin()
        let peer = bench.connect()
        for _ in 0..<3 { bench.start(.readValue(SystemBench.readable), on: peer) }
        #expect(
            bench.start(.readValue(SystemBench.readable), on: peer)
                == [completed(4, .tooManyRequests)])
        bench.answer(Self.read, .octets([]))
        #expect(bench.start(.readValue(SystemBench.readable), on: peer) == [])
    }

    /// bluetoothd's texts, from src/gatt-client.c.
    @Test(
        arguments: [
            ("NotPermitted", "Read not permitted", 0x02),
            ("NotPermitted", "Write not permitted", 0x03),
            ("NotSupported", "Operation is not supported", 0x06),
            ("InvalidArguments", "Invalid offset", 0x07),
            ("NotAuthorized", "Operation Not Authorized", 0x08),
            ("InvalidArguments", "Invalid Length", 0x0D),
            ("Failed", "Operation failed with ATT error: 0x81", 0x81),
            ("Failed", "Operation failed with ATT error: 0x13", 0x13),
            ("Failed", "Failed to initiate write", 0x0E),
        ] as [(String, String, UInt8)])
    func textsBecomeErrors(_ name: String, _ text: String, _ code: UInt8) {
        _ = start(.readValue(SystemBench.readable))
        #expect(
            bench.refuse(Self.read, name, text) == [
                completed(
                    1,
                    .gatt(.errorResponse(ATTErrorCode(rawValue: code), SystemBench.readable)))
            ])
    }

    @Test func otherFailuresHaveTheirOwnNames() {
        _ = start(.writeValue(SystemBench.writable, [1]))
        #expect(
            bench.refuse(Self.write, "NotPermitted", "Write acquired")
                == [completed(1, .takenByAnotherProgram)])
        _ = start(.readValue(SystemBench.readable))
        #expect(
            bench.refuse(Self.read, "Failed", "Not connected") == [completed(2, .gatt(.closed))])
        _ = start(.readValue(SystemBench.readable))
        #expect(
            bench.finish(Self.read, .failure(BusError(BusError.unknownObject))) == [
                completed(3, .gatt(.errorResponse(.invalidHandle, SystemBench.readable)))
            ])
        _ = start(.readValue(SystemBench.readable))
        #expect(
            bench.answer(Self.read, .string("?")) == [completed(4, .gatt(.malformedResponse))])
        #expect(
            start(.readMultiple([SystemBench.readable])) == [completed(5, .notSupported)])
        #expect(
            start(.readValue(AttributeHandle(0x7777))) == [
                completed(6, .gatt(.errorResponse(.invalidHandle, AttributeHandle(0x7777))))
            ])
        #expect(
            start(.writeValue(AttributeHandle(0x0013), [1, 0])) == [
                completed(
                    7, .gatt(.errorResponse(.writeNotPermitted, AttributeHandle(0x0013))))
            ])
    }

    @Test func anotherProgramsWriteIsWaitedFor() {
        _ = start(.writeValue(SystemBench.writable, [1]))
        for pause in [50, 100, 200, 400, 400] {
            #expect(bench.refuse(Self.write, "InProgress") == [])
            #expect(bench.wait(.milliseconds(pause - 1)) == [])
            #expect(bench.wait(.milliseconds(1)) == [.call(Self.write)])
        }
        #expect(bench.answer(Self.write) == [.completed(1, .success(.done))])
    }

    @Test func aWriteThatMeetsChangedAttributesIsMadeAgain() {
        _ = start(.writeValue(SystemBench.writable, [1]))
        let text = "Operation failed with ATT error: 0x12"
        #expect(bench.refuse(Self.write, "Failed", text) == [])
        #expect(bench.wait(.milliseconds(50)) == [.call(Self.write)])
        #expect(bench.answer(Self.write) == [.completed(1, .success(.done))])
    }

    @Test func aProgramThatNeverStopsWritingIsNamed() {
        _ = start(.writeValue(SystemBench.writable, [1]))
        var lines: [SystemBench.Line] = []
        for _ in 0..<200 where lines.isEmpty {
            lines = bench.refuse(Self.write, "InProgress")
            if lines.isEmpty { bench.wait(.milliseconds(400)) }
        }
        #expect(lines == [completed(1, .takenByAnotherProgram)])
    }

    /// bluetoothd forgets a write that waits for security when the link ends, and refuses every later one as if it were
    /// under way.
    @Test(arguments: 0...4) func itsOwnWriteThatIsNeverAnsweredIsNoOtherProgram(_ what: Int) {
        _ = start(.writeValue(SystemBench.writable, [1]))
        bench.linkDown()
        switch what {
        case 0: break
        case 1: bench.finish(Self.write, .failure(BusError(BusError.noReply)))
        // As usual, it was answered in the end.
        case 2: bench.refuse(Self.write, "Failed", "Operation failed with ATT error: 0x00")
        case 3:
            bench.removeAttributes()
            bench.addAttributes()
        case _:
            bench.remove(Bench.path("dev_1"))
            bench.addDevice()
            bench.addAttributes()
        }
        bench.pending = []
        bench.input { $0.connect(peer, by: SystemBench.app, at: $1) }
        bench.linkUp()
        bench.resolve()
        for isLast in [false, true] {
            let kept = what < 2 && !isLast
            let request = bench.request + 1
            _ = start(.writeValue(SystemBench.writable, [2]))
            var lines: [SystemBench.Line] = []
            for _ in 0..<200 where lines.isEmpty {
                lines = bench.refuse(Self.write, "InProgress")
                if lines.isEmpty { bench.wait(.milliseconds(400)) }
            }
            #expect(
                lines == [completed(request, kept ? .keptByBluetoothd : .takenByAnotherProgram)])
            _ = start(.writeValue(SystemBench.writable, [3]))
            bench.answer(Self.write)
        }
    }

    @Test func theEndOfTheLinkEndsAllRequestsOnce() {
        _ = start(.writeValue(SystemBench.writable, [1]))
        _ = start(.writeValue(SystemBench.writable, [2]))
        _ = start(.readValue(SystemBench.readable))
        let closed = [3, 1, 2].map { completed($0, .gatt(.closed)) }
        let lines = bench.linkDown()
        #expect(lines.dropLast() == closed[...])
        #expect(lines.last == .event(.disconnected(peer, .linkEnded)))
        #expect(bench.answer(Self.write) == [])
        #expect(bench.answer(Self.read, .octets([])) == [])
        #expect(start(.readValue(SystemBench.readable)) == [completed(4, .gatt(.closed))])
    }

    @Test func objectsThatOutliveTheLinkAreNotUsed() {
        bench.linkDown()
        bench.input { $0.connect(peer, by: SystemBench.app, at: $1) }
        bench.linkUp()
        // The objects are there, and the services are not resolved yet.
        #expect(start(.readValue(SystemBench.readable)) == [])
        #expect(start(.discoverPrimaryServices) == [])
        let lines = bench.resolve()
        #expect(lines.contains(.call(Self.read)))
        #expect(lines.count { if case .completed = $0 { true } else { false } } == 1)
    }

    @Test func aReplyOfTheLinkBeforeIsNotOfThisOne() {
        _ = start(.readValue(SystemBench.readable))
        bench.linkDown()
        bench.linkUp()
        bench.resolve()
        #expect(start(.readValue(SystemBench.readable)) == [.call(Self.read)])
        // The first call is answered first.
        #expect(bench.answer(Self.read, .octets([1])) == [])
        #expect(
            bench.answer(Self.read, .octets([2])) == [.completed(2, .success(.value([2])))])
    }

    @Test func aClientThatGoesTakesItsRequests() {
        _ = start(.writeValue(SystemBench.writable, [1]))
        _ = start(.writeValue(SystemBench.writable, [2]))
        #expect(
            bench.input { $0.dismiss(SystemBench.app, at: $1) }
                == [completed(2, .gatt(.closed)), .call("Disconnect dev_1")])
        #expect(bench.answer(Self.write) == [.completed(1, .success(.done))])
    }
}
