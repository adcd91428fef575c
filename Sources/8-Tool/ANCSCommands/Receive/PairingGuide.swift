internal import ANCSService
internal import LinuxIO

/// Conducts the dialogue of pairing for `ancs receive`, which reports the events themselves in its own way: from the
/// dialogue it takes what to try after a while, and the most likely cause.
final class PairingGuide: @unchecked Sendable {
    // Unchecked: used on the loop's thread only.

    /// For how long a user waits for a phone before the most likely cause is said, in seconds. Pairing may be open
    /// for longer.
    static let time = 120

    private let loop: EventLoop
    private let setting: PairingSetting
    private let say: @Sendable (PairingStep) -> Void
    private var dialogue: PairingDialogue?
    private var isOnAir = false
    private lazy var timer = LoopTimer(on: loop) { [weak self] in self?.handleTimeout() }

    /// A guide that passes on the steps on the loop.
    init(
        at setting: PairingSetting, on loop: EventLoop,
        say: @escaping @Sendable (PairingStep) -> Void
    ) { (self.loop, self.setting, self.say) = (loop, setting, say) }

    /// Phones may pair from now on: begins a dialogue, or extends the current one.
    func begin() {
        if dialogue == nil {
            dialogue = PairingDialogue(
                at: setting, for: .seconds(Self.time), isOnAir: isOnAir, at: loop.now)
        } else {
            dialogue?.extend(by: .seconds(Self.time), at: loop.now)
        }
        drain()
    }

    /// An event of the consumer.
    func receive(_ event: ConsumerEvent) {
        if case .device(.advertising(let isOnAir)) = event { self.isOnAir = isOnAir }
        dialogue?.receive(event, at: loop.now)
        drain()
    }

    private func handleTimeout() {
        dialogue?.handleTimeout(at: loop.now)
        drain()
    }

    private func drain() {
        while let output = dialogue?.pollOutput() {
            // A session of `ancs receive` asks by itself, soon enough.
            guard case .step(let step) = output else { continue }
            say(step)
            if case .ended = step.kind { dialogue = nil }
        }
        timer.deadline = dialogue?.nextDeadline
    }
}
