import CLinux
import Testing

@testable import LinuxIO

@Suite("The pages of the program")
struct ProgramPagesTests {
    @Test("are given back, and are read again when they are needed")
    func released() async {
        await #expect(processExitsWith: .success) {
            let before = try residentFilePages()
            clinux_release_program_pages()
            // What counts them is in such pages itself.
            #expect(try residentFilePages() < before / 2)
        }
    }
}

/// How many pages of files are mapped and resident: proc_pid_statm(5).
private func residentFilePages() throws -> Int {
    let line = try #require(SystemFile.line(of: "/proc/self/statm"))
    return try #require(Int(line.split(separator: " ")[2]))
}
