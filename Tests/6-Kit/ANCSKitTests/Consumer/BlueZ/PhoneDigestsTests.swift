import BlueZTestKit
import BluetoothTypes
import LinuxIO
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

@Suite struct PhoneDigestsTests {
    private static let address = "C0:FF:EE:00:00:01"

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func aPhoneHasTheSameDigestInEveryRunOnAMachine() async throws {
        let machine = try file(ofMachine: "0123456789abcdef0123456789abcdef")
        let other = try file(ofMachine: "0123456789abcdef0123456789abcdee")
        let digests = PhoneDigests(machineIDPath: machine)
        let digest = digests.digest(of: Self.address)
        #expect(digest.utf8.count == 16)
        #expect(UInt64(digest, radix: 16) != nil)
        #expect(PhoneDigests(machineIDPath: machine).digest(of: Self.address) == digest)
        #expect(digests.digest(of: "C0:FF:EE:00:00:02") != digest)
        #expect(PhoneDigests(machineIDPath: other).digest(of: Self.address) != digest)
    }

    @Test(arguments: ["", "uninitialized", "0123"])
    func aMachineWithoutAnIDHasAnotherKeyInEachRun(text: String) throws {
        let machine = try file(ofMachine: text)
        let digests = [1, 2].map { _ in
            PhoneDigests(machineIDPath: machine).digest(of: Self.address)
        }
        #expect(Set(digests).count == 2)
    }

    /// Whether the machine that runs the tests has an ID, or not.
    @Test func aDeviceHasTheSameIdentifierInAllProgramsOfAMachineAndNoOtherDeviceHasIt() throws {
        let machine = try file(ofMachine: "0123456789abcdef0123456789abcdef")
        let address = try #require(DeviceAddress(text: Self.address, kind: .random))
        let devices = [
            address, DeviceAddress(address.rawValue, kind: .public),
            DeviceAddress(address.rawValue + 1, kind: .random),
        ]
        func identifiers() -> [UInt128] {
            let digests = PhoneDigests(machineIDPath: machine)
            return devices.flatMap { device in
                (0...1 as ClosedRange<UInt8>).map { digests.identifier(of: device, attempt: $0) }
            }
        }
        let first = identifiers()
        #expect(Set(first).count == 6)
        #expect(identifiers() == first)
    }

    @Test func theDigestIsThatOfTheIdentityAndTheSameInTwoRuns() async throws {
        let machine = try file(ofMachine: "0123456789abcdef0123456789abcdef")
        var digests: [String] = []
        for _ in 1...2 {
            try await BlueZBench.run { bench in
                try await bench.double.addPairedPhone()
                let story = Story(of: try bench.consumer(machineID: machine))
                await story.consumer.start()
                try await story.until("on air")
                await bench.double.connect(BlueZBench.phone)
                let event = try await story.until("1 connected")
                guard case .peer(_, .connected(let description)) = event else { return }
                digests.append(description.digest)
                await story.consumer.stop()
            }
        }
        let expected = PhoneDigests(machineIDPath: machine).digest(of: Self.address)
        #expect(digests == [expected, expected])
    }

    /// A file with the ID of a machine.
    private func file(ofMachine id: String) throws -> String {
        let path = "\(directory.path)/machine-\(id)"
        try PrivateFile.write(path: path, contents: Array((id + "\n").utf8))
        return path
    }
}
