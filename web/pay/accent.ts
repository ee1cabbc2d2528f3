// The merchant's colour, if it is legible: WCAG 2.2 requires a contrast of 4.5:1 between text and its background.

import { COLOURS } from '../../src/values/look/tokens.ts';

/** The backgrounds of links and headings. */
const GROUNDS = {
  light: [COLOURS.card[0], COLOURS.page[0]],
  dark: [COLOURS.card[1], COLOURS.page[1]],
} as const;

const LEAST_CONTRAST = 4.5;

/**
 * CSS that replaces our accent colour with the merchant's in each colour scheme in which it has enough contrast; empty
 * if there is none.
 */
export function accentStyle(accent: string | null): string {
  if (accent === null || !/^#[0-9a-f]{6}$/i.test(accent)) return '';
  const onAccent = contrast(accent, '#ffffff') >= contrast(accent, '#000000') ? '#fff' : '#000';
  // The tint of our own colour would not match another one.
  const rule = `:root{--accent:${accent.toLowerCase()};--on-accent:${onAccent};--tint:var(--sunken)}`;
  return (['light', 'dark'] as const)
    .filter((scheme) => GROUNDS[scheme].every((ground) => contrast(accent, ground) >= LEAST_CONTRAST))
    .map((scheme) => `@media(prefers-color-scheme:${scheme}){${rule}}`)
    .join('');
}

/** The contrast of two colours, `#rrggbb` or `#rgb`, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const digits = colour.length === 4 ? colour.replace(/[^#]/g, '$&$&') : colour;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
