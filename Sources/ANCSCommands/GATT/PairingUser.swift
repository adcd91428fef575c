internal import ANCSKit
internal import JSONText
internal import LinuxIO

/// Who sits before a command that pairs: sees what pairing asks, and types the answers.
actor PairingUser {
    private let isJSON: Bool
    private var adapter: BluetoothAdapter?
    private var input: Task<Void, Never>?
    /// The question that waits for an answer.
    private var question: (peer: PeerIdentifier, question: PairingQuestion)?

    init(isJSON: Bool) { self.isJSON = isJSON }

    /// Reads the answers from standard input.
    func attend(_ adapter: BluetoothAdapter) {
        self.adapter = adapter
        input = Task {
            for await line in InputLines(on: adapter.loop).lines { await self.answer(line) }
        }
    }

    /// Reads no more.
    func leave() { input?.cancel() }

    /// Shows what is asked.
    func observe(_ event: AdapterEvent) async {
        switch event {
        case .pairing(let peer, let asked):
            if case .display = asked {} else { question = (peer, asked) }
            if isJSON { await StandardStreams.deliver(JSONValue.object(asked.jsonMembers).text) }
            StandardStreams.writeError(asked.text(peer: "other device"))
        case .paired:
            question = nil
            StandardStreams.writeError("paired")
        case .securityFailed(_, let reason):
            question = nil
            StandardStreams.writeError("ancs: \(TerminalText.visible(reason))")
        default: break
        }
    }

    private func answer(_ line: String) async {
        let words = line.split(separator: " ")
        guard let question, let word = words.first, words.count == 1 else { return }
        guard let answer = PairingAnswer(String(word), to: question.question) else {
            StandardStreams.writeError(question.question.text(peer: "other device"))
            return
        }
        self.question = nil
        await adapter?.answerPairing(answer, of: question.peer)
    }
}
