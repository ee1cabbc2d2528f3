// Small text functions that are safe on a caller's input: their time is linear in the text's length.

/**
 * Strips one trailing character, however often it occurs: `withoutTrailing('a//', '/')` is `a`. (`replace(/\/+$/, '')`
 * takes time quadratic in the length of a run.)
 */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text.charAt(end - 1) === character) end -= 1;
  return text.slice(0, end);
}

/**
 * Copies a text that is to be kept. A substring keeps the text it was cut from in memory: a short part of a 16 KB
 * header would keep all of it.
 */
export function ownCopy(text: string): string {
  return Buffer.from(text).toString();
}
