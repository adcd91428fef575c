# bash completion for ancs, made by 'ancs generate bash'.

# The options of a command.
_ancs_options() {
    case $1 in
@OPTIONS@
    esac
}

# What follows an option of a command, or stands as its operand of a number; nothing for a flag.
_ancs_kind() {
    case "$1 $2" in
@KINDS@
    esac
}

# Completes $3, a value of the kind $1, whose further words are $2; $4 stands before it.
_ancs_value() {
    local value=$3 before=$4 words=$2
    case $1 in
        word) ;;
        list)
            compopt -o nospace 2>/dev/null
            if [[ $value == *,* ]]; then
                before+=${value%,*},
                value=${value##*,}
            fi
            ;;
        adapter) words="any $(_ancs_adapters)" ;;
        moniker)
            case $value in
                hci-socket:*)
                    before+=hci-socket: value=${value#*:}
                    words=$(_ancs_adapters)
                    words=${words//hci/}
                    ;;
                serial:* | unix:* | unix-server:* | file:* | pty:*)
                    before+=${value%%:*}:
                    _ancs_value file '' "${value#*:}" "$before"
                    return
                    ;;
                *)
                    compopt -o nospace 2>/dev/null
                    words='@MONIKERS@'
                    ;;
            esac
            ;;
        scenario)
            compopt -o filenames 2>/dev/null
            words='@SCENARIOS@'
            mapfile -t COMPREPLY < <(compgen -P "$before" -W "$words" -A file -- "$value")
            return
            ;;
        file | directory)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -P "$before" -A "$1" -- "$value")
            return
            ;;
        *) return ;;
    esac
    mapfile -t COMPREPLY < <(compgen -P "$before" -W "$words" -- "$value")
}

_ancs_adapters() {
    local adapter
    for adapter in /sys/class/bluetooth/hci*; do
        [[ $adapter == *:* || ! -e $adapter ]] || echo "${adapter##*/}"
    done
}

_ancs() {
    # bash takes words apart at = and : too. Those without a space before them belong together.
    local words=() word rest=${COMP_LINE:0:COMP_POINT} index
    for ((index = 0; index <= COMP_CWORD; index++)); do
        word=${COMP_WORDS[index]}
        local isApart=1
        [[ $index -gt 0 && $rest != [[:space:]]* ]] && isApart=
        rest=${rest#"${rest%%[![:space:]]*}"}
        [[ $index -eq $COMP_CWORD ]] && word=$rest
        if [[ $isApart ]]; then words+=("$word"); else words[-1]+=$word; fi
        rest=${rest#"$word"}
    done
    local current=${words[-1]} command=${words[1]} count=${#words[@]}
    COMPREPLY=()
    if ((count <= 2)); then
        _ancs_value word '@COMMANDS@ help --help --version' "$current" ''
    elif [[ $command == help ]]; then
        ((count > 3)) || _ancs_value word '@COMMANDS@' "$current" ''
    else
        local option= operand=1 takesOptions=1 kind=
        for word in "${words[@]:2:count-3}"; do
            if [[ $option ]]; then
                option=
            elif [[ $takesOptions && $word == -- ]]; then
                takesOptions=
            elif [[ $takesOptions && $word == -?* ]]; then
                [[ $word == *=* || -z $(_ancs_kind "$command" "$word") ]] || option=$word
            else
                ((operand++))
            fi
        done
        if [[ $option ]]; then
            kind=$(_ancs_kind "$command" "$option")
            _ancs_value "${kind%% *}" "${kind#* }" "$current" ''
        elif [[ $takesOptions && $current == --*=* ]]; then
            kind=$(_ancs_kind "$command" "${current%%=*}")
            _ancs_value "${kind%% *}" "${kind#* }" "${current#*=}" "${current%%=*}="
        elif [[ $takesOptions && $current == -* ]]; then
            _ancs_value word "$(_ancs_options "$command")" "$current" ''
        else
            kind=$(_ancs_kind "$command" "$operand")
            _ancs_value "${kind%% *}" "${kind#* }" "$current" ''
        fi
    fi
    # What bash puts in replaces only what follows the last character where it takes words apart.
    local before=$current
    while [[ $before && $COMP_WORDBREAKS != *"${before: -1}"* ]]; do before=${before%?}; done
    COMPREPLY=("${COMPREPLY[@]#"$before"}")
}

complete -F _ancs ancs
