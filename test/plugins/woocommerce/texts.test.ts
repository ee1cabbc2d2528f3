// The texts of the plugin are in step: the template with the sources, each language with the template, and what is
// compiled with what was written. Without gettext this is left to the slow tests of CI.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cpSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeTexts } from '../../../scripts/woocommerce.ts';
import { ROOT } from '../../support/sources.ts';
import { isInstalled } from '../../examples/receiver-programs.fixture.ts';

const PLUGIN = join(ROOT, 'plugins/woocommerce');
const LANGUAGES = join(PLUGIN, 'languages');
const NAME = 'turnpike-for-woocommerce';
/** English is in the sources. */
const TRANSLATED = readdirSync(join(ROOT, 'src/mail/languages'))
  .map((file) => file.replace('.ts', ''))
  .filter((language) => language !== 'en');

const read = (file: string) => readFileSync(join(LANGUAGES, file), 'utf8');

/** Texts with their translations, without the head. */
function entriesOf(file: string): Map<string, string> {
  const found = read(file).matchAll(/^msgid "(?<id>.+)"\nmsgstr "(?<text>.*)"$/gm);
  return new Map([...found].map(({ groups }) => [groups?.['id'] ?? '', groups?.['text'] ?? '']));
}

const placesOf = (text: string): string[] => [...text.matchAll(/%(?:\d\$)?[sd]/g)].map(([place]) => place).sort();

describe('the texts of the plugin', () => {
  it('are in the nine languages of our mails', () => {
    expect(globSync('*.po', { cwd: LANGUAGES }).sort()).toEqual(TRANSLATED.map((one) => `${NAME}-${one}.po`).sort());
    expect(TRANSLATED).toHaveLength(8);
  });

  it.each(TRANSLATED)('%s has every text, with its places, and nothing else', (language) => {
    const translated = entriesOf(`${NAME}-${language}.po`);
    expect([...translated.keys()].sort()).toEqual([...entriesOf(`${NAME}.pot`).keys()].sort());
    for (const [id, text] of translated) {
      expect(text).not.toBe('');
      expect([id, placesOf(text)]).toEqual([id, placesOf(id)]);
    }
  });
});

if (isInstalled('xgettext') && isInstalled('msgfmt'))
  describe('template and compiled texts', () => {
    let copy: string;
    beforeAll(() => {
      copy = mkdtempSync(join(tmpdir(), 'turnpike-texts-'));
      cpSync(PLUGIN, copy, { recursive: true });
      writeTexts(copy);
    });
    afterAll(() => rmSync(copy, { recursive: true, force: true }));

    it.each(readdirSync(LANGUAGES).filter((file) => /\.(mo|pot)$/.test(file)))(
      '%s is as `npm run woocommerce -- texts` writes it',
      (file) => {
        expect(readFileSync(join(copy, 'languages', file)).equals(readFileSync(join(LANGUAGES, file)))).toBe(true);
      },
    );
  });
else
  it('without gettext this is left to CI', () => {
    expect(process.env['CI']).not.toBe('true');
  });
