// Reads a password from standard input. Never an argument: other users could see it in the process list, and shells
// record it.

import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** The first line of standard input; on a terminal, prompted for twice without echo. */
export async function askPassword(): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).split(/\r?\n/)[0] ?? '';
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: unseen, terminal: true });
  const ask = async (question: string): Promise<string> => {
    process.stderr.write(question);
    const answer = await terminal.question('');
    process.stderr.write('\n');
    return answer;
  };
  try {
    const password = await ask('New password: ');
    if ((await ask('Once more: ')) !== password) throw new Error('They are not the same; nothing is changed');
    return password;
  } finally {
    terminal.close();
  }
}
