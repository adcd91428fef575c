import ANCS
import Glibc
import HCITransports
import LinuxIO
import Octets
import Testing

@testable import ANCSService

@Suite("The sink of the history")
struct HistorySinkTests {
    let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private static func keeping(
        days: Int = 7, _ content: RecordContent = .full
    ) -> ServiceConfiguration {
        var configuration = ServiceConfiguration()
        configuration.history.days = days
        configuration.history.content = content
        return configuration
    }

    /// A sink in virtual time, at noon when it begins; closed at the end.
    private func with(
        _ configuration: ServiceConfiguration = keeping(), at time: Int64 = SampleRecord.noon,
        isSynchronized: Bool = true,
        _ body: @escaping @Sendable (HistorySink, SilentControl) async throws -> Void
    ) async throws {
        let loop = try EventLoop(clock: .virtual)
        defer { loop.shutdown() }
        let directory = "\(folder.path)/state"
        try await Task(executorPreference: loop) {
            let control = SilentControl(loop: loop)
            let start = loop.now
            let sink = HistorySink(
                control: control, directory: directory, configuration: configuration.history,
                wallClock: {
                    let passed = (loop.now - start) / .microseconds(1)
                    return CaptureTime(microsecondsSince1970: time + Int64(passed))
                }, isSynchronized: { isSynchronized })
            sink.open()
            try await body(sink, control)
            await withCheckedContinuation { done in sink.close { done.resume() } }
        }.value
    }

    private func entries() throws -> [HistoryEntry] {
        try HistoryStore(reading: HistoryFiles(directory: "\(folder.path)/state"))
            .entries(HistoryQuery())
    }

    private func record(_ id: UInt64, _ change: (inout RuleVerdict) -> Void = { _ in }) -> Record {
        var verdict = RuleVerdict()
        change(&verdict)
        return SampleRecord.make(
            id: id, attributes: SampleRecord.attributes(message: "canary\(id)x"), verdict: verdict)
    }

    @Test("it is off by default: no file is made")
    func off() async throws {
        let record = record(1)
        try await with(ServiceConfiguration()) { sink, _ in
            sink.receive(.added(record))
            #expect(sink.status.message == "off")
            #expect(sink.status.isWorking)
        }
        #expect(folder.names == [])
    }

    @Test("records are stored within a second, and again after a restart")
    func keeps() async throws {
        let (first, second) = (record(1), record(2))
        let files = HistoryFiles(directory: "\(folder.path)/state")
        try await with { sink, control in
            sink.receive(.added(first))
            sink.receive(.removed(first, .removed))
            try await control.loop.sleep(for: .seconds(1))
            #expect(try HistoryStore(reading: files).count() == 1)
            sink.receive(.added(second))
            #expect(sink.status == SinkStatus(isWorking: true, message: "keeps 7 days"))
            #expect(control.messages == [])
        }
        // One that nobody uses has nothing beside it.
        #expect(SystemFile.names(in: "\(folder.path)/state") == ["history.sqlite"])
        #expect(try entries().map(\.id.rawValue) == [2, 1])
        try await with { sink, _ in sink.receive(.modified(second)) }
        #expect(try entries().count == 2)
    }

    @Test("rules are followed: no history, no text of muted notifications, headers alone")
    func rules() async throws {
        let unwanted = record(1) { $0.isRemembered = false }
        let muted = record(2) { $0.isMuted = true }
        let (decidedLater, full) = (record(3), record(4))
        let unwantedLater = record(3) { $0.isRemembered = false }
        try await with { sink, control in
            for record in [unwanted, muted, decidedLater, full] { sink.receive(.added(record)) }
            try await control.loop.sleep(for: .seconds(1))
            sink.receive(.modified(unwantedLater))
            try await control.loop.sleep(for: .seconds(5))
        }
        #expect(try entries().map(\.message) == ["canary4x", nil])
        #expect([1, 2, 3].map { folder.canaries("canary\($0)x") } == [0, 0, 0])
        let headers = record(5)
        try await with(Self.keeping(.app)) { sink, _ in sink.receive(.added(headers)) }
        #expect(folder.canaries("canary5x") == 0)
        #expect(try entries().first?.app == "com.apple.MobileSMS")
    }

    @Test("entries that are too old are removed from every file")
    func retention() async throws {
        let first = record(1)
        try await with { sink, _ in sink.receive(.added(first)) }
        #expect(folder.canaries("canary1x") > 0)
        var later = record(2)
        later.time.microsecondsSince1970 += 4 * 86_400_000_000
        let second = later
        try await with(at: SampleRecord.noon + 4 * 86_400_000_000) { sink, control in
            sink.receive(.added(second))
            try await control.loop.sleep(for: .seconds(86_400 * 2))
            #expect(folder.canaries("canary1x") > 0)
            let before = control.loop.iterations
            try await control.loop.sleep(for: .seconds(86_400))
            #expect(control.loop.iterations - before < 400, "nothing wakes up for nothing")
            try await control.loop.sleep(for: .seconds(3700))
            #expect(folder.canaries("canary1x") == 0)
            #expect(folder.canaries("canary2x") > 0)
        }
        #expect(try entries().map(\.id.rawValue) == [2])
    }

    @Test(
        "with a clock that nothing confirms, no entry expires; a phone that dates now confirms it")
    func unconfirmedClock() async throws {
        let month = Int64(30 * 86_400)
        let (first, second) = (record(1), record(2))
        try await with { sink, _ in sink.receive(.added(first)) }
        try await with(
            at: SampleRecord.noon + month * 1_000_000, isSynchronized: false
        ) { sink, control in
            // The phone's date is a month before this clock.
            sink.receive(.added(second))
            try await control.loop.sleep(for: .seconds(86_400))
            #expect(folder.canaries("canary1x") > 0)
            #expect(control.messages.count == 1)
            #expect(control.messages.first?.contains("until the clock is confirmed") == true)
        }
        #expect(try entries().count == 2)
        var new = SampleRecord.make(
            id: 3, attributes: SampleRecord.attributes(date: "20261222T120000"))
        new.time.microsecondsSince1970 += month * 1_000_000
        let third = new
        try await with(
            at: SampleRecord.noon + month * 1_000_000, isSynchronized: false
        ) { sink, control in
            sink.receive(.added(third))
            try await control.loop.sleep(for: .seconds(60))
        }
        #expect(try entries().map(\.id.rawValue) == [3])
    }

    @Test("an old entry is removed in time, though no other arrives")
    func loneRetention() async throws {
        let first = record(1)
        try await with { sink, control in
            sink.receive(.added(first))
            try await control.loop.sleep(for: .seconds(86_400 * 7 - 10))
            #expect(folder.canaries("canary1x") > 0)
            try await control.loop.sleep(for: .seconds(6 * 3600 + 60))
            #expect(folder.canaries("canary1x") == 0)
        }
    }

    @Test("all entries of a forgotten phone are removed, also those not written yet")
    func forgotten() async throws {
        let (mine, waiting) = (record(1), record(2))
        let other = SampleRecord.make(id: 3, phone: "fedcba9876543210")
        try await with { sink, control in
            sink.receive(.added(mine))
            sink.receive(.added(other))
            try await control.loop.sleep(for: .seconds(1))
            sink.receive(.added(waiting))
            sink.receive(.forgotten(PhoneName(digest: "0123456789abcdef")))
            try await control.loop.sleep(for: .seconds(5))
        }
        #expect(try entries().map(\.id.rawValue) == [3])
        #expect(folder.canaries("canary1x") + folder.canaries("canary2x") == 0)
        #expect(folder.canaries("0123456789abcdef") == 0)
    }

    @Test("turning it off removes the files, and those set aside")
    func turnedOff() async throws {
        let record = record(1)
        try await with { sink, _ in
            sink.receive(.added(record))
            sink.reconfigure(ServiceConfiguration())
            sink.receive(.added(record))
        }
        #expect(SystemFile.names(in: "\(folder.path)/state") == [])
        try await with { sink, _ in
            sink.reconfigure(Self.keeping(days: 1))
            sink.receive(.added(record))
        }
        try PrivateFile.write(
            path: "\(folder.path)/state/history.sqlite.damaged-20260101T000000", contents: [1])
        try await with(ServiceConfiguration()) { _, _ in }
        #expect(SystemFile.names(in: "\(folder.path)/state") == [])
    }

    @Test(
        "a damaged file is set aside and reported once, and a new one begun",
        arguments: [0, 4096, 20_000] as [off_t])
    func damaged(from start: off_t) async throws {
        let (first, second) = (record(1), record(2))
        try await with { sink, _ in sink.receive(.added(first)) }
        let rubbish = [UInt8](repeating: 7, count: 200_000)
        let descriptor = Glibc.open("\(folder.path)/state/history.sqlite", O_WRONLY | O_CLOEXEC)
        pwrite(descriptor, rubbish, rubbish.count, start)
        Glibc.close(descriptor)
        try await with { sink, control in
            sink.receive(.added(second))
            try await control.loop.sleep(for: .seconds(5))
            #expect(control.messages.count == 1)
            let message = control.messages.first ?? ""
            #expect(message.contains("history.sqlite.damaged-20261122T1200"))
            #expect(!message.contains("canary"))
            #expect(sink.status.isWorking)
        }
        let names = SystemFile.names(in: "\(folder.path)/state")
        #expect(names.contains { $0.hasPrefix("history.sqlite.damaged-20261122T1200") })
        #expect(try entries().map(\.id.rawValue) == [2])
    }

    @Test("a folder that cannot be written is reported once, and waiting records are written later")
    func unavailable() async throws {
        let records = (1...3).map { record($0) }
        let state = "\(folder.path)/state"
        try folder.write("state", [])
        try await with { sink, control in
            for record in records {
                sink.receive(.added(record))
                try await control.loop.sleep(for: .seconds(40))
            }
            #expect(control.messages.count == 1)
            #expect(!sink.status.isWorking)
            unlink(state)
            try await control.loop.sleep(for: .seconds(40))
            #expect(control.messages.last == "the history works again")
            #expect(sink.status.isWorking)
        }
        #expect(try entries().count == 3)
    }

    @Test(
        "a full disk is reported once, and later writes work again",
        .enabled(if: TinyDisk.isPossible))
    func fullDisk() async throws {
        let state = "\(folder.path)/state"
        mkdir(state, 0o700)
        let disk = try TinyDisk(at: state, kilobytes: 512)
        defer { disk.remove() }
        let records = (1...40).map { number in
            SampleRecord.make(
                id: number,
                attributes: SampleRecord.attributes(
                    message: "\(number) " + String(repeating: "long ", count: 6_000)))
        }
        try await with { sink, control in
            for record in records {
                sink.receive(.added(record))
                try await control.loop.sleep(for: .seconds(1))
            }
            #expect(control.messages.count == 1)
            #expect(control.messages.first?.contains("full") == true)
            try disk.resize(kilobytes: 16_384)
            try await control.loop.sleep(for: .seconds(60))
            #expect(control.messages.count == 2)
            #expect(sink.status.isWorking)
            #expect(sink.status.dropped == 0)
        }
        #expect(try entries().count == 40)
    }

    @Test(
        "while the disk is full the number of waiting records is limited, and the others are counted"
    )
    func limit() async throws {
        try folder.write("state", [])
        let records = (1...2_100).map { record($0) }
        try await with { sink, _ in
            for record in records { sink.receive(.added(record)) }
            #expect(sink.status.dropped == 52)
        }
    }
}

/// A small file system in memory, where this user may have one.
struct TinyDisk {
    let path: String

    static let isPossible: Bool = {
        guard let directory = try? TemporaryDirectory(),
            let disk = try? TinyDisk(at: directory.path, kilobytes: 64)
        else { return false }
        disk.remove()
        return true
    }()

    init(at path: String, kilobytes: Int) throws {
        self.path = path
        guard mount("tmpfs", path, "tmpfs", 0, "size=\(kilobytes)k,mode=700") == 0 else {
            throw IOError("mount", errno: errno)
        }
    }

    func resize(kilobytes: Int) throws {
        guard mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT), "size=\(kilobytes)k") == 0
        else {
            throw IOError("mount", errno: errno)
        }
    }

    func remove() { umount2(path, CInt(MNT_DETACH)) }
}
