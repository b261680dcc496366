#compdef cairn
# SPDX-License-Identifier: BSD-3-Clause
# zsh completion for cairn @version@

_cairn_tools() {
  local -a tools=(${(f)"$(cairn tools 2>/dev/null | sed -n 's/^\([a-z][a-z0-9_.]*\) .*/\1/p')"})
  _sequence compadd - $tools
}

_cairn() {
  local state line
  local -a commands=(
@commands@
  )
  _arguments -C '(- *)--help[Print this help message and exit]' '(- *)--version[Print the version]' \
    '1:command:->command' '*::argument:->rest'
  case $state in
    command) _describe command commands ;;
    rest)
      case $words[1] in
@cases@
      esac
      ;;
  esac
}

_cairn "$@"
