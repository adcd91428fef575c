package import Kinds

extension ControllersCommand {
    /// The lines of `ancs controllers`.
    package static let schema = LineSchema(
        "controllers", "One object per line on standard output.",
        [
            LineKind(
                "ready", "hosts can connect at these places",
                ["seed": .text, "controllers": .texts]),
            LineKind(
                "attached|detached|fault",
                "a host has connected or disconnected, or has broken a rule",
                ["controller": .count, "text": .text]),
        ])
}
