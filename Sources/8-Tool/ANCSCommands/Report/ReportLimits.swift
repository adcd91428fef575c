/// How much of a run a page shows. A page tries one level after another, until the run fits.
struct ReportLimits: Equatable, Sendable {
    /// The events that are listed, half of them the first and half the last.
    var events: Int
    /// The steps that are listed; those that failed are among them.
    var steps: Int
    /// The last lines of the program.
    var output: Int
    /// The characters of a text.
    var text: Int
    /// The events that a mark of the axis names.
    var named: Int
    /// The least distance between marks of one kind, in units of the picture.
    var distance: Int
    /// The accessories with verdicts.
    var accessories: Int
    /// Whether requirements that were kept or not tested are listed.
    var listsAllRequirements: Bool

    /// From most to least.
    static let levels = [
        ReportLimits(
            events: 800, steps: 400, output: 400, text: 400, named: 5, distance: 18,
            accessories: 8, listsAllRequirements: true),
        ReportLimits(
            events: 400, steps: 200, output: 200, text: 300, named: 3, distance: 20,
            accessories: 8, listsAllRequirements: true),
        ReportLimits(
            events: 150, steps: 100, output: 100, text: 200, named: 2, distance: 24,
            accessories: 4, listsAllRequirements: true),
        ReportLimits(
            events: 60, steps: 40, output: 50, text: 160, named: 1, distance: 30,
            accessories: 4, listsAllRequirements: false),
        ReportLimits(
            events: 20, steps: 20, output: 20, text: 120, named: 1, distance: 40,
            accessories: 2, listsAllRequirements: false),
        ReportLimits(
            events: 0, steps: 6, output: 6, text: 80, named: 0, distance: 80, accessories: 1,
            listsAllRequirements: false),
    ]
}
