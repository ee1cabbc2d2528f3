// The program `turnpike`: finds the command, runs it, and ends with its exit code.

import { COMMANDS } from './commands.ts';
import { readContext, type Command } from './command.ts';
import { EXIT, exitCodeOf, usage, type ExitCode } from './failure.ts';
import { generalHelp, helpOf } from './help.ts';
import { openTerminal, showError } from './terminal.ts';

/** Put in by the build. */
declare const VERSION: string;

const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(name, () => stopping.abort(new Error(`ended by ${name}`)));
// The program that reads what we print may stop reading: `turnpike logs --follow | head`.
process.stdout.on('error', () => process.exit(EXIT.done));

process.exitCode = await main(wordsFirst(process.argv.slice(2)));
// What is still open, such as a connection kept for another call, is of no use any more. What was printed goes first.
process.stdout.write('', () => process.stderr.write('', () => process.exit()));

async function main(args: readonly string[]): Promise<ExitCode> {
  const isJson = args.includes('--json');
  const terminal = openTerminal(isJson);
  try {
    if (args[0] === '--version') terminal.show({ version: VERSION }, VERSION);
    else if (args[0] === undefined || args[0] === '--help' || args[0] === 'help') {
      const text = generalHelp(COMMANDS);
      terminal.show({ help: text }, text);
      return args[0] === undefined ? EXIT.usage : EXIT.done;
    } else await run(args, terminal);
    return EXIT.done;
  } catch (error) {
    // Ctrl-C ends what would not end by itself, and is no failure of it.
    if (stopping.signal.aborted) return find(args)?.isEndless ? EXIT.done : EXIT.interrupted;
    showError(error, isJson);
    return exitCodeOf(error);
  }
}

/** `turnpike --json payments list` is `turnpike payments list --json`. */
function wordsFirst(args: readonly string[]): string[] {
  const words = args.findIndex((arg) => arg !== '--json' && arg !== '--live');
  return words < 1 ? [...args] : [...args.slice(words), ...args.slice(0, words)];
}

function find(args: readonly string[]): Command | undefined {
  return COMMANDS.find(({ name }) => name.split(' ').every((word, nth) => args[nth] === word));
}

async function run(args: readonly string[], terminal: ReturnType<typeof openTerminal>): Promise<void> {
  const command = find(args);
  if (!command) {
    const alike = COMMANDS.filter(({ name }) => name.startsWith(`${args[0] ?? ''} `)).map(({ name }) => name);
    throw usage(
      alike.length > 0 ? `say one of: ${alike.join(', ')}` : `there is no command "${args[0] ?? ''}": turnpike --help`,
    );
  }
  const rest = args.slice(command.name.split(' ').length);
  if (rest.includes('--help')) terminal.show({ help: helpOf(command) }, helpOf(command));
  else await command.run(readContext(command, rest, { terminal, signal: stopping.signal }));
}
