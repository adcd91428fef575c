import ANCSKit
import DBus
import DBusTestKit
import Glibc
import LinuxIO
import Testing

@testable import ANCSService

@Suite("The doctor and SELinux")
struct DoctorSELinuxTests {
    private static func policy(_ time: Int64) -> SELinux.Policy {
        .init(name: "targeted/policy.33", size: 1, time: time)
    }

    private static func finding(
        _ id: Finding.ID, _ change: (inout Facts) -> Void
    ) -> Finding? {
        var facts = Facts.desk
        change(&facts)
        return Examination.diagnosis(of: facts).findings.first { $0.id == id }
    }

    @Test("Its mode and its policy are named")
    func state() {
        let states: [(SELinux, String)] = [
            (SELinux(), "not in use, or not visible here"),
            (SELinux(mode: .permissive), "permissive, policy not visible"),
            (
                SELinux(mode: .enforcing, policy: Self.policy(1_762_214_400)),
                "enforcing, targeted/policy.33 of 2025-11-04"
            ),
            (
                SELinux(mode: .permissive, policy: Self.policy(0)),
                "permissive, targeted/policy.33 of 1970-01-01"
            ),
        ]
        for (selinux, seen) in states {
            let finding = Self.finding(.selinux) { $0.machine.selinux = selinux }
            #expect(finding == .fine(.selinux, seen))
        }
    }

    @Test("An enforcing policy from before November 2025 gives a note, at any time of day")
    func oldPolicy() throws {
        for time in [1_762_214_399, 0, .min, -1] as [Int64] {
            let finding = try #require(
                Self.finding(.selinux) {
                    $0.machine.selinux = SELinux(mode: .enforcing, policy: Self.policy(time))
                })
            #expect(finding.severity == .note)
            #expect(finding.remedy.contains("selinux-policy"))
        }
        let never = Self.finding(.selinux) {
            $0.machine.selinux = SELinux(mode: .enforcing, policy: Self.policy(.max))
        }
        #expect(never?.severity == .fine)
    }

    @Test("A bluetoothd that has ended is a fault, or a note if texts cross the bus")
    func endedForSockets() throws {
        #expect(Self.finding(.socket) { _ in } == nil)
        func finding(_ count: Int, onBus: Bool, _ mode: SELinux.Mode) -> Finding? {
            Self.finding(.socket) { facts in
                facts.machine.selinux.mode = mode
                facts.configuration.values.bluetooth.allowsTextsOnBus = onBus
                facts.changeBluetoothd { $0.adapters[0].socketEnds = .seen(count) }
            }
        }
        let fault = try #require(finding(1, onBus: false, .enforcing))
        #expect(fault.severity == .fault)
        #expect(fault.seen.hasPrefix("bluetoothd has ended once when it was asked"))
        #expect(fault.remedy.contains("SELinux") && fault.remedy.contains("texts-on-bus = true"))
        let other = try #require(finding(2, onBus: false, .absent))
        #expect(other.seen.contains("2 times") && !other.remedy.contains("SELinux"))
        let note = try #require(finding(1, onBus: true, .enforcing))
        #expect(note.severity == .note)
        #expect(!note.remedy.contains("texts-on-bus"))
    }

    @Test("What cannot be read is unseen")
    func unseen() {
        let finding = Self.finding(.socket) { facts in
            facts.changeBluetoothd {
                $0.adapters[0].socketEnds = .unseen(because: "it is damaged")
            }
        }
        #expect(finding?.severity == .unseen)
    }

    @Test("It is read from the machine's files and the daemon's")
    func reading() async throws {
        let folder = try TemporaryDirectory()
        for name in ["sys", "sys/fs", "sys/fs/selinux", "state"] {
            mkdir("\(folder.path)/\(name)", 0o700)
        }
        try folder.write("sys/fs/selinux/enforce", Array("1".utf8))
        let path = DaemonMemory(directory: folder.path + "/state").path
        let record =
            #"{"modalias":"usb:v1D6Bp0246d0552","enforcing":true,"policy":"","count":3,"time":0}"#
        func ends(in text: String) async throws -> Seen<Int>? {
            try PrivateFile.write(path: path, contents: Array(text.utf8))
            let seen = Box<Seen<Int>?>(nil)
            try await TestBus.with { bus in
                let peer = try await bus.connect()
                let adapter: [String: [String: BusValue]] = [
                    "org.bluez.Adapter1": ["Modalias": .string("usb:v1D6Bp0246d0552")]
                ]
                await peer.answer("/", Box<[String]>([])) { _ in
                    [.managedObjects(["/org/bluez/hci0": adapter])]
                }
                try await peer.own("org.bluez")
                var places = FactsReader.Places()
                places.systemBus = .address(bus.address)
                places.sessionBus = .address(bus.address)
                places.patience = .seconds(60)
                places.selinux = folder.path
                let facts = await FactsReader(
                    isSystem: false, configuration: nil, state: folder.path + "/state",
                    places: places
                ).facts()
                #expect(facts.machine.selinux == SELinux(mode: .enforcing))
                seen.value = facts.systemBus.value?.adapters.first?.socketEnds
            }
            return seen.value
        }
        #expect(try await ends(in: #"{"version":1,"ends":[\#(record)]}"#) == .seen(3))
        #expect(try await ends(in: #"{"version":1,"ends":[]}"#) == .seen(0))
        guard case .unseen? = try await ends(in: "?") else {
            Issue.record("a damaged file was read")
            return
        }
    }
}
