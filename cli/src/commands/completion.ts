// `completion`: scripts for shells, made from the table of commands.

import { GLOBAL_OPTIONS, type Command } from '../command.ts';
import { usage } from '../failure.ts';

const SHELLS = ['bash', 'zsh', 'fish'];

/** Prints the script of a shell. */
export const completionOf = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  operands: 'SHELL',
  choices: SHELLS,
  summary: 'print the completion script of bash, zsh or fish',
  details: `bash: source <(turnpike completion bash)
zsh:  source <(turnpike completion zsh), after compinit
fish: turnpike completion fish | source`,
  options: {},
  async run(context) {
    const script = scriptOf(context.operand(), commands());
    context.terminal.show({ script }, script);
  },
});

/** The script of a shell for these commands. */
export function scriptOf(shell: string, commands: readonly Command[]): string {
  if (shell === 'bash') return bash(commands);
  if (shell === 'zsh') return `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`;
  if (shell === 'fish') return fish(commands);
  throw usage(`${shell} is not one of ${SHELLS.join(', ')}`);
}

const optionsOf = ({ options }: Command): string[] =>
  [...Object.keys(options), ...Object.keys(GLOBAL_OPTIONS)].map((name) => `--${name}`);

/** First words, and the second words of those that have any. */
function wordsOf(commands: readonly Command[]): Map<string, string[]> {
  const words = new Map<string, string[]>();
  for (const { name } of commands) {
    const [first = '', second] = name.split(' ');
    words.set(first, [...(words.get(first) ?? []), ...(second === undefined ? [] : [second])]);
  }
  return words;
}

function bash(commands: readonly Command[]): string {
  const words = wordsOf(commands);
  const rows = commands.map((one) => {
    const all = [...(one.choices ?? []), ...optionsOf(one)].join(' ');
    return `    '${one.name}') found='${all}' ;;`;
  });
  const groups = [...words].filter(([, second]) => second.length > 0);
  return `_turnpike() {
  local found word="\${COMP_WORDS[COMP_CWORD]}" first="\${COMP_WORDS[1]}" name
  name="$first"
  case "$first" in ${groups.map(([first]) => first).join('|')}) name="$first \${COMP_WORDS[2]}" ;; esac
  case "$name" in
${rows.join('\n')}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then found='${[...words.keys()].join(' ')}'; fi
  if [ "$COMP_CWORD" -eq 2 ]; then
    case "$first" in
${groups.map(([first, second]) => `      ${first}) found='${second.join(' ')}' ;;`).join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$found" -- "$word"))
}
complete -o default -F _turnpike turnpike`;
}

function fish(commands: readonly Command[]): string {
  const quoted = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`;
  const firsts = [...wordsOf(commands)].map(([first, second]) => {
    const only = commands.find(({ name }) => name === first);
    const about = only?.summary ?? second.join(', ');
    return `complete -c turnpike -n __fish_use_subcommand -a ${first} -d ${quoted(about)}`;
  });
  const rest = commands.flatMap((one) => {
    const [first = '', second] = one.name.split(' ');
    const isFirst = `__fish_seen_subcommand_from ${first}`;
    const isHere = quoted(second === undefined ? isFirst : `${isFirst}; and __fish_seen_subcommand_from ${second}`);
    const word = second && [`complete -c turnpike -n ${quoted(isFirst)} -a ${second} -d ${quoted(one.summary)}`];
    const choices = (one.choices ?? []).map((choice) => `complete -c turnpike -n ${isHere} -a ${choice}`);
    const options = Object.entries({ ...one.options, ...GLOBAL_OPTIONS }).map(([name, option]) => {
      const takes = 'value' in option && option.value !== undefined ? ' -r' : '';
      return `complete -c turnpike -n ${isHere} -l ${name}${takes} -d ${quoted(option.help)}`;
    });
    return [...(word || []), ...choices, ...options];
  });
  return ['complete -c turnpike -f', ...firsts, ...rest].join('\n');
}
