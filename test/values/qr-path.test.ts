// The path that QR codes are drawn from.

import { describe, expect, it } from '@jest/globals';
import { qrPath } from '../../src/values/formats/qr-path.ts';

const rows = (...lines: readonly string[]) => lines.map((line) => [...line].map((module) => module === '#'));

describe('the path of a QR code', () => {
  it.each([
    ['one rectangle for each run of a row', rows('##.#'), 'M0 0h2v1H0zM3 0h1v1H3z'],
    ['a run up to the edge, in its own row', rows('....', '..##'), 'M2 1h2v1H2z'],
    ['nothing where all is light', rows('...', '...'), ''],
  ])('has %s', (_, modules, path) => {
    expect(qrPath(modules)).toBe(path);
  });
});
