package import ANCSKit
internal import LinuxIO

/// The apps on a phone that bind accessories. Each is a `CentralManager` on the phone's adapter with an
/// ``AccessoryBinding``. Bindings are kept between runs if there is a directory to keep them in.
package actor BoundApps: LoopActor {
    /// An event of an app's binding.
    package struct Event: Sendable {
        package var app: String
        package var event: AccessoryBinding.Event
    }

    /// The current state of an app.
    package struct Entry: Sendable {
        package var app: BoundApp
        package var state: AccessoryBinding.State
        /// The name of the bound accessory, if there is one and its name is known. Untrusted.
        package var accessoryName: String?
    }

    /// A request that cannot be carried out, with the reason in one sentence.
    package struct Fault: Error { package var message: String }

    /// A running app.
    private struct RunningApp {
        var app: BoundApp
        var binding: AccessoryBinding
        /// Forwards the binding's events.
        var reader: Task<Void, Never>
    }

    private static let maximumApps = 32

    /// The loop of the adapter.
    package nonisolated let loop: EventLoop
    private let adapter: BluetoothAdapter
    private let directory: String?
    private let report: @Sendable (Event) async -> Void
    private var running: [RunningApp] = []

    /// Creates the list of apps, none of them running.
    ///
    /// - Parameters:
    ///   - adapter: The adapter of the phone.
    ///   - directory: Where bindings are stored; `nil` keeps them until the end of the run.
    ///   - report: A closure that is called with each event.
    package init(
        at adapter: BluetoothAdapter, directory: String?,
        report: @escaping @Sendable (Event) async -> Void
    ) {
        loop = adapter.loop
        (self.adapter, self.directory, self.report) = (adapter, directory, report)
    }

    /// The apps, in the order in which they were first requested.
    package var entries: [Entry] {
        running.map { running in
            running.binding.assumeOnLoop { binding in
                var entry = Entry(app: running.app, state: binding.state)
                if case .bound(_, let name) = binding.stored { entry.accessoryName = name }
                return entry
            }
        }
    }

    // MARK: Life

    /// Starts the apps of earlier runs.
    package func launch() async throws(Fault) {
        guard let directory else { return }
        let apps: [BoundApp]
        do throws(BindingStore.Failure) {
            apps = try BoundAppStore(directory: directory).load()
        } catch { throw Fault(error) }
        try await launch(apps.map { ($0, .unbound) })
    }

    /// Stops the apps and starts them again, as a restart of the phone does.
    func relaunch() async throws(Fault) {
        let apps = running.map { running in
            (app: running.app, stored: running.binding.assumeOnLoop { $0.stored })
        }
        end()
        try await launch(apps)
    }

    /// Creates all apps before any of them starts working.
    private func launch(_ apps: [(app: BoundApp, stored: StoredBinding)]) async throws(Fault) {
        var bindings: [AccessoryBinding] = []
        for app in apps { bindings.append(try add(app.app, remembered: app.stored)) }
        for binding in bindings { await binding.launch() }
    }

    /// Stops the apps; their bindings remain.
    package func end() {
        for app in running { app.reader.cancel() }
        running = []
    }

    /// Adds an app. Without a directory, `remembered` is its binding.
    private func add(_ app: BoundApp, remembered: StoredBinding) throws(Fault) -> AccessoryBinding {
        var configuration = AccessoryBinding.Configuration(
            app: app.name, services: [app.service],
            store: directory.map { BindingStore(directory: $0) })
        configuration.remembered = remembered
        // The binding watches the manager by itself, so the manager needs to queue no events.
        let manager = CentralManager(adapter, maximumPendingEvents: 0)
        let binding: AccessoryBinding
        do throws(BindingStore.Failure) {
            binding = try AccessoryBinding(configuration, manager: manager)
        } catch { throw Fault(error) }
        let reader = Task(executorPreference: loop) { [report] in
            for await event in binding.events { await report(Event(app: app.name, event: event)) }
        }
        running.append(RunningApp(app: app, binding: binding, reader: reader))
        return binding
    }

    // MARK: Commands of the user

    /// Binds an accessory with this service for an app, which is created if there is none of this name.
    func bind(_ service: BluetoothUUID, by name: String) async throws(Fault) {
        let binding = try binding(of: BoundApp(name: name, service: service))
        do throws(BindingStore.Failure) { try await binding.bind() } catch { throw Fault(error) }
    }

    private func binding(of app: BoundApp) throws(Fault) -> AccessoryBinding {
        if let known = running.first(where: { $0.app.name == app.name }) {
            guard known.app == app else {
                throw Fault(message: "'\(app.name)' already asks for \(known.app.service.text)")
            }
            return known.binding
        }
        guard BoundApp.isName(app.name) else {
            throw Fault(message: "the name of an app has 1 to 64 letters, digits and . - _")
        }
        guard running.count < Self.maximumApps else {
            throw Fault(message: "at most \(Self.maximumApps) apps can look for accessories")
        }
        if let directory {
            do throws(BindingStore.Failure) {
                try BoundAppStore(directory: directory).add(app)
            } catch { throw Fault(error) }
        }
        return try add(app, remembered: .unbound)
    }

    /// Unbinds the accessory of an app. Without a name, there must be only one app.
    func unbind(_ name: String?) async throws(Fault) {
        let meant = name == nil ? running : running.filter { $0.app.name == name }
        guard let app = meant.first else {
            throw Fault(message: name.map { "unknown app '\($0)'" } ?? "there is no app")
        }
        guard meant.count == 1 else {
            throw Fault(message: "which app? " + meant.map(\.app.name).joined(separator: ", "))
        }
        do throws(BindingStore.Failure) { try await app.binding.unbind() } catch {
            throw Fault(error)
        }
    }
}

extension BoundApps.Fault {
    fileprivate init(_ failure: BindingStore.Failure) { self.init(message: failure.message) }
}
