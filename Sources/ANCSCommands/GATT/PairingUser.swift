internal import ANCSService
internal import ANCSKit
internal import BluetoothLE
internal import JSONText
internal import LinuxIO

/// Who sits before a command that pairs: sees what pairing asks, and types the answers.
actor PairingUser {
    private let isJSON: Bool
    private var tell: @Sendable (String) -> Void = StandardStreams.writeError
    private var input: Task<Void, Never>?
    /// The request that waits for an answer.
    private var request: PairingRequest?

    init(isJSON: Bool) { self.isJSON = isJSON }

    /// Reads the answers from standard input.
    func attend(_ adapter: BluetoothAdapter) {
        input = Task {
            for await line in InputLines(on: adapter.loop).lines { _ = self.answer(line) }
        }
    }

    /// Has what is asked written to a console, whose owner passes on what is typed.
    func attend(_ console: any Console) { tell = { console.writeError($0) } }

    /// Reads no more.
    func leave() { input?.cancel() }

    /// Shows what is asked.
    func observe(_ event: AdapterEvent) async {
        switch event {
        case .pairing(_, let asked):
            if case .display = asked {} else { request = asked }
            if isJSON { await StandardStreams.deliver(JSONValue.object(asked.jsonMembers).text) }
            tell(asked.message(peer: "other device"))
        case .paired:
            request = nil
            tell("paired")
        case .securityFailed(_, let failure):
            request = nil
            tell("ancs: \(TerminalText.visible(failure.message))")
        default: break
        }
    }

    /// Takes a line where something is asked; whether it does.
    func answer(_ line: String) -> Bool {
        let words = line.split(separator: " ")
        guard let request else { return false }
        guard let word = words.first, words.count == 1 else { return true }
        if request.answer(String(word)) {
            self.request = nil
        } else {
            tell(request.message(peer: "other device"))
        }
        return true
    }
}
