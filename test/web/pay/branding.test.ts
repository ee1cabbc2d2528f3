// The merchant's colour on the payment page: used only where text in it is readable.

import { describe, expect, it } from '@jest/globals';
import { accentStyle, contrast } from '../../../web/pay/accent.ts';
import { STYLE } from '../../../web/pay/style.ts';

const schemesOf = (style: string) => [...style.matchAll(/prefers-color-scheme:(\w+)/g)].map(([, scheme]) => scheme);

describe('contrast', () => {
  it('is as WCAG 2.2 counts it', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
    expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2);
    expect(contrast('#ffffff', '#767676')).toBe(contrast('#767676', '#ffffff'));
  });
});

describe('the accent', () => {
  it.each([
    ['#12506b', ['light']],
    ['#8cd6ff', ['dark']],
    ['#ffff00', ['dark']],
    ['#767676', []],
    ['#000000', ['light']],
    ['#FFFFFF', ['dark']],
  ] as const)('%s is used in %j', (accent, schemes) => {
    expect(schemesOf(accentStyle(accent))).toEqual(schemes);
  });

  it.each([null, '', 'red', '#12345', '#123456;}', '#12345g', '</style>'])('%j is not a colour', (accent) => {
    expect(accentStyle(accent)).toBe('');
  });

  it('whatever the colour, text on it and the colour on every ground have 4.5:1', () => {
    const steps = ['00', '33', '66', '99', 'cc', 'ff'];
    const colours = steps.flatMap((red) => steps.flatMap((green) => steps.map((blue) => `#${red}${green}${blue}`)));
    const backgrounds = { light: ['#ffffff', '#f7f8fa'], dark: ['#14171c', '#0b0d10'] };
    let used = 0;
    for (const colour of colours) {
      const style = accentStyle(colour);
      const onAccent = /--on-accent:#(\w)/.exec(style)?.[1];
      for (const scheme of schemesOf(style) as ('light' | 'dark')[]) {
        used += 1;
        for (const background of backgrounds[scheme]) expect(contrast(colour, background)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(colour, `#${(onAccent ?? '').repeat(6)}`)).toBeGreaterThanOrEqual(4.5);
      }
    }
    expect(used).toBeGreaterThan(100);
    // The backgrounds are those of the style sheet.
    for (const background of ['--card:#fff;', '--page:#f7f8fa;', '--card:#14171c;', '--page:#0b0d10;'])
      expect(STYLE).toContain(background);
  });
});
