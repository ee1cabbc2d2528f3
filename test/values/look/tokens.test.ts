// The colours of both faces: what is read in them is legible in the light and in the dark, and no style sheet has
// colours of its own, or names one that there is not.

import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COLOURS, TOKENS } from '../../../src/values/look/tokens.ts';
import { contrast } from '../../../web/pay/accent.ts';
import { STYLE } from '../../../web/pay/style.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const FOLDER = join(ROOT, 'web/console/style');
const SHEETS = readdirSync(FOLDER).map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')] as const);
const SCHEMES = [
  ['the light', 0],
  ['the dark', 1],
] as const;

type Colour = keyof typeof COLOURS;

/** Text, and what it stands on. */
const READ: readonly (readonly [Colour, readonly Colour[]])[] = [
  ...(['ink', 'soft', 'accent', 'good', 'warn', 'bad'] as const).map(
    (text) => [text, ['page', 'card', 'sunken']] as const,
  ),
  ['ink', ['tint', 'good-tint', 'warn-tint', 'bad-tint']],
  ['soft', ['tint']],
  ['accent', ['tint']],
  ['good', ['good-tint']],
  ['warn', ['warn-tint']],
  ['bad', ['bad-tint']],
  ['test', ['test-tint']],
  ['on-accent', ['accent']],
  ['on-bad', ['bad']],
  ['card', ['ink']],
];

describe.each(SCHEMES)('in %s', (_, scheme) => {
  it.each(READ)('%s is legible', (text, grounds) => {
    for (const ground of grounds)
      expect([ground, contrast(COLOURS[text][scheme], COLOURS[ground][scheme]) >= 4.5]).toEqual([ground, true]);
  });

  it('the edge of what can be filled in is seen', () => {
    for (const ground of ['page', 'card'] as const)
      expect(contrast(COLOURS.edge[scheme], COLOURS[ground][scheme])).toBeGreaterThanOrEqual(3);
  });
});

const withoutComments = (css: string) => css.replace(/\/\*[^]*?\*\//g, '');

describe('a style sheet', () => {
  it.each(SHEETS)('%s of the console has no colours of its own', (_, css) => {
    expect(withoutComments(css).match(/#[\da-f]{3,8}\b|\b(rgba?|hsla?|oklch|light-dark)\(/gi)).toBeNull();
  });

  it.each([...SHEETS, ['of the pages of customers', STYLE] as const])('%s names no value that is not set', (_, css) => {
    const set = new Set(`${TOKENS}${css}${SHEETS.map(([, text]) => text).join('')}`.match(/--[\w-]+(?=\s*:)/g));
    const named = [...css.matchAll(/var\((--[\w-]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !set.has(name))).toEqual([]);
  });
});
