import BluetoothLE
import LinuxIO
import Testing

@testable import CommandKit
@testable import Printing

@Suite("Times in captures")
struct CaptureTimeTests {
    /// Time stamps as the fields of a record: the last and the first that each format can have, and those
    /// at which an addition or a subtraction would overflow.
    static let btsnoopStamps: [UInt64] = [
        0, 1, 0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000, 0xFFFF_FFFF_FFFF_FFFF,
        0x00dc_ddb3_0f2f_8000, 0x80dc_ddb3_0f2f_8000, 0x80dc_ddb3_0f3e_c23f,
    ]
    static let packetLoggerStamps: [UInt64] = [
        0, 0x0000_0000_FFFF_FFFF, 0xFFFF_FFFF_0000_0000, 0xFFFF_FFFF_FFFF_FFFF,
    ]

    /// A story in which every kind of duration and of time is told.
    private func link(_ format: CaptureBuilder.Format) -> LinkBuilder {
        var link = LinkBuilder(format)
        link.wholeSession()
        link.write([2, 7, 0, 0, 0, 1])
        link.answer(.writeResponse)
        link.write([2, 7, 0, 0, 0, 0])
        link.refuse(0xA3)
        link.write(LinkBuilder.command(8))
        link.ask(.readRequest(LinkBuilder.source))
        link.disconnect()
        link.wholeSession()
        link.write(LinkBuilder.command(9))
        return link
    }

    /// The capture with other times in its records: the first one, then the others in turn.
    private func stamped(
        _ capture: CaptureBuilder, first: UInt64, then others: [UInt64]
    ) -> [UInt8] {
        var octets = capture.octets
        for (index, offset) in capture.offsets.enumerated() {
            let stamp = index == 0 ? first : others[index % others.count]
            let (place, field) = capture.stamp(stamp, at: offset)
            octets.replaceSubrange(place, with: field)
        }
        return octets
    }

    @Test(
        "no time stamp keeps a capture from being read to its end",
        arguments: CaptureBuilder.Format.allCases, [false, true])
    func extremes(_ format: CaptureBuilder.Format, isJSON: Bool) {
        let capture = link(format).capture
        let usual = ToldStory(capture.octets, json: isJSON)
        #expect(usual.status == .success)
        let isPacketLogger = format == .packetLoggerBig || format == .packetLoggerLittle
        let stamps = isPacketLogger ? Self.packetLoggerStamps : Self.btsnoopStamps
        for one in stamps {
            // The first record of a PacketLogger file has to look like one.
            let first = isPacketLogger ? one & 0xFFFF_FFFF_0000_0000 : one
            for other in stamps {
                for order in [[one, other], [other, one]] {
                    let octets = stamped(capture, first: first, then: order)
                    let story = ToldStory(octets, json: isJSON)
                    #expect(story.status == .success)
                    // What a link took may break a requirement for it, which is a line more.
                    #expect(story.lines.count >= usual.lines.count, "\(first) \(order)")
                    #expect(story.lines.last?.contains(isJSON ? "ended" : "ends after") == true)
                    guard isJSON else { continue }
                    #expect(story.objects.count == story.lines.count)
                    #expect(!story.lines.contains { $0.contains("null") })
                }
            }
        }
    }

    @Test(
        "a time is text in UTC, beyond four digits of the year too",
        arguments: [
            (1_795_253_400_123_456, "2026-11-21T09:30:00.123456Z"),
            (0, "1970-01-01T00:00:00.000000Z"), (-1, "1969-12-31T23:59:59.999999Z"),
            (-1_000_000, "1969-12-31T23:59:59.000000Z"),
            (-62_167_219_200_000_000, "0000-01-01T00:00:00.000000Z"),
            (-62_167_219_200_000_001, "-0001-12-31T23:59:59.999999Z"),
            (253_402_300_800_000_000, "+10000-01-01T00:00:00.000000Z"),
            (.max, "+294247-01-10T04:00:54.775807Z"), (.min, "-290308-12-21T19:59:05.224192Z"),
        ] as [(Int64, String)])
    func text(_ microseconds: Int64, _ text: String) {
        #expect(CaptureTime(microsecondsSince1970: microseconds).text == text)
    }

    @Test("durations between the earliest and the latest possible time are shown")
    func longest() {
        let first = CaptureTime(microsecondsSince1970: .min)
        let last = CaptureTime(microsecondsSince1970: .max)
        #expect((last - first).thousandths == "18446744073709.552")
        #expect((first - last).thousandths == "-18446744073709.552")
        #expect((last - first).brief == "18446744073709.552 s")
        #expect((first - last).brief == "-18446744073709.552 s")
        #expect((last - first).seconds == 18_446_744_073_709.551615)
        #expect((last - last).brief == "0.0 ms")
    }

    @Test(
        "a duration is rounded to its displayed precision",
        arguments: [
            (0, "0.000", "0.0 ms"), (999, "0.001", "0.9 ms"), (1_250, "0.001", "1.2 ms"),
            (12_345, "0.012", "12 ms"), (999_499, "0.999", "999 ms"),
            (1_999_500, "2.000", "2.000 s"), (-499, "0.000", "0.000 s"),
            (-1_500, "-0.002", "-0.002 s"),
        ] as [(Int64, String, String)])
    func rounding(_ microseconds: Int64, _ thousandths: String, _ brief: String) {
        #expect(Duration.microseconds(microseconds).thousandths == thousandths)
        #expect(Duration.microseconds(microseconds).brief == brief)
    }
}
