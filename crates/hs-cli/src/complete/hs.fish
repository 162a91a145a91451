# Completions of hs for fish. They ask hs itself, which knows its options and looks for names into the files of the line.
function __hs_complete
    set -l given (commandline --current-process --tokenize --cut-at-cursor)
    set -l token (commandline --current-token --cut-at-cursor)
    set -l program (string replace -r '^~/' "$HOME/" -- $given[1])
    set -l answer ($program __complete fish $given[2..-1] "$token" 2>/dev/null </dev/null)
    switch "$answer[1]"
        case files
            __fish_complete_path "$token"
        case files-behind
            set -l front (string match -r '^.*?=' -- "$token")
            for path in (__fish_complete_path (string replace -r '^.*?=' '' -- "$token"))
                echo -- $front$path
            end
        case folders
            __fish_complete_directories "$token"
        case '*'
            # Behind a value, a tab and what describes it.
            printf '%s\n' $answer[2..-1]
    end
end
complete --command hs --no-files --keep-order --arguments '(__hs_complete)'
complete --command headstart --no-files --keep-order --arguments '(__hs_complete)'
