internal import Glibc
internal import HCITransports
internal import LinuxIO

/// A capture of HCI packets: what happened in it, in order.
///
///     for try await event in Capture(path: "hci.log") {
///         if case .sessionEnded(let counts) = event.event { print(counts.added) }
///     }
///
/// It is read while it is iterated, in pieces of 32 KiB, so it may be larger than memory, and it may be a pipe. Each
/// iterator reads it from the beginning. To follow a capture that comes in another way, use ``CaptureAnalyzer``.
public struct Capture: AsyncSequence, Sendable {
    /// Something that happened.
    public typealias Element = CaptureEvent

    private enum Source: Sendable {
        case path(String)
        case octets([UInt8])
    }

    private let source: Source

    /// The capture in a file, which is opened by the first call of an iterator's `next()`.
    public init(path: String) { source = .path(path) }

    /// The capture whose file has these octets.
    public init(octets: [UInt8]) { source = .octets(octets) }

    /// A new reader, at the beginning.
    public func makeAsyncIterator() -> AsyncIterator {
        switch source {
        case .path(let path): AsyncIterator(Reading(.unopened(path)))
        case .octets(let octets): AsyncIterator(Reading(.given(octets[...])))
        }
    }

    /// Reads a capture.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let reading: Reading

        fileprivate init(_ reading: Reading) { self.reading = reading }

        /// What the capture has so far.
        public var summary: CaptureAnalyzer.Summary { reading.analyzer.summary }

        /// What happened next; `nil` at the end, or if the task was cancelled while more had to be read.
        ///
        /// - Throws: ``CaptureError`` if the file cannot be read or is not a capture, or, after everything that
        ///   its sound part shows, if it is damaged.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(CaptureError) -> CaptureEvent? { try await reading.next() }

        /// What happened next; `nil` at the end, or if the task was cancelled while more had to be read.
        public mutating func next() async throws(CaptureError) -> CaptureEvent? {
            try await next(isolation: nil)
        }
    }

    /// A file that is being read.
    fileprivate final class Reading {
        enum Input {
            case unopened(String)
            case open(OwnedDescriptor, String)
            case given(ArraySlice<UInt8>)
            case ended
        }

        var input: Input
        var analyzer = CaptureAnalyzer()
        private var failure: CaptureError?

        init(_ input: Input) { self.input = input }

        /// In the isolation of the caller.
        func next() async throws(CaptureError) -> CaptureEvent? {
            while true {
                switch analyzer.pollOutput() {
                case .event(let event): return event
                case .format: break
                case .failed(let reason):
                    // What is open is reported first.
                    failure = .unreadable(reason)
                    end()
                case nil:
                    if case .ended = input {
                        defer { failure = nil }
                        if let failure { throw failure }
                        return nil
                    }
                    if Task.isCancelled { return nil }
                    guard let octets = try await read() else {
                        end()
                        break
                    }
                    analyzer.receive(octets)
                }
            }
        }

        private func end() {
            input = .ended
            analyzer.finish()
        }

        /// The next piece; `nil` at the end.
        private func read() async throws(CaptureError) -> ArraySlice<UInt8>? {
            switch input {
            case .ended: return nil
            case .given(let octets):
                let piece = octets.prefix(Capture.pieceCount)
                input = .given(octets.dropFirst(piece.count))
                return piece.isEmpty ? nil : piece
            case .unopened(let path):
                do throws(IOError) { input = .open(try await Capture.open(path), path) } catch {
                    input = .ended
                    throw .io(error)
                }
                return try await read()
            case .open(let file, let path):
                do throws(IOError) { return try await Capture.piece(of: file, path) } catch {
                    // What is open is not reported: nobody knows how it went on.
                    input = .ended
                    throw .io(error)
                }
            }
        }
    }

    // MARK: The file

    /// How many octets are read at once.
    private static let pieceCount = 32_768

    @concurrent private static func open(_ path: String) async throws(IOError) -> OwnedDescriptor {
        let number = uninterrupted { Glibc.open(path, O_RDONLY | O_CLOEXEC) }
        guard number >= 0 else { throw IOError("cannot read \(path)", errno: errno) }
        return OwnedDescriptor(number)
    }

    /// The next octets of a file; `nil` at its end. Waits for a pipe, away from the caller's actor.
    @concurrent private static func piece(
        of file: OwnedDescriptor, _ path: String
    ) async throws(IOError) -> ArraySlice<UInt8>? {
        guard let octets = nextOctets(of: file.number, atMost: pieceCount) else {
            throw IOError("cannot read \(path)", errno: errno)
        }
        return octets.isEmpty ? nil : octets[...]
    }
}

/// What it follows are objects, so it stays where it was made.
@available(*, unavailable) extension Capture.AsyncIterator: Sendable {}
