internal import ANCS
internal import Glibc
internal import JSONText
internal import LinuxIO
internal import OpenSSLSecurity

/// The file with the memory of delivered notifications: digests with a secret key, which reveal nothing. Mode
/// 0600 in a directory of mode 0700, replaced atomically.
public struct MemoryStore: Equatable, Sendable {
    /// The path of the file.
    public let path: String

    /// The store in a directory, which is created when needed.
    public init(directory: String) { path = directory + "/seen.json" }
}

/// A ``NotificationMemory`` with its key and its file.
package struct RememberedNotifications: Sendable {
    private static var version: Int { 1 }
    /// How long changes are collected before the file is written: together with the writing less than a second.
    static let gathering = Duration.milliseconds(500)

    private let store: MemoryStore
    private let toolbox: OpenSSLToolbox
    private let key: UInt128
    private var memory: NotificationMemory
    /// Whether there is something to write.
    private(set) var isChanged: Bool

    /// Reads the file, or starts a new memory with a new key: also if it is empty, as a loss of power leaves it.
    init(_ store: MemoryStore, toolbox: OpenSSLToolbox) throws(StoreFailure) {
        var toolbox = toolbox
        self.store = store
        var status = stat()
        let isEmpty = stat(store.path, &status) == 0 && status.st_size == 0
        if !isEmpty, let json = try PrivateFile.json(path: store.path) {
            (key, memory) = try Self.parse(json, store.path)
            isChanged = false
        } else {
            key = toolbox.random128()
            memory = NotificationMemory()
            isChanged = true
        }
        self.toolbox = toolbox
    }

    mutating func beginSession() -> UInt64 { memory.beginSession() }

    /// Whether an earlier session delivered the notification; `nil` if that cannot be determined. One that
    /// was completed or modified has a new digest, but is not new.
    mutating func note(_ delivery: NotificationFeed.Delivery, session: UInt64) -> Bool? {
        guard let octets = delivery.identifyingOctets else { return nil }
        isChanged = true
        return memory.note(toolbox.aesCMAC(key: key, message: octets), session: session)
    }

    /// Writes the file if there is anything new; returns what went wrong, for people.
    mutating func save() -> String? {
        guard isChanged else { return nil }
        let digests = memory.digests.map { JSONValue.string(Hexadecimal.text($0, octets: 16)) }
        let json: JSONValue = [
            "version": .integer(Self.version), "key": .string(Hexadecimal.text(key, octets: 16)),
            "digests": .array(digests),
        ]
        do throws(StoreFailure) { try PrivateFile.write(path: store.path, json: json) } catch {
            return "seen notifications are not remembered: \(error.message)"
        }
        isChanged = false
        return nil
    }

    private static func parse(
        _ json: JSONValue, _ path: String
    ) throws(StoreFailure) -> (UInt128, NotificationMemory) {
        guard json["version"]?.integer == version, let key = number(json["key"]),
            let list = json["digests"]?.array
        else { throw .unreadable(path: path, reason: "it is another kind of file") }
        return (key, NotificationMemory(digests: list.compactMap { number($0) }))
    }

    private static func number(_ json: JSONValue?) -> UInt128? {
        guard let octets = json?.string.flatMap({ Hexadecimal.octets($0) }), octets.count == 16
        else { return nil }
        return octets.reduce(0) { $0 << 8 | UInt128($1) }
    }
}
