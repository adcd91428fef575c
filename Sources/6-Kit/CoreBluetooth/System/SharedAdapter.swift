internal import ANCSKit
internal import Foundation
internal import LinuxIO

/// The adapter that all managers of the process share: that of bluetoothd, or the one that `CB_LINUX_ADAPTER` names.
enum SharedAdapter {
    private static let shared = Lock<Result<BluetoothAdapter, DeviceError>?>(nil)

    /// The adapter, which is made and started for the first manager. In a test bench, that of the bench.
    static func get() -> Result<BluetoothAdapter, DeviceError> {
        if let adapter = BluetoothAdapter.ofPrograms { return .success(adapter) }
        return shared.withLock { shared in
            if let shared { return shared }
            let made = Result { () throws(DeviceError) in try make() }
            shared = made
            return made
        }
    }

    /// The directory in which this program's bonds and the identifiers of peripherals are kept; `nil` if no home is known.
    static let directory: String? = {
        let process = ProcessInfo.processInfo
        return StateDirectory.standard(environment: process.environment).map {
            "\(($0 as NSString).deletingLastPathComponent)/\(process.processName)/core-bluetooth"
        }
    }()

    private static func make() throws(DeviceError) -> BluetoothAdapter {
        let name = ProcessInfo.processInfo.processName
        let adapter: BluetoothAdapter
        do throws(DeviceError) {
            adapter = try BluetoothAdapter(name: name, at: place(), maximumPendingEvents: 0)
        } catch {
            guard case .storage(let failure) = error else { throw error }
            // It may be there, at another controller.
            let isTaken = if case .io(let error) = failure { error.code == .busy } else { false }
            let reason = isTaken ? "another process of this program has the others" : error.message
            Diagnostics.write("bonds and identifiers are kept for this run only: \(reason)")
            adapter = try BluetoothAdapter(
                name: name, at: place(keptIn: nil), maximumPendingEvents: 0)
        }
        adapter.loop.execute { adapter.assumeOnLoop { $0.start() } }
        return adapter
    }

    private static func place(keptIn directory: String? = directory) -> Bluetooth {
        let place = ProcessInfo.processInfo.environment["CB_LINUX_ADAPTER"] ?? ""
        guard !place.isEmpty, !Bluetooth.isAdapter(place) else {
            return .bluez(place.isEmpty ? "any" : place, state: directory)
        }
        return .hci(place, store: directory.map { BondStore(directory: $0) })
    }
}
