internal import BluetoothLE

// The advertising sets of extended advertising. Core Vol 4, Part E, 7.8.52 to 7.8.60.
extension VirtualController {
    private static var maximumSetHandle: UInt8 { 0xEF }
    private static var legacyDataLimit: Int { 31 }

    func runExtendedAdvertising(_ packet: HCICommandPacket, at now: MonotonicInstant) -> Bool {
        switch packet.opcode {
        case .leSetAdvertisingSetRandomAddress: perform(packet, setAddressOfSet)
        case .leSetExtendedAdvertisingParameters: complete(packet, setParametersOfSet)
        case .leSetExtendedAdvertisingData: perform(packet, setDataOfSet)
        case .leSetExtendedScanResponseData: perform(packet, setScanResponseOfSet)
        case .leSetExtendedAdvertisingEnable:
            perform(packet) { (command: HCI.LESetExtendedAdvertisingEnable) throws(HCIStatus) in
                try use(.extended)
                try enableSets(command, at: now)
            }
        case .leReadMaximumAdvertisingDataLength:
            complete(packet) { (_: HCI.LEReadMaximumAdvertisingDataLength) in
                .layout(.success, UInt16(abilities.maximumAdvertisingDataLength))
            }
        case .leReadNumberOfSupportedAdvertisingSets:
            complete(packet) { (_: HCI.LEReadNumberOfSupportedAdvertisingSets) in
                .layout(.success, UInt8(min(abilities.advertisingSets, 240)))
            }
        case .leRemoveAdvertisingSet:
            perform(packet) { (command: HCI.LERemoveAdvertisingSet) throws(HCIStatus) in
                try use(.extended)
                let index = try existingSet(command.set)
                guard !advertisingSets[index].isEnabled else { throw .commandDisallowed }
                advertisingSets.remove(at: index)
            }
        case .leClearAdvertisingSets:
            perform(packet) { (_: HCI.LEClearAdvertisingSets) throws(HCIStatus) in
                try use(.extended)
                guard !advertisingSets.contains(where: { $0.isEnabled }) else {
                    throw .commandDisallowed
                }
                advertisingSets = []
            }
        default: return false
        }
        return true
    }

    private func existingSet(_ handle: UInt8) throws(HCIStatus) -> Int {
        guard handle <= Self.maximumSetHandle else { throw .invalidCommandParameters }
        guard let index = setIndex(.init(rawValue: handle)) else {
            throw .unknownAdvertisingIdentifier
        }
        return index
    }

    private func setAddressOfSet(
        _ command: HCI.LESetAdvertisingSetRandomAddress
    ) throws(HCIStatus) {
        try use(.extended)
        let index = try existingSet(command.set)
        guard !advertisingSets[index].isEnabled || !advertisingSets[index].isConnectable else {
            throw .commandDisallowed
        }
        advertisingSets[index].randomAddress = command.address
    }

    // MARK: Parameters

    private func setParametersOfSet(
        _ command: HCI.LESetExtendedAdvertisingParameters
    ) throws(HCIStatus) -> HCI.LESetExtendedAdvertisingParameters.ReturnParameters {
        try use(.extended)
        guard command.set <= Self.maximumSetHandle, areValid(command) else {
            throw .invalidCommandParameters
        }
        let id = AdvertisingSet.ID(rawValue: command.set)
        let existing = setIndex(id)
        var set = existing.map { advertisingSets[$0] } ?? AdvertisingSet(id: id)
        guard !set.isEnabled else { throw .commandDisallowed }
        set.properties = command.properties
        set.interval = command.intervalMinimum
        set.ownAddressType = command.ownAddressType
        set.peerAddress = command.peerAddress
        set.filterPolicy = command.filterPolicy
        set.primaryPHY = command.primaryPHY
        set.secondaryPHY = command.secondaryPHY
        set.sid = command.sid
        set.notifiesScanRequests = command.notifiesScanRequests
        // The data of the previous parameters may not fit these.
        guard dataFits(set) else { throw .invalidCommandParameters }
        if let existing {
            advertisingSets[existing] = set
        } else {
            guard advertisingSets.count < abilities.advertisingSets else {
                throw .memoryCapacityExceeded
            }
            advertisingSets.append(set)
        }
        return .layout(.success, min(command.transmitPower, Self.transmitPower))
    }

    private func areValid(_ command: HCI.LESetExtendedAdvertisingParameters) -> Bool {
        let isHighDuty = command.properties.contains(.highDuty)
        let areIntervalsValid =
            command.intervalMinimum >= .minimum
            && command.intervalMinimum <= command.intervalMaximum
        guard isHighDuty || areIntervalsValid, !command.channels.isEmpty,
            AdvertisingChannels.all.isSuperset(of: command.channels), command.filterPolicy <= 3,
            command.ownAddressType.rawValue <= 3
        else { return false }
        guard command.properties.contains(.legacy) else {
            // Extended PDUs cannot be both connectable and scannable, or high duty cycle.
            return !command.properties.isSuperset(of: [.connectable, .scannable]) && !isHighDuty
                && [.le1M, .leCoded].contains(command.primaryPHY)
                && (1...3).contains(command.secondaryPHY.rawValue) && command.sid <= 0x0F
        }
        // Table 7.2: the five kinds of legacy PDUs.
        return [0x10, 0x12, 0x13, 0x15, 0x1D].contains(command.properties.rawValue)
            && command.primaryPHY == .le1M
    }

    private func dataFits(_ set: AdvertisingSet) -> Bool {
        guard set.hasLegacyPDUs else { return !set.isScannable || set.data.isEmpty }
        return set.data.count <= Self.legacyDataLimit
            && set.scanResponse.count <= Self.legacyDataLimit
    }

    // MARK: Data

    private func setDataOfSet(_ command: HCI.LESetExtendedAdvertisingData) throws(HCIStatus) {
        try use(.extended)
        let index = try existingSet(command.set)
        var set = advertisingSets[index]
        if command.operation == DataOperation.unchanged {
            // Only changes the Advertising DID: needs data, and a set that is advertising.
            guard set.isEnabled, !set.data.isEmpty, command.data.isEmpty else {
                throw .invalidCommandParameters
            }
            return
        }
        guard set.hasLegacyPDUs || !set.isScannable || command.data.isEmpty else {
            throw .invalidCommandParameters
        }
        try apply(command.operation, command.data, of: set, &set.data, &set.isDataPartial)
        advertisingSets[index] = set
    }

    private func setScanResponseOfSet(
        _ command: HCI.LESetExtendedScanResponseData
    ) throws(HCIStatus) {
        try use(.extended)
        let index = try existingSet(command.set)
        var set = advertisingSets[index]
        guard set.isScannable || command.data.isEmpty else { throw .invalidCommandParameters }
        try apply(
            command.operation, command.data, of: set, &set.scanResponse, &set.isScanResponsePartial)
        advertisingSets[index] = set
    }

    private func apply(
        _ operation: UInt8, _ fragment: [UInt8], of set: AdvertisingSet, _ data: inout [UInt8],
        _ isPartial: inout Bool
    ) throws(HCIStatus) {
        guard operation <= DataOperation.complete else { throw .invalidCommandParameters }
        if operation != DataOperation.complete {
            // Fragments are only for long data, not while advertising, and must not be empty.
            guard !set.isEnabled else { throw .commandDisallowed }
            guard !set.hasLegacyPDUs, !fragment.isEmpty else { throw .invalidCommandParameters }
        }
        let isStart = operation == DataOperation.complete || operation == DataOperation.first
        guard isStart || isPartial else { throw .invalidCommandParameters }
        let whole = isStart ? fragment : data + fragment
        if set.hasLegacyPDUs, whole.count > Self.legacyDataLimit { throw .invalidCommandParameters }
        guard whole.count <= abilities.maximumAdvertisingDataLength else {
            throw .memoryCapacityExceeded
        }
        data = whole
        isPartial = operation == DataOperation.first || operation == DataOperation.intermediate
    }

    // MARK: On air

    private func enableSets(
        _ command: HCI.LESetExtendedAdvertisingEnable, at now: MonotonicInstant
    ) throws(HCIStatus) {
        guard command.isEnabled else {
            // An empty list stands for all sets.
            var indices: [Int] = []
            for entry in command.sets { indices.append(try existingSet(entry.set)) }
            if command.sets.isEmpty { indices = Array(advertisingSets.indices) }
            for index in indices { advertisingSets[index].isEnabled = false }
            return
        }
        guard !command.sets.isEmpty else { throw .invalidCommandParameters }
        var seen: [UInt8] = []
        for entry in command.sets {
            guard !seen.contains(entry.set) else { throw .invalidCommandParameters }
            seen.append(entry.set)
            try checkReadiness(of: advertisingSets[try existingSet(entry.set)], entry)
        }
        for entry in command.sets {
            try startAdvertising(
                try existingSet(entry.set),
                duration: entry.duration == 0 ? nil : .milliseconds(Int64(entry.duration) * 10),
                maximumEvents: entry.maximumEvents, at: now)
        }
    }

    /// All sets must be ready before the first one starts.
    private func checkReadiness(
        of set: AdvertisingSet, _ entry: HCI.LESetExtendedAdvertisingEnable.Entry
    ) throws(HCIStatus) {
        guard !set.isDataPartial, !set.isScanResponsePartial,
            set.hasLegacyPDUs || !set.isScannable || !set.scanResponse.isEmpty
        else { throw .commandDisallowed }
        guard address(of: set) != nil,
            !set.properties.contains(.highDuty) || (1...128).contains(entry.duration)
        else { throw .invalidCommandParameters }
    }
}

/// The meaning of a command's part of the data. Core Vol 4, Part E, 7.8.54.
private enum DataOperation {
    static let intermediate: UInt8 = 0
    static let first: UInt8 = 1
    static let last: UInt8 = 2
    static let complete: UInt8 = 3
    static let unchanged: UInt8 = 4
}
