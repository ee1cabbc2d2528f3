// The colours of both faces, by their use: the pages of customers have this text in their style sheet, and the console
// takes it when it is built.

/**
 * Each in the light and in the dark. Text in `ink`, `soft`, `accent`, `good`, `warn` and `bad` has a contrast of 4.5:1
 * on `page`, `card` and `sunken`, and each on its own tint; `edge`, around what can be filled in, has 3:1 (WCAG 2.2).
 */
export const COLOURS = {
  // Grounds, from the back to the front.
  page: ['#f7f8fa', '#0b0d10'],
  card: ['#fff', '#14171c'],
  sunken: ['#f2f4f7', '#0f1216'],
  // Text, and what is drawn between and around it.
  ink: ['#101828', '#f2f4f7'],
  soft: ['#475467', '#a3acba'],
  line: ['#e4e7ec', '#262b33'],
  edge: ['#7b8794', '#6f7d8c'],
  // What can be pressed, and what is chosen. On the pages of customers it is the merchant's colour (accent.ts).
  accent: ['#3347e0', '#9aa8ff'],
  'on-accent': ['#fff', '#10142e'],
  tint: ['#eef0ff', '#1b2140'],
  // How things are.
  good: ['#067647', '#6ce9a6'],
  'good-tint': ['#e7f6ee', '#10291d'],
  warn: ['#8a4b00', '#fec84b'],
  'warn-tint': ['#fff4e0', '#33260d'],
  bad: ['#b42318', '#fda29b'],
  'bad-tint': ['#fdeceb', '#3a1512'],
  'on-bad': ['#fff', '#2d0a07'],
  // That no money is real.
  test: ['#6b4e00', '#ffd966'],
  'test-tint': ['#fff3cd', '#3a2f0b'],
} as const satisfies Readonly<Record<string, readonly [light: string, dark: string]>>;

/** The shadows of cards and of layers over them, and what a dialog lays over the page. */
const SHADES = {
  shadow: ['0 1px 2px rgb(16 24 40/.06),0 12px 32px -16px rgb(16 24 40/.18)', 'none'],
  lift: ['0 16px 40px rgb(16 24 40/.24)', '0 16px 40px rgb(0 0 0/.6)'],
  scrim: ['rgb(16 24 40/.5)', 'rgb(0 0 0/.64)'],
} as const;

const rule = (scheme: 0 | 1): string =>
  Object.entries({ ...COLOURS, ...SHADES })
    .map(([name, values]) => `--${name}:${values[scheme]}`)
    .join(';');

/** The style sheet that sets them as custom properties, such as `--ink`. On paper it is always light. */
export const TOKENS = `:root{color-scheme:light dark;${rule(0)}}
@media screen and (prefers-color-scheme:dark){:root{${rule(1)}}}
`;
