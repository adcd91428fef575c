// Drives the protocol state machines from standard input; see Documentation/Development/ProtocolPipe.md.
internal import Glibc

/// A state machine behind the pipe. It receives every frame and writes the state machine's outputs.
protocol PipeSession: ~Copyable {
    init()
    mutating func receive(_ frame: PipeFrame, frames: PipeFrames) throws(PipeError)
}

func fail(_ message: String) -> Never {
    let line = Array("protocol-pipe: \(message)\n".utf8)
    _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    exit(2)
}

func run<Session: PipeSession & ~Copyable>(_ type: Session.Type) {
    var session = Session()
    let frames = PipeFrames()
    do {
        while let frame = try frames.read() {
            try session.receive(frame, frames: frames)
        }
    } catch {
        fail(error.message)
    }
}

switch CommandLine.arguments.dropFirst().first {
case "att-server":
    run(ATTServerPipe.self)
case "att-client":
    run(ATTClientPipe.self)
case "ancs-consumer":
    run(ANCSConsumerPipe.self)
case "ancs-provider":
    run(ANCSProviderPipe.self)
case "smp": run(SMPPipe.self)
default:
    fail("usage: protocol-pipe att-server|att-client|smp|ancs-consumer|ancs-provider")
}
