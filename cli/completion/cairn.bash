# SPDX-License-Identifier: BSD-3-Clause
# bash completion for cairn @version@

_cairn_tools() {
  cairn tools 2>/dev/null | sed -n 's/^\([a-z][a-z0-9_.]*\) .*/\1/p'
}

_cairn() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command='' options='' valued='' program='' i rest
  COMPREPLY=()
  ((COMP_CWORD < 2)) || command=${COMP_WORDS[1]}
  case $command in
    '')
      mapfile -t COMPREPLY < <(compgen -W '@commands@ --help --version' -- "$word")
      return
      ;;
@cases@
    *) return ;;
  esac
  # The words of another program are its own.
  for ((i = 2; i < COMP_CWORD; ++i)); do
    if [[ " $valued " == *" ${COMP_WORDS[i]} "* ]]; then
      ((++i))
    elif [[ ${COMP_WORDS[i]} == -- || ($program && ${COMP_WORDS[i]} != -*) ]]; then
      [[ ${COMP_WORDS[i]} != -- ]] || ((++i))
      ! declare -F _command_offset >/dev/null || _command_offset "$i"
      return
    fi
  done
  if [[ $before == --tools ]]; then
    rest=${word##*,}
    mapfile -t COMPREPLY < <(compgen -P "${word%"$rest"}" -W "$(_cairn_tools)" -- "$rest")
    compopt -o nospace 2>/dev/null
  elif [[ " $valued " == *" $before "* ]]; then
    return # a file, as bash completes them by itself
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  elif [[ $program ]]; then
    mapfile -t COMPREPLY < <(compgen -c -- "$word")
  fi
}

complete -o default -F _cairn cairn
