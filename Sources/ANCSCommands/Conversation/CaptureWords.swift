internal import ANCS
internal import ANCSKit
internal import BluetoothLE
internal import Glibc

/// Times as a story tells them.
enum CaptureTime {
    /// `2026-11-21T09:30:00.123456Z`, of microseconds since 1970.
    static func text(_ time: Int64) -> String {
        let seconds = time >= 0 ? time / 1_000_000 : (time - 999_999) / 1_000_000
        var clock = time_t(seconds)
        var fields = tm()
        gmtime_r(&clock, &fields)
        func digits(_ number: Int, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let day =
            "\(digits(Int(fields.tm_year) + 1900, 4))-\(digits(Int(fields.tm_mon) + 1, 2))-"
            + digits(Int(fields.tm_mday), 2)
        let hour = [fields.tm_hour, fields.tm_min, fields.tm_sec].map { digits(Int($0), 2) }
        return day + "T" + hour.joined(separator: ":") + "."
            + digits(Int(time - seconds * 1_000_000), 6) + "Z"
    }

    /// Seconds with three decimals: `12.345`.
    static func seconds(_ microseconds: Int64) -> String {
        let milliseconds = (microseconds.magnitude + 500) / 1000
        let fraction = String(milliseconds % 1000)
        let sign = microseconds < 0 && milliseconds > 0 ? "-" : ""
        return sign + "\(milliseconds / 1000)."
            + String(repeating: "0", count: 3 - fraction.count) + fraction
    }

    /// `1.2 ms`, `12 ms`, or seconds from one second on.
    static func duration(_ microseconds: Int64) -> String {
        switch microseconds {
        case 0..<10_000: "\(microseconds / 1000).\(microseconds % 1000 / 100) ms"
        case 10_000..<1_000_000: "\(microseconds / 1000) ms"
        default: "\(seconds(microseconds)) s"
        }
    }
}

extension Happening.Ending {
    /// Why no answer can come any more.
    var text: String {
        switch self {
        case .link: "the link ended"
        case .session: "the session ended"
        case .capture: "the capture ends"
        case .nextRequest: "another request went out instead"
        case .crowded: "too much was outstanding"
        }
    }
}

extension DeviceAddress {
    /// What kind of address it is.
    var kindText: String {
        switch randomKind {
        case nil: "public"
        case .static: "static random"
        case .resolvablePrivate: "resolvable private"
        case .nonResolvablePrivate: "non-resolvable private"
        case .reserved: "reserved"
        }
    }
}

extension ATTOpcode {
    /// The name of a request or a response.
    var text: String {
        switch self {
        case .exchangeMTURequest, .exchangeMTUResponse: "Exchange MTU"
        case .findInformationRequest, .findInformationResponse: "Find Information"
        case .findByTypeValueRequest, .findByTypeValueResponse: "Find By Type Value"
        case .readByTypeRequest, .readByTypeResponse: "Read By Type"
        case .readRequest, .readResponse: "Read"
        case .readBlobRequest, .readBlobResponse: "Read Blob"
        case .readMultipleRequest, .readMultipleResponse: "Read Multiple"
        case .readByGroupTypeRequest, .readByGroupTypeResponse: "Read By Group Type"
        case .writeRequest, .writeResponse: "Write"
        case .prepareWriteRequest, .prepareWriteResponse: "Prepare Write"
        case .executeWriteRequest, .executeWriteResponse: "Execute Write"
        case .readMultipleVariableRequest, .readMultipleVariableResponse: "Read Multiple Variable"
        case .errorResponse: "Error"
        default: "0x" + String(rawValue, radix: 16)
        }
    }
}

extension ATTErrorCode {
    /// What the code means for somebody whose notifications do not arrive.
    var meaning: String {
        switch self {
        case .invalidHandle: "there is no such attribute (any more): discover again"
        case .writeNotPermitted:
            "on a phone: Share System Notifications is off for this accessory"
        case .insufficientAuthentication: "the devices are not paired, or the key is missing"
        case .insufficientAuthorization: "the user has not allowed it"
        case .insufficientEncryption: "the link is not encrypted"
        case .encryptionKeySizeTooShort: "the key is too short"
        case .attributeNotFound: "there is none"
        case .databaseOutOfSync: "the attributes changed: discover again"
        default: ancsMeaning
        }
    }

    private var ancsMeaning: String {
        switch ControlPointError(rawValue: rawValue) {
        case .unknownCommand: "the phone does not know the command"
        case .invalidCommand: "the command is badly formatted"
        case .invalidParameter: "there is no such notification or app (any more)"
        case .actionFailed: "the action was not performed"
        default: "the server refuses"
        }
    }

    /// Name, number and meaning.
    var explanation: String { "\(text): \(meaning)" }
}
