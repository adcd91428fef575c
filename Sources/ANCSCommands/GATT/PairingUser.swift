internal import ANCSService
internal import ANCSKit
internal import BluetoothLE
internal import JSONText
internal import LinuxIO

/// Who sits before a command that pairs: sees what pairing asks, and types the answers.
actor PairingUser {
    private let isJSON: Bool
    private var input: Task<Void, Never>?
    /// The request that waits for an answer.
    private var request: PairingRequest?

    init(isJSON: Bool) { self.isJSON = isJSON }

    /// Reads the answers from standard input.
    func attend(_ adapter: BluetoothAdapter) {
        input = Task {
            for await line in InputLines(on: adapter.loop).lines { self.answer(line) }
        }
    }

    /// Reads no more.
    func leave() { input?.cancel() }

    /// Shows what is asked.
    func observe(_ event: AdapterEvent) async {
        switch event {
        case .pairing(_, let asked):
            if case .display = asked {} else { request = asked }
            if isJSON { await StandardStreams.deliver(JSONValue.object(asked.jsonMembers).text) }
            StandardStreams.writeError(asked.message(peer: "other device"))
        case .paired:
            request = nil
            StandardStreams.writeError("paired")
        case .securityFailed(_, let failure):
            request = nil
            StandardStreams.writeError("ancs: \(TerminalText.visible(failure.message))")
        default: break
        }
    }

    private func answer(_ line: String) {
        let words = line.split(separator: " ")
        guard let request, let word = words.first, words.count == 1 else { return }
        if request.answer(String(word)) {
            self.request = nil
        } else {
            StandardStreams.writeError(request.message(peer: "other device"))
        }
    }
}
