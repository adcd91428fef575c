internal import CLinux
package import LinuxIO
internal import Octets

/// Keeps only a few pages of the program resident while a command runs, which may be for months.
///
/// Starting, pairing and each burst of notifications map pages of the program and its libraries: relocations,
/// cryptography, file parsing. They are two thirds of the process's memory. A second after such activity,
/// those that were never written to are unmapped. The few that are needed again come back from the page
/// cache.
package final class ProgramPages: Sendable {
    private static let delay = Duration.seconds(1)

    private let loop: EventLoop
    private let timer: LoopTimer

    package init(on loop: EventLoop) {
        self.loop = loop
        timer = LoopTimer(on: loop) { clinux_release_program_pages() }
    }

    /// Reports activity: the pages are unmapped a second later, if that is not already due earlier. On the
    /// loop only.
    package func wereUsed() {
        if timer.deadline == nil { timer.deadline = loop.now + Self.delay }
    }
}
