import ANCSEvents
import ANCSKit
import BluetoothTypes
import HCITransports
import LinuxIO
import OpenSSLSecurity
import Testing
import VirtualBluetooth
import VirtualTransports

@testable import LaboratoryCommands
@testable import Printing

/// What `ancs gatt` prints about a device that publishes `Documentation/Schemas/profile.json`, on the virtual
/// clock.
@Suite("Recording of 'ancs gatt'")
struct GATTGoldenTests {
    @Test("a session of 'ancs gatt'")
    func session() async throws {
        var table = EventTable()
        table.add(
            "session",
            EventTable.Forms(
                piped: try await Self.lines(width: nil), variants: [:],
                others: [
                    "terminal": try await Self.lines(width: 80),
                    "json": try await Self.lines(isJSON: true),
                ]))
        try Golden(name: "commands/gatt.txt").check(table.lines)
    }

    private static let operations: [GATTOperation] = [
        .list, .read("2A19"),
        .write("0A1B0002-5C2D-4E3F-8A9B-1C2D3E4F5A6B", [0x41], isConfirmed: true),
        .subscribe("2A19"), .unsubscribe("2A19"), .rssi, .read("2A00"),
    ]

    private static func lines(
        isJSON: Bool = false, width: Int? = nil
    ) async throws -> [String] {
        let loop = try EventLoop(clock: .virtual)
        defer { loop.shutdown() }
        let printed = Printed()
        let report = GATTReport(isJSON: isJSON, width: width, isColored: width != nil)
        try await withTaskExecutorPreference(loop) {
            try await Self.converse(on: loop, report) { printed.append($0) }
        }
        return printed.lines.map { line in
            // Identifiers and addresses differ in every run.
            line.replacing(#/([0-9A-F]{2}:){5}[0-9A-F]{2}/#, with: "A0:00:00:00:00:01")
                .replacing(
                    #/"identifier":"[0-9A-F-]{36}"/#, with: #""identifier":"\#(Samples.peer.text)""#
                )
        }
    }

    private final class Printed: Sendable {
        private let storage = Lock<[String]>([])

        func append(_ text: String) {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            storage.withLock { $0 += lines.map(String.init) }
        }

        var lines: [String] { storage.withLock { $0 } }
    }

    /// Publishes the profile, connects to it, and carries out the operations.
    private static func converse(
        on loop: EventLoop, _ report: GATTReport, _ write: @escaping @Sendable (String) -> Void
    ) async throws {
        let radio = RadioLoop(
            configuration: RadioConfiguration(seed: 1), toolbox: OpenSSLToolbox(), on: loop)
        defer { radio.close() }
        let path = Golden.path("Documentation/Schemas/profile.json")
        let publication = try Publication(parsing: try TextFile.read(path))
        let device = try BluetoothAdapter(
            name: "Desk", at: .hci(HCIConfiguration(.virtual(radio.addController()))), on: loop)
        let peripherals = PeripheralManager(device)
        let published = PublishedTable(publication)
        for service in published.services { try await peripherals.add(service) }
        await device.start()
        for await event in peripherals.events where event == .stateUpdated(.poweredOn) { break }
        var data = AdvertisementData()
        data.localName = "Desk"
        try await peripherals.startAdvertising(data)
        let serving = Task(executorPreference: loop) {
            for await event in peripherals.events {
                guard case .didReceiveRead(let request) = event else {
                    if case .didReceiveWrite(let requests) = event, let first = requests.first {
                        await peripherals.respond(to: first, withResult: .success)
                    }
                    continue
                }
                request.value = [0x64]
                await peripherals.respond(to: request, withResult: .success)
            }
        }
        defer { serving.cancel() }

        let host = try BluetoothAdapter(
            name: "ancs", at: .hci(HCIConfiguration(.virtual(radio.addController()))), on: loop)
        let central = CentralManager(host)
        await host.start()
        for await event in central.events where event == .stateUpdated(.poweredOn) { break }
        try await central.scanForPeripherals(withServices: nil)
        var found: Peripheral?
        for await case .discovered(let peripheral, _, _) in central.events {
            found = peripheral
            break
        }
        let peripheral = try #require(found)
        await central.stopScan()
        try await central.connect(peripheral, timeout: .seconds(30))
        let session = GATTSession(central, peripheral, report) { write($0) }
        try await session.begin()
        for operation in operations {
            do throws(GATTSession.Failure) { try await session.carryOut(operation) } catch {
                write("2> ancs: \(error.message)")
            }
        }
        // What a device does by itself.
        if let battery = await session.table.items.first(where: { $0.uuid.shortValue == 0x2A19 }) {
            write(report.pushed(battery, [0x32]))
        }
        write(report.modified)
        write(report.missed(3))
        await session.finish()
        await host.stop()
        await device.stop()
    }
}
