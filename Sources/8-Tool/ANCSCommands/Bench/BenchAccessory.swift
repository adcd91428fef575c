internal import ANCSCapture
internal import Glibc
internal import HCITransports
internal import LaboratoryCommands
internal import Printing

/// The accessory of a bench: its program, and the virtual controller that the program opens.
///
/// To be used on the loop's thread only.
final class BenchAccessory: @unchecked Sendable {
    // Unchecked because all use is on the loop's thread, which the transport and the program check.

    enum Event: Sendable {
        /// The program has opened its controller.
        case opened
        /// The program has its controller advertise so.
        case advertises(CaptureEvent.Advertising)
        /// The program has ended by itself; nothing that it started is left.
        case ended(ChildProcess.Ending)
        /// The controller cannot be served, or the program cannot be run.
        case failed(IOError)
        /// Two that may be the program are connected to its controller.
        case contended
    }

    /// How long a program may take to end when it is asked to.
    private static let patience = Duration.seconds(2)

    private let command: [String]
    private let environment: [String: String]
    private let directory: String
    private let files: TemporaryDirectory
    private let loop: EventLoop
    private let report: @Sendable (Event) -> Void
    private var controller: ServedController?
    private var program: ChildProcess?
    private var timer: LoopTimer?
    private var stopped: (@Sendable () -> Void)?
    private var isStopping = false
    private var output = BenchOutput()
    /// The users whose connections were refused, of which each is reported once; `nil` for one that is not on this
    /// machine.
    private var refused: Set<UInt32?> = []
    private var advertising = AdvertisingFollower()

    /// `port` is its controller on the radio, `working` the directory of the program, and `files` one for the place
    /// of the controller and the files of the accessory.
    init(
        _ command: [String], at place: BenchPlace, port: VirtualPort, capture: BtsnoopWriter?,
        admitsAnyUser: Bool, tap: @escaping PacketTap, working: String, files: TemporaryDirectory,
        environment: [String: String], on loop: EventLoop,
        report: @escaping @Sendable (Event) -> Void
    ) {
        self.command = command
        self.environment = environment
        directory = working
        (self.files, self.loop, self.report) = (files, loop, report)
        let moniker = place.moniker(in: files.path)
        let gate = ConnectionGate(
            admits: { [weak self] in self?.admits($0) ?? false }, contended: { report(.contended) })
        controller = ServedController(
            moniker, port: port, capture: capture, gate: admitsAnyUser ? nil : gate,
            tap: tap, on: loop
        ) { [weak self] event in self?.happened(event, at: moniker) }
    }

    /// Every user of this machine can connect to a port of it, before the program does.
    private func admits(_ owner: TCPOwner?) -> Bool {
        if let owner {
            guard ![0, getuid(), geteuid()].contains(owner.user) else { return true }
            // The program may be another user's, for example if this one is root.
            if let program, program.holds(socket: owner.inode) { return true }
        }
        guard refused.insert(owner?.user).inserted else { return false }
        let stranger = owner.map { "user \($0.user)" } ?? "another machine or container"
        StandardStreams.writeError(
            "ancs: \(stranger) connected to the controller and was refused: only the program, your own "
                + "processes and root's may connect; --any-user lets everybody")
        return false
    }

    /// Serves the controller, and runs the program when it can be opened.
    func start() { controller?.open() }

    /// What the program has printed since the last call.
    func takeOutput() -> BenchOutput { exchange(&output, with: BenchOutput()) }

    /// Ends the program and what it has started, and calls `done` when nothing is left.
    func stop(_ done: @escaping @Sendable () -> Void) {
        isStopping = true
        guard let program else { return close(done) }
        stopped = done
        program.terminate()
        let timer = LoopTimer(on: loop) { [weak self] in self?.program?.kill() }
        self.timer = timer
        timer.deadline = loop.now + Self.patience
    }

    private func close(_ done: @escaping @Sendable () -> Void) {
        timer?.deadline = nil
        timer = nil
        exchange(&controller, with: nil)?.close()
        loop.execute(done)
    }

    private func happened(_ event: ServedController.Event, at moniker: TransportMoniker) {
        guard !isStopping else { return }
        switch event {
        case .listening: run()
        case .used: report(.opened)
        case .commanded(let octets):
            // What is not a command, the controller refuses.
            let news = (try? advertising.receive(octets)) ?? []
            for advertising in news { report(.advertises(advertising)) }
        // A program may open its controller several times, as one does that restarts.
        case .attached, .detached: break
        case .failed(let error): report(.failed(error))
        }
    }

    private func run() {
        guard program == nil, let place = controller?.place,
            let moniker = try? TransportMoniker(parsing: place)
        else { return }
        do throws(IOError) {
            program = try ChildProcess(
                BenchPlace.words(command, for: moniker, directory: files.path + "/accessory"),
                environment: environment, input: [],
                output: { [weak self] octets in self?.output.append(octets) },
                directory: directory, files: files, on: loop
            ) { [weak self] ending in self?.ended(ending) }
        } catch { report(.failed(error)) }
    }

    private func ended(_ ending: ChildProcess.Ending) {
        program = nil
        guard let done = exchange(&stopped, with: nil) else { return report(.ended(ending)) }
        close(done)
    }
}
