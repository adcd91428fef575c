import ANCSEvents
import ANCS
import BluetoothLE
import DBus
import Octets
import Testing

@testable import BlueZ

// All is well: what a walk ends with.
extension Walk {
    /// A phone that is paired and connected is served in the end, if bluetoothd does what it is asked.
    func recover(byRestart isByRestart: Bool) {
        guard !isFailed else { return }
        recovered = []
        if isByRestart || bench.owner == nil {
            sockets.daemonEnded(at: bench.now)
            did("it ends", bench.daemonEnds())
            begin()
        }
        if bench.objects["/org/bluez/hci0"] == nil { did("plugged", bench.addAdapter()) }
        did("on", bench.power(true))
        for device in Self.devices + Self.others { did("gone", bench.disconnect(device)) }
        while !bench.pending.isEmpty, !isFailed { answerWell(0) }
        // Longer than the pause after bluetoothd has ended for a socket.
        did("wait", bench.wait(.seconds(1_000)))
        while !bench.pending.isEmpty, !isFailed { answerWell(0) }
        for service in ["service0010", "service0040"] {
            did("ANCS goes", bench.removeANCS(from: "dev_1", service: service))
        }
        did("removed", bench.remove(Bench.path("dev_1")))
        did(
            "the phone comes",
            bench.addDevice(
                "dev_1", isPaired: true, address: address("dev_1"),
                and: ["UUIDs": .strings([BluetoothUUID.ancs.text])]))
        bench.isEncrypted = true
        did("its services come", bench.addANCS())
        did("they are resolved", bench.resolve())
        let before = served
        for _ in 0..<200 where served == before && !isFailed { proceed() }
        if served == before, !isFailed { fail("no session stands in the end") }
        if !isFailed { checkEnd() }
    }

    private func proceed() {
        for id in phones.keys.sorted() {
            guard let phone = phones[id], phone.isAvailable, phone.awaited.isEmpty else { continue }
            for characteristic in [Bench.Characteristic.dataSource, .notificationSource]
            where !phone.standing.contains(characteristic) {
                phones[id]?.awaited.insert(characteristic)
                did("\(id) subscribes", bench.request(.subscribe(characteristic), of: id))
                break
            }
        }
        if bench.pending.isEmpty {
            did("wait", bench.wait(.seconds(1)))
        } else {
            answerWell(0)
        }
    }

    /// With bluetoothd, everything of it goes.
    private func checkEnd() {
        did("it ends", bench.daemonEnds())
        if !phones.isEmpty { fail("a phone is left") }
        if !bench.sockets.isEmpty { fail("left are \(bench.sockets)") }
        if !invocations.isEmpty { fail("a call is not answered") }
    }
}
