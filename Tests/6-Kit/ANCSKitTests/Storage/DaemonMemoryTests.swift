import BlueZ
import Foundation
import HCITransports
import LinuxIO
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// The file of what ended bluetoothd.
@Suite struct DaemonMemoryTests {
    private static let now = CaptureTime(microsecondsSince1970: 1_795_305_600_000_000)
    private static let enforcing = SELinux(
        mode: .enforcing, policy: .init(name: "targeted/policy.33", size: 3, time: 4))
    private static let modalias = "usb:v1D6Bp0246d0552"

    private func withMemory(_ body: (DaemonMemory) throws -> Void) throws {
        let directory = try TemporaryDirectory()
        try body(DaemonMemory(directory: directory.path + "/state"))
    }

    private static func ends(
        _ count: Int, _ selinux: SELinux = enforcing, age: Duration = .zero
    ) -> DaemonEnds {
        DaemonEnds(
            DaemonCircumstances(modalias: modalias, selinux: SELinuxState(selinux)), count: count,
            age: age)
    }

    @Test func theNextRunReadsWhatThisOneHasWritten() throws {
        try withMemory { memory in
            #expect(try memory.read() == [])
            let ends = [Self.ends(2, SELinux(), age: .seconds(100)), Self.ends(1)]
            try memory.write(ends, at: Self.now)
            #expect(try memory.read(at: Self.now) == ends)
            let later = try memory.read(at: Self.now + .seconds(60))
            #expect(later.map(\.age) == [.seconds(160), .seconds(60)])
            // A clock that was set back.
            let earlier = try memory.read(at: Self.now + .seconds(-86_400))
            #expect(earlier.map(\.age) == [.zero, .zero])
            let attributes = try FileManager.default.attributesOfItem(atPath: memory.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test func theDoctorReadsTheSame() throws {
        try withMemory { memory in
            let ends = [Self.ends(2, SELinux()), Self.ends(1)]
            try memory.write(ends, at: Self.now)
            func verdict(
                _ selinux: SELinux, _ modalias: String = Self.modalias, after: Duration = .zero
            ) throws -> DaemonMemory.Verdict {
                try memory.verdict(modalias: modalias, selinux, at: Self.now + after)
            }
            #expect(try verdict(Self.enforcing, after: .seconds(1_000_000)) == .endsDaemon(1))
            #expect(try verdict(Self.enforcing, "usb:v1D6Bp0246d0553") == .mayAsk)
            #expect(try verdict(SELinux(), after: .seconds(899)) == .endsDaemon(2))
            #expect(try verdict(SELinux(), after: .seconds(900)) == .mayAsk)
            #expect(try verdict(SELinux(mode: .enforcing)) == .mayAsk)
        }
    }

    private static let good =
        #"{"modalias":"","enforcing":true,"policy":"","count":1,"time":0}"#

    static let damaged = [
        "", "{", "[]", "{}", #"{"version":2,"ends":[]}"#, #"{"version":1}"#,
        #"{"version":1,"ends":{}}"#, #"{"version":1,"ends":[1]}"#, #"{"version":1,"ends":[{}]}"#,
        #"{"version":1,"ends":["# + good.replacingOccurrences(of: "true", with: "1") + "]}",
        #"{"version":1,"ends":["# + good.replacingOccurrences(of: ":1", with: ":0") + "]}",
        #"{"version":1,"ends":["# + good.replacingOccurrences(of: ":1", with: ":1001") + "]}",
        #"{"version":1,"ends":["# + good.replacingOccurrences(of: ":0", with: ":1.5") + "]}",
        #"{"version":1,"ends":["#
            + good.replacingOccurrences(
                of: #""policy":"""#, with: "\"policy\":\"\(String(repeating: "x", count: 257))\"")
            + "]}",
    ]

    @Test(arguments: damaged) func aDamagedFileIsSaidAndCanBeReplaced(_ text: String) throws {
        try withMemory { memory in
            try PrivateFile.write(path: memory.path, contents: Array(text.utf8))
            do throws(DaemonEndsTrouble) {
                _ = try memory.read()
                Issue.record("\(text) was read")
            } catch { #expect(error.message.hasPrefix("\(memory.path) is damaged")) }
            try memory.write([Self.ends(1)], at: Self.now)
            #expect(try memory.read(at: Self.now) == [Self.ends(1)])
        }
    }

    @Test func anyTimeIsRead() throws {
        try withMemory { memory in
            for time in [Int.min, -1, 0, Int.max] {
                let member = Self.good.replacingOccurrences(of: ":0", with: ":\(time)")
                try PrivateFile.write(
                    path: memory.path, contents: Array(#"{"version":1,"ends":[\#(member)]}"#.utf8))
                #expect(try memory.read(at: Self.now).count == 1)
            }
        }
    }

    @Test func noMoreIsReadThanTheLimit() throws {
        try withMemory { memory in
            let list = Array(repeating: Self.good, count: 1_000).joined(separator: ",")
            try PrivateFile.write(
                path: memory.path, contents: Array(#"{"version":1,"ends":[\#(list)]}"#.utf8))
            #expect(try memory.read(at: Self.now).count == DaemonEnds.maximumRecords)
        }
    }

    @Test func aFileThatOthersMayReadIsNotRead() throws {
        try withMemory { memory in
            try memory.write([Self.ends(1)])
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644], ofItemAtPath: memory.path)
            #expect(throws: DaemonEndsTrouble.self) { try memory.read() }
        }
    }
}
