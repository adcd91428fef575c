import BluetoothLE
import Octets
import Testing

@Suite("Usage errors of a host")
struct HostUsageErrorTests {
    static let errors: [HostUsageError] = [
        .notReady, .unknownConnection, .addressNotAvailable,
        .alreadyConnected(ConnectionHandle(rawValue: 1)), .tooManyConnections, .controllerBusy,
        .notSupported,
        .connecting(.busy(DeviceAddress(7, kind: .public))),
        .connecting(.invalidParameters(.interval)), .connecting(.invalidParameters(.latency)),
        .connecting(.invalidParameters(.supervisionTimeout)),
        .connecting(.invalidParameters(.timeoutTooShort)),
        .advertising(.data(.tooLong(excess: 1))), .advertising(.data(.tooLong(excess: 2))),
        .advertising(.scanResponse(.structureTooLong(type: 9))),
        .advertising(.data(.uuidTooWide(.deviceName))), .advertising(.extendedNotSupported),
        .advertising(.addressNotAvailable),
        .security(.busy), .security(.closed), .security(.tooSoon(until: .zero)),
        .security(.notAsked), .security(.passkeyOutOfRange),
        .bearer(.closed), .bearer(.queueFull), .bearer(.valueTooLong(limit: 20)),
        .bearer(.notSubscribed), .bearer(.invalidArgument),
        .attributes(.handleUnavailable(AttributeHandle(0x2A))),
        .attributes(.rangeUnavailable(AttributeHandleRange(.first, AttributeHandle(0x2A)))),
        .attributes(.full),
        .signalling(.notPeripheral), .signalling(.requestOutstanding),
        .signalling(.nothingToAnswer), .signalling(.invalidParameters(.latency)),
    ]

    @Test("a sentence for people names no case and no type", arguments: errors)
    func words(_ error: HostUsageError) throws {
        let message = error.message
        #expect(message.contains(" "))
        #expect(!message.contains(try Regex(#"[a-z][A-Z]|[A-Za-z](\.[A-Za-z]|\()"#)), "\(message)")
    }

    @Test("a message has the subject and the amount")
    func numbers() {
        #expect(
            HostUsageError.advertising(.data(.tooLong(excess: 1))).message
                == "the advertising data cannot be encoded: it is too long by 1 octet")
        #expect(
            HostUsageError.attributes(.handleUnavailable(AttributeHandle(0x012A))).message
                == "attribute handle 0x012a is already in use")
    }
}
