# SPDX-License-Identifier: Apache-2.0
# Completion of jostle for bash. The commands and options are those that the jostle on the line says it
# has: nothing is listed here.

# The values that an option's type allows: "text|json" is two words, a type in capitals is none.
_jostle_values() {
  local word
  for word in ${1//|/ }; do
    [[ $word =~ ^[a-z][a-z0-9-]*$ ]] && printf '%s\n' "$word"
  done
}

# Whether the value is some file: then bash completes it.
_jostle_takes_file() { [[ $1 == *FILE* || $1 == *DIR* || $1 == *FOLDER* || $1 == CORPUS ]]; }

_jostle() {
  local jostle=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} name type rest
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "$("$jostle" help --commands 2>/dev/null | cut -f 1) help --help --version" -- "$current")
    return
  fi
  local command=${COMP_WORDS[1]}
  if [[ $command == help ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$("$jostle" help --commands 2>/dev/null | cut -f 1)" -- "$current")
    return
  fi
  local -A types=()
  local options=()
  while IFS=$'\t' read -r name type rest; do
    types[$name]=$type
    [[ $name == -- ]] || options+=("$name")
  done < <("$jostle" help --options "$command" 2>/dev/null | sed 's/\t\t/\tflag\t/')

  # Where a command takes a program, words are the program's from the first on that is neither an option
  # nor its value. bash has cut --option=value into three.
  local at=2 word pending=
  while ((at < COMP_CWORD)); do
    word=${COMP_WORDS[at]}
    if [[ -n $pending ]]; then
      [[ $word == "=" ]] || pending=
    elif [[ $word == -* && $word != -- && -n ${types[$word]-} ]]; then
      [[ ${types[$word]} == flag ]] || pending=$word
    elif [[ -n ${types[--]-} ]]; then
      compopt -o default
      return
    fi
    ((++at))
  done
  if [[ -n $pending ]]; then
    [[ $current == "=" ]] && current=
    if [[ $pending == --strategy ]]; then
      mapfile -t COMPREPLY < <(compgen -W "$("$jostle" strategies 2>/dev/null | sed -n 's/^\([a-z][a-z-]*\).*/\1/p')" -- "$current")
    elif _jostle_takes_file "${types[$pending]}"; then
      compopt -o default
    else
      mapfile -t COMPREPLY < <(compgen -W "$(_jostle_values "${types[$pending]}")" -- "$current")
    fi
  elif [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "${options[*]}" -- "$current")
  else
    compopt -o default
  fi
}

complete -F _jostle jostle
