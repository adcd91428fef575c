import Glibc

/// One seed: its plan, its world, and what is said about it.
enum Simulation {
    /// Whether every rule holds with a seed.
    static func passes(_ seed: UInt64, snoopDirectory: String?) async throws -> Bool {
        var template = Array("/tmp/ancs-simulation-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw Failure.noDirectory }
        let directory = String(cString: made)
        defer { remove(directory) }
        let result = try await World.run(
            Plan(seed: seed), directory: directory, snoopDirectory: snoopDirectory)
        for line in result.trace { print(line) }
        for violation in result.violations.prefix(5) {
            print("seed \(seed): \(violation.rule): \(violation.evidence)")
        }
        if !result.violations.isEmpty {
            print("seed \(seed): replay with 'make simulate SEEDS=\(seed) SNOOP=DIRECTORY'")
        }
        return result.violations.isEmpty
    }

    enum Failure: Error { case noDirectory }

    /// Files and directories of a run, two levels deep.
    private static func remove(_ directory: String) {
        for name in entries(of: directory) {
            let path = "\(directory)/\(name)"
            for file in entries(of: path) { unlink("\(path)/\(file)") }
            rmdir(path)
        }
        rmdir(directory)
    }

    private static func entries(of directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }
}
