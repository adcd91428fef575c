package import Kinds

/// An option of a command, and where its value is stored: used to read, document and complete it.
package struct CommandOption<Root: Sendable>: Sendable {
    package let syntax: CommandSyntax.Option
    package let read:
        @Sendable (CommandSyntax.Arguments, inout Root) throws(CommandSyntax.UsageError) -> Void

    /// An option whose value the command reads itself, because it depends on others.
    package init(_ syntax: CommandSyntax.Option) {
        self.syntax = syntax
        read = { _, _ in }
    }

    package init(
        _ name: String, _ value: CommandSyntax.Value?, _ help: String, repeats: Bool = false,
        isWritten: Bool = false
    ) { self.init(.init(name, value, help, repeats: repeats, isWritten: isWritten)) }

    package init(
        _ syntax: CommandSyntax.Option,
        read:
            @escaping @Sendable (CommandSyntax.Arguments, inout Root)
            throws(CommandSyntax.UsageError) -> Void
    ) {
        self.syntax = syntax
        self.read = read
    }

    /// An option whose value replaces the default. `value` is the name of the value in the help.
    package init<Value>(
        _ name: String, _ value: String, _ kind: Kind<Value>,
        replacing path: any WritableKeyPath<Root, Value> & Sendable, _ help: String,
        isWritten: Bool = false
    ) {
        self.init(.init(name, .init(value, kind.schema.word), help, isWritten: isWritten)) {
            arguments, root throws(CommandSyntax.UsageError) in
            if let given = try arguments.value(name, kind) { root[keyPath: path] = given }
        }
    }

    /// An option without a default.
    package init<Value>(
        _ name: String, _ value: String, _ kind: Kind<Value>,
        into path: any WritableKeyPath<Root, Value?> & Sendable, _ help: String,
        isWritten: Bool = false
    ) {
        self.init(
            name, value, kind.map(Value?.some), replacing: path, help, isWritten: isWritten)
    }

    /// An option that may be repeated.
    package init<Value>(
        _ name: String, _ value: String, _ kind: Kind<Value>,
        appendingTo path: any WritableKeyPath<Root, [Value]> & Sendable, _ help: String
    ) {
        self.init(.init(name, .init(value, kind.schema.word), help, repeats: true)) {
            arguments, root throws(CommandSyntax.UsageError) in
            root[keyPath: path] += try arguments.values(name, kind)
        }
    }

    /// An option without a value, which stores `meaning`.
    package static func flag<Value: Sendable>(
        _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, is meaning: Value,
        _ help: String
    ) -> Self {
        Self(.init(name, nil, help)) { arguments, root in
            if arguments.has(name) { root[keyPath: path] = meaning }
        }
    }

    package static func flag(
        _ name: String, _ path: any WritableKeyPath<Root, Bool> & Sendable, _ help: String
    ) -> Self { flag(name, path, is: true, help) }

    /// `--json`.
    package static func json(
        _ path: any WritableKeyPath<Root, Bool> & Sendable,
        _ help: String = "JSON Lines on standard output"
    ) -> Self { flag("--json", path, help) }

    /// `--help`, as every command has it.
    package static var help: Self { Self(.help) }
}

extension CommandSyntax.Arguments {
    /// Reads the options of a table.
    package func read<Root>(
        _ table: [CommandOption<Root>], into root: inout Root
    ) throws(CommandSyntax.UsageError) {
        for option in table { try option.read(self, &root) }
    }

    /// The value of an option, or `nil` if the option was not given.
    package func value<Value>(
        _ option: String, _ kind: Kind<Value>
    ) throws(CommandSyntax.UsageError) -> Value? {
        try self[option].map { text throws(CommandSyntax.UsageError) in
            try Self.read(text, of: option, kind)
        }
    }

    /// All values of an option that may be repeated.
    package func values<Value>(
        _ option: String, _ kind: Kind<Value>
    ) throws(CommandSyntax.UsageError) -> [Value] {
        var values: [Value] = []
        for text in all(option) { values.append(try Self.read(text, of: option, kind)) }
        return values
    }

    private static func read<Value>(
        _ text: String, of option: String, _ kind: Kind<Value>
    ) throws(CommandSyntax.UsageError) -> Value {
        var mistakes: [Mismatch] = []
        if let value = kind.read(kind.schema.word.value(of: text), &mistakes) { return value }
        switch mistakes.first?.fault ?? .expected(kind.expected) {
        case .expected(let expected):
            let meant = mistakes.first?.meant(by: .string(text)).map { "; did you mean '\($0)'?" }
            throw .init(message: "\(option) takes \(expected), not '\(text)'" + (meant ?? ""))
        case .expectedOnly(let expected): throw .init(message: "\(option) takes \(expected)")
        case .message(let message): throw .init(message: message)
        }
    }
}
