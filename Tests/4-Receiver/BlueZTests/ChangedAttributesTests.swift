import ANCS
import ANCSEvents
import BluetoothTypes
import DBus
import Octets
import Testing

@testable import BlueZ

/// A service beside ANCS came or went just before a request: the phone does not carry it out, and says so once, *Database
/// Out Of Sync*, which bluetoothd passes on (seen in 5.66: a notification was told without its texts).
@Suite struct ChangedAttributesTests {
    private static let write = "WriteValue dev_1/service0010/char0014"
    private static let source = "StartNotify dev_1/service0010/char0011"
    private static let outOfSync = "Operation failed with ATT error: 0x12"

    @Test func aCommandIsWrittenAgain() {
        let bench = Bench()
        bench.beginWithPhone()
        bench.subscribe()
        bench.request(.writeControlPoint([0]))
        #expect(bench.refuse(Self.write, "Failed", Self.outOfSync).isEmpty)
        #expect(bench.wait(.milliseconds(49)).isEmpty)
        #expect(bench.wait(.milliseconds(1)) == [.call(Self.write)])
        #expect(bench.answer(Self.write) == [.report(1, .controlPointWritten([0], nil))])
    }

    /// A phone that says it for ever is not asked for ever.
    @Test func aPhoneThatNeverKnowsItsAttributesIsGivenUp() {
        let bench = Bench()
        bench.beginWithPhone()
        bench.subscribe()
        bench.request(.writeControlPoint([0]))
        var lines: [Bench.Line] = []
        for _ in 0..<1_000 where lines.isEmpty {
            lines = bench.refuse(Self.write, "Failed", Self.outOfSync)
            bench.wait(.milliseconds(400))
        }
        #expect(
            lines == [.report(1, .controlPointWritten([0], ControlPointError(rawValue: 0x12)))])
    }

    @Test func aSubscriptionIsMadeAgain() {
        let bench = Bench()
        bench.beginWithPhone()
        bench.request(.subscribe(.notificationSource))
        #expect(bench.refuse(Self.source, "Failed", Self.outOfSync).isEmpty)
        #expect(bench.wait(.milliseconds(200)) == [.call(Self.source)])
        #expect(bench.answer(Self.source) == [.report(1, .subscribed(.notificationSource))])
    }

    @Test func aRequestAboutTheMediaIsMadeAgain() {
        let bench = Bench()
        bench.begin()
        bench.useMedia()
        bench.ask(.write(.update, [0, 0]))
        let write = "WriteValue dev_1/service0030/char0034"
        #expect(bench.refuse(write, "Failed", Self.outOfSync).isEmpty)
        #expect(bench.wait(.milliseconds(50)).calls == [write])
        #expect(bench.answer(write) == [.companion(1, .written(.update, nil))])
    }
}
