internal import ANCSKit
internal import BluetoothLE
package import CommandKit
internal import Glibc

/// `ancs bonds`: shows, removes and exports the stored bonds.
package struct BondsCommand {
    /// A device of the state directory, with what is stored for it.
    struct StoredDevice: Equatable, Sendable {
        var device: BondStore.Device
        var path: String
        var state: DeviceState

        var bonds: [StoredBond] {
            state.bonds.map { record in
                let known = state.peers.first { $0.identity == record.bond.identityAddress }
                return StoredBond(
                    device: device, record: record, name: known?.name,
                    identifier: known?.identifier)
            }
        }

        /// Peers that were connected before but are not bonded.
        var acquaintances: [KnownPeer] {
            let bonded = Set(state.bonds.map(\.bond.identityAddress))
            return state.peers.filter { $0.identity.map(bonded.contains) != true }
        }
    }

    /// Why the command did nothing.
    private enum Failure: Error {
        case storage(BondStore.Failure)
        case refused(String, ExitStatus)
    }

    private let options: BondsOptions
    private let printer: LinePrinter

    package static func run(_ options: BondsOptions) -> ExitStatus {
        do throws(Failure) {
            try BondsCommand(options: options).run()
            return .success
        } catch {
            switch error {
            case .storage(let failure): return ExitStatus.report(.storage(failure))
            case .refused(let message, let status):
                StandardStreams.writeError("ancs: \(message)")
                return status
            }
        }
    }

    private init(options: BondsOptions) {
        self.options = options
        printer = LinePrinter(isJSON: options.isJSON)
    }

    private func run() throws(Failure) {
        let devices = try load()
        switch options.action {
        case .list: list(devices)
        case .show(nil): for bond in devices.flatMap(\.bonds) { show(bond, of: devices) }
        case .show(let peer?): show(try find(peer, in: devices), of: devices)
        case .remove(let peer): try remove(peer, from: devices)
        case .export(let peer): try export(try find(peer, in: devices), of: devices)
        }
    }

    /// The devices in use; possibly none.
    private func load() throws(Failure) -> [StoredDevice] {
        var devices: [StoredDevice] = []
        for device in options.devices {
            let store = store(of: device)
            do throws(BondStore.Failure) {
                guard let state = try store.read() else { continue }
                devices.append(StoredDevice(device: device, path: store.path, state: state))
            } catch { throw .storage(error) }
        }
        return devices
    }

    private func store(of device: BondStore.Device) -> BondStore {
        BondStore(directory: options.stateDirectory, device: device)
    }

    /// The bond that the text names; throws if there is none, or more than one.
    private func find(_ peer: String, in devices: [StoredDevice]) throws(Failure) -> StoredBond {
        let bonds = devices.flatMap(\.bonds).filter { $0.isNamed(peer) }
        guard let bond = bonds.first else {
            throw .refused(
                "unknown peer '\(TerminalText.visible(peer))'; 'ancs bonds list' shows the known ones, and "
                    + "'ancs status' the phones of 'ancs serve'",
                .failure)
        }
        guard bonds.count == 1 else {
            let candidates = bonds.map {
                "  \(TerminalText.visible($0.title)), of the \($0.device.title)"
            }
            let advice = Set(bonds.map(\.device)).count > 1 ? " or --device" : ""
            throw .refused(
                ([
                    "several peers are called '\(TerminalText.visible(peer))'; use an address"
                        + "\(advice):"
                ] + candidates).joined(separator: "\n"), .usage)
        }
        return bond
    }

    // MARK: Showing

    private func list(_ devices: [StoredDevice]) {
        let none = Line(told: "no bonds in \(options.stateDirectory)", .plain)
        printer.write(
            devices.isEmpty ? [none] : devices.flatMap(\.lines), under: StoredDevice.columns)
    }

    private func show(_ bond: StoredBond, of devices: [StoredDevice]) {
        guard let device = devices.first(where: { $0.device == bond.device }) else { return }
        printer.write(bond.lines(at: device.path))
    }

    // MARK: Changing

    /// Removes a peer. A bonded peer loses its bond and stays known, provided that its address identifies it;
    /// a peer that is only known is forgotten.
    private func remove(_ peer: String, from devices: [StoredDevice]) throws(Failure) {
        let isBonded = devices.flatMap(\.bonds).contains { $0.isNamed(peer) }
        let known = devices.flatMap { device in
            device.acquaintances.filter { $0.isNamed(peer) }.map { (device.device, $0) }
        }
        guard !isBonded, known.count == 1, let (device, peer) = known.first else {
            return try remove(try find(peer, in: devices))
        }
        try update(device) { $0.peers.removeAll { $0.identifier == peer.identifier } }
        printer.write(peer.linesOfRemoval(from: device))
    }

    private func remove(_ bond: StoredBond) throws(Failure) {
        try update(bond.device) { state in
            state.bonds.removeAll { $0.bond.identityAddress == bond.peer }
            for index in state.peers.indices where state.peers[index].identity == bond.peer {
                state.peers[index].identity = nil
            }
        }
        printer.write(bond.linesOfRemoval)
    }

    private func update(
        _ device: BondStore.Device, _ change: (inout DeviceState) -> Void
    ) throws(Failure) {
        do throws(BondStore.Failure) { try store(of: device).update(change) } catch {
            throw .storage(error)
        }
    }

    private func export(_ bond: StoredBond, of devices: [StoredDevice]) throws(Failure) {
        guard let device = devices.first(where: { $0.device == bond.device }) else { return }
        let text: String
        switch options.format {
        case .json: text = BondExport.json(of: bond, of: device.state)
        case .bluez:
            do throws(BondExport.Impossible) { text = try BondExport.bluez(bond) } catch {
                throw .refused("this bond cannot be moved to BlueZ: \(error.reason)", .failure)
            }
        }
        guard let path = options.outputPath else {
            StandardStreams.write(text)
            return
        }
        guard access(path, F_OK) != 0 else {
            throw .refused(
                "\(TerminalText.visible(path)) exists already, and may contain other bonds", .usage)
        }
        do throws(IOError) {
            try PrivateFile.write(path: path, contents: Array(text.utf8), in: .anywhere)
        } catch { throw .storage(.io(error)) }
    }
}
