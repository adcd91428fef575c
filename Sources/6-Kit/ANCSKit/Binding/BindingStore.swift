internal import JSONText
internal import LinuxIO

/// The binding of an app to its accessory, as it is stored.
public enum StoredBinding: Equatable, Sendable {
    /// No accessory was ever bound, or the user has asked for a new one.
    case unbound
    /// The accessory with this identifier; the name is for display.
    case bound(PeerIdentifier, name: String?)
    /// The user has unbound an accessory; none is bound until the user asks for one.
    case justUnbound
}

/// A file with the bindings of the apps of a program: mode 0600 in a directory of mode 0700, replaced
/// atomically, so that a program that is killed leaves either the old or the new contents. A file with other
/// contents is an error, and is not changed.
///
/// Several apps within one program may share a file; only one program may use it at a time.
public struct BindingStore: Equatable, Sendable {
    /// Why the bindings cannot be read or written.
    public typealias Failure = StoreFailure

    /// An app and its accessory.
    public struct Entry: Equatable, Sendable {
        /// The name of the app.
        public var app: String
        /// Its binding.
        public var binding: StoredBinding
    }

    /// The path of the file.
    public let path: String

    /// The store in a directory, which is created when needed.
    public init(directory: String) { path = directory + "/bindings.json" }

    /// The binding of an app; ``StoredBinding/unbound`` if none is stored.
    public func binding(of app: String) throws(Failure) -> StoredBinding {
        try entries().first { $0.app == app }?.binding ?? .unbound
    }

    /// The apps with a stored binding, in the order in which they were first stored.
    public func entries() throws(Failure) -> [Entry] {
        var entries: [Entry] = []
        for element in try PrivateFile.list("bindings", path: path) ?? [] {
            guard let entry = Entry(json: element),
                !entries.contains(where: { $0.app == entry.app })
            else { throw .unreadable(path: path, reason: "entry \(entries.count) is invalid") }
            entries.append(entry)
        }
        return entries
    }

    /// Stores the binding of an app, and leaves those of other apps unchanged.
    public func save(_ binding: StoredBinding, of app: String) throws(Failure) {
        var entries = try entries()
        let index = entries.firstIndex { $0.app == app }
        switch (index, binding) {
        case (nil, .unbound): return
        case (let index?, .unbound): entries.remove(at: index)
        case (let index?, _): entries[index].binding = binding
        case (nil, _): entries.append(Entry(app: app, binding: binding))
        }
        try PrivateFile.write(path: path, "bindings", entries.map { $0.json })
    }
}

extension BindingStore.Entry {
    var json: JSONValue {
        switch binding {
        case .unbound: ["app": .string(app)]
        case .bound(let identifier, let name):
            .object(present: [
                "app": .string(app), "peripheral": .string(identifier.text),
                "name": name.map { .string($0) },
            ])
        case .justUnbound: ["app": .string(app), "justUnbound": true]
        }
    }

    init?(json: JSONValue) {
        guard let app = json["app"]?.string else { return nil }
        switch (json["peripheral"], json["justUnbound"]) {
        case (let peripheral?, nil):
            guard let identifier = peripheral.string.flatMap({ PeerIdentifier(text: $0) }) else {
                return nil
            }
            self.init(app: app, binding: .bound(identifier, name: json["name"]?.string))
        case (nil, .boolean(true)): self.init(app: app, binding: .justUnbound)
        default: return nil
        }
    }
}
