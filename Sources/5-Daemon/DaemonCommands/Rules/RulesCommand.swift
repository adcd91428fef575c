internal import ANCSService
package import CommandKit

/// `ancs rules test`: shows which rule applies to a record, and why the others do not.
package struct RulesCommand {
    private let options: RulesOptions
    private let rules: RuleSet
    private let time: LocalTime

    package static func run(_ options: RulesOptions) -> ExitStatus {
        guard let configuration = options.configuration.read() else { return .usage }
        let command = RulesCommand(
            options: options, rules: RuleSet(configuration.rules),
            time: options.time ?? LocalTime(at: .now))
        if let record = options.record { return command.test(record, isOnlyOne: true) }
        do throws(IOError) {
            let lines = try TextFile.read("-").split(separator: UInt8(ascii: "\n"))
            var status = ExitStatus.success
            for line in lines {
                let result = command.test(String(decoding: line, as: UTF8.self), isOnlyOne: false)
                if result != .success { status = result }
            }
            return status
        } catch { return CommandFailure(status: .usage, message: error.message).report() }
    }

    private func test(_ text: String, isOnlyOne: Bool) -> ExitStatus {
        let json: JSONValue
        do throws(JSONValue.ParsingError) { json = try JSONValue(parsing: text) } catch {
            let message = "the record is not JSON: \(error.message)"
            return CommandFailure(status: .usage, message: message).report()
        }
        if !isOnlyOne, let event = json["event"]?.string, RuleSubject.events[event] == nil {
            return .success
        }
        do throws(RuleSubject.ReadingFault) {
            let subject = try RuleSubject(json: json, phoneName: options.phoneName, time: time)
            let line = RulesReport(subject: subject, rules: rules).line
            let lines = LinePrinter(isJSON: options.isJSON).output(line)
            return lines.allSatisfy { StandardStreams.writeLine($0) } ? .success : .failure
        } catch { return CommandFailure(status: .usage, message: error.message).report() }
    }
}
