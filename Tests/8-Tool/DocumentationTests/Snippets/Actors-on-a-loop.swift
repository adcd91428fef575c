// swift-format-ignore-file
// The code of Sources/2-Platform/LinuxIO/LinuxIO.docc/Actors-on-a-loop.md.
import LinuxIO
import Octets

actor Watchdog: LoopActor {
    nonisolated let loop: EventLoop
    private var timer: LoopTimer?
    private(set) var hasBarked = false

    init(on loop: EventLoop) { self.loop = loop }

    /// Waits for the next call for at most five seconds.
    func feed() {
        let timer = self.timer ?? makeTimer()
        timer.deadline = loop.now + .seconds(5)
        self.timer = timer
    }

    private func makeTimer() -> LoopTimer {
        LoopTimer(on: loop) { [weak self] in self?.assumeIsolated { $0.hasBarked = true } }
    }
}
