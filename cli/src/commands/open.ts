// `open`: the pages of a gateway, in a browser.

import { spawn } from 'node:child_process';
import type { Command } from '../command.ts';
import { usage } from '../failure.ts';

const PAGES: Readonly<Record<string, string>> = {
  console: '/console/',
  docs: '/docs',
  graphql: '/graphql',
  health: '/readyz',
};
/** What opens an address in the browser that somebody prefers. Arguments are never read by a shell. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens a page. */
export const open: Command = {
  name: 'open',
  operands: 'PAGE',
  choices: Object.keys(PAGES),
  summary: `open a page in your browser: ${Object.keys(PAGES).join(', ')}`,
  options: { print: { help: 'only print its address' } },
  async run(context) {
    const page = context.operand();
    const path = Object.hasOwn(PAGES, page) ? PAGES[page] : undefined;
    if (path === undefined) throw usage(`there is no page "${page}"; there are: ${Object.keys(PAGES).join(', ')}`);
    const url = `${(await context.profile()).baseUrl}${path}`;
    context.terminal.show({ url }, url);
    if (context.isOn('print') || context.terminal.isJson) return;
    const [program = 'xdg-open', ...args] = OPENERS[process.platform] ?? ['xdg-open'];
    const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
    child.once('error', () => context.terminal.note(`${program} is not there: open the address yourself`));
    child.unref();
  },
};
