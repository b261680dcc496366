# SPDX-License-Identifier: BSD-3-Clause
# fish completion for cairn @version@

function __cairn_tools
    set -l before (commandline -ct | string replace -r '[^,]*$' '')
    for tool in (cairn tools 2>/dev/null | sed -n 's/^\([a-z][a-z0-9_.]*\) .*/\1/p')
        echo $before$tool
    end
end

complete -c cairn -f -n __fish_use_subcommand -l help -d 'Print this help message and exit'
complete -c cairn -f -n __fish_use_subcommand -l version -d 'Print the version'
@commands@
