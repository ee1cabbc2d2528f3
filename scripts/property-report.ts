// The report of `npm run property`: for each file, what held, how often it was tried, and what was left out.

/** The parts that are read of what jest writes with `--json`. */
export interface JestReport {
  readonly testResults: readonly JestFile[];
}

interface JestFile {
  readonly name: string;
  readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
}

/** The title of the placeholder for tests whose program is not installed (test/support/litecoind.ts). */
const LEFT_OUT = /^is left out without (\S+)$/;

/** A line for each file, and a total. A file runs as often as the variable that its source reads says. */
export function describeReport(
  files: readonly (JestFile & { readonly source: string })[],
  counts: Readonly<Record<string, number>>,
): string[] {
  const lines = files.map(({ name, source, assertionResults }) => {
    const file = name.replace(/^.*\/test\//, '').replace(/\.property\.test\.js$/, '');
    const runs = Object.entries(counts).find(([variable]) => source.includes(variable))?.[1] ?? 0;
    const missing = assertionResults.map(({ title }) => LEFT_OUT.exec(title)?.[1]).find((program) => program);
    const own = assertionResults.filter(({ title }) => !LEFT_OUT.test(title));
    const count = (status: string) => own.filter((one) => one.status === status).length;
    const fell = count('failed');
    const failed = fell > 0 ? `; ${String(fell)} failed, the smallest history is above` : '';
    const held = `${String(count('passed'))} properties held over ${String(runs)} histories each${failed}`;
    const leftOut = `LEFT OUT, because ${missing ?? ''} is not installed: nothing was tried`;
    return { ran: own.length > 0, line: `${file}: ${own.length > 0 ? held : leftOut}` };
  });
  const ran = lines.filter((file) => file.ran).length;
  const left = lines.length - ran;
  const total = ran === 0 ? 'Nothing ran.' : `${String(ran)} files of properties ran.`;
  return [...lines.map(({ line }) => line).sort(), left > 0 ? `${total} ${String(left)} left out.` : total];
}
