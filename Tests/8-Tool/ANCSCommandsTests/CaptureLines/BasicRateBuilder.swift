import BluetoothTypes

@testable import ANCSCapture

/// Writes what happens on a BR/EDR link into a capture, octet by octet as Core Vol 4, Part E and Vol 3, Part A
/// describe it, apart from the code under test.
struct BasicRateBuilder {
    /// 5C:70:12:34:56:78, least significant octet first.
    static let phone: [UInt8] = [0x78, 0x56, 0x34, 0x12, 0x70, 0x5C]
    static let headset: [UInt8] = [0x01, 0x02, 0x03, 0x04, 0x05, 0x06]
    static let phoneClass: [UInt8] = [0x0C, 0x02, 0x7A]
    static let headsetClass: [UInt8] = [0x04, 0x04, 0x24]
    static let computerClass: [UInt8] = [0x0C, 0x01, 0x3C]
    /// No output may have it.
    static let key: [UInt8] = [UInt8](repeating: 0xA5, count: 16)

    var capture: CaptureBuilder
    var handle: UInt16 = 0x0B
    var peer = Self.phone
    /// The largest ACL packet.
    var fragment = 65_535

    init(_ format: CaptureBuilder.Format = .h4) { capture = CaptureBuilder(format) }

    var story: ToldStory { ToldStory(capture.octets, json: true) }
    var text: [String] { ToldStory(capture.octets, json: false).lines }

    static func little(_ number: UInt16) -> [UInt8] { [UInt8(number & 0xFF), UInt8(number >> 8)] }

    // MARK: HCI

    mutating func event(_ code: UInt8, _ parameters: [UInt8]) {
        capture.add(.event([code, UInt8(parameters.count)] + parameters), isSent: false)
    }

    mutating func command(_ opcode: UInt16, _ parameters: [UInt8]) {
        capture.add(
            .command(Self.little(opcode) + [UInt8(parameters.count)] + parameters), isSent: true)
    }

    /// The peer asks for a link, and gets it.
    mutating func connect(_ deviceClass: [UInt8] = Self.phoneClass) {
        event(0x04, peer + deviceClass + [1])
        command(0x0409, peer + [1])
        complete()
    }

    /// Connection Complete.
    mutating func complete(_ status: UInt8 = 0, linkType: UInt8 = 1) {
        event(0x03, [status] + Self.little(handle) + peer + [linkType, 0])
    }

    mutating func disconnect() { event(0x05, [0] + Self.little(handle) + [0x13]) }

    /// Encryption Change: 0x02 is AES-CCM.
    mutating func encrypt() { event(0x08, [0] + Self.little(handle) + [2]) }

    mutating func name(_ name: String) {
        let octets = Array(name.utf8)
        event(
            0x07, [0] + peer + octets + [UInt8](repeating: 0, count: 248 - octets.count))
    }

    // MARK: Pairing

    /// The peer begins Secure Simple Pairing; both have a display and buttons, or these capabilities.
    mutating func agree(phone: [UInt8] = [1, 0, 3], host: [UInt8] = [1, 0, 3]) {
        event(0x32, peer + phone)
        event(0x31, peer)
        command(0x042B, peer + host)
    }

    mutating func confirm(_ isYes: Bool = true) {
        event(0x33, peer + [0x40, 0xE2, 0x01, 0x00])
        command(isYes ? 0x042C : 0x042D, peer)
    }

    /// Pairing succeeds with a key of this type.
    mutating func finishPairing(type: UInt8 = 0x08) {
        event(0x36, [0] + peer)
        event(0x18, peer + Self.key + [type])
        encrypt()
    }

    mutating func pair(type: UInt8 = 0x08) {
        agree()
        confirm()
        finishPairing(type: type)
    }

    // MARK: L2CAP

    mutating func pdu(_ payload: [UInt8], on channel: UInt16, from side: CaptureEvent.Side) {
        let octets = Self.little(UInt16(payload.count)) + Self.little(channel) + payload
        for start in stride(from: 0, to: octets.count, by: fragment) {
            let part = Array(octets[start..<min(start + fragment, octets.count)])
            // From a host 0b00, from a controller 0b10, and 0b01 for what continues a PDU.
            let boundary: UInt16 = start > 0 ? 0x1000 : side == .local ? 0x0000 : 0x2000
            capture.add(
                .acl(Self.little(handle | boundary) + Self.little(UInt16(part.count)) + part),
                isSent: side == .local)
        }
    }

    /// A command of the Security Manager.
    mutating func security(_ payload: [UInt8], from side: CaptureEvent.Side) {
        pdu(payload, on: 7, from: side)
    }
}
