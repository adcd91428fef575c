import ANCS
import ANCSKit
import Octets

@testable import ANCSService

/// What the phone announces and removes.
extension DesktopModel {
    mutating func text(_ id: UInt64) -> String {
        revision += 1
        return "\(id) \(revision)"
    }

    mutating func makeRecord(_ number: UInt64) -> Record {
        let categories: [CategoryID] = [.incomingCall, .social, .social, .email, .activeCall]
        var flags: EventFlags = []
        if random.chance(0.8) { flags.insert(.negativeAction) }
        if random.chance(0.4) { flags.insert(.positiveAction) }
        if random.chance(0.2) { flags.insert(.preExisting) }
        if random.chance(0.2) { flags.insert(.silent) }
        let record = Record.onDesktop(
            number, pick(categories) ?? .social, flags: flags, title: text(number),
            seen: random.chance(0.2) ? random.chance(0.5) : nil)
        guard random.chance(0.3) else { return record }
        return record.with { $0.code = "123456" }
    }

    mutating func addRecord() {
        lastRecord += 1
        let record = makeRecord(lastRecord)
        records[record.id] = record
        guard record.isRinging, random.chance(0.7) else {
            return machine.receive(.added(record), at: now)
        }
        machine.receive(
            .announced(.ringing(lastRecord, flags: record.notification.flags)), at: now)
        drain()
        if random.chance(0.7) { machine.receive(.added(record), at: now) }
    }

    mutating func modifyRecord() {
        guard let old = pick(records.keys.sorted()) else { return }
        var record = makeRecord(old.rawValue)
        if random.chance(0.1) { record.verdict.popup = nil }
        if random.chance(0.1) { record.verdict.isMuted = true }
        records[old] = record
        machine.receive(.modified(record), at: now)
    }

    mutating func removeRecord() {
        guard let id = pick(records.keys.sorted()), let record = records.removeValue(forKey: id)
        else { return }
        machine.receive(.removed(record, random.chance(0.5) ? .removed : .away), at: now)
    }

    /// Another session has the same notification.
    mutating func handOver() {
        guard let id = pick(records.keys.sorted()), let old = records[id] else { return }
        lastRecord += 1
        let record = makeRecord(lastRecord).with { $0.sameAs = id }
        records[record.id] = record
        let isLate = random.chance(0.3)
        if isLate { machine.receive(.added(record.with { $0.sameAs = nil }), at: now) }
        machine.receive(isLate ? .modified(record) : .added(record), at: now)
        drain()
        records[id] = nil
        machine.receive(.removed(old, .away), at: now)
    }
}
