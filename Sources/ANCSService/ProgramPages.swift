internal import CLinux
package import LinuxIO
internal import Octets

/// Keeps few pages of the program in memory while a command runs, which may be months.
///
/// Starting, pairing and each burst of notifications map pages of the program and its libraries: relocations,
/// cryptography, the reading of files. They are two thirds of the process's memory. One second after something
/// has happened, those that were never written to are unmapped. The few that are needed again come back from
/// the page cache.
package final class ProgramPages: Sendable {
    private static let delay = Duration.seconds(1)

    private let loop: EventLoop
    private let timer: LoopTimer

    package init(on loop: EventLoop) {
        self.loop = loop
        timer = LoopTimer(on: loop) { clinux_release_program_pages() }
    }

    /// Something has happened. On the loop only.
    package func wereUsed() {
        if timer.deadline == nil { timer.deadline = loop.now + Self.delay }
    }
}
