package import ANCSService
package import CommandKit

/// `ancs doctor`: finds out why no notifications arrive.
package enum DoctorCommand {
    package static func run(_ options: DoctorOptions) async -> ExitStatus {
        let diagnosis = Examination.diagnosis(of: await facts(options))
        LinePrinter(isJSON: options.isJSON).write(diagnosis.lines)
        return status(of: diagnosis)
    }

    /// What is found on this machine.
    package static func facts(_ options: DoctorOptions) async -> Facts {
        await FactsReader(
            isSystem: options.isSystem, configuration: options.configuration,
            mustExist: options.isNamed, state: options.stateDirectory
        ).facts()
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
