import ANCS
import ANCSEvents
import ANCSKit
import BluetoothTypes
import JSONText
import Octets
import Testing

@testable import CommandKit
@testable import LaboratoryCommands
@testable import Printing

/// The table of the devices on air.
@Suite struct ScanTableTests {
    private static let start = MonotonicInstant(nanoseconds: 0)

    private func sighting(
        _ number: UInt64, _ data: AdvertisementData = AdvertisementData(isConnectable: true),
        rssi: Int? = -60
    ) -> Sighting {
        Sighting(
            address: DeviceAddress(0xC000_0000_0000 + number, kind: .random),
            identifier: PeerIdentifier(rawValue: UInt128(number)), data: data, rssi: rssi)
    }

    private func lines(
        _ table: ScanTable, columns: Int = 100, rows: Int? = nil, after: Duration = .zero,
        isColored: Bool = false
    ) -> [String] {
        table.lines(
            columns: columns, rows: rows, at: Self.start + after,
            paint: TerminalPaint(isColored: isColored))
    }

    private let ancs = AdvertisementData(
        localName: "Desk", solicitedServiceUUIDs: [BluetoothUUID(ANCSUUID.service)],
        isConnectable: true)

    @Test("devices that want ANCS come first, then connectable ones, each in the order heard")
    func order() {
        var table = ScanTable()
        let beacon = AdvertisementData(localName: "Beacon", isConnectable: false)
        let lamp = AdvertisementData(localName: "Lamp", isConnectable: true)
        for (number, data) in [beacon, lamp, ancs, lamp].enumerated() {
            let isNew = table.hear(sighting(UInt64(number), data), at: Self.start)
            #expect(isNew)
        }
        #expect(
            lines(table) == [
                "ADDRESS            KIND    dBm  LINK  NAME    LIKE            SERVICES",
                "C0:00:00:00:00:02  static  -60  yes   Desk    ANCS accessory  wants ANCS",
                "C0:00:00:00:00:01  static  -60  yes   Lamp",
                "C0:00:00:00:00:03  static  -60  yes   Lamp",
                "C0:00:00:00:00:00  static  -60  no    Beacon",
                "4 devices heard",
            ])
        // A stronger signal moves nobody.
        let isNew = table.hear(sighting(3, lamp, rssi: -20), at: Self.start)
        #expect(!isNew)
        #expect(lines(table)[3] == "C0:00:00:00:00:03  static  -20  yes   Lamp")
    }

    @Test("a name that was heard once stays, though later advertisements leave it out")
    func names() {
        var table = ScanTable()
        table.hear(sighting(1, ancs), at: Self.start)
        table.hear(sighting(1, rssi: nil), at: Self.start)
        let line = lines(table)[1]
        #expect(line == "C0:00:00:00:00:01  static  -60  yes   Desk")
    }

    @Test("a window shows what it has room for, and how many more there are", arguments: 1...12)
    func window(rows: Int) {
        var table = ScanTable()
        for number in 0..<9 { table.hear(sighting(UInt64(number)), at: Self.start) }
        let lines = lines(table, columns: 60, rows: rows)
        #expect(lines.count <= rows)
        #expect(lines.last?.hasPrefix("9 devices heard") == true)
        if rows < 11 {
            #expect(lines.last?.contains("\(9 - max(0, rows - 2)) of them not shown") == true)
        }
    }

    @Test("however many devices come, the table is bounded, and the silent ones go first")
    func bounded() {
        var table = ScanTable()
        for number in 0..<ScanTable.maximumCount {
            table.hear(sighting(UInt64(number)), at: Self.start + .milliseconds(number))
        }
        table.hear(sighting(0), at: Self.start + .seconds(5))
        table.hear(sighting(99_999), at: Self.start + .seconds(6))
        let lines = lines(table)
        #expect(lines.count == ScanTable.maximumCount + 2)
        #expect(lines.contains { $0.hasPrefix("C0:00:00:00:00:00 ") })
        #expect(!lines.contains { $0.hasPrefix("C0:00:00:00:00:01 ") })
        #expect(lines.last == "1025 devices heard")
    }

    @Test("a notice is in the last line, if there is room")
    func notice() {
        var table = ScanTable()
        table.hear(sighting(1), at: Self.start)
        let lines = table.lines(
            columns: 56, rows: 10, at: Self.start, notice: "the controller is being set up again",
            paint: TerminalPaint(isColored: false))
        #expect(lines.last == "1 device heard · Ctrl-C ends · the controller is being…")
    }

    @Test("silent devices are dimmed")
    func silent() {
        var table = ScanTable()
        table.hear(sighting(1), at: Self.start)
        let soon = lines(table, after: ScanTable.patience, isColored: true)
        let later = lines(
            table, after: ScanTable.patience + .nanoseconds(1), isColored: true)
        #expect(!soon[1].contains(TerminalPaint.Style.dim.sequence))
        #expect(later[1].hasPrefix(TerminalPaint.Style.dim.sequence))
    }

    @Test("a name from the air moves no cursor, and no line is wider than the window")
    func hostile() {
        var table = ScanTable()
        let name = "\u{1B}[2J\u{202E}\n" + String(repeating: "漢", count: 80)
        table.hear(sighting(1, AdvertisementData(localName: name)), at: Self.start)
        for columns in 20...120 {
            for line in lines(table, columns: columns) {
                #expect(TerminalText.width(of: line) <= columns)
                #expect(TerminalText.visible(line).count == line.count + line.count { $0 == "\\" })
            }
        }
    }

    // MARK: Likeness

    static let likenesses: [(AdvertisementData, String?)] = [
        (AdvertisementData(appearance: 0x00C2), "smartwatch"),
        (AdvertisementData(appearance: 0xFFFF), nil),
        (AdvertisementData(manufacturerData: [0x4C, 0x00, 0x02, 0x15, 0xAA]), "iBeacon"),
        (AdvertisementData(manufacturerData: [0x4C, 0x00, 0x10, 0x05]), "Apple device"),
        (
            AdvertisementData(manufacturerData: [0x4C, 0x00, 0x10, 0x05], appearance: 0x0040),
            "iPhone?"
        ),
        (AdvertisementData(manufacturerData: [0x4C, 0x00]), "by Apple"),
        (AdvertisementData(manufacturerData: [0x4C]), nil),
        (AdvertisementData(manufacturerData: [0xFE, 0xFE, 1]), nil),
        (AdvertisementData(manufacturerData: [0x59, 0x00, 1], appearance: 0x0540), "sensor"),
        (
            AdvertisementData(
                solicitedServiceUUIDs: [BluetoothUUID(ANCSUUID.service)], appearance: 0x00C0),
            "ANCS accessory, watch"
        ),
        (AdvertisementData(), nil),
    ]

    @Test("a device is classified by its octets, or not at all")
    func likeness() {
        for (data, likeness) in Self.likenesses {
            #expect(sighting(1, data).likeness == likeness)
        }
    }

    @Test("JSON has all members, services also as UUIDs, and omits unheard values")
    func json() {
        var heard = sighting(1, ancs)
        heard.data.serviceData = [BluetoothUUID(UInt16(0xFEAA)): [1, 2]]
        heard.data.manufacturerData = [0x59, 0, 7]
        #expect(
            heard.line.text == """
                {"event":"discovered","name":"Desk","address":"C0:00:00:00:00:01","addressType":"static",\
                "peer":{"address":"C0:00:00:00:00:01","kind":"static"},\
                "identifier":"00000000-0000-0000-0000-000000000001","rssi":-60,\
                "connectable":true,"solicitedServices":["7905F431-B5CE-4E99-A40F-4B1E122D00D0"],\
                "manufacturerData":"590007","serviceData":{"FEAA":"0102"},\
                "likeness":"ANCS accessory, by Nordic Semiconductor"}
                """)
        #expect(
            sighting(2, AdvertisementData(isConnectable: false), rssi: nil).line.text == """
                {"event":"discovered","address":"C0:00:00:00:00:02","addressType":"static",\
                "peer":{"address":"C0:00:00:00:00:02","kind":"static"},\
                "identifier":"00000000-0000-0000-0000-000000000002","connectable":false}
                """)
    }

    @Test(
        "what is not known of a device is not said: bluetoothd does not tell whether it is connectable"
    )
    func unknownConnectability() {
        let unknown = sighting(2, AdvertisementData(), rssi: nil)
        #expect(
            unknown.line.text == """
                {"event":"discovered","address":"C0:00:00:00:00:02","addressType":"static",\
                "peer":{"address":"C0:00:00:00:00:02","kind":"static"},\
                "identifier":"00000000-0000-0000-0000-000000000002"}
                """)
        #expect(unknown.line.sentence?.contains("connectable") == false)
    }

    @Test("options are parsed, and an invalid UUID is refused")
    func options() throws {
        func options(_ words: String...) throws -> ScanCommandOptions {
            try ScanCommandOptions(
                ScanCommandOptions.syntax.parse(["--hci", "tcp-client:h:1"] + words),
                environment: [:])
        }
        let read = try options(
            "--service", "180f", "--service", "7905F431-B5CE-4E99-A40F-4B1E122D00D0",
            "--solicits", "180D", "--duplicates", "--timeout", "2.5")
        #expect(
            read.services == [
                BluetoothUUID(UInt16(0x180F)), BluetoothUUID(ANCSUUID.service),
            ])
        #expect(read.solicitedServices == [BluetoothUUID(UInt16(0x180D))])
        #expect(read.allowsDuplicates)
        #expect(read.timeout == .milliseconds(2500))
        #expect(throws: CommandSyntax.UsageError.self) { try options("--service", "180") }
        #expect(throws: CommandSyntax.UsageError.self) { try options("--timeout", "0") }
        #expect(throws: CommandSyntax.UsageError.self) { try options("peer") }
    }

    @Test("sorted by strength, the strongest device comes first and one of unknown strength last")
    func strength() {
        var table = ScanTable(order: .rssi)
        for (number, rssi) in [-80, nil, -40, -60].enumerated() {
            table.hear(sighting(UInt64(number), rssi: rssi), at: Self.start)
        }
        let addresses = lines(table).dropFirst().prefix(4).map { $0.prefix(17).suffix(2) }
        #expect(addresses == ["02", "03", "00", "01"])
    }

    @Test(
        "invalid signal strengths and orders are refused",
        arguments: [
            (["--rssi", "-70"], true), (["--rssi", "-128"], false), (["--rssi", "near"], false),
            (["--sort", "rssi"], true), (["--sort", "name"], false),
        ])
    func options(_ words: [String], isAccepted: Bool) {
        let line = ["--hci", "unix:/nowhere"] + words
        let options = try? ScanCommandOptions(
            ScanCommandOptions.syntax.parse(line), environment: [:])
        #expect((options != nil) == isAccepted)
    }
}
