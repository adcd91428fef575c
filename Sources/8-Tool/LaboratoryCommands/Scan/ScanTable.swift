internal import DeviceCommandKit

/// The devices heard by a scan. Unless it is sorted by strength, the order does not change while the user
/// reads: devices that want ANCS first, then connectable ones, and within each group those heard first.
///
/// The size is bounded: if more devices are heard, the one silent for longest is forgotten.
struct ScanTable: Sendable {
    /// The largest number of devices.
    static let maximumCount = 1024
    /// The time after which a device is shown as silent.
    static let patience = Duration.seconds(10)

    /// The order in which devices are shown.
    enum Order: String, CaseIterable, Equatable, Sendable {
        /// By how likely they are to be an iPhone's accessory.
        case kind
        /// The strongest signal first.
        case rssi
    }

    /// A device of the table.
    private struct Device {
        var sighting: Sighting
        /// The number of devices that were heard before this one.
        let number: Int
        var heardAt: MonotonicInstant

        /// Devices with a lower rank come first.
        var rank: Int { sighting.wantsANCS ? 0 : sighting.isConnectable == false ? 2 : 1 }
    }

    private let order: Order
    private var devices: [DeviceAddress: Device] = [:]
    /// How many devices were heard.
    private(set) var count = 0

    /// An empty table.
    init(order: Order = .kind) { self.order = order }

    /// Records an advertisement. Returns whether the device is new.
    @discardableResult mutating func hear(_ sighting: Sighting, at now: MonotonicInstant) -> Bool {
        if var device = devices[sighting.address] {
            device.sighting = merged(device.sighting, sighting)
            device.heardAt = now
            devices[sighting.address] = device
            return false
        }
        if devices.count == Self.maximumCount,
            let silent = devices.min(by: { $0.value.heardAt < $1.value.heardAt })
        {
            devices[silent.key] = nil
        }
        devices[sighting.address] = Device(sighting: sighting, number: count, heardAt: now)
        count += 1
        return true
    }

    /// Combines two advertisements of a device: items that the new one leaves out are kept, the others
    /// replaced.
    private func merged(_ old: Sighting, _ new: Sighting) -> Sighting {
        var merged = new
        if merged.name == nil { merged.knownName = old.name }
        merged.rssi = new.rssi ?? old.rssi
        return merged
    }

    // MARK: Showing

    /// A table of at most `rows` lines, none wider than `columns`, with a notice in the last line. Without
    /// `rows`, the length is not limited, and this is the final table.
    func lines(
        columns: Int, rows: Int?, at now: MonotonicInstant, notice: String? = nil,
        paint: TerminalPaint
    ) -> [String] {
        let sorted = devices.values.sorted(byNumber: { UInt64($0.number) }).sorted(byNumber: place)
        // Two lines are reserved for the heading and the count.
        let shown = sorted.prefix(rows.map { max(0, $0 - 2) } ?? .max)
        var table = TextTable([
            .init("ADDRESS"), .init("KIND", minimumWidth: 6), .init("dBm", isFlushRight: true),
            .init("LINK"), .init("NAME", minimumWidth: 8), .init("LIKE", minimumWidth: 6),
            .init("SERVICES", minimumWidth: 6),
        ])
        table.rows = shown.map { Self.row($0.sighting) }
        let texts = table.lines(width: columns)
        let body = zip(shown, texts.rows).map { device, line in
            guard now <= device.heardAt + Self.patience else { return paint(line, .dim) }
            return device.rank == 0 ? paint(line, .good) : line
        }
        let heading = shown.isEmpty ? [] : [paint(texts.heading, .bold)]
        let words = [
            footer(hidden: sorted.count - shown.count), rows == nil ? nil : "Ctrl-C ends", notice,
        ]
        let footer = TerminalText.cut(
            words.compactMap(\.self).joined(separator: " · "), to: columns)
        return (heading + body + [footer]).suffix(rows ?? .max)
    }

    /// Devices with a lower place come first; those with equal ones in the order in which they were heard.
    private func place(_ device: Device) -> UInt64 {
        switch order {
        case .kind: UInt64(device.rank)
        case .rssi: device.sighting.rssi.map { UInt64(clamping: Int(Int16.max) - $0) } ?? .max
        }
    }

    private func footer(hidden: Int) -> String {
        let devices = counted(count, "device")
        return "\(devices) heard" + (hidden > 0 ? ", \(hidden) of them not shown" : "")
    }

    private static func row(_ sighting: Sighting) -> [String] {
        [
            sighting.address.text, sighting.address.kindWord, sighting.rssi.map { "\($0)" } ?? "",
            sighting.isConnectable.map { $0 ? "yes" : "no" } ?? "",
            sighting.name.map(TerminalText.visible) ?? "", sighting.likeness ?? "",
            sighting.serviceText,
        ]
    }
}
