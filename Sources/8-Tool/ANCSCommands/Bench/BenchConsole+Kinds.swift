internal import Kinds

extension BenchConsole {
    /// The kinds of lines that a phone does not print.
    private static let kinds = [
        LineKind(
            "bench", "the bench begins",
            [
                "runs": .ordinal,
                "seed": .text.described("of the first run; each repetition has the next"),
            ]),
        LineKind("listed", "a scenario that `--list` lists", ScenarioEntry.form),
        LineKind(
            "run", "a run of a scenario begins; the lines up to the next are about it",
            ["run": .ordinal, "scenario": .text]),
        LineKind(
            "output", "the last lines that the program printed in a run that failed",
            ["lines": .texts]),
        LineKind(
            "verdict", "all runs have ended",
            ["result": .words(["passed", "failed"]), "passed": .count, "runs": .ordinal]),
    ]

    /// The lines of `ancs bench`.
    static let schema = LineSchema(
        "bench",
        "One object per line on standard output: the lines of ancs phone for each run, and what the bench says "
            + "of it. Documentation/Accessory.md explains what to read.",
        kinds + PhoneReport.schema.kinds)
}
