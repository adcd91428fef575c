internal import ANCSService
internal import Glibc
internal import JSONText
internal import LinuxIO

/// `ancs history`: searches and removes notifications that the daemon has stored, while the daemon runs.
struct HistoryCommand {
    /// How many notifications are removed in one transaction; the daemon can write between transactions.
    private static let removedAtOnce = 64
    /// How long to wait for other readers of the file, in tenths of a second.
    private static let patience = 100

    /// Why nothing was done, or not everything.
    private struct Failure: Error {
        var message: String
        var status = ExitStatus.failure
    }

    private let options: HistoryOptions
    private let files: HistoryFiles

    static func run(_ options: HistoryOptions) -> ExitStatus {
        do throws(Failure) {
            try HistoryCommand(options).run()
            return .success
        } catch {
            StandardStreams.writeError("ancs: \(TerminalText.visible(error.message))")
            return error.status
        }
    }

    private init(_ options: HistoryOptions) {
        self.options = options
        files = HistoryFiles(directory: options.stateDirectory)
    }

    private func run() throws(Failure) {
        guard files.exists else {
            throw Failure(
                message: "no history at \(files.path); "
                    + "'keep = \"7d\"' under [history] in the configuration turns it on")
        }
        do throws(HistoryStore.Failure) {
            switch options.action {
            case .list(let query): list(try HistoryStore(reading: files).entries(query))
            case .forget(let removals): try forget(removals)
            }
        } catch { throw Failure(message: error.message) }
    }

    // MARK: List

    private func list(_ entries: [HistoryEntry]) {
        // The newest last, at the bottom of the terminal.
        for entry in entries.reversed() {
            if options.isJSON {
                StandardStreams.writeLine(entry.json.text)
            } else {
                let report = HistoryReport(entry: entry, isColored: StandardStreams.isColored)
                StandardStreams.writeLine(report.lines.joined(separator: "\n"))
            }
        }
        if entries.isEmpty, !options.isJSON { StandardStreams.writeError("ancs: nothing found") }
    }

    // MARK: Forget

    private func forget(_ removals: [HistoryRemoval]) throws(HistoryStore.Failure) {
        let store = try HistoryStore(writing: files, patience: 5000)
        var removed = 0
        for removal in removals { removed += try remove(removal, from: store) }
        if removals == [.all] { files.removeSetAside() }
        let isClean = try clean(store)
        if options.isJSON {
            StandardStreams.writeLine(
                JSONValue.object([
                    .init("event", "forgotten"), .init("count", .integer(removed)),
                    .init("complete", .boolean(isClean)),
                ]).text)
        } else {
            StandardStreams.writeLine(counted(removed, "notification") + " forgotten")
        }
        guard !isClean else { return }
        StandardStreams.writeError(
            "ancs: another program is reading the history, so what was removed is still in its file; when that "
                + "program has ended, run this command again")
    }

    private func remove(
        _ removal: HistoryRemoval, from store: HistoryStore
    ) throws(HistoryStore.Failure) -> Int {
        var removed = 0
        while true {
            let count = try store.remove(removal, limit: Self.removedAtOnce)
            removed += count
            if count < Self.removedAtOnce { return removed }
        }
    }

    /// Removes traces of removed notifications from the files. Returns whether none are left.
    private func clean(_ store: HistoryStore) throws(HistoryStore.Failure) -> Bool {
        for _ in 0..<Self.patience {
            while true {
                let cleaning = try store.cleanStep()
                if cleaning == .done { return true }
                if cleaning == .blocked { break }
            }
            usleep(100_000)
        }
        return false
    }
}
