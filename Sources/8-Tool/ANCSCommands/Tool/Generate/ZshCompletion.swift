internal import AccessoryConformance
internal import CommandKit

/// The completion for zsh: a file `_ancs` on its `fpath`.
enum ZshCompletion {
    static func script(for commands: [Tool.Command]) -> String {
        """
        #compdef ancs
        # zsh completion for ancs, made by 'ancs generate zsh'.

        _ancs_commands() {
            local -a commands=(
        \(commands.map { "        \(quoted("\($0.name):\($0.purpose)"))" }.joined(separator: "\n"))
                'help:explain a command'
            )
            _describe command commands
        }

        _ancs_adapters() {
            local -a adapters=(/sys/class/bluetooth/hci<->(N:t))
            compadd "$@" -- any $adapters
        }

        _ancs_scenarios() {
            compadd "$@" -- \(Scenario.names.joined(separator: " "))
            _files
        }

        _ancs_monikers() {
            case $PREFIX in
                hci-socket:*)
                    compset -P 'hci-socket:'
                    local -a adapters=(/sys/class/bluetooth/hci<->(N:t))
                    compadd "$@" -- ${adapters#hci}
                    ;;
                (serial|unix|unix-server|file|pty):*)
                    compset -P '*:'
                    _files
                    ;;
                *) compadd "$@" -S '' -- \(CompletionWords.monikers.joined(separator: " ")) ;;
            esac
        }

        _ancs() {
            local context state state_descr line curcontext=$curcontext
            typeset -A opt_args
            _arguments -C \\
                '(- *)'{-h,--help}'[list the commands]' \\
                '(- *)--version[print the version]' \\
                '1:command:_ancs_commands' \\
                '*::argument:->arguments' && return
            [[ $state == arguments ]] || return
            curcontext=${curcontext%:*}-$words[1]:
            case $words[1] in
                help) _arguments '1:command:_ancs_commands' ;;
        \(commands.map(arm).joined(separator: "\n"))
            esac
        }

        _ancs "$@"

        """
    }

    /// The branch for a command's options and operands.
    private static func arm(_ command: Tool.Command) -> String {
        let syntax = command.syntax
        var lines = syntax.options.map(specification)
        for (index, value) in syntax.operandValues.enumerated() {
            lines.append(quoted("\(index + 1):\(value.name):\(action(value))"))
        }
        if syntax.operandCount.upperBound > syntax.operandValues.count {
            lines.append(quoted("*:\(colonFree(syntax.operands)): "))
        }
        let separator = " \\\n                "
        return "        \(command.name))\n            _arguments\(separator)"
            + lines.joined(separator: separator) + "\n            ;;"
    }

    private static func specification(_ option: CommandSyntax.Option) -> String {
        var help = option.help
        for character in ["\\", "[", "]"] {
            help = help.split(separator: character, omittingEmptySubsequences: false)
                .joined(separator: "\\" + character)
        }
        guard let value = option.value else {
            guard let alias = option.alias else { return quoted("\(option.name)[\(help)]") }
            return "'(- *)'{\(alias),\(option.name)}\(quoted("[\(help)]"))"
        }
        return quoted(
            (option.repeats ? "*" : "") + option.name + "=[\(help)]:\(value.name):\(action(value))")
    }

    private static func action(_ value: CommandSyntax.Value) -> String {
        switch value.completion {
        case .text: " "
        case .file: "_files"
        case .directory: "_files -/"
        case .scenario: "_ancs_scenarios"
        case .word(let words): "(\(words.joined(separator: " ")))"
        case .list(let words):
            "_values -s , \(value.name) \(words.map(colonFree).joined(separator: " "))"
        case .moniker: "_ancs_monikers"
        case .adapter: "_ancs_adapters"
        }
    }

    /// Escapes colons, which would end a field.
    private static func colonFree(_ text: String) -> String {
        text.split(separator: ":", omittingEmptySubsequences: false).joined(separator: "\\:")
    }

    private static func quoted(_ text: String) -> String {
        "'"
            + text.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "'\\''") + "'"
    }
}
