internal import BluetoothLE
package import CommandKit
internal import DeviceCommandKit
internal import HCITransports

/// `ancs advertise`: shows what fits into an advertisement and, given a controller, advertises it.
package enum AdvertiseCommand {
    package static func run(
        _ options: AdvertiseOptions, on loop: EventLoop
    ) async throws(CommandSyntax.UsageError) -> ExitStatus {
        let plan: AdvertisementPlan
        do throws(AdvertisementPlan.PlanningError) {
            plan = try AdvertisementPlan(options.wanted)
        } catch { throw .init(message: error.message) }
        let report = AdvertiseReport(
            isJSON: options.isJSON, isColored: StandardStreams.isColored,
            publication: options.publication)
        for line in report.report(of: plan).output { StandardStreams.writeLine(line) }
        guard let air = options.air else { return .success }
        let watch = CentralWatch(report, on: loop)
        let end = await AdapterRun.run(
            name: options.wanted.localName ?? "ancs",
            at: { () throws(IOError) in try options.bluetooth(of: air) },
            appearance: options.wanted.appearance ?? 0, on: loop
        ) { event in
            await watch.observe(event)
        } work: { adapter, _ in
            await AdvertisingRun(options, at: adapter, report, shown: plan, watch).run()
        }
        return await watch.hasFailed ? .failure : end.status
    }
}

extension AdvertiseOptions {
    /// The Bluetooth configuration of the run. Opens the capture and names the bond store.
    fileprivate func bluetooth(of air: Air) throws(IOError) -> Bluetooth {
        .hci(
            HCIConfiguration(
                air.transport, store: BondStore(directory: air.stateDirectory),
                pairing: PairingOptions(ability: ability, requiredProtection: requiredProtection),
                capture: try capturePlace.map(BtsnoopWriter.capture(at:))))
    }
}

extension AdvertisementPlan.PlanningError {
    /// The problem, in one sentence.
    fileprivate var message: String {
        switch self {
        case .extensionsTooLong(let excess):
            "the solicited UUIDs and the appearance are \(counted(excess, "octet")) too long: "
                + "an advertisement has 28 octets besides its flags, and these UUIDs cannot overflow"
        }
    }
}
