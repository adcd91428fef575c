import CoreBluetooth
import LinuxIO
import Testing

@testable import CoreBluetooth

@Suite("The queue of a delegate")
struct DelegateQueueTests {
    private final class Owner: Sendable {
        let calls = Lock<[Int]>([])
    }

    @Test("calls are made in order, one at a time, even on a concurrent queue")
    func order() async {
        let owner = Owner()
        let calls = DelegateQueue<Owner>(
            DispatchQueue(label: "calls", attributes: .concurrent), on: nil)
        calls.owner = owner
        await withCheckedContinuation { done in
            for number in 0..<5_000 {
                calls.post { owner in owner.calls.withLock { $0.append(number) } }
            }
            calls.post { _ in done.resume() }
        }
        #expect(owner.calls.withLock { $0 } == Array(0..<5_000))
    }

    @Test("of devices that come with ever new addresses, 10,000 are known")
    func strangers() {
        let (table, strangers) = (PeripheralObjects(), (0..<10_100).map { _ in UUID() })
        for stranger in strangers { table.know([stranger]) }
        #expect(
            strangers.map(table.knows) == Array(repeating: true, count: 10_000)
                + Array(repeating: false, count: 100))
    }

    @Test("a queue that is suspended keeps 10,000 values, and as much else")
    func suspended() async {
        let owner = Owner()
        let queue = DispatchQueue(label: "suspended")
        let calls = DelegateQueue<Owner>(queue, on: nil)
        calls.owner = owner
        queue.suspend()
        for number in 0..<15_000 {
            calls.post(isValue: true) { owner in owner.calls.withLock { $0.append(number) } }
        }
        for number in 0..<20_000 {
            calls.post { owner in owner.calls.withLock { $0.append(-number) } }
        }
        await withCheckedContinuation { done in
            queue.async { done.resume() }
            queue.resume()
        }
        #expect(owner.calls.withLock { $0.count { $0 > 0 } } == 9_999)
        #expect(owner.calls.withLock { $0.count } == 20_000)
    }

    @Test("nothing is called for an owner that is gone")
    func gone() async {
        let owner = Lock<Owner?>(Owner())
        let queue = DispatchQueue(label: "gone")
        let calls = DelegateQueue<Owner>(queue, on: nil)
        calls.owner = owner.withLock { $0 }
        let called = Lock(false)
        queue.suspend()
        calls.post { _ in called.withLock { $0 = true } }
        owner.withLock { $0 = nil }
        await withCheckedContinuation { done in
            queue.async { done.resume() }
            queue.resume()
        }
        #expect(!called.withLock { $0 })
    }
}
