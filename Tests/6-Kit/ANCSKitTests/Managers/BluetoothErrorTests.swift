import BluetoothLE
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

@Suite("Errors and their cause")
struct BluetoothErrorTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var failure: ConnectFailure
        var code: BluetoothError.Code
        var message: String
        var testDescription: String { message }
    }

    static let rows = [
        Row(
            failure: .timedOut(nil), code: .connectionTimeout,
            message: "the peripheral did not answer in time"),
        Row(
            failure: .timedOut(.refused(.connectionFailedToBeEstablished)),
            code: .connectionTimeout,
            message: "the peripheral did not answer in time: the connection could not be "
                + "established (0x3e)"),
        Row(
            failure: .timedOut(.refused(.connectionLimitExceeded)), code: .connectionLimitReached,
            message: "too many connections: the controller allows no more connections "
                + "(0x09)"),
        Row(
            failure: .timedOut(.refused(.commandDisallowed)), code: .connectionFailed,
            message: "the connection failed: the controller cannot do that now (0x0c)"),
        Row(
            failure: .timedOut(.unanswered), code: .connectionFailed,
            message: "the controller did not answer"),
    ]

    @Test("a refusal of the local controller is not blamed on the peripheral", arguments: rows)
    func connecting(_ row: Row) {
        let error = BluetoothError(row.failure)
        #expect(error.code == row.code)
        #expect(error.message == row.message)
    }

    @Test("different keys are not reported as lost keys")
    func keys() {
        let lost = BluetoothError(linkEndedFor: .link(.pinOrKeyMissing), after: .peerLostBond)
        let others = BluetoothError(linkEndedFor: .link(.micFailure), after: .keysDiffer)
        #expect(lost.code == .peerRemovedPairingInformation && lost.code == others.code)
        #expect(lost.message.contains("has forgotten this one"))
        #expect(!others.message.contains("forgotten") && !others.message.contains("lost"))
        #expect(others.reason == .micFailure)
    }

    @Test(
        "the end of a link without a status of the controller says what ended it",
        arguments: [
            (.linkEnded, .peripheralDisconnected, "bluetoothd does not say why"),
            (.otherProgram, .peripheralDisconnected, "another program of this machine"),
            (.bluetoothGone, .peripheralDisconnected, "Bluetooth has disappeared"),
            (.link(.connectionTimeout), .connectionTimeout, "did not answer in time"),
        ] as [(DisconnectReason, BluetoothError.Code, String)])
    func ends(_ reason: DisconnectReason, _ code: BluetoothError.Code, _ text: String) {
        let error = BluetoothError(linkEndedFor: reason, after: nil)
        #expect(error.code == code)
        #expect(error.message.contains(text))
    }

    @Test(
        "what only bluetoothd refuses has a code of its own",
        arguments: [
            (.notSupported, .operationNotSupported), (.tooManyRequests, .outOfSpace),
            (.takenByAnotherProgram, .takenByAnotherProgram),
            (.keptByBluetoothd, .connectionTimeout),
            (.gatt(.transactionTimedOut), .connectionTimeout),
        ] as [(PeerRequestFailure, BluetoothError.Code)])
    func requests(_ failure: PeerRequestFailure, _ code: BluetoothError.Code) {
        #expect(BluetoothError(failure).code == code)
    }

    @Test(
        "ATT application error codes are reported as application errors",
        arguments: [
            (0x80, "Application Error (0x80)"), (0x9F, "Application Error (0x9F)"),
            (0xA0, "Unknown Command (0xA0)"), (0x14, "Reserved Error (0x14)"),
            (0xE0, "Common Profile Error (0xE0)"), (0xFF, "Out of Range (0xFF)"),
        ] as [(UInt8, String)])
    func attributeErrors(_ code: UInt8, _ text: String) {
        #expect(ATTErrorCode(rawValue: code).nameWithCode == text)
    }

    @Test("unsupported operations of the host or the controller have a message")
    func words() {
        let full = BluetoothError(notPublished: .attributes(.full))
        #expect(full.code == .outOfSpace)
        #expect(full.message == "no attribute handles are left")
        #expect(
            BluetoothError(
                .notSent(HostUsageError.bearer(.valueTooLong(limit: 20)).message)
            ).message
                == "the value was not sent: the value is longer than 20 octets")
        #expect(
            BluetoothError(Scanner.Failure.refused(.leSetScanEnable, .commandDisallowed)).message
                == "the controller cannot scan: the controller cannot do that now (0x0c)")
        #expect(
            BluetoothError(Scanner.Failure.timedOut(.leSetScanEnable)).message
                == "the controller cannot scan: it does not answer")
    }
}
