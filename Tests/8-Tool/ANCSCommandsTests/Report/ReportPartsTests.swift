import CommandKit
import LinuxIO
import Octets
import Testing

@testable import ANCS
@testable import ANCSCommands
@testable import ANCSEvents
@testable import ANCSKit
@testable import AccessoryConformance

@Suite("The axis of a report")
struct TimeScaleTests {
    @Test("places are in order, and begin and end with the axis")
    func order() {
        let times = [0, 1, 2, 3, 900, 901, 60_000].map { Duration.milliseconds($0) }
        let scale = TimeScale(times, end: .seconds(61), width: 1000)
        let places = times.map(scale.place)
        #expect(places == places.sorted())
        #expect(scale.place(.zero) == 0)
        #expect(scale.place(.seconds(61)) == 1000)
        #expect(scale.place(.seconds(99)) == 1000)
        #expect(scale.place(.seconds(-1)) == 0)
    }

    @Test("a long silence is shortened, and says how long it is")
    func silence() throws {
        let burst = (0..<50).map { Duration.milliseconds($0 * 20) }
        let scale = TimeScale(burst, end: .seconds(100), width: 1000)
        #expect(scale.place(.milliseconds(980)) > 300)
        let gap = try #require(scale.breaks.first)
        #expect(scale.breaks.count == 1)
        #expect(gap.duration == .seconds(100) - .milliseconds(980))
    }

    @Test("where something happens all the time, nothing is shortened")
    func even() {
        let times = (0..<100).map { Duration.milliseconds($0 * 100) }
        let scale = TimeScale(times, end: .seconds(10), width: 1000)
        #expect(scale.breaks.isEmpty)
        #expect(scale.place(.seconds(5)) == 500)
        #expect(
            scale.ticks(distance: 70).map(\.label)
                == (0..<10).map { "\($0) s" } + ["10.000 s"])
    }

    @Test(
        "labels do not overlap, however long a run is",
        arguments: [Duration.zero, .microseconds(1), .milliseconds(7), .seconds(1_000_000)])
    func ticks(_ end: Duration) {
        let scale = TimeScale([.zero, end], end: end, width: 1000)
        let places = scale.ticks(distance: 70).map(\.place)
        #expect(zip(places, places.dropFirst()).allSatisfy { $0.1 - $0.0 >= 70 })
        #expect(places.count <= 15)
    }
}

@Suite("What lasts in a run")
struct ReportBandTests {
    static let peer = PeerDescription(
        address: "F0", digest: "D",
        link: LinkParameters(interval: .milliseconds(30), supervisionTimeout: .milliseconds(720)))

    @Test("a link has its parameters, and a cross if it was lost")
    func link() {
        var bands = ReportBands()
        let watch = ReportSamples.watch
        bands.observe(.peer(watch, .connected(Self.peer)), of: 0, at: .seconds(1))
        bands.observe(
            .link(
                watch,
                .parametersUpdated(
                    LinkParameters(
                        interval: .milliseconds(45), supervisionTimeout: .seconds(6)))),
            of: 0, at: .seconds(2))
        bands.observe(
            .peer(watch, .disconnected(.link(.connectionTimeout))), of: 0, at: .seconds(9))
        #expect(
            bands.bands == [
                .init(
                    kind: .link, accessory: 0, start: .seconds(1), end: .seconds(2),
                    text: "30 ms, latency 0, timeout 720 ms"),
                .init(
                    kind: .link, accessory: 0, start: .seconds(2), end: .seconds(9),
                    text: "45 ms, latency 0, timeout 6000 ms", isLost: true),
            ])
    }

    @Test("what lasts at the end ends with the run, and fades are of all")
    func ends() {
        var bands = ReportBands()
        bands.fade(true, at: .seconds(1))
        bands.fade(false, at: .seconds(2))
        bands.fade(true, at: .seconds(3))
        bands.finish(at: .seconds(4))
        #expect(bands.bands.map(\.end) == [.seconds(2), .seconds(4)])
        #expect(bands.bands.allSatisfy { $0.kind == .fade && $0.accessory == nil })
    }
}

@Suite("The file of a report")
struct ReportFileTests {
    @Test("it is replaced as a whole, and nothing is left beside it")
    func replaced() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/report.html"
        for text in ["one", "two"] {
            try OutputFile.replace(
                path: path, contents: Array(text.utf8), mode: 0o644, kind: "report")
            #expect(try SystemFile.octets(of: path, limit: 99, flags: 0) == Array(text.utf8))
        }
        #expect(SystemFile.names(in: folder.path) == ["report.html"])
    }

    @Test("a folder, a device and what does not exist are refused before anything is lost")
    func refused() throws {
        let folder = try TemporaryDirectory()
        for path in [folder.path, "/dev/null", folder.path + "/nothing/report.html"] {
            #expect(throws: IOError.self) {
                try OutputFile.replace(path: path, contents: [1], mode: 0o644, kind: "report")
            }
        }
        #expect(SystemFile.names(in: folder.path) == [])
    }
}
