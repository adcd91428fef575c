// A Central at bluetoothd: `central-benchmark` scans for a service, connects, discovers, and reads a value 1,000 times
// with CentralManager, at the bluetoothd on the system bus (`DBUS_SYSTEM_BUS_ADDRESS`), and prints the processor time
// that it took, in microseconds. `central-benchmark --serve ADDRESS` is the double of bluetoothd on the bus at an
// address, until it is ended.
internal import ANCSKit
internal import BlueZTestKit
internal import DBus
internal import Glibc
internal import LinuxIO

struct NoAnswer: Error {}

func readThousandTimes(on loop: EventLoop) async throws {
    let adapter = try BluetoothAdapter(name: "benchmark", at: .bluez(), on: loop)
    let central = CentralManager(adapter)
    await adapter.start()
    var found: Peripheral?
    for await event in central.events {
        if case .stateUpdated(.poweredOn) = event {
            try await central.scanForPeripherals(withServices: ["180D"])
        }
        if case .discovered(let peripheral, _, _) = event {
            found = peripheral
            break
        }
    }
    guard let peripheral = found else { throw NoAnswer() }
    await central.stopScan()
    try await central.connect(peripheral)
    guard let service = try await peripheral.discoverServices(["180D"]).first,
        let location = try await peripheral.discoverCharacteristics(["2A38"], for: service).first
    else { throw NoAnswer() }
    for _ in 0..<1_000 {
        guard try await peripheral.readValue(for: location) == [1] else { throw NoAnswer() }
    }
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    print(time.tv_sec * 1_000_000 + time.tv_nsec / 1_000)
    await central.cancelPeripheralConnection(peripheral)
    // The next program begins without a link.
    for try await event in adapter.events {
        if case .peer(_, .disconnected) = event { break }
    }
    await adapter.stop()
}

func serve(at address: String, on loop: EventLoop) async throws {
    let double = BlueZDouble(on: loop) {
        let connection = try BusConnection(.address(address), on: loop)
        await withCheckedContinuation { continuation in
            loop.execute {
                connection.open { _ in exit(0) }
                continuation.resume()
            }
        }
        return connection
    }
    try await double.begin()
    let monitor = DoublePeripheral(
        "dev_1", address: "C0:00:00:00:00:01", serviceUUID: "180D",
        [.init(0x0014, "2A38", ["read"], value: [1])])
    // No radio: a read takes as long as the programs take.
    monitor.requestTime = .zero
    await double.addPeripheral(monitor)
    print("ready")
    fflush(nil)
    try await Task.sleep(for: .seconds(3_600))
}

/// Does what the arguments ask for; every task of the process prefers the loop, which the first thread serves.
func run(_ arguments: [String]) throws -> CInt {
    try EventLoop.run { loop in
        do {
            switch arguments {
            case []: try await readThousandTimes(on: loop)
            case let arguments where arguments.count == 2 && arguments[0] == "--serve":
                try await serve(at: arguments[1], on: loop)
            case _: return 2
            }
            return 0
        } catch {
            print("central-benchmark: \(error)")
            return 1
        }
    }
}

exit(try run(Array(CommandLine.arguments.dropFirst())))
