import ANCS
import BluetoothLE
import Board
import Octets

/// The accessory on the board: reads the lines, passes on what arrives, and carries out the accessory's outputs.
///
/// A class, so that the machines lie in the heap, and what is called in turn stays out of line: the stack holds
/// the frames of one step only.
final class Firmware {
    private var accessory: Accessory
    private var store: FlashStore
    private var console = Console()

    /// Starts with what the flash holds.
    init() {
        console.say(
            "swift-ancs on a microcontroller; + and - are the buttons, ? shows the memory")
        var toolbox = BoardToolbox()
        var store = FlashStore()
        var state: DeviceState?
        switch store.load() {
        case .empty: console.say("a new device")
        case .damaged: console.say("the flash is damaged: the bonds are lost, pair again")
        case .value(let value, let hasDamage):
            if hasDamage { console.say("a copy in the flash is damaged: the other one is used") }
            do throws(DecodingError) {
                state = try DeviceState(decoding: value.span)
            } catch { console.say("the flash holds other data: pair again") }
        }
        let known = state ?? DeviceState(using: &toolbox)
        accessory = Accessory(known)
        self.store = store
        if state == nil { keep(known) }
    }

    private var now: MonotonicInstant { MonotonicInstant(nanoseconds: board_now()) }

    /// Runs for ever.
    func run() {
        let start = now
        accessory.start(at: start)
        while true {
            drain()
            checkMemory()
            if !readController(), !readConsole() { sleep() }
        }
    }

    /// Sleeps until something comes, or time is up.
    @inline(never)
    private func sleep() {
        let now = now
        guard let deadline = accessory.nextDeadline else { return board_sleep(.max) }
        guard deadline <= now else { return board_sleep(deadline.nanoseconds) }
        accessory.handleTimeout(at: now)
    }

    /// Passes on what came from the controller; whether anything did.
    @inline(never)
    private func readController() -> Bool {
        var octets = [UInt8](repeating: 0, count: 64)
        let count = unsafe board_hci_read(&octets, octets.count)
        guard count > 0 else { return false }
        let now = now
        accessory.receive(octets.span.extracting(first: count), at: now)
        return true
    }

    /// Nothing more is taken on while the memory is short: what comes costs some, and so does what does not come
    /// in time.
    private func checkMemory() {
        guard accessory.linkCount > 0, board_heap_largest() < Limits.reserve else { return }
        accessory.memoryRanShort(at: now)
    }

    @inline(never)
    private func readConsole() -> Bool {
        let octet = board_console_read()
        guard octet >= 0 else { return false }
        let now = now
        switch UInt8(truncatingIfNeeded: octet) {
        case UInt8(ascii: "+"): accessory.press(.positive, at: now)
        case UInt8(ascii: "-"): accessory.press(.negative, at: now)
        case UInt8(ascii: "?"):
            console.showState(
                links: accessory.linkCount, bonds: accessory.state.bonds.count,
                secondOfDay: accessory.secondOfDay(at: now))
        case _: break
        }
        return true
    }

    @inline(never)
    private func drain() {
        while let output = accessory.pollOutput() {
            switch output {
            case .send(let packet): send(packet)
            case .show(let notice): console.show(notice)
            case .report(let report): console.say(report)
            case .keep: keep(accessory.state)
            }
        }
    }

    private func send(_ packet: HCIPacket) {
        unsafe board_hci_write([packet.indicator], 1)
        unsafe board_hci_write(packet.body, packet.body.count)
    }

    private func keep(_ state: DeviceState) {
        guard !store.save(state.octets) else { return }
        console.say("the flash cannot be written: after a restart the phone has to pair again")
    }
}

/// Called by the board when it has started.
@c(firmware_main)
public func firmwareMain() {
    let firmware = Firmware()
    firmware.run()
}
