internal import ANCSService
internal import Glibc
internal import JSONText
internal import LinuxIO

/// `ancs history`: searches what the daemon has kept, and removes from it, beside the daemon.
struct HistoryCommand {
    /// How many notifications a transaction removes: the daemon writes in between.
    private static let removedAtOnce = 64
    /// How long others that read the file are waited for, in tenths of a second.
    private static let patience = 100

    /// Why nothing was done, or not all of it.
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
                message: "there is no history at \(files.path); "
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
        // The latest at the end, where a person looks first.
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
            "ancs: another program reads the history: what was removed is overwritten when it ends "
                + "and the daemon starts again, or with this command once more")
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

    /// Whether nothing is left in the files.
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
