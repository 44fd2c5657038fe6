/** Completion scripts: one table of what can follow each command, in the words of three shells. */
import type { Command, Option } from 'commander';

/** What can follow a command. */
interface Place {
  /** `keelson cluster start` */
  readonly path: string;
  /** Subcommands, each with its description. */
  readonly commands: readonly (readonly [name: string, description: string])[];
  readonly flags: readonly Flag[];
  /** The choices of its first argument. */
  readonly choices: readonly string[];
}

interface Flag {
  readonly long: string;
  readonly description: string;
  readonly value: 'none' | 'file' | 'other' | readonly string[];
}

export function completionScript(shell: 'bash' | 'zsh' | 'fish', program: Command): string {
  const places = placesOf(program, program.name());
  if (shell === 'fish') return fish(places);
  return shell === 'zsh' ? `${zshPrelude}${bash(places)}` : bash(places);
}

/** zsh runs the functions of bash by itself, once it has been told to complete at all. */
const zshPrelude = `(( $+functions[compdef] )) || { autoload -U compinit && compinit }
autoload -U +X bashcompinit && bashcompinit
`;

function placesOf(command: Command, path: string): readonly Place[] {
  const help = command.createHelp();
  const place: Place = {
    path,
    commands: command.commands.map((each) => [each.name(), sentence(each.description())]),
    flags: help.visibleOptions(command).map(flagOf),
    choices: command.registeredArguments[0]?.argChoices ?? [],
  };
  return [place, ...command.commands.flatMap((each) => placesOf(each, `${path} ${each.name()}`))];
}

function flagOf({ long, description, argChoices, flags }: Option): Flag {
  const value = argChoices ?? (/<file>/.test(flags) ? 'file' : /[<[]/.test(flags) ? 'other' : 'none');
  return { long: long ?? '', description: sentence(description), value };
}

/** The first one, in one line. */
const sentence = (text: string) => (text.split(/[.;](?:\s|$)/)[0] ?? '').replaceAll(/\s+/g, ' ');

const isChoices = (value: Flag['value']): value is readonly string[] => typeof value === 'object';

/**
 * Walks the words to find the command, then offers what can follow the last of them. It keeps to what zsh understands as
 * well: no slices of arrays, and no variable called `path`, which is the search path there.
 */
function bash(places: readonly Place[]): string {
  const commands = places.slice(1).map(({ path }) => `'${path}'`);
  const wants = (value: 'file' | 'other') => {
    const flags = new Set(
      places.flatMap(({ flags }) => flags.filter((flag) => flag.value === value)).map(({ long }) => long),
    );
    return [...flags].join('|');
  };
  const choices = places.flatMap(({ path, flags }) =>
    flags.flatMap(({ long, value }) =>
      isChoices(value) ? [`'${path} ${long}') offered='${value.join(' ')}' ;;`] : [],
    ),
  );
  const follow = places.map(({ path, commands: below, flags, choices: first }) => {
    const words = [...below.map(([name]) => name), ...first, ...flags.map(({ long }) => long)];
    return `'${path}') offered='${words.join(' ')}' ;;`;
  });
  return `# Completion for keelson, made by "keelson completion".
_keelson() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" place=keelson next offered='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="$place \${COMP_WORDS[i]}"
    case "$next" in ${commands.join('|')}) place="$next" ;; esac
  done
  case "$previous" in
    ${wants('file')}) COMPREPLY=($(compgen -f -- "$current")); return ;;
    ${wants('other')}) COMPREPLY=(); return ;;
  esac
  case "$place $previous" in
    ${choices.join('\n    ')}
    *)
      case "$place" in
        ${follow.join('\n        ')}
      esac ;;
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$current"))
}
complete -o filenames -F _keelson keelson
`;
}

function fish(places: readonly Place[]): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = places.flatMap(({ path, commands, flags, choices }) => {
    const at = `complete -c keelson -n ${quoted(`test (__keelson_path) = "${path}"`)}`;
    return [
      ...commands.map(([name, description]) => `${at} -a ${name} -d ${quoted(description)}`),
      ...choices.map((choice) => `${at} -a ${choice}`),
      ...flags.map(({ long, description, value }) => {
        const takes = isChoices(value)
          ? ` -x -a ${quoted(value.join(' '))}`
          : { none: '', file: ' -r -F', other: ' -x' }[value];
        return `${at} -l ${long.slice(2)}${takes} -d ${quoted(description)}`;
      }),
    ];
  });
  const known = places.slice(1).map(({ path }) => quoted(path));
  return `# Completion for keelson, made by "keelson completion".
function __keelson_path
  set -l path keelson
  for word in (commandline -opc)[2..-1]
    if contains -- "$path $word" ${known.join(' ')}
      set path "$path $word"
    end
  end
  echo $path
end
complete -c keelson -f
${lines.join('\n')}
`;
}
