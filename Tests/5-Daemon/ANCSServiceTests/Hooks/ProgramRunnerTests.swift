import Glibc
import LinuxIO
import Octets
import Synchronization
import Testing

@testable import ANCSService

/// With real programs, and not side by side: they count the processes and descriptors of this one.
@Suite("Running programs", .serialized)
struct ProgramRunnerTests {
    let folder: TemporaryDirectory
    let loop: EventLoop
    static let environment = ["PATH": "/usr/bin:/bin", "OWN": "yes"]

    init() throws {
        folder = try TemporaryDirectory()
        loop = try EventLoop()
    }

    private func with<Value: Sendable>(
        limits: ProgramSchedule.Limits = .init(),
        _ body: @escaping @Sendable (ProgramRunner) async throws -> Value
    ) async throws -> Value {
        defer { loop.shutdown() }
        let loop = loop
        return try await Task(executorPreference: loop) {
            let runner = ProgramRunner(on: loop, inherited: Self.environment, limits: limits)
            return try await body(runner)
        }.value
    }

    @Test("a program gets its input, its arguments and only the given environment")
    func environment() async throws {
        let out = "\(folder.path)/out"
        let script = try folder.script(
            "hook",
            """
            { cat; tr '\\0' '\\n' </proc/$$/environ | sort; echo "--"; tr '\\0' ' ' </proc/$$/cmdline
            echo; pwd; } > \(out)
            """)
        let outcome = try await with { runner in
            await runner.finish(
                [script, "on"], input: "secret text\n", environment: ["ANCS_EVENT": "added"])
        }
        #expect(outcome == .ended(.exited(status: 0)))
        let text = try #require(folder.text(of: "out"))
        // A shell adds PWD of its own, in its own memory: /proc shows what it was started with.
        #expect(
            text == """
                secret text
                ANCS_EVENT=added
                OWN=yes
                PATH=/usr/bin:/bin
                --
                /bin/sh \(script) on 
                /
                """)
    }

    @Test(
        "a program inherits three descriptors, and no blocked or ignored signal")
    func inherits() async throws {
        // As a careless library leaves them: not closed on exec.
        let careless = (0..<5).map { _ in open("/etc/passwd", O_RDONLY) }
        defer { for descriptor in careless { Glibc.close(descriptor) } }
        signal(SIGUSR1, SIG_IGN)
        defer { signal(SIGUSR1, SIG_DFL) }
        // Programs that look at themselves: a shell blocks signals and opens files of its own.
        let path = folder.path
        let looks = [
            ["find", "/proc/self/fd", "-type", "l", "-fprintf", "\(path)/files", "%l "],
            ["sed", "-n", "s/^Sig[BI][lg][kn]:.//w \(path)/masks", "/proc/self/status"],
            ["sed", "-n", "w \(path)/stat", "/proc/self/stat"],
        ]
        try await with { runner in
            for look in looks {
                #expect(await runner.finish(look, input: "") == .ended(.exited(status: 0)))
            }
        }
        let files = try #require(folder.text(of: "files")).split(separator: " ").map(String.init)
        try #require(files.count > 3)
        #expect(files[0].hasPrefix("pipe:"))
        #expect(files[1...2] == ["/dev/null", "/dev/null"])
        // The others are what it opened itself: its output, and the directory that it looks into.
        let own = [path + "/", "/proc/"]
        #expect(files[3...].allSatisfy { $0 == "/" || own.contains(where: $0.hasPrefix) })
        let masks = try #require(folder.text(of: "masks")).split(separator: "\n")
        #expect(masks.count == 2)
        // The C library keeps signals 32 and 33 to itself, and has a new program ignore them.
        #expect(masks.allSatisfy { (UInt64($0, radix: 16) ?? .max) & 0x7FFF_FFFF == 0 })
        // proc_pid_stat(5): the process, its group and its session.
        let numbers = try #require(folder.text(of: "stat")).split(separator: " ")
        #expect(Set([numbers[0], numbers[4], numbers[5]]).count == 1)
    }

    @Test("a megabyte of input arrives whole")
    func longInput() async throws {
        let out = "\(folder.path)/out"
        let script = try folder.script("hook", "sleep 0.1; wc -c > \(out)")
        let outcome = try await with { runner in
            await runner.finish([script], input: String(repeating: "ä", count: 524_288))
        }
        #expect(outcome == .ended(.exited(status: 0)))
        #expect(folder.text(of: "out") == "1048576")
    }

    @Test("a program that does not read its input blocks nothing, and causes no SIGPIPE")
    func unread() async throws {
        let input = String(repeating: "x", count: 1_048_576)
        let outcomes = try await with { runner in
            let slow = await runner.finish(["sleep", "0.2"], input: input)
            let closing = await runner.finish(["sh", "-c", "exec 0<&-; sleep 0.1"], input: input)
            return [slow, closing]
        }
        #expect(outcomes == Array(repeating: .ended(.exited(status: 0)), count: 2))
    }

    @Test(
        "an error has the cause: status, signal, missing, not executable, no name, a NUL in the name"
    )
    func failures() async throws {
        try folder.write("plain", Array("text".utf8))
        try folder.write("odd", Array("text".utf8))
        chmod("\(folder.path)/odd", 0o700)
        let path = folder.path
        let outcomes = try await with { runner in
            var outcomes: [ProgramRunner.Outcome] = []
            for arguments in [
                ["sh", "-c", "exit 3"], ["sh", "-c", "kill -9 $$"], ["\(path)/absent"],
                ["\(path)/plain"], ["\(path)/odd"], [], ["a\0b"], ["no-such-program-anywhere"],
            ] { outcomes.append(await runner.finish(arguments, input: "")) }
            return outcomes
        }
        #expect(outcomes[0] == .ended(.exited(status: 3)))
        #expect(outcomes[1] == .ended(.killed(signal: SIGKILL)))
        let codes = outcomes.dropFirst(2).map { $0.error?.code.rawValue ?? "\($0)" }
        #expect(
            codes == [
                "notFound", "permissionDenied", "systemCallFailed", "systemCallFailed",
                "systemCallFailed", "notFound",
            ])
        #expect(
            outcomes[2].error?.message == "cannot run \(path)/absent: No such file or directory")
    }

    @Test("a program that runs for too long is killed with its group, though all ignore SIGTERM")
    func timeout() async throws {
        var limits = ProgramSchedule.Limits()
        limits.grace = .milliseconds(200)
        let pids = "\(folder.path)/pids"
        let stubborn = "trap '' TERM; echo $$ >> \(pids); while :; do sleep 0.05; done"
        let child = try folder.script("child", stubborn)
        let script = try folder.script("hook", "\(child) & \(stubborn)")
        let outcome = try await with(limits: limits) { runner in
            await runner.finish([script], input: "", timeout: .milliseconds(500))
        }
        #expect(outcome == .timedOut)
        try await expectGone("pids", count: 2)
    }

    @Test(
        "a program that stops its guard, once or for ever, is ended at its time limit",
        arguments: ["kill -STOP $PPID", "setsid -f sh STOPPER $PPID"])
    func stopsItsGuard(_ attack: String) async throws {
        var limits = ProgramSchedule.Limits()
        limits.grace = .milliseconds(200)
        let pids = "\(folder.path)/pids"
        try folder.write(
            "stopper",
            Array("echo $$ >> \(pids); while kill -STOP $1; do :; done; sleep 60".utf8))
        let script = try folder.script(
            "hook",
            "echo $$ >> \(pids); \(attack.replacing("STOPPER", with: "\(folder.path)/stopper")); "
                + "while :; do sleep 0.05; done")
        let outcome = try await with(limits: limits) { runner in
            await runner.finish([script], input: "", timeout: .milliseconds(500))
        }
        #expect(outcome == .timedOut)
        try await expectGone("pids", count: Self.pids(pids).count)
    }

    @Test("a program that stops itself hears of the end")
    func stopsItself() async throws { try await endsInTime("kill -STOP $$") }

    @Test("a program that handles SIGTERM has time to end")
    func obedient() async throws { try await endsInTime("while :; do sleep 0.05; done") }

    /// That a program which waits for SIGTERM in this way gets it, and ends by itself.
    private func endsInTime(_ wait: String) async throws {
        let folder = folder
        let script = try folder.script(
            "hook",
            "trap 'echo bye > \(folder.path)/out; exit 0' TERM; echo > \(folder.path)/ready; \(wait)"
        )
        let outcome = try await with { runner in
            // On a busy machine, the limit may pass before it has begun.
            for timeout in [.milliseconds(300), .seconds(3)] as [Duration] {
                let outcome = await runner.finish([script], input: "", timeout: timeout)
                if folder.text(of: "ready") != nil { return outcome }
            }
            return await runner.finish([script], input: "", timeout: .seconds(30))
        }
        #expect(outcome == .timedOut)
        #expect(folder.text(of: "out") == "bye")
    }

    @Test(
        "orphans that called setsid are killed too, at the end and at the time limit",
        arguments: [false, true])
    func sessions(_ isTooLong: Bool) async throws {
        var limits = ProgramSchedule.Limits()
        limits.grace = .milliseconds(200)
        let pids = "\(folder.path)/pids"
        let child = try folder.script(
            "child", "trap '' TERM; echo $$ >> \(pids); while :; do sleep 0.05; done")
        let deep = try folder.script("deep", "setsid -f setsid -f \(child)")
        let script = try folder.script(
            "hook",
            """
            setsid -f \(child); \(deep) & setsid -f \(deep)
            while [ "$(grep -c . \(pids))" != 3 ]; do sleep 0.01; done
            \(isTooLong ? "trap '' TERM; while :; do sleep 0.05; done" : "exit 3")
            """)
        let path = pids
        let outcome = try await with(limits: limits) { runner in
            async let outcome = runner.finish(
                [script], input: "", timeout: isTooLong ? .seconds(5) : .seconds(60))
            let result = await outcome
            // They are gone before the end is reported.
            for pid in Self.pids(path) { #expect(!Self.isRunning(pid)) }
            return result
        }
        #expect(outcome == (isTooLong ? .timedOut : .ended(.exited(status: 3))))
        // On a busy machine, the limit may pass before all have begun.
        let count = isTooLong ? Self.pids(path).count : 3
        #expect(count > 0)
        try await expectGone("pids", count: count)
        try await expectNoZombies()
    }

    @Test("how a program was killed is known, with a guard between")
    func killed() async throws {
        let script = try folder.script("hook", "kill -SEGV $$")
        let outcome = try await with { await $0.finish([script], input: "") }
        #expect(outcome == .ended(.killed(signal: SIGSEGV)))
    }

    @Test("processes that a program leaves behind are killed with it, unless they are to be left")
    func remainder() async throws {
        let pids = "\(folder.path)/pids"
        let child = try folder.script("child", "echo $$ > \(pids); exec sleep 60")
        let script = try folder.script(
            "hook", "\(child) & while [ ! -s \(pids) ]; do sleep 0.01; done")
        let path = folder.path
        let stays = try await with { runner in
            _ = await runner.finish([script], input: "")
            try await Self.expectGone("\(path)/pids", count: 1)
            unlink("\(path)/pids")
            _ = await runner.finish([script], input: "", remainder: .left)
            return Self.pids("\(path)/pids")
        }
        #expect(stays.count == 1)
        for pid in stays {
            #expect(kill(pid, 0) == 0)
            kill(pid, SIGKILL)
        }
    }

    @Test("of a hundred at once four run at a time, 68 altogether, and no process stays")
    func hundred() async throws {
        let script = try folder.script("hook", "cat >> \(folder.path)/out")
        let descriptors = SystemFile.names(in: "/proc/self/fd").count
        let (outcomes, dropped, left) = try await with { runner in
            let outcomes = await withTaskGroup(of: ProgramRunner.Outcome.self) { group in
                for _ in 0..<100 { group.addTask { await runner.finish([script], input: "x\n") } }
                var outcomes: [ProgramRunner.Outcome] = []
                for await outcome in group {
                    outcomes.append(outcome)
                    #expect(runner.runningCount <= 4)
                }
                return outcomes
            }
            return (
                outcomes, runner.dropped, SystemFile.names(in: "/proc/self/fd").count - descriptors
            )
        }
        #expect(outcomes.count { $0 == .ended(.exited(status: 0)) } == 68)
        #expect(outcomes.count { $0 == .dropped } == 32)
        #expect(dropped == 32)
        #expect(folder.contents(of: "out")?.count == 136)
        // Other tests of this process may open a few.
        #expect(left < 20)
        try await expectNoZombies()
    }

    @Test("closing ends running programs within about a second, and starts no more")
    func close() async throws {
        var limits = ProgramSchedule.Limits()
        limits.graceAtEnd = .milliseconds(200)
        let pids = "\(folder.path)/pids"
        let script = try folder.script(
            "hook", "trap '' TERM; echo $$ >> \(pids); while :; do sleep 0.05; done")
        let outcomes = try await with(limits: limits) { runner in
            async let all = withTaskGroup(of: ProgramRunner.Outcome.self) { group in
                for _ in 0..<8 { group.addTask { await runner.finish([script], input: "x\n") } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            while Self.pids(pids).count < 4 { try await Task.sleep(for: .milliseconds(10)) }
            await withCheckedContinuation { done in runner.close { done.resume() } }
            let late = await runner.finish([script], input: "")
            return await all + [late]
        }
        #expect(outcomes == Array(repeating: .dropped, count: 9))
        try await expectGone("pids", count: 4)
        try await expectNoZombies()
    }

    // MARK: Processes

    private func expectGone(_ name: String, count: Int) async throws {
        try await Self.expectGone("\(folder.path)/\(name)", count: count)
    }

    /// That the processes whose numbers a file has are gone, but for what the first process has to reap.
    private static func expectGone(_ path: String, count: Int) async throws {
        let pids = pids(path)
        #expect(pids.count == count)
        for pid in pids {
            for _ in 0..<500 where isRunning(pid) { try await Task.sleep(for: .milliseconds(10)) }
            #expect(!isRunning(pid))
        }
    }

    private static func pids(_ path: String) -> [pid_t] {
        String(decoding: FileContents.read(path) ?? [], as: UTF8.self)
            .split(separator: "\n").compactMap { pid_t($0) }
    }

    private static func isRunning(_ pid: pid_t) -> Bool {
        let status = SystemFile.line(of: "/proc/\(pid)/stat") ?? ""
        return !status.isEmpty && !status.contains(") Z ")
    }

    /// That no program waits for somebody to take note of its end. Other tests have programs for a moment, and
    /// buses whose end they take note of when they are over.
    private func expectNoZombies() async throws {
        var waiting = zombies
        for _ in 0..<500 where !waiting.isEmpty {
            try await Task.sleep(for: .milliseconds(10))
            let still = zombies
            waiting.removeAll { !still.contains($0) }
        }
        #expect(waiting == [])
    }

    private var zombies: [pid_t] {
        SystemFile.names(in: "/proc").compactMap { pid_t($0) }.filter { pid in
            let status = SystemFile.line(of: "/proc/\(pid)/stat") ?? ""
            return status.contains(") Z \(getpid()) ") && !status.contains("(dbus-daemon)")
        }
    }
}

extension ProgramRunner.Outcome {
    /// Why it could not be started.
    var error: IOError? {
        guard case .failed(let error) = self else { return nil }
        return error
    }
}

extension ProgramRunner {
    /// Runs a program and says how that went. On the loop.
    func finish(
        _ arguments: [String], input: String, timeout: Duration = .seconds(20),
        environment: [String: String] = [:], remainder: ChildProcess.Remainder = .killed
    ) async -> Outcome {
        await withCheckedContinuation { done in
            run(
                RuleVerdict.Program(arguments: arguments, timeout: timeout),
                input: Array(input.utf8),
                environment: environment, remainder: remainder
            ) { done.resume(returning: $0) }
        }
    }
}
