# fish completion for ancs, made by 'ancs generate fish'.

# Whether a command is given, and which.
function __ancs_is --argument-names command
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test $words[2] = $command
end

function __ancs_is_bare
    test (count (commandline -opc)) -eq 1
end

# Whether the operand of a number comes next; $argv[3..] are the options that take a value.
function __ancs_operand --argument-names command number
    __ancs_is $command; or return 1
    set -l operands 1
    set -l isValue false
    for word in (commandline -opc)[3..]
        if test $isValue = true
            set isValue false
        else if contains -- $word $argv[3..]
            set isValue true
        else if not string match -q -- '-?*' $word
            set operands (math $operands + 1)
        end
    end
    test $isValue = false -a $operands -eq $number
end

function __ancs_adapters
    string replace -r '.*/' '' /sys/class/bluetooth/hci* | string match -v '*:*'
end

function __ancs_monikers
    set -l word (commandline -ct | string replace -r '^--[a-z]+=' '')
    switch $word
        case 'hci-socket:*'
            __ancs_adapters | string replace hci hci-socket:
        case 'serial:*' 'unix:*' 'unix-server:*' 'file:*' 'pty:*'
            set -l scheme (string match -r '^[^:]*:' -- $word)
            for path in (string replace -r '^[^:]*:' '' -- $word)*
                test -d $path; and set path $path/
                echo $scheme$path
            end
        case '*'
            printf '%s\n' @MONIKERS@
    end
end

function __ancs_list
    set -l before (commandline -ct | string replace -r '^--[a-z]+=' '' | string match -r '.*,')
    printf '%s\n' $before$argv
end

complete -c ancs -f
complete -c ancs -n __ancs_is_bare -s h -l help -d 'list the commands'
complete -c ancs -n __ancs_is_bare -l version -d 'print the version'
complete -c ancs -n __ancs_is_bare -a help -d 'explain a command'
complete -c ancs -n '__ancs_operand help 1' -a '@COMMANDS@'
@LINES@
