internal import CLinux
internal import Glibc
internal import Octets

/// A running program: writes to its standard input, and reports its end. On its loop's thread only.
///
/// The program is started without a shell, in its own session and process group. It inherits only the user
/// and limits of this process.
///
/// Between this process and a program that may leave nothing behind is a third one, a *guard*, to which the
/// kernel gives the orphans of the program (`PR_SET_CHILD_SUBREAPER`). So it finds and kills every descendant,
/// also one that called setsid(2) and whose parents have ended, and does so when this process is killed. A program that
/// stops its guard does not escape ``kill()``; only when this process is killed, a stopped guard does nothing.
///
/// The owner has to keep this object until the program has ended; otherwise the program remains as a zombie.
package final class ChildProcess: @unchecked Sendable {
    // Unchecked: everything mutable is touched on the loop's thread only, which is checked.

    /// How a program ended.
    package enum Ending: Equatable, Sendable {
        /// It exited with this status; 0 is success.
        case exited(status: Int32)
        /// It was killed by this signal.
        case killed(signal: Int32)
    }

    /// What to do with the processes that the program has started when it has ended itself.
    package enum Remainder: Equatable, Sendable {
        /// Kill them, in whatever process group or session they are. Those that another program has started
        /// for this one, such as `systemd-run`, do not belong to it; nor can those of another user be killed.
        case killed
        /// Leave them running, for a program that shows or serves something in the background.
        case left
    }

    private let loop: EventLoop
    /// The program, or its guard.
    private let process: pid_t
    private let watch: OwnedDescriptor
    private let remainder: Remainder
    private var registration: DescriptorRegistration?
    private var input: ChildInput?
    private var output: ChildOutput?
    private var onEnd: (@Sendable (Ending) -> Void)?
    /// Ends a guard that does not do what it was told to.
    private var force: LoopTimer?
    /// How often that still kills its children, before it ends the guard itself.
    private var roundsOfForce = 20
    /// How long a guard may take to kill a program: one that the program stops again and again never does.
    private static let patience = Duration.seconds(2)
    /// The pause between two rounds: the children of what was killed become the guard's.
    private static let pauseOfForce = Duration.milliseconds(10)

    /// Starts a program, with `input` on its standard input, which need not be read. On the loop only.
    ///
    /// `arguments` starts with the program's name, which is looked up in this process's `PATH` unless it has
    /// a slash; `environment` is its whole environment. `output` gets what the program and those that it
    /// starts write to standard output and error, the last of it before `onEnd`; without it, that is discarded.
    /// `remainder` applies to processes that it leaves behind. If they are killed, `files` outlasts them, even if this
    /// process is killed. `onEnd` is called when it has ended, but never during this call. Throws if the program
    /// cannot be run.
    package init(
        _ arguments: [String], environment: [String: String], input: [UInt8],
        output: (@Sendable ([UInt8]) -> Void)? = nil, directory: String = "/",
        remainder: Remainder = .killed, files: TemporaryDirectory? = nil, on loop: EventLoop,
        onEnd: @escaping @Sendable (Ending) -> Void
    ) throws(IOError) {
        loop.checkIsolated()
        (self.loop, self.remainder, self.onEnd) = (loop, remainder, onEnd)
        let attempt = "cannot run \(arguments.first ?? "a program")"
        let ends = try Self.makePipe(isForWriting: true, attempt)
        defer { ends.reading.close() }
        let results: (reading: OwnedDescriptor, writing: OwnedDescriptor)?
        results = output == nil ? nil : try Self.makePipe(isForWriting: false, attempt)
        defer { results?.writing.close() }
        (process, watch) = try Self.spawn(
            arguments, environment, ends.reading, results?.writing, directory,
            isGuarded: remainder == .killed, files?.lease, attempt)
        do throws(IOError) {
            registration = try loop.register(watch.number, for: .readable) { [self] _ in end() }
            if let output, let results {
                self.output = try ChildOutput(results.reading, to: output, on: loop)
            }
        } catch {
            abandon()
            throw error
        }
        // If this fails, the program only gets less input.
        self.input = ChildInput(input, into: ends.writing, on: loop)
    }

    /// Asks every process of its group to end; does nothing after its end.
    package func terminate() { signal(SIGTERM) }

    /// Kills every process of its group and, unless they are to be left, all that it has started.
    package func kill() {
        signal(remainder == .killed ? SIGUSR1 : SIGKILL)
        guard remainder == .killed, onEnd != nil, force == nil else { return }
        let timer = LoopTimer(on: loop) { [weak self] in self?.endGuard() }
        force = timer
        timer.deadline = loop.now + Self.patience
    }

    private func endGuard() {
        guard onEnd != nil else { return }
        clinux_kill_children(process)
        roundsOfForce -= 1
        guard roundsOfForce > 0 else { return signal(SIGKILL) }
        force?.deadline = loop.now + Self.pauseOfForce
    }

    private func signal(_ number: Int32) {
        loop.checkIsolated()
        // Until its status is collected, the number cannot be reused for another process or group.
        guard onEnd != nil else { return }
        let receiver = remainder == .killed ? process : -process
        Glibc.kill(receiver, number)
        // A program may have stopped itself, or its guard.
        Glibc.kill(receiver, SIGCONT)
    }

    /// Whether the program, or what it has started, has a socket with this number.
    package func holds(socket inode: UInt64) -> Bool {
        onEnd != nil && ProcessTree.holds(socket: inode, process)
    }

    /// It ended, and what it left behind, too.
    private func end() {
        guard let onEnd = exchange(&onEnd, with: nil) else { return }
        force?.deadline = nil
        force = nil
        var signal: CInt = 0
        let status = clinux_reap(process, &signal)
        if let registration = exchange(&registration, with: nil) { loop.unregister(registration) }
        watch.close()
        exchange(&input, with: nil)?.end()
        exchange(&output, with: nil)?.end()
        onEnd(signal == 0 ? .exited(status: status) : .killed(signal: signal))
    }

    /// Kills a program that cannot be watched.
    private func abandon() {
        kill()
        if let registration = exchange(&registration, with: nil) { loop.unregister(registration) }
        onEnd = nil
        waitpid(process, nil, 0)
    }

    // MARK: Start

    private static func makePipe(
        isForWriting: Bool, _ attempt: String
    ) throws(IOError) -> (reading: OwnedDescriptor, writing: OwnedDescriptor) {
        var ends: [CInt] = [-1, -1]
        guard clinux_pipe(&ends, isForWriting ? 1 : 0) == 0 else {
            throw IOError(attempt, errno: errno)
        }
        return (OwnedDescriptor(ends[0]), OwnedDescriptor(ends[1]))
    }

    private static func spawn(
        _ arguments: [String], _ environment: [String: String], _ input: OwnedDescriptor,
        _ output: OwnedDescriptor?, _ directory: String, isGuarded: Bool,
        _ lease: OwnedDescriptor?, _ attempt: String
    ) throws(IOError) -> (pid_t, OwnedDescriptor) {
        let variables = environment.map { "\($0.key)=\($0.value)" }.sorted(byText: { $0 })
        // A zero would end the text early.
        guard !arguments.isEmpty,
            !(arguments + variables + [directory]).contains(where: { $0.utf8.contains(0) })
        else { throw IOError(attempt, errno: EINVAL) }
        var process: pid_t = -1
        let watch = withTexts(arguments) { arguments in
            withTexts(variables) { variables in
                clinux_spawn(
                    arguments, variables, input.number, output?.number ?? -1, directory,
                    isGuarded ? 1 : 0, lease?.number ?? -1, &process)
            }
        }
        guard watch >= 0 else { throw IOError(attempt, errno: errno) }
        return (process, OwnedDescriptor(watch))
    }

    /// An array of C strings.
    private static func withTexts(
        _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> CInt
    ) -> CInt {
        var pointers = texts.map { strdup($0) } + [nil]
        defer {
            let reason = errno
            for pointer in pointers { free(pointer) }
            errno = reason
        }
        return body(&pointers)
    }
}

/// The rest of a program's standard input.
private final class ChildInput: @unchecked Sendable {
    // Unchecked: as its process.

    private let loop: EventLoop
    private let descriptor: OwnedDescriptor
    private let octets: [UInt8]
    private var written = 0
    private var registration: DescriptorRegistration?

    init(_ octets: [UInt8], into descriptor: OwnedDescriptor, on loop: EventLoop) {
        (self.octets, self.descriptor, self.loop) = (octets, descriptor, loop)
        write()
    }

    /// Closes standard input.
    func end() {
        if let registration = exchange(&registration, with: nil) { loop.unregister(registration) }
        descriptor.close()
    }

    /// Writes as much as there is room for; the rest follows when there is room again.
    private func write() {
        while written < octets.count {
            let count = octets.withUnsafeBytes { all in
                let rest = UnsafeRawBufferPointer(rebasing: all[written...])
                return uninterrupted {
                    clinux_write_to_pipe(descriptor.number, rest.baseAddress, rest.count)
                }
            }
            guard count >= 0 else {
                // The pipe is full; any other error means that the program no longer reads, which is up to
                // it.
                return errno == EAGAIN ? waitForRoom() : end()
            }
            written += count
        }
        end()
    }

    private func waitForRoom() {
        guard registration == nil else { return }
        do throws(IOError) {
            registration = try loop.register(descriptor.number, for: .writable) { [weak self] _ in
                self?.write()
            }
        } catch { end() }
    }
}
