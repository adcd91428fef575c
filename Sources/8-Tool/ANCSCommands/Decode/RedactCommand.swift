internal import ANCSCapture
internal import BluetoothTypes
internal import CaptureRedaction
internal import CommandKit
internal import Glibc
internal import HCITransports

/// `ancs decode CAPTURE --redact FILE`: the same capture without what is anybody's business.
struct RedactCommand {
    let capture: String
    let output: String
    let seed: UInt64
    let isJSON: Bool
    /// Whose advertising is kept although there is no link with it.
    var device: DeviceAddress?

    /// What was read.
    private struct Reading {
        var format: CaptureFormat?
        var failure: CaptureReader.Failure?
        /// Records that are no packets: notes, audio, what names a controller.
        var others = 0
    }

    /// `name`: what the file that it writes is called, if not by its path.
    func run(as name: String? = nil) -> ExitStatus {
        guard capture != "-" else {
            return refuse("a capture is read twice to be redacted, so name a file in place of '-'")
        }
        guard !FileOctets.isSame(capture, output) else {
            return refuse(
                "\(TerminalText.visible(output)) is the capture itself; name another file")
        }
        var clues: CaptureClues?
        guard
            let first = read({ format, record in
                if clues == nil {
                    clues = CaptureClues(format, devices: [device].compactMap(\.self))
                }
                clues?.receive(record)
            })
        else { return DecodeCommand.unreadable(capture) }
        guard let format = first.format, first.failure?.isUnknownFormat != true, let clues else {
            return refuse(
                "\(TerminalText.visible(capture)) is not a capture of HCI with packets in it")
        }
        do throws(IOError) {
            return try write(format, clues, as: name ?? output)
        } catch {
            return refuse(error.message)
        }
    }

    private func write(
        _ format: CaptureFormat, _ clues: CaptureClues, as name: String
    ) throws(IOError) -> ExitStatus {
        let form = RedactedFile(like: format)
        let file = try OutputFile(path: output, mode: 0o600, kind: "capture")
        defer { file.close() }
        var redactor = CaptureRedactor(format, clues: clues, seed: seed)
        var buffer = form.header
        var failure: IOError?
        var packets = 0
        func drain(_ redactor: inout CaptureRedactor) {
            while let record = redactor.pollOutput() {
                packets += 1
                buffer += form.octets(of: record)
            }
            guard buffer.count >= 65_536, failure == nil else { return }
            do throws(IOError) { try file.write(buffer) } catch { failure = error }
            buffer.removeAll(keepingCapacity: true)
        }
        let second = read { _, record in
            guard failure == nil else { return }
            redactor.receive(record)
            drain(&redactor)
        }
        guard let second else { return DecodeCommand.unreadable(capture) }
        redactor.finish()
        drain(&redactor)
        if let failure { throw failure }
        try file.write(buffer)
        report(packets, second, redactor.strangers, as: name)
        return second.failure == nil ? .success : .failure
    }

    private func report(_ packets: Int, _ reading: Reading, _ strangers: Int, as name: String) {
        var sentence = "\(TerminalText.visible(name)): \(counted(packets, "packet"))"
        if reading.others > 0 {
            sentence += "; \(counted(reading.others, "other record")) left out"
        }
        if strangers > 0 {
            sentence += "; \(counted(strangers, "packet")) of devices without a link left out"
        }
        sentence +=
            ". Lengths, intervals and app names of Apple's are as they were: 'ancs decode' shows it"
        let line = Line(
            "redacted",
            [
                "packets": .integer(packets), "leftOut": .integer(reading.others),
                "strangers": .integer(strangers),
            ], sentence)
        if let text = isJSON ? line.text : line.sentence { StandardStreams.writeLine(text) }
        guard let failure = reading.failure else { return }
        StandardStreams.writeError("ancs: \(TerminalText.visible(capture)): \(failure.message)")
    }

    /// Reads the capture; `nil` if it cannot be read.
    private func read(_ receive: (CaptureFormat, CaptureReader.Record) -> Void) -> Reading? {
        let number = open(capture, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { return nil }
        defer { close(number) }
        var source = FileOctets(descriptor: number)
        var reader = CaptureReader()
        var reading = Reading()
        while reading.failure == nil {
            let octets = source.next()
            if let octets { reader.receive(octets) } else { reader.finish() }
            while let output = reader.pollOutput() {
                switch output {
                case .format(let format): reading.format = format
                case .failed(let failure): reading.failure = failure
                case .record(let record):
                    if case .packet = record.content {} else { reading.others += 1 }
                    if let format = reading.format { receive(format, record) }
                }
            }
            if octets == nil { break }
        }
        return source.hasFailed ? nil : reading
    }

    private func refuse(_ problem: String) -> ExitStatus {
        StandardStreams.writeError("ancs: \(problem)")
        return .usage
    }
}
