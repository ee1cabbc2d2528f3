// What a client calls itself, in the few words in which people are told of it.

/** The first that matches: most browsers name others as well. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\b(OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|Chromium|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\b(Macintosh|Mac OS X)\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];
/** A program's name, such as `curl` of `curl/8.5.0`. */
const PROGRAM = /^([a-z][\w-]{0,30})(\/[\w.-]*( |$)|$)/i;

const firstOf = (table: typeof BROWSERS, text: string) => table.find(([pattern]) => pattern.test(text))?.[1];

/**
 * A device in words: `Firefox, Windows`, `curl`, or a dash. Clients call themselves what they like, so nothing else of
 * it is told: a text of theirs could be an address to follow.
 */
export function deviceName(userAgent: string | null): string {
  const text = userAgent ?? '';
  const names = [firstOf(BROWSERS, text), firstOf(SYSTEMS, text)].filter((name) => name !== undefined);
  return names.length > 0 ? names.join(', ') : (PROGRAM.exec(text)?.[1] ?? '—');
}
