#compdef hs headstart
# Completions of hs for zsh. They ask hs itself, which knows its options and looks for names into the files of the line.
_hs_complete() {
    local program=${(Q)words[1]} line value what
    program=${program/#\~\//$HOME/}
    local -a answer given offered space
    given=("${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}")
    answer=("${(@f)$("$program" __complete zsh "${given[@]}" 2>/dev/null </dev/null)}")
    what=$answer[1]
    case $what in
        files-behind) compset -P '*='; _files; return ;;
        files) _files; return ;;
        folders) _files -/; return ;;
        *unfinished) space=(-S '') ;;
    esac
    for line in "${(@)answer[2,-1]}"; do
        [[ -n $line ]] || continue
        # The value ends at the tab; what describes it stands behind a colon.
        value=${${line%%$'\t'*}//\\/\\\\}
        value=${value//:/\\:}
        [[ $line == *$'\t'* ]] && value+=":${line#*$'\t'}"
        offered+=("$value")
    done
    (( $#offered )) && _describe -V 'hs' offered "${space[@]}"
}
if [[ $funcstack[1] == _hs ]]; then
    _hs_complete "$@"
else
    compdef _hs_complete hs headstart
fi
