import ANCSKit
import DBus
import DBusTestKit
import Glibc
import LinuxIO
import Testing

@testable import ANCSService

@Suite("The facts that the doctor reads")
struct FactsReaderTests {
    // MARK: Buses

    @Test("bluetoothd, the daemon and the desktop, each by their objects")
    func buses() async throws {
        try await TestBus.with { bus in
            let peer = try await bus.connect()
            let calls = Box<[String]>([])
            await peer.answer("/", calls) { _ in [.managedObjects(bluetoothd)] }
            await peer.answer(BusNames.root, calls) { call in
                switch call.member {
                case "GetManagedObjects": [.managedObjects(daemon)]
                case "GetAll": [.options(manager)]
                case _: [.array([sink], of: "(sbsu)")]
                }
            }
            await peer.answer("/org/freedesktop/Notifications", calls) { call in
                switch call.member {
                case "GetServerInformation":
                    ["dunst", "knopwob", "1.9.0", "1.2"].map { .string($0) }
                case "GetCapabilities": [.strings(["actions"])]
                case _: [.variant(.bool(true))]
                }
            }
            try await peer.own("org.bluez")
            try await peer.own(BusNames.service)
            try await peer.own("org.freedesktop.Notifications")

            let facts = await reader(bus).facts()

            #expect(facts.systemBus.value?.answer == .answered)
            #expect(
                facts.systemBus.value?.adapters == [
                    Facts.Adapter(
                        name: "hci0", address: "00:1A:7D:DA:71:13",
                        roles: ["central", "peripheral"],
                        activeAdvertisements: 1, freeAdvertisements: 3,
                        version: BlueZVersion(5, 66))
                ])
            // The headset is no phone.
            var phone = Facts.Device.phone
            phone.battery = 80
            #expect(facts.systemBus.value?.devices == [phone])
            let places = places(bus)
            #expect(await FactsReader.battery(of: phone.address, places: places) == 80)
            #expect(await FactsReader.battery(of: "11:22:33:44:55:66", places: places) == nil)
            let seen = try #require(facts.daemon.value ?? nil)
            #expect(seen.name == "Desk" && seen.phase == .onAir)
            #expect(
                seen.phones == [
                    PhoneStatus(
                        phone: PhoneName(digest: "", name: "Ada's iPhone"), state: .unauthorized,
                        keys: .doubtful, isPaired: false, advice: "allow it",
                        counts: ["social": 2, "email": 3],
                        link: LinkParameters(
                            interval: .milliseconds(11.25), latency: 4,
                            supervisionTimeout: .seconds(6), isKept: true))
                ])
            #expect(seen.sinks == [.init(name: "desktop", isWorking: false, message: "no server")])
            #expect(facts.desktop.value?.name == "dunst")
            #expect(facts.desktop.value?.capabilities == ["actions"])
            #expect(facts.desktop.value?.isPaused == true)
            // It only asks.
            let members: Set = [
                "GetManagedObjects", "GetAll", "Get", "Sinks", "GetServerInformation",
                "GetCapabilities",
            ]
            #expect(Set(calls.value).isSubset(of: members))
        }
    }

    @Test("A bus without services")
    func emptyBus() async throws {
        try await TestBus.with { bus in
            let facts = await reader(bus).facts()
            #expect(facts.systemBus.value?.answer == .notRunning)
            #expect(facts.daemon.value.map { $0 == nil } == true)
            #expect(facts.desktop.value?.server == Facts.Desktop.Server.none)
        }
    }

    @Test("No bus at all")
    func noBus() async throws {
        var places = FactsReader.Places()
        places.systemBus = .address("unix:path=/nonexistent/bus")
        places.sessionBus = .address("unix:path=/nonexistent/bus")
        let facts = await FactsReader(
            isSystem: false, configuration: nil, state: nil, places: places
        ).facts()
        #expect(facts.systemBus.value == nil)
        #expect(facts.desktop.value == nil)
        #expect(facts.daemon.value.map { $0 == nil } == true)
    }

    @Test("Programs that never answer are not waited for")
    func hanging() async throws {
        try await TestBus.with { bus in
            let peer = try await bus.connect()
            let kept = Box<[BusReply]>([])
            for path: ObjectPath in ["/", BusNames.root, "/org/freedesktop/Notifications"] {
                await peer.export(path) { _, reply in kept.value.append(reply) }
            }
            try await peer.own("org.bluez")
            try await peer.own(BusNames.service)
            try await peer.own("org.freedesktop.Notifications")
            let facts = await reader(bus, patience: .milliseconds(300)).facts()
            // On a machine that is busy the bus itself may not have answered in time.
            #expect(facts.systemBus.value?.answer ?? .noAnswer == .noAnswer)
            #expect(facts.desktop.value == nil)
        }
    }

    @Test("The policy refuses")
    func denied() async throws {
        try await TestBus.with { bus in
            let peer = try await bus.connect()
            await peer.export("/") { _, reply in
                reply.fail(BusError(BusError.accessDenied, "Rejected send message"))
            }
            try await peer.own("org.bluez")
            #expect(await reader(bus).facts().systemBus.value?.answer == .denied)
        }
    }

    private func places(
        _ bus: TestBus, patience: Duration = .seconds(60)
    ) -> FactsReader.Places {
        var places = FactsReader.Places()
        places.systemBus = .address(bus.address)
        places.sessionBus = .address(bus.address)
        places.patience = patience
        return places
    }

    private func reader(_ bus: TestBus, patience: Duration = .seconds(60)) -> FactsReader {
        let places = places(bus, patience: patience)
        return FactsReader(isSystem: false, configuration: nil, state: nil, places: places)
    }

    // MARK: Files

    @Test("The kernel's interfaces and switches, the settings, and the clock")
    func files() async throws {
        let folder = try TemporaryDirectory()
        for name in [
            "bluetooth", "bluetooth/hci0", "bluetooth/hci0:64", "rfkill", "rfkill/rfkill3", "time",
        ] {
            mkdir("\(folder.path)/\(name)", 0o700)
        }
        for (name, text) in [("type", "bluetooth"), ("name", "hci0"), ("soft", "1"), ("hard", "0")]
        {
            try folder.write("rfkill/rfkill3/\(name)", Array("\(text)\n".utf8))
        }
        try folder.write("main.conf", Array("[General]\nControllerMode = bredr\n".utf8))
        try folder.write("group", Array("root:x:0:\nbluetooth:x:\(getegid()):ada\n".utf8))
        var places = folder.places
        places.kernel = folder.path
        places.settings = folder.path + "/main.conf"
        places.groups = folder.path + "/group"
        places.timeService = folder.path + "/time"
        let facts = await FactsReader(
            isSystem: false, configuration: nil, state: nil, places: places
        ).facts()
        #expect(facts.machine.interfaces == ["hci0"])
        #expect(facts.machine.switches == [.init(name: "hci0", isSoft: true)])
        #expect(facts.machine.isInBluetoothGroup)
        #expect(facts.settings.value?.map(\.key) == ["ControllerMode"])
        #expect(facts.clock.isSynchronized == false)
        #expect(facts.clock.now.microsecondsSince1970 > 1_735_689_600_000_000)
    }

    @Test("The hardware of an interface, as sysfs has it")
    func hardware() async throws {
        let folder = try TemporaryDirectory()
        for name in ["bluetooth", "bluetooth/hci0", "bluetooth/hci0/device", "bluetooth/hci1"] {
            mkdir("\(folder.path)/\(name)", 0o700)
        }
        let modalias = "usb:v0BDAp8771d0200dcE0dsc01dp01icE0isc01ip01in00\n"
        try folder.write("bluetooth/hci0/device/modalias", Array(modalias.utf8))
        try folder.write("bluetooth/hci0/product", Array("Bluetooth Radio\n".utf8))
        var places = folder.places
        places.kernel = folder.path
        let facts = await FactsReader(
            isSystem: false, configuration: nil, state: nil, places: places
        ).facts()
        #expect(
            facts.machine.hardware == [
                "hci0": AdapterHardware(identifier: "0bda:8771", product: "Bluetooth Radio"),
                "hci1": AdapterHardware(identifier: ""),
            ])
    }

    @Test("A program of a rule that does not exist, with its place and its rule")
    func missingPrograms() async throws {
        let folder = try TemporaryDirectory()
        let text = "[[rule]]\nname = 'calls'\ndo = [{ run = ['/no/lights'] }]\n"
        let path = folder.path + "/config.toml"
        try folder.write("config.toml", Array(text.utf8))
        let facts = await FactsReader(
            isSystem: false, configuration: path, state: nil, places: folder.places
        ).facts()
        #expect(facts.configuration.faults == [])
        #expect(
            facts.configuration.doubts == [
                "\(path):3:16: the rule \"calls\" cannot run \"/no/lights\": No such file or directory"
            ])
    }

    @Test("A broken configuration, with its places")
    func configuration() async throws {
        let folder = try TemporaryDirectory()
        try folder.write("config.toml", Array("[bluetooth]\nnam = \"Desk\"\n".utf8))
        let path = folder.path + "/config.toml"
        let facts = await FactsReader(
            isSystem: false, configuration: path, state: nil, places: folder.places
        ).facts()
        #expect(facts.configuration.exists)
        #expect(facts.configuration.faults.first?.hasPrefix("\(path):2:1: ") == true)
    }

    @Test("A history that others may read, and one that is damaged")
    func history() async throws {
        let folder = try TemporaryDirectory()
        let reader = FactsReader(
            isSystem: false, configuration: nil, state: folder.path, places: folder.places)
        #expect(await reader.facts().history.value.map { $0 == nil } == true)
        try folder.write("history.sqlite", Array("SQLite format 3\0 and more".utf8))
        var history = try #require(await reader.facts().history.value ?? nil)
        #expect(!history.isOpenToOthers && !history.isFolderOpenToOthers && history.fault == nil)
        chmod(history.path, 0o644)
        chmod(folder.path, 0o755)
        try folder.write("other", [])
        history = try #require(await reader.facts().history.value ?? nil)
        #expect(history.isOpenToOthers && history.isFolderOpenToOthers)
        unlink(history.path)
        try folder.write("history.sqlite", Array("something else".utf8))
        history = try #require(await reader.facts().history.value ?? nil)
        #expect(history.fault != nil)
    }

    // MARK: Programs

    @Test("The programs that talk ANCS")
    func programs() async throws {
        let folder = try TemporaryDirectory()
        let (own, other) = (getuid(), getuid() + 1)
        let processes: [(number: String, words: [String], environment: [String]?, user: uid_t)] = [
            ("101", ["/usr/bin/ancs", "serve"], ["XDG_CONFIG_HOME=\(folder.path)/ada"], own),
            ("102", ["ancs", "receive", "--hci", "hci-socket:1"], nil, other),
            ("103", ["ancs", "doctor"], [], own),
            ("104", ["/usr/bin/python3", "/usr/bin/ancs4linux-observer"], [], own),
            ("105", ["vi", "ancs4linux-observer"], [], own), ("106", [], [], own),
            ("self", ["ancs", "receive"], [], own),
            ("107", ["ancs", "serve", "--config=\(folder.path)/two.toml"], nil, other),
            ("108", ["ancs", "serve", "--config", "\(folder.path)/broken.toml"], [], own),
            ("109", ["ancs", "serve"], nil, other), ("110", ["ancs", "receive"], [], own),
            ("111", ["ancs", "receive"], ["ANCS_HCI=hci-socket:2"], own),
            ("112", ["ancs", "receive"], nil, other),
            ("113", ["ancs", "receive", "--bluez", "hci1"], nil, other),
            ("114", ["ancs", "serve"], ["HOME=/root"], own),
            ("115", ["ancs4linux-observer"], [], own),
            ("116", ["ancs", "serve", "--config", "two.toml"], [], own),
        ]
        mkdir("\(folder.path)/ada", 0o700)
        mkdir("\(folder.path)/ada/ancs", 0o700)
        for (path, text) in [
            ("ada/ancs/config.toml", "[bluetooth]\nadapter = \"bluez:hci1\"\n"),
            ("two.toml", "[bluetooth]\nadapter = \"hci-socket:1\"\n"), ("broken.toml", "["),
        ] {
            try folder.write(path, Array(text.utf8))
        }
        for (name, words, environment, user) in processes {
            mkdir("\(folder.path)/\(name)", 0o700)
            let text = words.map { $0 + "\0" }.joined()
            try folder.write("\(name)/cmdline", Array(text.utf8))
            let variables = environment?.map { $0 + "\0" }.joined()
            if let variables { try folder.write("\(name)/environ", Array(variables.utf8)) }
            if name == "116" { symlink(folder.path, "\(folder.path)/\(name)/cwd") }
            // A process in a container has a number there too.
            let inner = ["114", "115"].contains(name) ? "\t7" : ""
            let status =
                "Name:\tancs\nUid:\t\(user)\t\(user)\t\(user)\t\(user)\nNSpid:\t\(name)\(inner)\n"
            try folder.write("\(name)/status", Array(status.utf8))
        }
        var places = folder.places
        places.processes = folder.path
        let facts = await FactsReader(
            isSystem: false, configuration: nil, state: nil, places: places
        ).facts()
        #expect(
            facts.programs == [
                .init(
                    process: 101, name: "ancs serve", kind: .daemon,
                    controller: .bluetoothd("hci1")),
                .init(
                    process: 102, name: "ancs receive", kind: .receiver,
                    controller: .own("hci-socket:1"), isOwn: false),
                .init(process: 104, name: "ancs4linux-observer", kind: .other),
                .init(
                    process: 107, name: "ancs serve", kind: .daemon, controller: .unknown,
                    isOwn: false),
                .init(process: 108, name: "ancs serve", kind: .daemon, controller: .unknown),
                .init(
                    process: 109, name: "ancs serve", kind: .daemon, controller: .unknown,
                    isOwn: false),
                .init(process: 110, name: "ancs receive", kind: .receiver),
                .init(
                    process: 111, name: "ancs receive", kind: .receiver,
                    controller: .own("hci-socket:2")),
                .init(
                    process: 112, name: "ancs receive", kind: .receiver, controller: .unknown,
                    isOwn: false),
                .init(
                    process: 113, name: "ancs receive", kind: .receiver,
                    controller: .bluetoothd("hci1"), isOwn: false),
                .init(process: 114, name: "ancs serve", kind: .daemon, controller: .unknown),
                .init(
                    process: 115, name: "ancs4linux-observer", kind: .other, controller: .unknown),
                .init(
                    process: 116, name: "ancs serve", kind: .daemon,
                    controller: .own("hci-socket:1")),
            ])
    }
}

extension TemporaryDirectory {
    /// Places at which nothing of this machine is seen.
    fileprivate var places: FactsReader.Places {
        var places = FactsReader.Places()
        places.kernel = path + "/none"
        places.asksKernel = false
        places.processes = path + "/none"
        places.settings = path + "/none"
        places.groups = path + "/none"
        places.timeService = path + "/none"
        places.systemBus = .address("unix:path=\(path)/none")
        places.sessionBus = .address("unix:path=\(path)/none")
        return places
    }
}

extension TestPeer {
    /// Has an object answer every call, and takes note of it.
    func answer(
        _ path: ObjectPath, _ calls: Box<[String]>,
        _ answer: @escaping @Sendable (BusMethodCall) -> [BusValue]
    ) async {
        await export(path) { call, reply in
            calls.value.append(call.member)
            reply.succeed(answer(call))
        }
    }
}

// MARK: What stands on the bus

private typealias Objects = [ObjectPath: [String: [String: BusValue]]]

private let device: ObjectPath = "/org/bluez/hci0/dev_AC_BC_32_01_02_03"
private let service: ObjectPath = "/org/bluez/hci0/dev_AC_BC_32_01_02_03/service0010"
private let source: ObjectPath = "/org/bluez/hci0/dev_AC_BC_32_01_02_03/service0010/char0011"

private let bluetoothd: Objects = [
    "/org/bluez/hci0": [
        "org.bluez.Adapter1": [
            "Address": .string("00:1A:7D:DA:71:13"), "Powered": .bool(true),
            "Roles": .strings(["central", "peripheral"]),
            "Modalias": .string("usb:v1D6Bp0246d0542"),
        ],
        "org.bluez.LEAdvertisingManager1": [
            "ActiveInstances": .byte(1), "SupportedInstances": .byte(3),
        ],
    ],
    device: [
        "org.bluez.Device1": [
            "Name": .string("Ada's iPhone"), "Address": .string("AC:BC:32:01:02:03"),
            "Adapter": .objectPath("/org/bluez/hci0"), "Connected": .bool(true),
            "Paired": .bool(true), "Bonded": .bool(true), "Trusted": .bool(true),
            "ServicesResolved": .bool(true),
            "UUIDs": .strings(["7905f431-b5ce-4e99-a40f-4b1e122d00d0"]),
        ],
        "org.bluez.Battery1": ["Percentage": .byte(80)],
    ],
    "/org/bluez/hci0/dev_11_22_33_44_55_66": [
        "org.bluez.Device1": ["Name": .string("Headset"), "Paired": .bool(true)]
    ],
    service: [
        "org.bluez.GattService1": [
            "UUID": .string("7905f431-b5ce-4e99-a40f-4b1e122d00d0"), "Device": .objectPath(device),
        ]
    ],
    source: [
        "org.bluez.GattCharacteristic1": [
            "UUID": .string("9fbf120d-6301-42d9-8c58-25e699a21dbd"),
            "Service": .objectPath(service), "Notifying": .bool(true),
        ]
    ],
]

private let daemon: Objects = [
    "/org/swift_ancs/ANCS1/phone_1": [
        BusNames.phone: [
            "Name": .string("Ada's iPhone"), "State": .string("unauthorized"),
            "Paired": .bool(false), "Keys": .string("doubtful"), "Advice": .string("allow it"),
            "Counts": .dictionary(
                [.string("social"): .uint32(2), .string("email"): .uint32(3)], key: "s", value: "u"),
            "Link": .structure([.double(11.25), .uint32(4), .double(6000), .bool(true)]),
        ]
    ]
]

private let manager: [String: BusValue] = [
    "Name": .string("Desk"), "State": .string("onAir"), "Message": .string("advertising"),
]

private let sink = BusValue.structure([
    .string("desktop"), .bool(false), .string("no server"), .uint32(0),
])
