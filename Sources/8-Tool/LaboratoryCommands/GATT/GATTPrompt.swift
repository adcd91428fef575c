internal import DeviceCommandKit

/// The prompt of `ancs gatt`: reads commands from a terminal or a pipe, and carries them out one by one.
struct GATTPrompt: Sendable {
    let session: GATTSession
    let console: any Console
    let user: PairingUser

    /// Runs until `quit`, the end of the input or the end of the link.
    ///
    /// - Returns: Whether all commands succeeded; at a terminal, whether the link lasted until the end.
    func run() async -> Bool {
        await complete()
        defer { console.close() }
        let loop = session.loop
        let reading = Task(executorPreference: loop) { await readCommands() }
        let watching = Task(executorPreference: loop) {
            await session.waitForEnd()
            reading.cancel()
        }
        defer { watching.cancel() }
        let isDone = await withTaskCancellationHandler {
            await reading.value
        } onCancel: {
            reading.cancel()
        }
        if let end = await session.end {
            say(end.message)
            return false
        }
        return isDone || console.endsWithInput
    }

    /// Completes commands, then attributes by their handles, when the user presses Tab.
    private func complete() async {
        let handles = await session.table.handles
        console.open { line in
            let words = (try? PromptWords.split(line)) ?? []
            switch words.first {
            case nil: return GATTOperation.words
            case "read", "write", "send", "subscribe", "unsubscribe":
                return words.count == 1 ? handles : []
            case _: return []
            }
        }
    }

    /// The next line is read while a command runs, because it may be an answer that the command waits for.
    private func readCommands() async -> Bool {
        var isDone = true
        var running: Task<Bool, Never>?
        for await line in console.lines {
            if await user.answer(line) { continue }
            if await running?.value == false { isDone = false }
            running = nil
            do throws(PromptFault) {
                guard let words = try PromptWords.command(in: line) else { continue }
                let operation = try GATTOperation(words)
                if operation == .quit { return isDone }
                running = Task(executorPreference: session.loop) { await carryOut(operation) }
            } catch {
                say(error.message)
                isDone = false
            }
        }
        if await running?.value == false { isDone = false }
        // After the last line of a pipe, subscriptions continue.
        if !console.endsWithInput, await session.isSubscribed { await session.waitForEnd() }
        return isDone
    }

    /// Carries out an operation. Returns whether it succeeded.
    private func carryOut(_ operation: GATTOperation) async -> Bool {
        do throws(GATTSession.Failure) {
            try await session.carryOut(operation)
            return true
        } catch {
            // The end of the link is reported once, elsewhere.
            if await session.end == nil { say(error.message) }
            return false
        }
    }

    private func say(_ message: String) {
        console.writeError("ancs: \(TerminalText.visible(message))")
    }
}
