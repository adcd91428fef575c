package import BlueZ
internal import JSONText

/// The file in which is kept what ended bluetoothd: `bluetoothd.json`, mode 0600 in a directory of mode 0700,
/// replaced atomically. It has no names and no addresses.
package struct DaemonMemory: Equatable, Sendable {
    /// What the file says about the circumstances of this moment.
    package enum Verdict: Equatable, Sendable {
        /// Nothing against asking bluetoothd for a socket.
        case mayAsk
        /// bluetoothd has ended this often, and is not asked.
        case endsDaemon(Int)
    }

    /// The longest text that is kept, in octets.
    private static let maximumText = 256

    /// The path of the file.
    package let path: String

    /// The file in a directory, which is created when there is something to keep.
    package init(directory: String) { path = directory + "/bluetoothd.json" }

    /// What is kept; empty without a file. Fails if the file cannot be read, or this program did not write it.
    func read(at now: CaptureTime = .now) throws(DaemonEndsTrouble) -> [DaemonEnds] {
        let list: [JSONValue]
        do throws(StoreFailure) { list = try PrivateFile.list("ends", path: path) ?? [] } catch {
            switch error {
            case .io(let error): throw DaemonEndsTrouble(message: error.message)
            case .unreadable(_, let reason): throw unreadable(reason)
            }
        }
        var ends: [DaemonEnds] = []
        for value in list.suffix(DaemonEnds.maximumRecords) {
            guard let end = Self.ends(value, at: now) else {
                throw unreadable("a member is missing or invalid")
            }
            ends.append(end)
        }
        return ends
    }

    private func unreadable(_ reason: String) -> DaemonEndsTrouble {
        DaemonEndsTrouble(message: "\(path) is damaged (\(reason)); it counts as empty")
    }

    func write(_ ends: [DaemonEnds], at now: CaptureTime = .now) throws(StoreFailure) {
        let list = ends.map { end -> JSONValue in
            let time = now.microsecondsSince1970 / 1_000_000 - end.age.components.seconds
            return [
                "modalias": .string(Self.limited(end.circumstances.modalias)),
                "enforcing": .boolean(end.circumstances.selinux.isEnforcing),
                "policy": .string(Self.limited(end.circumstances.selinux.policy)),
                "count": .integer(end.count), "time": .integer(Int(time)),
            ]
        }
        try PrivateFile.write(path: path, "ends", list)
    }

    private static func ends(_ json: JSONValue, at now: CaptureTime) -> DaemonEnds? {
        guard let modalias = json["modalias"]?.string, modalias.utf8.count <= maximumText,
            let isEnforcing = json["enforcing"]?.boolean, let policy = json["policy"]?.string,
            policy.utf8.count <= maximumText, let count = json["count"]?.integer,
            (1...DaemonEnds.maximumCount).contains(count), let time = json["time"]?.integer
        else { return nil }
        // A clock that was set back has the last end in the future: then it is now.
        let (age, isBeyond) = Int(now.microsecondsSince1970 / 1_000_000)
            .subtractingReportingOverflow(time)
        let selinux = SELinuxState(isEnforcing: isEnforcing, policy: policy)
        return DaemonEnds(
            DaemonCircumstances(modalias: modalias, selinux: selinux), count: count,
            age: .seconds(isBeyond ? 0 : max(0, age)))
    }

    private static func limited(_ text: String) -> String {
        text.utf8.count <= maximumText ? text : ""
    }

    /// What is kept about a bluetoothd with this `Modalias`, and what SELinux does.
    package func verdict(
        modalias: String, _ selinux: SELinux, at now: CaptureTime = .now
    ) throws(DaemonEndsTrouble) -> Verdict {
        let circumstances = DaemonCircumstances(
            modalias: modalias, selinux: SELinuxState(selinux))
        let ends = try read(at: now).first { $0.circumstances == circumstances }
        guard let ends, ends.forbidsSockets else { return .mayAsk }
        return .endsDaemon(ends.count)
    }
}

extension DaemonMemory: DaemonEndsMemory {
    package func remembered() throws(DaemonEndsTrouble) -> [DaemonEnds] { try read() }

    package func keep(_ ends: [DaemonEnds]) throws(DaemonEndsTrouble) {
        do throws(StoreFailure) { try write(ends) } catch {
            throw DaemonEndsTrouble(
                message: "what ended bluetoothd will not be remembered after this run: "
                    + error.message)
        }
    }
}
