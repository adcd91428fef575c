#compdef ancs
# zsh completion for ancs, made by 'ancs generate zsh'.

_ancs_commands() {
    local -a commands=(
@COMMANDS@
        'help:explain a command'
    )
    _describe command commands
}

_ancs_adapters() {
    local -a adapters=(/sys/class/bluetooth/hci<->(N:t))
    compadd "$@" -- any $adapters
}

_ancs_scenarios() {
    compadd "$@" -- @SCENARIOS@
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
        *) compadd "$@" -S '' -- @MONIKERS@ ;;
    esac
}

_ancs() {
    local context state state_descr line curcontext=$curcontext
    typeset -A opt_args
    _arguments -C \
        '(- *)'{-h,--help}'[list the commands]' \
        '(- *)--version[print the version]' \
        '1:command:_ancs_commands' \
        '*::argument:->arguments' && return
    [[ $state == arguments ]] || return
    curcontext=${curcontext%:*}-$words[1]:
    case $words[1] in
        help) _arguments '1:command:_ancs_commands' ;;
@ARMS@
    esac
}

_ancs "$@"
