// Runs every example of the guide, in the guide's order, and compares its answer with the one shown.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withErrorTable } from '../../scripts/error-table.ts';
import { readConfig } from '../../src/config/config.ts';
import { PERMISSIONS } from '../../src/values/permission.ts';
import { ROOT } from '../support/sources.ts';
import { borrowGateway, type BorrowedGateway } from '../support/gateway/borrowed-gateway.ts';
import { untilPasses } from '../support/until.ts';
import { differences, examplesOf, fencesOf, OWN_SECRETS, run, type Shell } from './guide-examples.fixture.ts';

const FOLDER = join(ROOT, 'docs/guide');
const read = (page: string) => readFileSync(join(FOLDER, page), 'utf8');

/** The pages in the order of the guide's index. */
const pages = [...read('README.md').matchAll(/^\d+\. \[[^\]]+\]\(([\w-]+\.md)\)/gm)].map((match) => match[1] ?? '');
/** The guide's URL of the sandbox, which the test replaces by that of its own. */
const SAID_BASE = 'http://localhost:3000';

let gateway: BorrowedGateway;
const shell: Shell = { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` };

beforeAll(async () => {
  gateway = await borrowGateway();
});
afterAll(() => gateway.stop());

describe.each(pages)('%s', (page) => {
  const withTestUrl = (text: string) => text.replaceAll(SAID_BASE, gateway.url);

  it.each(examplesOf(page).map((example) => [example.at, example] as const))('%s', async (_, example) => {
    const { code, answer, eventually } = example;
    const check = async () => {
      const printed = await run({ ...example, code: withTestUrl(code) }, shell);
      if (answer?.language === 'json') {
        expect(differences(JSON.parse(withTestUrl(answer.text)), JSON.parse(printed))).toEqual([]);
      } else expect(printed).toBe(answer ? withTestUrl(answer.text) : '');
    };
    await (eventually ? untilPasses(check) : check());
  });
});

describe('the guide', () => {
  it('has every page in its index', () => {
    expect(['README.md', ...pages].sort()).toEqual(readdirSync(FOLDER).sort());
  });

  it('an answer that is not as shown would be found', () => {
    expect(differences({ a: 'x_…', b: [{ c: 1 }] }, { a: 'x_12', b: [{ c: 1, d: 2 }, 3], e: null })).toEqual([]);
    expect(differences({ a: 'x_…' }, { a: 'y_12' })).toHaveLength(1);
    expect(differences({ a: null }, {})).toHaveLength(1);
    expect(differences({ a: [1, 2] }, { a: [1] })).toHaveLength(1);
    expect(differences({ a: { b: 1 } }, { a: [] })).toHaveLength(1);
  });

  it('lists every error as the code has it; `npm run schema` writes the table', () => {
    expect(read('errors.md')).toBe(withErrorTable(read('errors.md')));
  });

  it('lists every permission', () => {
    const listed = [...read('authentication.md').matchAll(/^\| `([A-Z_]+)`/gm)].map((match) => match[1]);
    expect(listed).toEqual([...PERMISSIONS]);
  });

  it('every configuration it shows is one that the program takes, but for the secrets, which are refused as shown', () => {
    const shown = fencesOf('going-live.md').filter(({ marks }) => marks.includes('live'));
    expect(shown.length).toBeGreaterThan(0);
    for (const { text } of shown) {
      const lines = text.trim().split('\n');
      const source = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2))) as Record<
        string,
        string
      >;
      const own = Object.fromEntries(Object.entries(OWN_SECRETS).filter(([name]) => name in source));
      expect(readConfig({ ...source, ...own }).environment).toBe('live');
      for (const [name, value] of Object.entries(source))
        if (name in own) expect(() => readConfig({ ...source, ...own, [name]: value })).toThrow(`${name}: `);
    }
  });

  it.each(pages)('%s links to nothing that is not there', (page) => {
    const links = [...read(page).matchAll(/\]\(([^)#]+)(#[^)]*)?\)/g)].map((match) => match[1] ?? '');
    const files = links.filter((link) => !/^https?:/.test(link));
    expect(files.filter((file) => !existsSync(join(FOLDER, file)))).toEqual([]);
  });
});
