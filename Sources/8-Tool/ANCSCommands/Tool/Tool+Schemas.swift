internal import ANCSCapture
internal import DaemonCommands
internal import LaboratoryCommands
internal import Kinds

extension Tool {
    /// What the commands print with `--json`: the files in Documentation/Schemas.
    static let schemas: [LineSchema] = [
        ReceiveReport.schema, PhoneReport.schema, BenchConsole.schema, DemoJSON.schema,
        AdvertiseReport.schema, CaptureEvent.schema, ServiceCommands.recordSchema,
        ServiceCommands.pairSchema, ServiceCommands.statusSchema, ServiceCommands.appsSchema,
        StoredBond.schema, ControllersCommand.schema, DoctorCommand.schema, GATTReport.schema,
        HistoryCommand.schema, RulesReport.schema, Sighting.schema,
    ]
}
