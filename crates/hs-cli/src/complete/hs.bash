# Completions of hs for bash. They ask hs itself, which knows its options and looks for names into the files of the line.
_hs_complete() {
    local program=${1/#\~\//$HOME/} what='' line IFS=
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ -z $what ]]; then what=$line; else COMPREPLY+=("$line"); fi
    done < <("$program" __complete bash "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null </dev/null)
    case $what in
        # What bash itself completes, quotes and all.
        files*) compopt -o default -o bashdefault 2>/dev/null || IFS=$'\n' COMPREPLY=($(compgen -f -- "$2")) ;;
        folders) compopt -o dirnames 2>/dev/null || IFS=$'\n' COMPREPLY=($(compgen -d -- "$2")) ;;
        # Names with blanks and the like get quotes or backslashes, as file names do.
        *) [[ "${COMPREPLY[*]}" =~ [^[:alnum:]_.,:=#/+@%-] ]] && compopt -o filenames 2>/dev/null ;;
    esac
    [[ $what == *unfinished ]] && compopt -o nospace 2>/dev/null
    return 0
}
if ((BASH_VERSINFO[0] > 4 || (BASH_VERSINFO[0] == 4 && BASH_VERSINFO[1] >= 4))); then
    complete -o nosort -F _hs_complete hs headstart
else
    complete -F _hs_complete hs headstart
fi
