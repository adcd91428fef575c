internal import ANCS
internal import ANCSKit
internal import BluetoothLE
internal import Glibc
internal import LinuxIO

extension CaptureTime {
    /// `2026-11-21T09:30:00.123456Z`; a year beyond four digits with its sign, as ISO 8601 has it.
    var text: String { text(fractionDigits: 6) }

    /// The same with the fraction of a second cut.
    func text(fractionDigits: Int) -> String {
        let (whole, rest) = microsecondsSince1970.quotientAndRemainder(dividingBy: 1_000_000)
        // Microseconds count from the second before.
        var clock = time_t(rest < 0 ? whole - 1 : whole)
        var fields = tm()
        gmtime_r(&clock, &fields)
        let numbers = [
            fields.tm_mon + 1, fields.tm_mday, fields.tm_hour, fields.tm_min, fields.tm_sec,
        ].map { Self.digits(Int($0), 2) }
        let fraction = Self.digits(Int(rest < 0 ? rest + 1_000_000 : rest), 6)
            .prefix(fractionDigits)
        return Self.text(year: Int(fields.tm_year) + 1900)
            + "-\(numbers[0])-\(numbers[1])T\(numbers[2]):\(numbers[3]):\(numbers[4]).\(fraction)Z"
    }

    private static func text(year: Int) -> String {
        let sign = (0...9999).contains(year) ? "" : year < 0 ? "-" : "+"
        return sign + digits(abs(year), 4)
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
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
    var message: String { "\(nameWithCode): \(meaning)" }
}
