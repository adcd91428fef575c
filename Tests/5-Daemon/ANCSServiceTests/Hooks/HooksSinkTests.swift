import ANCS
@testable import ANCSService
import JSONText
import LinuxIO
import Testing

@Suite("Hooks", .timeLimit(.minutes(5)))
struct HooksSinkTests {
    let folder: TemporaryDirectory
    let loop: EventLoop
    let script: String

    init() throws {
        folder = try TemporaryDirectory()
        loop = try EventLoop()
        script = try folder.script(
            "hook",
            """
            out=\(folder.path)/$ANCS_ID-$ANCS_EVENT
            tr '\\0' '\\n' </proc/$$/environ | grep ^ANCS_ | sort > $out.env
            tr '\\0' ' ' </proc/$$/cmdline > $out.args
            cat > $out.json
            """)
    }

    private func with(
        _ body: @escaping @Sendable (HooksSink, SilentControl) async throws -> Void
    ) async throws {
        defer { loop.shutdown() }
        let loop = loop
        try await Task(executorPreference: loop) {
            let control = SilentControl(loop: loop)
            let sink = HooksSink(control: control)
            sink.open()
            try await body(sink, control)
            await withCheckedContinuation { done in sink.close { done.resume() } }
        }.value
    }

    private func record(
        _ program: [String], app: String = "com.apple.MobileSMS", isMuted: Bool = false
    ) -> Record {
        var verdict = RuleVerdict()
        // Another rule than that of the program decided.
        verdict.rule = "later"
        // On a busy machine, a script takes seconds.
        verdict.programs = [
            RuleVerdict.Program(arguments: program, timeout: .seconds(60), rule: "lights")
        ]
        verdict.isMuted = isMuted
        return SampleRecord.make(
            id: 31, category: .incomingCall,
            attributes: SampleRecord.attributes(app: app, title: "canary-7391"), verdict: verdict)
    }

    @Test("a program runs for every event, gets the record as JSON and no text any other way")
    func events() async throws {
        let record = record([script])
        let events: [ServiceEvent] = [
            .announced(record), .call(record, .incoming), .added(record), .modified(record),
            .removed(record, .away), .call(record, .answered), .call(record, .ended),
        ]
        let folder = folder
        try await with { sink, _ in
            for event in events { sink.receive(event) }
            try await folder.wait { names in names.count { $0.hasSuffix(".json") } == 6 }
            while !sink.status.message.hasPrefix("0 running") {
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        let states: [Record.Event: String] = [
            .announced: "incoming", .added: "incoming", .modified: "incoming", .removed: "",
            .answered: "answered", .ended: "ended",
        ]
        for (event, state) in states {
            #expect(
                folder.text(of: "z-\(event).env") == """
                    ANCS_APP=com.apple.MobileSMS
                    ANCS_CALL=\(state)
                    ANCS_CATEGORY=incomingCall
                    ANCS_EVENT=\(event)
                    ANCS_ID=z
                    ANCS_PHONE=0123456789abcdef
                    ANCS_RULE=lights
                    """)
            #expect(folder.text(of: "z-\(event).args") == "/bin/sh \(script) ")
            #expect(folder.text(of: "z-\(event).json") == record.json(event: event).text)
        }
        #expect(folder.text(of: "z-added.json")?.contains("canary-7391") == true)
    }

    @Test("no program runs for muted notifications, for phones, or without a rule")
    func nothing() async throws {
        let folder = folder
        let muted = record([script], isMuted: true)
        try await with { sink, _ in
            sink.receive(.added(muted))
            sink.receive(.added(SampleRecord.make()))
            sink.receive(.forgotten(PhoneName(digest: "0")))
            #expect(sink.status.message == "0 running, 0 waiting")
        }
        #expect(folder.names == ["hook"])
    }

    @Test(
        "an invalid app identifier is not put into the environment",
        arguments: ["a b", "x\ny=1", "com.äpple", "$(id)", String(repeating: "a", count: 156)])
    func strangeApp(app: String) async throws {
        let record = record([script], app: app)
        let folder = folder
        try await with { sink, _ in
            sink.receive(.added(record))
            try await folder.wait { $0.contains("z-added.json") }
        }
        #expect(
            folder.text(of: "z-added.env")?.hasPrefix("ANCS_APP=\nANCS_CALL=incoming\n") == true)
    }

    @Test("a program that fails is reported once, until it succeeds again")
    func failures() async throws {
        let flag = "\(folder.path)/flag"
        let failing = record([
            try folder.script("failing", "echo canary-7391; echo >> \(flag); exit 3")
        ])
        let missing = record(["/no/such/program"])
        try await with { sink, control in
            for _ in 0..<3 { sink.receive(.added(failing)) }
            for _ in 0..<3 { sink.receive(.added(missing)) }
            while !sink.status.message.hasPrefix("0 running, 0 waiting, 2 failing: ") {
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(!sink.status.isWorking)
            #expect(control.messages.count == 2)
            let all = control.messages.joined()
            #expect(
                all.contains(
                    "the program /no/such/program of the rule 'lights' did not start: cannot run "
                        + "/no/such/program: No such file or directory"))
            let seen = sink.status.message
            #expect(seen.contains("/no/such/program of the rule 'lights' did not start"))
            #expect(seen.contains("/failing of the rule 'lights' ended with status 3"))
            #expect(all.contains("ended with status 3"))
            #expect(!all.contains("canary"))
        }
    }

    @Test("status names three of the programs that fail, each by its rule, and counts the others")
    func named() async throws {
        var verdict = RuleVerdict()
        verdict.programs = (1...5).map {
            RuleVerdict.Program(arguments: ["false"], timeout: .seconds(60), rule: "rule \($0)")
        }
        let record = SampleRecord.make(verdict: verdict)
        try await with { sink, control in
            sink.receive(.added(record))
            while control.messages.count < 5 { try await Task.sleep(for: .milliseconds(5)) }
            let expected = (1...5).map {
                "the program false of the rule 'rule \($0)' ended with status 1"
            }
            #expect(Set(control.messages) == Set(expected))
            let seen = sink.status.message
            #expect(seen.contains("5 failing: false of the rule 'rule "))
            #expect(seen.hasSuffix("; 2 more"))
            sink.reconfigure(ServiceConfiguration())
            #expect(sink.status.isWorking)
        }
    }
}

extension TemporaryDirectory {
    /// Waits until the names in it are as they should be; the time limit of the suite ends that.
    func wait(until isReached: ([String]) -> Bool) async throws {
        while !isReached(names) { try await Task.sleep(for: .milliseconds(5)) }
    }
}
