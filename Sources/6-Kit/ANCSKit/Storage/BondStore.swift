internal import LinuxIO
internal import OpenSSLSecurity

/// The file with a ``DeviceState``: mode 0600 in a directory of mode 0700, replaced atomically.
public struct BondStore: Equatable, Sendable {
    /// Why the state cannot be read or written.
    public typealias Failure = StoreFailure

    /// The path of the file.
    public let path: String

    /// The kind of device: an accessory and a phone may share a directory.
    public enum Device: String, Equatable, Sendable {
        /// A Notification Consumer.
        case accessory = "bonds"
        /// A Notification Provider.
        case phone
    }

    /// The store of a device in a directory, which is created when needed.
    public init(directory: String, device: Device = .accessory) {
        path = "\(directory)/\(device.rawValue).json"
    }

    /// The default directory, that of a receiver at bluetoothd as well: `StateDirectory.standard`.
    public static func defaultDirectory(environment: [String: String]) -> String? {
        StateDirectory.standard(environment: environment)
    }

    /// The state, or that of a new device, which is stored at once so that its identity does not change.
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

    /// The state; `nil` if none was ever stored. Creates no file.
    public func read() throws(Failure) -> DeviceState? {
        guard let json = try PrivateFile.json(path: path) else { return nil }
        do throws(DeviceState.FormatError) {
            return try DeviceState(json: json)
        } catch { throw .unreadable(path: path, reason: "'\(error.member)' is missing or invalid") }
    }

    /// Replaces the state. Use ``update(_:)`` if another process may use the file.
    public func save(_ state: DeviceState) throws(Failure) {
        try PrivateFile.write(path: path, json: state.json)
    }

    /// Changes the state while no device uses it; throws `IOError/Code/busy` if one does.
    public func update(_ change: (inout DeviceState) -> Void) throws(Failure) {
        let lock = try lock()
        defer { lock.release() }
        var state = try load()
        change(&state)
        try save(state)
    }

    /// The exclusive right to change the file. Reading does not need it.
    func lock() throws(Failure) -> FileLock {
        do throws(IOError) { return try FileLock(of: path) } catch {
            guard error.code == .busy else { throw .io(error) }
            throw .io(
                IOError(
                    .busy,
                    "the bonds in \(path) are in use by another program, such as another 'ancs' "
                        + "with this state directory: end it, or use another one (--state)"))
        }
    }
}
