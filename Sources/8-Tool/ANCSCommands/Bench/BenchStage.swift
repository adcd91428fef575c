internal import AccessoryConformance
internal import DeviceCommandKit
internal import HCITransports
internal import OpenSSLSecurity
internal import VirtualBluetooth
internal import VirtualTransports

/// A radio with an accessory that is a program, and the phones that play scenarios with it, one after another.
actor BenchStage: LoopActor {
    nonisolated let loop: EventLoop
    private let options: BenchOptions
    private let files: TemporaryDirectory
    private let radio: RadioLoop
    private let phone: VirtualPort
    private let accessoryPort: VirtualPort
    private let accessoryCapture: BtsnoopWriter?
    /// Sees what the accessory has of an answer when it writes the next command.
    private let witness = AnswerWitness(.accessory)
    private var accessory: BenchAccessory?
    /// Why the accessory is missing: its program has ended, or has not opened its controller.
    private var absence: String?
    /// Why the program cannot be run at all.
    private var failure: IOError?
    private var hasOpened = false
    /// What the program advertised last.
    private var advertised: ReceivedAdvertisement?
    private var isInterrupted = false
    private var waiting: CheckedContinuation<Void, Never>?
    private var runner: ScenarioRunner?

    /// A stage that begins with the run of this number, counted from 0, in this repetition, which says the seed.
    ///
    /// `fadeChanged` is called when a fade of the radio begins, with `true`, and when none is left.
    init(
        _ options: BenchOptions, run: Int, repetition: Int, on loop: EventLoop,
        fadeChanged: @escaping @Sendable (Bool) -> Void
    ) throws(IOError) {
        self.options = options
        self.loop = loop
        files = try TemporaryDirectory(outlivesNoOwner: true)
        try files.addDirectory("accessory")
        var configuration = options.radio
        configuration.seed &+= UInt64(repetition)
        let radio = RadioLoop(configuration: configuration, toolbox: OpenSSLToolbox(), on: loop)
        radio.fadeChanged = fadeChanged
        self.radio = radio
        phone = radio.addController(options.abilities)
        accessoryPort = radio.addController(options.abilities)
        accessoryCapture = try options.capture("accessory", run: run)
    }

    /// Runs the program, and returns when it has opened its controller or is missing. Throws if it cannot be run.
    func open() async throws(IOError) {
        let accessory = BenchAccessory(
            options.program, at: options.place, port: accessoryPort, capture: accessoryCapture,
            admitsAnyUser: options.admitsAnyUser, tap: { [witness] in witness.see($0, $1, at: $2) },
            working: Environment.directory, files: files, environment: Environment.all, on: loop
        ) { [weak self] event in self?.assumeOnLoop { $0.happened(event) } }
        self.accessory = accessory
        accessory.start()
        let timer = LoopTimer(on: loop) { [weak self] in
            self?.assumeOnLoop { $0.timeOut() }
        }
        timer.deadline = loop.now + options.patience
        await withCheckedContinuation { continuation in
            // It may have happened by now: this closure need not run at once.
            if hasOpened || absence != nil || isInterrupted {
                continuation.resume()
            } else {
                waiting = continuation
            }
        }
        timer.deadline = nil
        if let failure { throw failure }
    }

    /// Plays a scenario. Ends it if the accessory's program ends.
    func play(
        _ scenario: Scenario, run: Int, _ audience: any ScenarioAudience
    ) async -> ScenarioResult {
        if isInterrupted {
            await audience.runBegan(scenario, at: loop.now)
            return await missing(scenario, .interrupted, "the scenario had not begun", audience)
        }
        if let absence {
            await audience.runBegan(scenario, at: loop.now)
            return await missing(scenario, .accessoryMissing, absence, audience)
        }
        do throws(DeviceError) {
            let store =
                options.isKept ? BondStore(directory: files.path + "/phone", device: .phone) : nil
            let place = HCIConfiguration(
                .virtual(phone), store: store, capture: try phoneCapture(run))
            let runner = try ScenarioRunner(
                scenario, phone: ProviderConfiguration(), at: .hci(place), on: loop,
                audience: audience, witness: witness)
            self.runner = runner
            await runner.accessoryAdvertises(advertised)
            defer { self.runner = nil }
            do throws(PhoneFailure) { return try await runner.run() } catch {
                // A phone that failed within the run has reported it.
                if let result = await runner.result { return result }
                return await missing(scenario, .notStarted, error.message, audience)
            }
        } catch {
            await audience.runBegan(scenario, at: loop.now)
            return await missing(scenario, .notStarted, error.message, audience)
        }
    }

    /// Reports that a scenario was not played, and why.
    private func missing(
        _ scenario: Scenario, _ interruption: ScenarioResult.Interruption, _ cause: String,
        _ audience: any ScenarioAudience
    ) async -> ScenarioResult {
        let result = ScenarioResult(notStarted: scenario, interruption, because: cause)
        await audience.runEnded(result)
        return result
    }

    private func phoneCapture(_ run: Int) throws(DeviceError) -> BtsnoopWriter? {
        do throws(IOError) { return try options.capture("phone", run: run) } catch {
            throw .transport(error)
        }
    }

    /// What the program has printed since the last call.
    func takeOutput() -> BenchOutput { accessory?.takeOutput() ?? BenchOutput() }

    /// Ends the scenario, or the wait for the program.
    func interrupt() async {
        isInterrupted = true
        exchange(&waiting, with: nil)?.resume()
        await runner?.interrupt()
    }

    /// Ends the program, and returns when nothing of it is left but the files that it says, a sentence each.
    func close() async -> [String] {
        runner = nil
        if let accessory = exchange(&accessory, with: nil) {
            await withCheckedContinuation { continuation in
                accessory.stop { continuation.resume() }
            }
        }
        radio.close()
        return files.remove()
    }

    // MARK: The accessory

    private func happened(_ event: BenchAccessory.Event) {
        switch event {
        case .opened: hasOpened = true
        case .advertises(let advertising):
            let advertised = ReceivedAdvertisement(advertising)
            self.advertised = advertised
            guard let runner else { return }
            Task(executorPreference: loop) { await runner.accessoryAdvertises(advertised) }
            return
        case .ended(let ending): lose("the program \(ending.words)")
        case .failed(let error):
            failure = error
            lose(error.message)
        case .contended:
            lose(
                "a second process connected to the controller, so it is not certain which is the accessory; "
                    + "does the program connect twice, or another one of yours or root's to its port?"
            )
        }
        exchange(&waiting, with: nil)?.resume()
    }

    private func timeOut() {
        lose(
            "the program did not open its controller within \(options.patience.text); does it use "
                + "the place in its command line, and H4?")
        exchange(&waiting, with: nil)?.resume()
    }

    private func lose(_ absence: String) {
        self.absence = self.absence ?? absence
        guard let runner else { return }
        Task(executorPreference: loop) {
            await runner.interrupt(.accessoryMissing, because: absence)
        }
    }
}

extension ChildProcess.Ending {
    fileprivate var words: String {
        switch self {
        case .exited(let status): "ended with status \(status)"
        case .killed(let signal): "was killed by signal \(signal)"
        }
    }
}

extension BenchOptions {
    /// The capture of a side in a run, if captures are wanted.
    fileprivate func capture(_ side: String, run: Int) throws(IOError) -> BtsnoopWriter? {
        try captureDirectory.map { directory throws(IOError) in
            try BtsnoopWriter.capture("run-\(run + 1)-\(side)", in: directory)
        }
    }
}
