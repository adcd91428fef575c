import AMS
import ANCS
import ANCSCapture
import BluetoothLE
import BluetoothTypes
import Octets
import OpenSSLSecurity

/// What happened between a phone and an accessory, in everything that may be secret of a shape of its own, and with
/// secrets of its own.
struct SecretStory {
    /// What a search looks for, each with at least five octets.
    var secrets: [[UInt8]] = []
    var link: LinkBuilder
    var shape: SeededGenerator
    var content: SeededGenerator

    init(_ format: CaptureBuilder.Format, shape: UInt64, secrets: UInt64) {
        link = LinkBuilder(format, phone: .remote)
        self.shape = SeededGenerator(seed: shape)
        content = SeededGenerator(seed: secrets)
        link.fragment = 24 + Int(self.shape.next() % 80)
        // Days, so that dates move with the capture.
        days = Int(content.next() % 20)
        link.capture.time += Int64(days) * 86_400_000_000
        tell()
    }

    let days: Int

    // MARK: Secrets

    mutating func octets(_ count: Int, isSearched: Bool = true) -> [UInt8] {
        let made = (0..<count).map { _ in UInt8.random(in: 1...255, using: &content) }
        if isSearched { secrets.append(made) }
        return made
    }

    /// A text: `shape` says of which letters, `content` which.
    mutating func text(_ count: ClosedRange<Int>) -> String {
        var text = ""
        for _ in 0..<Int.random(in: count, using: &shape) {
            let letters = Self.alphabets.randomElement(using: &shape) ?? Self.alphabets[0]
            text.append(letters.randomElement(using: &content) ?? "a")
        }
        if text.utf8.count >= 5 { secrets.append(Array(text.utf8)) }
        return text
    }

    private static let alphabets: [[Character]] = [
        Array("abcdefghijklmnopqrstuvwyzABCDEFG"), Array("abcdefghijklmnopqrstuvwyz"),
        Array("123456789"),
        Array("àâçèêëîïôûü"), Array("абвгдеёзийклмн"), Array("一丁七万丈三上下不与"), Array("🍎🍏🍐🍑🍒🍓"),
        Array("βγδεζηθικλ"), Array("دذرزسشصض"), Array("かきくけこさしす"),
    ]

    mutating func app() -> String {
        let word = (0..<Int.random(in: 4...12, using: &shape)).map { _ in
            "abcdefghijklmnopqrstuvwxyz".randomElement(using: &content) ?? "a"
        }
        secrets.append(Array(String(word).utf8))
        return "com." + String(word) + ".chat"
    }

    mutating func key() -> UInt128 { octets(16).reduce(0) { $0 << 8 | UInt128($1) } }

    mutating func staticAddress() -> DeviceAddress {
        let octets = octets(6, isSearched: false)
        let value = octets.reduce(0) { $0 << 8 | UInt64($1) }
        let address = DeviceAddress(0b11 << 46 | value & 0x3FFF_FFFF_FFFF, kind: .random)
        secrets.append(Self.octets(of: address))
        return address
    }

    static func octets(of address: DeviceAddress) -> [UInt8] {
        (0..<6).map { UInt8(truncatingIfNeeded: address.rawValue >> (8 * UInt64($0))) }
    }

    // MARK: What happened

    private mutating func tell() {
        var toolbox = OpenSSLToolbox()
        let (phoneKey, ownKey) = (key(), key())
        let (phone, own) = (staticAddress(), staticAddress())
        let first = PrivateAddress.makeResolvable(irk: phoneKey, using: &toolbox)
        let second = PrivateAddress.makeResolvable(irk: phoneKey, using: &toolbox)
        secrets += [Self.octets(of: first), Self.octets(of: second)]
        advertise()
        annotate()
        tellBasicRate(phoneKey)
        link.connect(first)
        pair(phone, phoneKey, own, ownKey)
        discoverOthers()
        link.discover()
        link.subscribe()
        readLong()
        writeLong()
        notifySeveral()
        useEnhancedBearers()
        for uid in 0..<UInt32.random(in: 1...4, using: &shape) { tellNotification(uid) }
        tellMedia()
        link.disconnect()
        // The phone is known again, by the list and by its key.
        link.capture.add(
            .command(
                [0x27, 0x20, 39, 1] + Self.octets(of: phone) + Self.octets(of: phoneKey)
                    + Self.octets(of: ownKey)),
            isSent: true)
        link.connect(second)
        link.subscribe()
        tellNotification(9)
        link.disconnect()
    }

    static func octets(of key: UInt128) -> [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: key >> (8 * UInt128($0))) }
    }

    private mutating func advertise() {
        let own = Array(text(3...4).utf8.prefix(8))
        let maker = octets(6)
        let structures: [[UInt8]] = [
            [2, 0x01, 0x06], [UInt8(own.count + 1), 0x09] + own, [9, 0xFF, 0x4C, 0x00] + maker,
        ]
        let data = structures.flatMap(\.self)
        let padding = [UInt8](repeating: 0, count: max(31 - data.count, 0))
        link.capture.add(
            .command([0x08, 0x20, 32, UInt8(data.count)] + data + padding), isSent: true)
        link.capture.add(
            .command([0x13, 0x0C, 248] + own + [UInt8](repeating: 0, count: 248 - own.count)),
            isSent: true)
        // An encryption, a random number, and something of the maker's.
        link.capture.add(.command([0x17, 0x20, 32] + octets(32)), isSent: true)
        link.capture.add(.event([0x0E, 12, 1, 0x18, 0x20, 0] + octets(8)), isSent: false)
        link.capture.add(.event([0xFF, 9] + octets(9)), isSent: false)
        link.capture.add(.event([0x18, 23] + octets(6) + octets(16) + [4]), isSent: false)
    }

    private mutating func pair(
        _ phone: DeviceAddress, _ phoneKey: UInt128, _ own: DeviceAddress, _ ownKey: UInt128
    ) {
        func pdu(_ octets: [UInt8], from side: CaptureEvent.Side) {
            link.pdu(octets, on: .securityManager, from: side)
        }
        pdu([0x01, 0x03, 0x00, 0x2D, 0x10, 0x03, 0x03], from: .remote)
        pdu([0x02, 0x03, 0x00, 0x2D, 0x10, 0x03, 0x03], from: .local)
        for side in [CaptureEvent.Side.remote, .local] {
            pdu([0x0C] + octets(64), from: side)
            pdu([0x03] + octets(16), from: side)
            pdu([0x04] + octets(16), from: side)
            pdu([0x0D] + octets(16), from: side)
        }
        link.encrypt()
        for (side, key, address) in [
            (CaptureEvent.Side.local, ownKey, own), (.remote, phoneKey, phone),
        ] {
            pdu([0x06] + octets(16), from: side)
            pdu([0x07] + octets(10), from: side)
            // In one packet, as every controller has room for 27 octets.
            pdu([0x08] + Self.octets(of: key), from: side)
            pdu([0x09, 1] + Self.octets(of: address), from: side)
        }
    }

    /// A service of some maker, its values, the phone's name.
    private mutating func discoverOthers() {
        let uuid = octets(16)
        link.exchange(
            .readByGroupTypeRequest(.all, type: .primaryService),
            .readByGroupTypeResponse([
                .init(
                    range: AttributeHandleRange(AttributeHandle(0x50), AttributeHandle(0x5F)),
                    value: uuid)
            ]))
        let characteristic = octets(16)
        link.exchange(
            .readByTypeRequest(
                AttributeHandleRange(AttributeHandle(0x50), AttributeHandle(0x5F)),
                type: .characteristic),
            .readByTypeResponse([
                .init(handle: AttributeHandle(0x51), value: [0x1A, 0x52, 0] + characteristic)
            ]))
        link.exchange(
            .readRequest(AttributeHandle(0x52)), .readResponse(octets(12)))
        link.exchange(.writeRequest(AttributeHandle(0x52), value: octets(9)), .writeResponse)
        link.notify(AttributeHandle(0x52), octets(11))
        let name = Array(text(5...12).utf8.prefix(40))
        link.exchange(
            .readByTypeRequest(.all, type: BluetoothUUID(UInt16(0x2A00))),
            .readByTypeResponse([.init(handle: AttributeHandle(3), value: name)]))
    }

    /// What is playing, and by whom.
    private mutating func tellMedia() {
        let range = AttributeHandleRange(AttributeHandle(0x60), AttributeHandle(0x6F))
        let characteristics: [(UInt16, UInt8, UInt128)] = [
            (0x61, 0x62, AMSUUID.remoteCommand), (0x64, 0x65, AMSUUID.entityUpdate),
            (0x67, 0x68, AMSUUID.entityAttribute),
        ]
        link.exchange(
            .readByTypeRequest(range, type: .characteristic),
            .readByTypeResponse(
                characteristics.map { declaration, value, uuid in
                    .init(
                        handle: AttributeHandle(declaration),
                        value: [0x18, value, 0] + BluetoothUUID(uuid).octets)
                }))
        link.exchange(.writeRequest(AttributeHandle(0x65), value: [2, 0, 2]), .writeResponse)
        link.notify(AttributeHandle(0x62), [0, 1, 3])
        link.notify(AttributeHandle(0x65), [0, 3, 0] + Array(app().utf8))
        link.notify(AttributeHandle(0x65), [2, 2, 1] + Array(text(8...18).utf8.prefix(40)))
        link.exchange(.writeRequest(AttributeHandle(0x68), value: [2, 2]), .writeResponse)
        link.exchange(.readRequest(AttributeHandle(0x68)), .readResponse(Array(text(8...40).utf8)))
        link.exchange(.writeRequest(AttributeHandle(0x62), value: [3]), .writeResponse)
    }

    private mutating func tellNotification(_ uid: UInt32) {
        link.announce(uid)
        let app = app()
        let date = "202611\(days + 10 < 10 ? "0" : "")\(days + 10)T093000"
        let (title, message) = (text(1...40), text(0...120))
        link.write(
            [0] + Array(CaptureBuilder.big(uid).reversed()) + [0, 1, 0, 1, 3, 0, 2, 5])
        link.answer(.writeResponse)
        let answer = AttributeResponse(
            identity: .notification(NotificationUID(rawValue: uid)),
            attributes: [
                AttributeValue(.appIdentifier, app), AttributeValue(.title, title),
                AttributeValue(.message, message), AttributeValue(.date, date),
            ]
        ).octets
        let size = 20 + Int(shape.next() % 150)
        for start in stride(from: 0, to: answer.count, by: size) {
            link.notify(LinkBuilder.data, Array(answer[start..<min(start + size, answer.count)]))
        }
        link.write([1] + Array(app.utf8) + [0, 0])
        link.answer(.writeResponse)
        let name = Array(text(2...9).utf8)
        link.notify(
            LinkBuilder.data, [1] + Array(app.utf8) + [0, 0, UInt8(name.count), 0] + name)
    }
}
