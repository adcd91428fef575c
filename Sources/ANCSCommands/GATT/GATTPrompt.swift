internal import ANCSKit
internal import ANCSService

/// The prompt of `ancs gatt`: reads commands at a terminal or from a pipe, and has them carried out one after
/// the other.
struct GATTPrompt: Sendable {
    let session: GATTSession
    let console: any Console
    let user: PairingUser

    /// Runs until `quit`, the end of the input or the end of the link.
    ///
    /// - Returns: Whether everything was done; at a terminal, whether the link stood until the end.
    func run() async -> Bool {
        await complete()
        defer { console.close() }
        let reading = Task { await readCommands() }
        let watching = Task {
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
            console.writeError("ancs: \(TerminalText.visible(end.message))")
            return false
        }
        return isDone || console.endsWithInput
    }

    /// Tab completes commands, then attributes by their handles.
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

    /// While a command is carried out, the next line is read: it may be an answer that the command waits for.
    private func readCommands() async -> Bool {
        var isDone = true
        var running: Task<Outcome, Never>?
        for await line in console.lines {
            if await user.answer(line) { continue }
            switch await running?.value {
            case .end: return isDone
            case .failed: isDone = false
            case .done, nil: break
            }
            running = Task { await carryOut(line) }
        }
        switch await running?.value {
        case .end: return isDone
        case .failed: isDone = false
        case .done, nil: break
        }
        // What was subscribed to goes on after the last line of a pipe.
        if !console.endsWithInput, await session.isSubscribed { await session.waitForEnd() }
        return isDone
    }

    /// What came of a line.
    private enum Outcome: Sendable {
        case done, failed
        /// The user wants to end.
        case end
    }

    private func carryOut(_ line: String) async -> Outcome {
        do throws(GATTSession.Failure) {
            return try await obey(line)
        } catch {
            // The end of the link is said once, by itself.
            if await session.end == nil {
                console.writeError("ancs: \(TerminalText.visible(error.message))")
            }
            return .failed
        }
    }

    private func obey(_ line: String) async throws(GATTSession.Failure) -> Outcome {
        let operation: GATTOperation
        do throws(PromptFault) {
            guard let words = try Self.words(of: line) else { return .done }
            operation = try GATTOperation(words)
        } catch { throw .fault(error) }
        if operation == .quit { return .end }
        try await session.carryOut(operation)
        return .done
    }

    /// The words of a line; `nil` for a blank one and for a comment.
    private static func words(of line: String) throws(PromptFault) -> [String]? {
        let words: [String]
        do throws(PromptWords.OpenQuote) { words = try PromptWords.split(line) } catch {
            throw PromptFault(message: "a quote does not end")
        }
        return words.first.map { $0.hasPrefix("#") } == false ? words : nil
    }
}
