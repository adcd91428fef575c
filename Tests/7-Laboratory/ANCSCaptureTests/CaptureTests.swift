import ANCSCapture
import ANCSKit
import ANCSTestKit
import Foundation
import Testing

/// A capture of an accessory, read with the public declarations alone.
@Suite("A capture is read")
struct CaptureTests {
    /// The file of a session in which a notification was posted and fetched.
    private static func session() async throws -> [UInt8] {
        try await TestBench.run { bench in
            let path = try bench.directory + "/hci.log"
            let controller = bench.addController()
            var configuration = controller.configuration
            configuration.capture = try BtsnoopWriter(path: path)
            let desk = try NotificationConsumer(name: "Desk", at: .hci(configuration))
            let notification = ProviderNotification(
                appIdentifier: .phone, categoryID: .social, title: "Ada")
            try await bench.phone.post(notification)
            _ = try await desk.notifications.first { $0.title == "Ada" }
            await desk.stop()
            return [UInt8](try Data(contentsOf: URL(filePath: path)))
        }
    }

    private static func events(
        of capture: Capture
    ) async -> (events: [CaptureEvent], failure: CaptureError?) {
        var events: [CaptureEvent] = []
        do throws(CaptureError) {
            for try await event in capture { events.append(event) }
            return (events, nil)
        } catch { return (events, error) }
    }

    @Test("it shows the link, the pairing and the session, in order")
    func story() async throws {
        let (events, failure) = await Self.events(of: Capture(octets: try await Self.session()))
        #expect(failure == nil)
        let stages = events.compactMap { event in
            switch event.event {
            case .connected(let facts): facts.role == nil ? nil : "connected"
            case .pairing(.succeeded(let terms)): terms.isBonding ? "bonded" : nil
            case .sessionBegan: "session"
            case .source(_, let summary): summary.category == .social ? "announced" : nil
            case .answer(let answer, _): answer.content.fault == nil ? "answered" : nil
            case .sessionEnded(let counts):
                counts.added == 1 && counts.unanswered == 0 ? "ended" : nil
            case .disconnected: "disconnected"
            default: nil
            }
        }
        var unique: [String] = []
        for stage in stages where unique.last != stage { unique.append(stage) }
        #expect(
            unique == [
                "connected", "bonded", "session", "announced", "answered", "ended", "disconnected",
            ])
        let session = try #require(events.first { $0.event == .sessionBegan })
        #expect(session.place.connection == 1 && session.place.session == 1)
        #expect(zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time })
    }

    @Test("a file shows the same as its octets, and the octets the same in any pieces")
    func pieces() async throws {
        let octets = try await Self.session()
        let whole = await Self.events(of: Capture(octets: octets)).events
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data(octets).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let capture = Capture(path: file.path())
        #expect(await Self.events(of: capture).events == whole)
        #expect(await Self.events(of: capture).events == whole)

        for size in [1, 7, 4096] {
            var analyzer = CaptureAnalyzer()
            var events: [CaptureEvent] = []
            func poll() {
                while let output = analyzer.pollOutput() {
                    if case .event(let event) = output { events.append(event) }
                }
            }
            for start in stride(from: 0, to: octets.count, by: size) {
                analyzer.receive(octets[start..<min(start + size, octets.count)])
                poll()
            }
            analyzer.finish()
            poll()
            #expect(events == whole)
            let summary = analyzer.summary
            #expect(summary.format == .btsnoop(.h4) && summary.records > 50)
            #expect(summary.connections == 1 && summary.sessions == 1)
            #expect(summary.failure == nil && !summary.hasMalformed)
        }
    }

    @Test("a damaged file shows what its sound part has, and then why it ends")
    func damaged() async throws {
        let octets = try await Self.session()
        let whole = await Self.events(of: Capture(octets: octets)).events
        let (events, failure) = await Self.events(of: Capture(octets: Array(octets.dropLast(3))))
        guard case .unreadable(let reason)? = failure else {
            Issue.record("it was read to its end")
            return
        }
        #expect(!reason.isUnknownFormat)
        #expect(failure?.message.hasPrefix("the file is truncated: ") == true)
        #expect(events.count > 10 && events.prefix(10) == whole.prefix(10))
    }

    @Test("every beginning of a file can be read, and nothing after its end is waited for")
    func prefixes() async throws {
        let octets = try await Self.session()
        for count in stride(from: 0, to: octets.count, by: 97) {
            let capture = Capture(octets: Array(octets.prefix(count)))
            var iterator = capture.makeAsyncIterator()
            do throws(CaptureError) {
                while try await iterator.next() != nil {}
            } catch { #expect(!error.message.isEmpty) }
            #expect(try await iterator.next() == nil)
        }
    }

    @Test("what is no capture, and what is not there, is refused")
    func refused() async {
        let (events, failure) = await Self.events(of: Capture(octets: Array("ns 00".utf8)))
        #expect(events.isEmpty)
        guard case .unreadable(let reason)? = failure, reason.isUnknownFormat else {
            Issue.record("it was read")
            return
        }
        let missing = await Self.events(of: Capture(path: "/nonexistent/hci.log")).failure
        guard case .io? = missing else {
            Issue.record("it was read")
            return
        }
        let folder = await Self.events(of: Capture(path: "/")).failure
        guard case .io? = folder else {
            Issue.record("it was read")
            return
        }
    }
}
