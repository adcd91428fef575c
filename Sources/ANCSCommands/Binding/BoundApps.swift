internal import ANCSKit
internal import BluetoothLE
internal import LinuxIO

/// The apps on a phone that bind accessories: each a `CentralManager` at the phone's adapter, with an
/// ``AccessoryBinding``. What they are bound to outlives the run where there is a directory for it.
actor BoundApps {
    /// What happens to the binding of an app.
    struct Event: Sendable {
        var app: String
        var event: AccessoryBinding.Event
    }

    /// An app as it is at the moment.
    struct Entry: Sendable {
        var app: BoundApp
        var state: AccessoryBinding.State
        /// What the accessory is called, where one is remembered and has a name; untrusted.
        var accessoryName: String?
    }

    /// What cannot be done, in a sentence.
    struct Fault: Error {
        var message: String
    }

    /// An app that runs.
    private struct RunningApp {
        var app: BoundApp
        var binding: AccessoryBinding
        /// Passes its events on.
        var reader: Task<Void, Never>
    }

    private static let maximumApps = 32

    /// The loop's thread, where the adapter lives.
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private nonisolated let loop: EventLoop
    private let adapter: BluetoothAdapter
    private let directory: String?
    private let tell: @Sendable (Event) async -> Void
    private var running: [RunningApp] = []

    /// The apps of a phone, none of which runs yet. `directory` is where the phone keeps what it has to
    /// remember; without one it is remembered until the end of the run. `tell` is told what happens.
    init(
        at adapter: BluetoothAdapter, directory: String?,
        tell: @escaping @Sendable (Event) async -> Void
    ) {
        loop = adapter.loop
        self.adapter = adapter
        self.directory = directory
        self.tell = tell
    }

    /// The apps, in the order in which they first wanted something.
    var entries: [Entry] {
        running.map { running in
            running.binding.assumeIsolated { binding in
                var entry = Entry(app: running.app, state: binding.state)
                if case .bound(_, let name) = binding.stored { entry.accessoryName = name }
                return entry
            }
        }
    }

    // MARK: Life

    /// Launches the apps that the phone has had before.
    func launch() async throws(Fault) {
        guard let directory else { return }
        let apps: [BoundApp]
        do throws(BindingStore.Failure) {
            apps = try BoundAppStore(directory: directory).load()
        } catch { throw Fault(error) }
        try await launch(apps.map { ($0, .unbound) })
    }

    /// Ends the apps and launches them again, as a phone that restarts does.
    func relaunch() async throws(Fault) {
        let apps = running.map { running in
            (app: running.app, stored: running.binding.assumeIsolated { $0.stored })
        }
        end()
        try await launch(apps)
    }

    /// All are there before any of them does something.
    private func launch(
        _ apps: [(app: BoundApp, stored: StoredBinding)]
    ) async throws(Fault) {
        var bindings: [AccessoryBinding] = []
        for app in apps { bindings.append(try add(app.app, remembered: app.stored)) }
        for binding in bindings { await binding.launch() }
    }

    /// Ends the apps; their accessories stay bound.
    func end() {
        for app in running { app.reader.cancel() }
        running = []
    }

    /// Without a directory, `remembered` is what the app is bound to.
    private func add(
        _ app: BoundApp, remembered: StoredBinding
    ) throws(Fault) -> AccessoryBinding {
        var configuration = AccessoryBinding.Configuration(
            app: app.name, services: [app.service],
            store: directory.map { BindingStore(directory: $0) })
        configuration.remembered = remembered
        // The binding follows the manager by itself; nobody reads the manager's events.
        let manager = CentralManager(adapter, maximumPendingEvents: 0)
        let binding: AccessoryBinding
        do throws(BindingStore.Failure) {
            binding = try AccessoryBinding(configuration, manager: manager)
        } catch { throw Fault(error) }
        let reader = Task(executorPreference: loop) { [tell] in
            for await event in binding.events {
                await tell(Event(app: app.name, event: event))
            }
        }
        running.append(RunningApp(app: app, binding: binding, reader: reader))
        return binding
    }

    // MARK: What the user wants

    /// An app asks for an accessory with a service; a new one where there is none of this name.
    func bind(_ service: BluetoothUUID, by name: String) async throws(Fault) {
        let binding = try binding(of: BoundApp(name: name, service: service))
        do throws(BindingStore.Failure) { try await binding.bind() } catch { throw Fault(error) }
    }

    private func binding(of app: BoundApp) throws(Fault) -> AccessoryBinding {
        if let known = running.first(where: { $0.app.name == app.name }) {
            guard known.app == app else {
                throw Fault(message: "'\(app.name)' is for \(known.app.service.text)")
            }
            return known.binding
        }
        guard BoundApp.isName(app.name) else {
            throw Fault(message: "an app is called by 1 to 64 letters, digits and . - _")
        }
        guard running.count < Self.maximumApps else {
            throw Fault(message: "there are \(Self.maximumApps) apps already")
        }
        if let directory {
            do throws(BindingStore.Failure) {
                try BoundAppStore(directory: directory).add(app)
            } catch { throw Fault(error) }
        }
        return try add(app, remembered: .unbound)
    }

    /// An app lets its accessory go; without a name, the only app there is.
    func unbind(_ name: String?) async throws(Fault) {
        let meant = name == nil ? running : running.filter { $0.app.name == name }
        guard let app = meant.first else {
            throw Fault(message: name.map { "there is no app '\($0)'" } ?? "there is no app")
        }
        guard meant.count == 1 else {
            throw Fault(
                message: "which app? " + meant.map(\.app.name).joined(separator: ", "))
        }
        do throws(BindingStore.Failure) { try await app.binding.unbind() } catch {
            throw Fault(error)
        }
    }
}

extension BoundApps.Fault {
    fileprivate init(_ failure: BindingStore.Failure) { self.init(message: failure.message) }
}
