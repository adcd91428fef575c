internal import JSONText
public import LinuxIO

/// The file that holds a ``DeviceState``: mode 0600 in a directory of mode 0700, replaced atomically.
public struct BondStore: Hashable, Sendable {
    /// Why the state cannot be read or written.
    public enum Failure: Error, Hashable, Sendable {
        /// The file is there and is not what this program writes; it is left as it is.
        case unreadable(path: String, reason: String)
        /// The system refuses.
        case io(IOError)

        /// What happened, for a user.
        public var message: String {
            switch self {
            case .unreadable(let path, let reason):
                "\(path) is not a bond store (\(reason)); move it away to start afresh"
            case .io(let error): error.message
            }
        }
    }

    /// The file.
    public let path: String

    /// Which of the devices of a directory it is: an accessory and a phone may share one.
    public enum Device: String, Hashable, Sendable {
        /// A Notification Consumer.
        case accessory = "bonds"
        /// A Notification Provider.
        case phone
    }

    /// The store of a device in a directory, which need not exist.
    public init(directory: String, device: Device = .accessory) {
        path = "\(directory)/\(device.rawValue).json"
    }

    /// Where the state is kept unless the user says otherwise: in `$XDG_STATE_HOME/ancs`, which is
    /// `~/.local/state/ancs` where the variable is not set (XDG Base Directory Specification 0.8).
    /// `nil` where neither is known.
    public static func defaultDirectory(environment: [String: String]) -> String? {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            return state + "/ancs"
        }
        guard let home = environment["HOME"], !home.isEmpty else { return nil }
        return home + "/.local/state/ancs"
    }

    /// The state, or that of a new device, which is stored at once so that it keeps its identity.
    public func load() throws(Failure) -> DeviceState {
        var toolbox = OpenSSLToolbox()
        return try load(using: &toolbox)
    }

    func load(using toolbox: inout OpenSSLToolbox) throws(Failure) -> DeviceState {
        let stored = try read()
        if let stored, stored.digestKey != 0 { return stored }
        var state = stored ?? .new(using: &toolbox)
        // Files of earlier versions have none.
        if state.digestKey == 0 { state.digestKey = toolbox.random128() }
        try save(state)
        return state
    }

    /// The state, or `nil` where none was ever stored. Makes no file.
    public func read() throws(Failure) -> DeviceState? {
        let contents: [UInt8]?
        do throws(IOError) {
            contents = try PrivateFile.read(path: path)
        } catch { throw .io(error) }
        guard let contents else { return nil }
        let json: JSONValue
        do throws(JSONValue.ParsingError) {
            json = try JSONValue(parsing: contents)
        } catch { throw .unreadable(path: path, reason: error.message) }
        do throws(DeviceState.FormatError) {
            return try DeviceState(json: json)
        } catch { throw .unreadable(path: path, reason: "'\(error.member)' is missing or wrong") }
    }

    /// Replaces the state. Whoever may not be alone uses ``update(_:)``.
    public func save(_ state: DeviceState) throws(Failure) {
        do throws(IOError) {
            try PrivateFile.write(path: path, contents: Array((state.json.text + "\n").utf8))
        } catch { throw .io(error) }
    }

    /// Changes the state while no device uses it; fails with `IOError/Code/busy` where one does.
    public func update(_ change: (inout DeviceState) -> Void) throws(Failure) {
        let lock = try lock()
        defer { lock.release() }
        var state = try load()
        change(&state)
        try save(state)
    }

    /// The right to change the file: as long as one has it, nobody else does. Reading needs none.
    func lock() throws(Failure) -> FileLock {
        do throws(IOError) { return try FileLock(of: path) } catch { throw .io(error) }
    }
}
