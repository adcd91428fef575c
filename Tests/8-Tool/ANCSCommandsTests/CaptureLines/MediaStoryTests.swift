import AMS
import BluetoothLE
import BluetoothTypes
import JSONText
import Testing

@testable import ANCSCapture
@testable import ANCSCommands

@Suite("The Apple Media Service in captures")
struct MediaStoryTests {
    static let (command, update, attribute) = (
        AttributeHandle(0x32), AttributeHandle(0x35), AttributeHandle(0x38)
    )

    /// A link on which the service was discovered beside ANCS.
    static func discovered() -> LinkBuilder {
        var link = LinkBuilder()
        link.connect()
        link.discover()
        let range = AttributeHandleRange(AttributeHandle(0x30), attribute)
        link.exchange(
            .findByTypeValueRequest(
                .all, type: 0x2800, value: BluetoothUUID(AMSUUID.service).octets),
            .findByTypeValueResponse([range]))
        let found: [(UInt16, AttributeHandle, UInt128)] = [
            (0x31, command, AMSUUID.remoteCommand), (0x34, update, AMSUUID.entityUpdate),
            (0x37, attribute, AMSUUID.entityAttribute),
        ]
        link.exchange(
            .readByTypeRequest(range, type: .characteristic),
            .readByTypeResponse(
                found.map { declaration, value, uuid in
                    .init(
                        handle: AttributeHandle(declaration),
                        value: [0x18, UInt8(value.rawValue), 0] + BluetoothUUID(uuid).octets)
                }))
        for descriptor in [AttributeHandle(0x33), AttributeHandle(0x36)] {
            link.exchange(
                .findInformationRequest(AttributeHandleRange(descriptor, descriptor)),
                .findInformationResponse([
                    .init(handle: descriptor, type: .clientCharacteristicConfiguration)
                ]))
        }
        return link
    }

    private static func sentences(_ link: LinkBuilder) -> [String] {
        link.text.dropFirst().compactMap { line in
            line.firstRange(of: "#1  ").map { String(line[$0.upperBound...]) }
        }.filter { !$0.hasPrefix("connected") && !$0.hasPrefix("the other side") }
    }

    @Test("subscriptions, registrations, values, commands and reads are told, part by part")
    func session() {
        var link = Self.discovered()
        for descriptor in [AttributeHandle(0x33), AttributeHandle(0x36)] {
            link.exchange(.writeRequest(descriptor, value: [1, 0]), .writeResponse)
        }
        link.notify(Self.command, [0, 1, 3])
        link.exchange(.writeRequest(Self.update, value: [2, 0, 2]), .writeResponse)
        let title = "sixteen octets: é and more"
        link.notify(Self.update, [2, 2, 1] + Array(title.utf8.prefix(17)))
        link.notify(Self.update, [2, 0, 0])
        link.exchange(.writeRequest(Self.attribute, value: [2, 2]), .writeResponse)
        link.exchange(.readRequest(Self.attribute), .readResponse(Array(title.utf8.prefix(22))))
        // ANCS comes between the parts.
        link.announce(7)
        link.exchange(
            .readBlobRequest(Self.attribute, offset: 22),
            .readBlobResponse(Array(title.utf8.dropFirst(22))))
        link.exchange(.writeRequest(Self.command, value: [3]), .writeResponse)
        #expect(
            Self.sentences(link).filter { !$0.hasPrefix("  ") } == [
                "subscribed to Remote Command", "subscribed to Entity Update",
                "the player takes play, pause, nextTrack",
                "✓ registering for artist, title: accepted",
                "♪ title: sixteen octets: \u{FFFD} (truncated)", "♪ artist: none",
                "♪ title: \(title) (read)", "✓ nextTrack: accepted",
            ])
    }

    @Test("a refusal has the meaning that it has here, and is told once")
    func refused() {
        var link = Self.discovered()
        link.ask(.writeRequest(Self.update, value: [0, 0]))
        link.refuse(0xA0, Self.update)
        link.ask(.writeRequest(Self.attribute, value: [2, 1]))
        link.refuse(0xA2, Self.attribute)
        link.ask(.writeRequest(Self.command, value: [11]))
        link.refuse(0xA1, Self.command)
        link.notify(Self.update, [2])
        #expect(
            Self.sentences(link) == [
                "! registering for playerName refused: invalidState (0xA0): the accessory has not "
                    + "subscribed to Entity Update",
                "! reading album refused: absentAttribute (0xA2): the attribute is empty",
                "! likeTrack refused: invalidCommand (0xA1): the write is malformed, or the player does "
                    + "not take the command",
                "! a malformed Entity Update value: 02",
            ])
    }

    @Test("a read that does not end is told as far as it went")
    func unfinished() {
        var link = Self.discovered()
        link.exchange(.writeRequest(Self.attribute, value: [2, 2]), .writeResponse)
        link.exchange(
            .readRequest(Self.attribute), .readResponse([UInt8](repeating: 0x41, count: 22)))
        link.exchange(
            .readBlobRequest(Self.attribute, offset: 99), .readBlobResponse([0x42]))
        link.disconnect()
        let title = String(repeating: "A", count: 22)
        #expect(Self.sentences(link).contains("♪ title: \(title) (not read to its end)"))
    }
}
