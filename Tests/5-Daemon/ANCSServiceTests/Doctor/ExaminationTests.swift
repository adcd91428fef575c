import ANCSKit
@testable import ANCSService
import HCITransports
import LinuxIO
import Testing

@Suite("The doctor's examination")
struct ExaminationTests {
    /// A machine, and what is done to it.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var facts: Facts
        /// What is found first.
        var id: Finding.ID
        /// What its remedy names.
        var remedy: String
        var testDescription: String { name }

        init(
            _ name: String, _ machine: Facts, _ id: Finding.ID, _ remedy: String,
            _ change: (inout Facts) -> Void
        ) {
            self.name = name
            self.id = id
            self.remedy = remedy
            facts = machine
            change(&facts)
        }
    }

    static let healthy: [Case] = [
        Case("a desktop", .desk, .adapter, "") { _ in },
        Case("a desktop before the first pairing", .beforePairing, .adapter, "") { _ in },
        Case("a gateway", .gateway, .adapter, "") { _ in },
        Case("a Raspberry Pi", .raspberryPi, .adapter, "") { _ in },
        Case("a phone that is away", .desk, .adapter, "") {
            $0.setPhone(.away)
            $0.changeDevice { $0.isConnected = false }
        },
        Case("a controller of its own", .desk, .adapter, "") {
            $0.configuration.values.bluetooth.adapter = "hci-socket:1"
            $0.systemBus = .unseen(because: "there is no system bus: is D-Bus running?")
        },
        Case("another adapter blocked", .desk, .adapter, "") {
            $0.machine.switches.append(.init(name: "hci1", isSoft: true))
        },
    ]

    @Test("A healthy machine raises no alarm", arguments: healthy)
    func healthyMachine(_ machine: Case) {
        let diagnosis = Examination.diagnosis(of: machine.facts)
        #expect(diagnosis.firstFault == nil)
        #expect(diagnosis.firstUnseen == nil)
    }

    static let planted: [Case] = [
        Case("no adapter", .beforePairing, .adapter, "plug one in") {
            $0.machine.interfaces = []
            $0.changeBluetoothd { $0.adapters = [] }
            $0.changeDaemon { $0.phase = .waitingForAdapter }
        },
        Case("not the adapter that is configured", .desk, .adapter, "hci7") {
            $0.configuration.values.bluetooth.adapter = "bluez:hci7"
        },
        Case("a controller that another program has", .desk, .adapter, "--hci") {
            $0.changeBluetoothd { $0.adapters = [] }
        },
        Case("rfkill", .desk, .radioSwitch, "rfkill unblock bluetooth") {
            $0.machine.switches[0].isSoft = true
            $0.changeBluetoothd { $0.adapters[0].isPowered = false }
        },
        Case("a key of the machine", .desk, .radioSwitch, "airplane mode key") {
            $0.machine.switches[1].isHard = true
        },
        Case("no system bus", .desk, .systemBus, "/run/dbus/system_bus_socket") {
            $0.systemBus = .unseen(because: "there is no system bus: is D-Bus running?")
        },
        Case("no bluetoothd", .desk, .bluetoothd, "systemctl start bluetooth") {
            $0.changeBluetoothd { $0 = .answering(.notRunning) }
        },
        Case("a bluetoothd that hangs", .desk, .bluetoothd, "systemctl restart bluetooth") {
            $0.changeBluetoothd { $0 = .answering(.noAnswer) }
        },
        Case("a bluetoothd with an error", .desk, .bluetoothd, "systemctl restart bluetooth") {
            $0.changeBluetoothd { $0 = .answering(.refused("Resource not ready")) }
        },
        Case("the policy of the bus", .desk, .permission, "group bluetooth") {
            $0.changeBluetoothd { $0 = .answering(.denied) }
        },
        Case("powered off", .desk, .power, "bluetoothctl power on") {
            $0.changeBluetoothd { $0.adapters[0].isPowered = false }
        },
        Case("without Low Energy", .desk, .lowEnergy, "another adapter") {
            $0.changeBluetoothd { $0.adapters[0].canAdvertise = false }
        },
        Case("a central only", .desk, .lowEnergy, "another adapter") {
            $0.changeBluetoothd { $0.adapters[0].roles = ["central"] }
        },
        Case("ControllerMode", .desk, .bluetoothdSettings, "ControllerMode = dual") {
            $0.settings = .seen([
                .init(section: "General", key: "ControllerMode", value: "bredr", line: 7)
            ])
        },
        Case("ReverseServiceDiscovery", .desk, .bluetoothdSettings, "line 9") {
            $0.settings = .seen([
                .init(section: "General", key: "ReverseServiceDiscovery", value: "false", line: 9)
            ])
        },
        Case("an advertisement that is dead", .beforePairing, .advertising, "restart ancs") {
            $0.changeBluetoothd { $0.adapters[0].activeAdvertisements = 0 }
        },
        Case("no place for the advertisement", .beforePairing, .advertising, "advertise") {
            $0.changeDaemon { $0.phase = .running }
            $0.changeBluetoothd { $0.adapters[0].freeAdvertisements = 0 }
        },
        Case("a broken configuration", .desk, .configuration, "serve --check") {
            $0.configuration.faults = [
                "/home/ada/.config/ancs/config.toml:3:1: unknown key \"nam\""
            ]
        },
        Case("no daemon", .desk, .daemon, "systemctl --user start ancs") {
            $0.daemon = .seen(nil)
            $0.programs = []
        },
        Case("no daemon of a gateway", .gateway, .daemon, "sudo systemctl start ancs") {
            $0.daemon = .seen(nil)
            $0.programs = []
        },
        Case("a daemon that waits", .desk, .daemon, "restart ancs") {
            $0.changeDaemon { $0.phase = .waitingForAdapter }
        },
        Case("a desktop that shows no popups", .desk, .desktop, "fix this") {
            $0.changeDaemon { $0.sinks[0].status.isWorking = false }
        },
        Case("a sink that fails", .desk, .sink, "fix this") {
            $0.changeDaemon { $0.sinks[1].status.isWorking = false }
        },
        Case("a program of a rule that fails", .desk, .sink, "serve --check") {
            $0.changeDaemon {
                $0.sinks.append(
                    .init(
                        name: "hooks", isWorking: false,
                        message: "1 failing: x of the rule 'y' ended with status 1"))
            }
        },
        Case("a broker that is away", .desk, .broker, "tries again") {
            $0.configuration.values.mqtt.host = "localhost"
            $0.changeDaemon {
                $0.sinks.append(.init(name: "mqtt", isWorking: false, message: "refused"))
            }
        },
        Case("another project's receiver", .desk, .otherPrograms, "kill 77") {
            $0.programs.append(.init(process: 77, name: "ancs4linux-observer", kind: .other))
        },
        Case("two of ours", .desk, .otherPrograms, "kill 901") {
            $0.programs.append(.init(process: 901, name: "ancs receive", kind: .receiver))
        },
        Case("an unknown subscriber", .raspberryPi, .otherPrograms, "bluetoothctl disconnect") {
            $0.programs = [
                .init(
                    process: 5, name: "ancs receive", kind: .receiver,
                    controller: .own("hci-socket:1"))
            ]
        },
        Case("a blocked phone", .desk, .bond, "bluetoothctl unblock AC:BC:32:01:02:03") {
            $0.changeDevice { $0.isBlocked = true }
        },
        Case("a bond that is not kept", .desk, .bond, "bluetoothctl remove AC:BC:32:01:02:03") {
            $0.changeDevice { $0.isBonded = false }
        },
        Case(
            "paired by BR/EDR only", .beforePairing, .bond, "bluetoothctl remove AC:BC:32:01:02:03"
        ) {
            $0.changeBluetoothd {
                $0.devices = [.phone]
                $0.devices[0].knowsANCS = false
                $0.devices[0].hasANCS = false
                $0.devices[0].isApplePhone = true
                $0.devices[0].hasLowEnergyServices = false
                $0.devices[0].hasBasicRate = true
            }
        },
        Case("a phone that has forgotten us", .desk, .bond, "forget 'Desk' on the phone") {
            $0.setPhone(
                .connected, keys: .lost,
                advice: "the phone has lost its keys: forget 'Desk' on the phone")
        },
        Case("forgotten, without a daemon", .raspberryPi, .subscription, "bluetoothctl remove") {
            $0.changeDevice { $0.isNotifying = false }
        },
        Case("forgotten, and the link stays up", .raspberryPi, .bond, "bluetoothctl remove") {
            $0.changeDevice { ($0.isEncrypted, $0.hasANCS) = (false, false) }
        },
        Case("no ANCS", .desk, .service, "Share System Notifications") {
            $0.setPhone(.waitingForService)
        },
        Case("no ANCS, without a daemon", .raspberryPi, .service, "Share System Notifications") {
            $0.changeDevice { $0.hasANCS = false }
        },
        Case("consent off", .desk, .authorization, "Share System Notifications") {
            $0.setPhone(.unauthorized)
        },
        Case("a phone that is silent", .desk, .answers, "off and on") { $0.setPhone(.silent) },
        Case("no desktop", .desk, .desktop, "apt install dunst") {
            $0.changeDesktop { $0.server = .none }
        },
        Case("do not disturb", .desk, .doNotDisturb, "dunstctl set-paused false") {
            $0.changeDesktop { $0.isPaused = true }
        },
        Case("do not disturb of Plasma", .desk, .doNotDisturb, "Do Not Disturb") {
            $0.changeDesktop { ($0.name, $0.isPaused) = ("Plasma", true) }
        },
        Case(
            "a history for everybody", .gateway, .history, "chmod 600 /var/lib/ancs/history.sqlite"
        ) {
            $0.changeHistory { $0.isOpenToOthers = true }
        },
        Case("a folder for everybody", .gateway, .history, "chmod 700 /var/lib/ancs") {
            $0.changeHistory { $0.isFolderOpenToOthers = true }
        },
        Case("a damaged history", .gateway, .history, "sets a damaged file aside") {
            $0.changeHistory { $0.fault = "it is damaged: not an SQLite database" }
        },
        Case("a clock of 1970", .desk, .clock, "timedatectl set-ntp true") {
            $0.clock.now = CaptureTime(microsecondsSince1970: 5_000_000)
        },
    ]

    @Test("A planted fault is found first", arguments: planted)
    func plantedFault(_ machine: Case) throws {
        let fault = try #require(Examination.diagnosis(of: machine.facts).firstFault)
        #expect(fault.id == machine.id)
        #expect(fault.remedy.contains(machine.remedy), "\(fault.remedy)")
        #expect(!fault.seen.isEmpty && !fault.why.isEmpty)
    }

    /// A machine with two adapters of bluetoothd, and programs beside the daemon on the first one.
    static let innocents: [[Facts.Program]] = [
        [.init(process: 5, name: "ancs serve", kind: .daemon, controller: .bluetoothd("hci1"))],
        [
            .init(
                process: 5, name: "ancs serve", kind: .daemon,
                controller: .bluetoothd("00:1A:7D:DA:71:14"))
        ],
        [.init(process: 5, name: "ancs serve", kind: .daemon, controller: .own("hci-socket:2"))],
        [
            .init(
                process: 5, name: "ancs serve", kind: .daemon, controller: .unknown, isOwn: false)
        ],
        [.init(process: 5, name: "ancs4linux-observer", kind: .other, controller: .unknown)],
        [
            .init(
                process: 5, name: "ancs receive", kind: .receiver, controller: .own("hci-socket:2")),
            .init(
                process: 6, name: "ancs receive", kind: .receiver, controller: .own("hci-socket:2")),
        ],
    ]

    @Test("Programs that do not use the same controller are not accused", arguments: innocents)
    func notAccused(_ programs: [Facts.Program]) throws {
        var facts = Facts.desk
        facts.changeBluetoothd {
            $0.adapters.append(Facts.Adapter(name: "hci1", address: "00:1A:7D:DA:71:14"))
        }
        facts.programs += programs
        #expect(Examination.diagnosis(of: facts).firstFault == nil)
        // Nor do they hide the true cause.
        facts.changeDaemon { $0.phase = .waitingForAdapter }
        #expect(Examination.diagnosis(of: facts).firstFault?.id == .daemon)
    }

    static let rivals: [(ours: String, theirs: Facts.Controller, isOwn: Bool, remedy: String)] = [
        ("bluez:hci1", .bluetoothd("00:1a:7d:da:71:14"), true, "kill 5"),
        ("bluez", .bluetoothd("hci0"), false, "process 5 of another user"),
        ("hci-socket:1", .own("hci-socket:1"), true, "kill 5"),
    ]

    @Test("A program that uses the same controller is a fault", arguments: rivals)
    func rival(
        ours: String, theirs: Facts.Controller, isOwn: Bool, remedy: String
    ) throws {
        var facts = Facts.desk
        facts.changeBluetoothd {
            $0.adapters.append(Facts.Adapter(name: "hci1", address: "00:1A:7D:DA:71:14"))
        }
        facts.configuration.values.bluetooth.adapter = ours
        facts.programs[0].controller = facts.configuration.controller
        facts.programs.append(
            .init(
                process: 5, name: "ancs receive", kind: .receiver, controller: theirs,
                isOwn: isOwn))
        let fault = try #require(Examination.diagnosis(of: facts).firstFault)
        #expect(fault.id == .otherPrograms)
        #expect(fault.remedy.contains(remedy))
    }

    @Test("Without a daemon, one of another user does not count as ours")
    func foreignDaemon() {
        var facts = Facts.desk
        facts.daemon = .seen(nil)
        facts.programs = [
            .init(
                process: 5, name: "ancs serve", kind: .daemon, controller: .unknown, isOwn: false)
        ]
        let diagnosis = Examination.diagnosis(of: facts)
        #expect(diagnosis.firstFault?.id == .daemon)
        // It may be the program that has subscribed.
        #expect(diagnosis.findings.first { $0.id == .otherPrograms }?.severity == .note)
    }

    static let notes: [Case] = [
        Case("no phone", .beforePairing, .phone, "ancs pair") { _ in },
        Case("an old BlueZ", .desk, .version, "5.66") {
            $0.changeBluetoothd { $0.adapters[0].version = BlueZVersion(5, 53) }
        },
        Case("a program that does not exist", .desk, .configuration, "install the program") {
            $0.configuration.doubts = ["c:3:16: the rule \"calls\" cannot run \"/no/lights\""]
        },
        Case("programs that do not exist", .desk, .configuration, "lists 1 more") {
            $0.configuration.doubts = ["c:3:16: one", "c:4:16: another"]
        },
        Case("an old policy", .desk, .selinux, "selinux-policy") {
            $0.machine.selinux = SELinux(
                mode: .enforcing, policy: .init(name: "targeted/policy.33", size: 1, time: 0))
        },
        Case("texts on the bus", .desk, .socket, "selinux-policy") {
            $0.machine.selinux.mode = .enforcing
            $0.configuration.values.bluetooth.allowsTextsOnBus = true
            $0.changeBluetoothd { $0.adapters[0].socketEnds = .seen(1) }
        },
        Case("AutoEnable", .desk, .bluetoothdSettings, "AutoEnable = true") {
            $0.settings = .seen([
                .init(section: "Policy", key: "AutoEnable", value: "false", line: 1)
            ])
        },
        Case("a stranger", .beforePairing, .bond, "ancs pair") {
            $0.changeBluetoothd {
                $0.devices = [.phone]
                $0.devices[0].isPaired = false
            }
        },
        Case("keys that did not fit once", .desk, .bond, "nothing is to be done yet") {
            $0.setPhone(
                .away, keys: .doubtful,
                advice: "the phone has another key: its bond is kept, and nothing is to be done yet"
            )
        },
        Case("keys that did not fit, of a phone that is near", .desk, .bond, "nothing is to be") {
            $0.setPhone(
                .connected, keys: .doubtful, advice: "its bond is kept, and nothing is to be done")
        },
        Case("a stranger that the daemon refused", .desk, .bond, "to pair it") {
            $0.changeDaemon {
                $0.phones.append(
                    PhoneStatus(
                        phone: PhoneName(digest: "0123456789abcdef"), state: .away, isPaired: false,
                        advice: "to pair it: 'ancs pair'"))
            }
        },
        Case("not trusted", .desk, .bond, "bluetoothctl trust AC:BC:32:01:02:03") {
            $0.changeDevice { $0.isTrusted = false }
        },
        Case("nothing comes", .desk, .iPhoneSettings, "Notification Center") {
            $0.changeDaemon { $0.phones[0].counts = [:] }
        },
        Case("a phone that is away", .desk, .link, "near") { $0.setPhone(.away) },
        Case("a phone that pairs", .desk, .bond, "answer") { $0.setPhone(.pairing) },
        Case("an adapter with reports of trouble", .desk, .knownAdapter, "another adapter") {
            $0.machine.hardware["hci0"] = AdapterHardware(identifier: "0a12:0001")
        },
        Case("a link that ends at each fade", .desk, .link, "keep the iPhone near") {
            $0.changeDaemon {
                $0.phones[0].link = LinkParameters(
                    interval: .milliseconds(30), supervisionTimeout: .milliseconds(720),
                    isKept: true)
            }
        },
        Case("Security", .desk, .bluetoothdSettings, "Security = auto") {
            $0.settings = .seen([
                .init(section: "General", key: "Testing", value: "true", line: 2),
                .init(section: "GATT", key: "Security", value: "low", line: 5),
            ])
        },
        Case(
            "discoverable", .beforePairing, .discoverable, "close the desktop's Bluetooth settings"
        ) {
            $0.changeBluetoothd { $0.adapters[0].isDiscoverable = true }
        },
        Case("sound", .desk, .audio, "output") { $0.changeDevice { $0.hasAudio = true } },
        Case("no buttons", .desk, .desktop, "") {
            $0.changeDesktop { $0.capabilities = ["body"] }
        },
        Case("popups off", .desk, .desktop, "popups = true") {
            $0.configuration.values.desktop.popups = false
        },
        Case("not synchronized", .desk, .clock, "timedatectl") {
            $0.clock.isSynchronized = false
        },
    ]

    @Test("Information is a note and not a fault", arguments: notes)
    func noteLine(_ machine: Case) throws {
        let diagnosis = Examination.diagnosis(of: machine.facts)
        #expect(diagnosis.firstFault == nil)
        let note = try #require(
            diagnosis.findings.first { $0.id == machine.id && $0.severity == .note })
        #expect(note.remedy.contains(machine.remedy), "\(note.remedy)")
    }

    static let unseen: [Case] = [
        Case("a daemon that may not be asked", .gateway, .daemon, "usermod -aG ancs") {
            $0.daemon = .unseen(because: "the bus does not let this user call the daemon")
        },
        Case("settings that may not be read", .desk, .bluetoothdSettings, "") {
            $0.settings = .unseen(because: "/etc/bluetooth/main.conf: Permission denied")
        },
        Case("a history that may not be read", .desk, .history, "") {
            $0.history = .unseen(because: "/var/lib/ancs: Permission denied")
        },
    ]

    @Test("What could not be checked is reported", arguments: unseen)
    func unseenLine(_ machine: Case) {
        let diagnosis = Examination.diagnosis(of: machine.facts)
        #expect(diagnosis.severity == .unseen)
        #expect(diagnosis.firstUnseen?.id == machine.id)
        #expect(diagnosis.firstUnseen?.remedy.contains(machine.remedy) != false)
    }

    @Test("A broker has a line where the configuration has one")
    func broker() {
        func findings(_ facts: Facts) -> [Finding] {
            Examination.diagnosis(of: facts).findings.filter { $0.id == .broker }
        }
        var facts = Facts.desk
        #expect(findings(facts).isEmpty)
        facts.configuration.values.mqtt.host = "localhost"
        #expect(findings(facts).map(\.severity) == [.note])
        facts.changeDaemon {
            $0.sinks.append(.init(name: "mqtt", message: "connected to localhost:1883"))
        }
        #expect(findings(facts) == [.fine(.broker, "connected to localhost:1883")])
    }

    @Test("A sink that shows no popups is the finding about the desktop, and there is one")
    func desktopSink() {
        var facts = Facts.desk
        facts.changeDaemon {
            $0.sinks = [.init(name: "desktop", isWorking: false, message: "no server")]
        }
        let found = Examination.diagnosis(of: facts).findings.filter {
            $0.id == .desktop || $0.id == .sink
        }
        #expect(found.map(\.seen) == ["no server"] && found[0].severity == .fault)
    }

    @Test("Beside the demo's daemon, the Bluetooth of the machine is not examined")
    func demo() {
        var facts = Facts.desk
        facts.machine.interfaces = []
        facts.systemBus = .unseen(because: "there is no system bus")
        facts.programs = [
            Facts.Program(
                process: 900, name: "ancs demo --desktop", kind: .demo, controller: .own("virtual"))
        ]
        #expect(Examination.diagnosis(of: facts).firstFault == nil)
        facts.programs.append(Facts.Program(process: 901, name: "ancs serve", kind: .daemon))
        #expect(Examination.diagnosis(of: facts).firstFault != nil)
    }

    @Test("A fault of the configuration names its file once")
    func configurationFile() {
        var facts = Facts.desk
        facts.configuration.faults = ["\(facts.configuration.path):3:1: unknown key \"nam\""]
        let fault = Examination.diagnosis(of: facts).firstFault
        #expect(fault?.subject == facts.configuration.path)
        #expect(fault?.seen == "3:1: unknown key \"nam\"")
    }

    @Test("Every line has a planted fault or a note")
    func everyLine() {
        let tried = Set((Self.planted + Self.notes + Self.unseen).map(\.id))
        // The link itself is a note only, where a phone is away.
        #expect(Finding.ID.allCases.filter { !tried.contains($0) } == [])
    }

    @Test("Names from the air are short")
    func longName() {
        var facts = Facts.desk
        facts.changeDevice { $0.name = String(repeating: "x", count: 248) }
        let subjects = Examination.diagnosis(of: facts).findings.map(\.subject)
        #expect(subjects.allSatisfy { $0.count <= 90 })
    }

    @Test("The version of BlueZ is in the Modalias of an adapter")
    func version() {
        #expect(BlueZVersion(modalias: "usb:v1D6Bp0246d0542") == BlueZVersion(5, 66))
        #expect(BlueZVersion(modalias: "usb:v05ACp0246d0542") == nil)
        #expect(BlueZVersion(modalias: "usb:v1D6Bp0246d+542") == nil)
        #expect(BlueZVersion(5, 66) < BlueZVersion(5, 82))
    }

    @Test("The settings of bluetoothd are read with their lines")
    func settings() {
        let text =
            "# Comment = no\n[General]\nName=Desk\r\n  ControllerMode = le\nbroken\n[Policy]\nAutoEnable=\n"
        #expect(
            MainSetting.settings(in: text) == [
                .init(section: "General", key: "Name", value: "Desk", line: 3),
                .init(section: "General", key: "ControllerMode", value: "le", line: 4),
                .init(section: "Policy", key: "AutoEnable", value: "", line: 7),
            ])
    }
}

extension Facts.Bluetoothd {
    fileprivate static func answering(_ answer: Answer) -> Facts.Bluetoothd {
        var bluetoothd = Facts.Bluetoothd()
        bluetoothd.answer = answer
        return bluetoothd
    }
}

extension Facts {
    fileprivate mutating func changeHistory(_ change: (inout History) -> Void) {
        guard var history = history.value ?? nil else { return }
        change(&history)
        self.history = .seen(history)
    }
}
