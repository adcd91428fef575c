internal import CLinux
package import LinuxIO

/// The pages of the program in memory.
package enum ProgramPages {
    /// Unmaps, one second from now, the pages that were only needed for starting or pairing: relocated
    /// libraries, cryptography, the reading of files. They are two thirds of the process's memory at that
    /// time, and it may run for months. The few that a session uses are mapped again when needed.
    package static func releaseUnused(on loop: EventLoop) {
        Task(executorPreference: loop) {
            do { try await loop.sleep(for: .seconds(1)) } catch { return }
            clinux_release_program_pages()
        }
    }
}
