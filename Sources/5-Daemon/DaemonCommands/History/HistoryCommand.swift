internal import ANCSService
package import CommandKit
internal import Glibc

/// `ancs history`: searches and removes notifications that the daemon has stored, while the daemon runs.
package struct HistoryCommand {
    /// How many notifications are removed in one transaction; the daemon can write between transactions.
    private static let removedAtOnce = 64
    /// How long to wait for other readers of the file, in tenths of a second.
    private static let patience = 100

    private let options: HistoryOptions
    private let files: HistoryFiles

    package static func run(_ options: HistoryOptions) -> ExitStatus {
        do throws(CommandFailure) {
            try HistoryCommand(options).run()
            return .success
        } catch { return error.report() }
    }

    private init(_ options: HistoryOptions) {
        self.options = options
        files = HistoryFiles(directory: options.stateDirectory)
    }

    private func run() throws(CommandFailure) {
        guard files.exists else {
            throw CommandFailure(
                message: "nothing was kept yet at \(files.path); "
                    + "'keep = \"7d\"' under [history] in the configuration turns the history on")
        }
        switch options.action {
        case .list(let query):
            let store = try at(try HistoryStore(reading: files))
            // Whose a notification is, is said beside those of other phones, which the query may leave out.
            list(try entries(query, in: store), try at(try store.phones()).labels)
        case .forget(let removals): try forget(removals)
        }
    }

    /// Runs a step at the file, whose failures are the command's.
    private func at<Value>(
        _ body: @autoclosure () throws(HistoryStore.Failure) -> Value
    ) throws(CommandFailure) -> Value {
        do throws(HistoryStore.Failure) { return try body() } catch {
            throw CommandFailure(message: error.message)
        }
    }

    /// The identifier of an app, which the user names by that or by its name.
    private func identifier(of app: String, in store: HistoryStore) throws(CommandFailure) -> String
    {
        let known = KnownApps(try at(try store.apps()), unknown: "is in the history")
        do throws(ServiceError) { return try known.identifier(of: app) } catch {
            throw CommandFailure(status: .usage, message: error.message)
        }
    }

    // MARK: List

    private func entries(
        _ query: HistoryQuery, in store: HistoryStore
    ) throws(CommandFailure) -> [HistoryEntry] {
        var query = query
        if let app = query.app { query.app = try identifier(of: app, in: store) }
        return try at(try store.entries(query))
    }

    private func list(_ entries: [HistoryEntry], _ labels: [String: String]) {
        // The newest last, at the bottom of the terminal.
        for entry in entries.reversed() {
            if options.isJSON {
                StandardStreams.writeLine(entry.json.text)
                continue
            }
            let phone = labels[entry.phone.digest] ?? ""
            let line = Line(stored: entry.json, of: phone, at: LocalClock.text(of: entry.posted))
            LinePrinter(isJSON: false, isColored: StandardStreams.isColored).write([line])
        }
        if entries.isEmpty, !options.isJSON { StandardStreams.writeError("ancs: nothing found") }
    }

    // MARK: Forget

    private func forget(_ removals: [HistoryRemoval]) throws(CommandFailure) {
        let store = try at(try HistoryStore(writing: files, patience: 5000))
        var removed = 0
        for removal in removals {
            var removal = removal
            if case .app(let app) = removal { removal = .app(try identifier(of: app, in: store)) }
            removed += try at(try remove(removal, from: store))
        }
        if removals == [.all] { files.removeSetAside() }
        let isClean = try at(try clean(store))
        if options.isJSON {
            let object: JSONValue = [
                "event": "forgotten", "count": .integer(removed), "complete": .boolean(isClean),
            ]
            StandardStreams.writeLine(object.text)
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
