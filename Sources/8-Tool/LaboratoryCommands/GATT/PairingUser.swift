internal import DeviceCommandKit
internal import EventLines

/// The user of a command that pairs: shows the requests of pairing and reads the answers.
actor PairingUser {
    private let isJSON: Bool
    private var report: @Sendable (String) -> Void = StandardStreams.writeError
    private var input: Task<Void, Never>?
    /// The request that awaits an answer.
    private var request: PairingRequest?

    init(isJSON: Bool) { self.isJSON = isJSON }

    /// Starts reading the answers from standard input.
    func attend(_ adapter: BluetoothAdapter) {
        input = Task(executorPreference: adapter.loop) {
            for await line in InputLines(on: adapter.loop).lines { _ = await self.answer(line) }
        }
    }

    /// Writes the requests to a console, whose owner passes the typed lines to ``answer(_:)``.
    func attend(_ console: any Console) { report = { console.writeError($0) } }

    /// Stops reading.
    func leave() { input?.cancel() }

    /// Shows a request of pairing.
    func observe(_ event: AdapterEvent) async {
        switch event {
        case .peer(_, .pairing(let asked)):
            if case .display = asked {} else { request = asked }
            await show(event, asked.question.message(peer: "other device"))
        case .peer(_, .paired):
            request = nil
            await show(event, "paired")
        case .peer(_, .securityFailed(let failure)):
            request = nil
            let text =
                failure == .notPairable
                ? "the other device asked to pair and was refused: --pair allows it"
                : failure.message
            await show(event, "ancs: \(TerminalText.visible(text))")
        case .device, .peer: break
        }
    }

    /// For people on standard error, among what else concerns them; for programs on standard output.
    private func show(_ event: AdapterEvent, _ text: String) async {
        if isJSON, case .peer(_, let event) = event {
            let line = event.line(for: Reporter(side: .adapter, name: ""))
            for text in LinePrinter(isJSON: true, isColored: false).output(line) {
                await StandardStreams.deliver(text)
            }
        }
        report(text)
    }

    /// Takes a typed line as the answer to the open request. Returns whether there was such a request.
    func answer(_ line: String) -> Bool {
        let words = line.split(separator: " ")
        guard let request else { return false }
        guard let word = words.first, words.count == 1 else { return true }
        if request.answer(String(word)) {
            self.request = nil
        } else {
            report(request.question.message(peer: "other device"))
        }
        return true
    }
}
