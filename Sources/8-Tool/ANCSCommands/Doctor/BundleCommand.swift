internal import ANCSService
internal import CommandKit
internal import DaemonCommands
internal import Glibc

/// `ancs doctor --bundle FILE`: what a report of a fault needs, in one archive.
enum BundleCommand {
    private static let preface = """
        What 'ancs doctor --bundle' found on a machine, to attach to a report about swift-ancs.

        In the other files are numbers, true and false, and words from a list in the program. In the
        place of everything else, such as the names of this machine, of its users and phones,
        addresses, paths and rules' texts, stands what it is: (text).

        capture.btsnoop, if it is there, is the output of 'ancs decode CAPTURE --redact FILE', and
        'ancs decode' shows it. Lengths and intervals are as they were.

        """

    static func run(_ options: DoctorOptions, _ path: String, on loop: EventLoop) async
        -> ExitStatus
    {
        guard access(path, F_OK) != 0 else {
            let message = "\(path) is there already: name another file, or remove it"
            return CommandFailure(status: .usage, message: message).report()
        }
        var name = utsname()
        uname(&name)
        let kernel = withUnsafeBytes(of: &name.release) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        let report = DoctorReport(
            facts: await DoctorCommand.facts(options), kernel: kernel,
            configuration: options.configuration.flatMap {
                try? SystemFile.octets(of: $0, limit: TOMLDocument.maximumCount)
            },
            steps: await ServiceCommands.pairingSteps(
                usesSystemBus: options.isSystem, on: loop))
        return write(report, capture: options.capture, to: path)
    }

    /// Shows what is in the archive, and writes it.
    static func write(_ report: DoctorReport, capture: String?, to path: String) -> ExitStatus {
        var files = [("README.txt", preface)]
        for (name, lines) in report.files {
            files.append((name, lines.map { $0.text + "\n" }.joined()))
        }
        for (name, text) in files {
            StandardStreams.writeLine("\(name):")
            if text.isEmpty { StandardStreams.writeLine("    (nothing)") }
            for line in text.split(separator: "\n") {
                StandardStreams.writeLine("    " + TerminalText.visible(String(line)))
            }
        }
        // Beside the archive, as it may be large.
        let redacted = "\(path).capture-\(getpid())"
        defer { unlink(redacted) }
        if let capture {
            StandardStreams.writeLine("capture.btsnoop:")
            let command = RedactCommand(capture: capture, output: redacted, seed: 1, isJSON: false)
            // A capture that is damaged at its end is better than none.
            guard command.run(as: "    of it") != .usage else { return .usage }
        }
        do throws(IOError) {
            try ReportArchive.write(to: path) { archive throws(IOError) in
                for (name, text) in files { try archive.add(name, Array(text.utf8)) }
                if capture != nil { try archive.add("capture.btsnoop", at: redacted) }
            }
        } catch { return CommandFailure(status: .usage, message: error.message).report() }
        StandardStreams.writeLine(
            "\(TerminalText.visible(path)) is written, with what is shown above; nothing is sent. "
                + "'tar xzf' unpacks it")
        return .success
    }
}
