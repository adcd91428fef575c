import Foundation
import Testing

@testable import LinuxIO

@Suite struct SELinuxTests {
    private struct Machine {
        let directory: TemporaryDirectory

        init(enforce: String?) throws {
            directory = try TemporaryDirectory()
            if let enforce { try write("sys/fs/selinux/enforce", enforce) }
        }

        func write(_ path: String, _ text: String, time: TimeInterval? = nil) throws {
            let path = "\(directory.path)/\(path)"
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent,
                withIntermediateDirectories: true)
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            guard let time else { return }
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: time)], ofItemAtPath: path)
        }

        var state: SELinux { SELinux.state(root: directory.path) }
    }

    @Test func aMachineWithoutItHasNone() throws {
        let machine = try Machine(enforce: nil)
        // What is on disk does not count.
        try machine.write("etc/selinux/targeted/policy/policy.33", "x", time: 1)
        #expect(machine.state == SELinux())
    }

    @Test(arguments: [("1", SELinux.Mode.enforcing), ("0\n", .permissive), ("", .absent)])
    func itsMode(_ text: String, _ mode: SELinux.Mode) throws {
        #expect(try Machine(enforce: text).state == SELinux(mode: mode))
    }

    @Test func theNewestPolicyCounts() throws {
        let machine = try Machine(enforce: "1")
        let folder = "etc/selinux"
        try machine.write("\(folder)/targeted/policy/policy.33", "123", time: 1_762_214_400)
        try machine.write("\(folder)/targeted/policy/policy.31", "1", time: 1_700_000_000)
        try machine.write("\(folder)/mls/policy/policy.33", "12", time: 1_600_000_000)
        try machine.write("\(folder)/targeted/policy/other", "12", time: 1_800_000_000)
        try machine.write("\(folder)/targeted/policy/policy.34/file", "12", time: 1_800_000_000)
        let policy = SELinux.Policy(name: "targeted/policy.33", size: 3, time: 1_762_214_400)
        #expect(machine.state.policy == policy)
        #expect(policy.identity == "targeted/policy.33 3 1762214400")
    }
}
