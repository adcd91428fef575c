internal import ANCSService
package import CommandKit
internal import Printing

/// `ancs doctor`: finds out why no notifications arrive.
package enum DoctorCommand {
    package static func run(_ options: DoctorOptions) async -> ExitStatus {
        let reader = FactsReader(
            isSystem: options.isSystem, configuration: options.configuration,
            mustExist: options.isNamed, state: options.stateDirectory)
        let diagnosis = Examination.diagnosis(of: await reader.facts())
        LinePrinter(isJSON: options.isJSON).write(diagnosis.lines)
        return status(of: diagnosis)
    }

    /// The exit status for a diagnosis.
    static func status(of diagnosis: Diagnosis) -> ExitStatus {
        switch diagnosis.severity {
        case .fine, .note: .success
        case .fault: .failure
        case .unseen: .unavailable
        }
    }
}
