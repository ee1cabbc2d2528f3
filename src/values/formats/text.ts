// Small functions of texts that take time in proportion to their length, whatever a caller puts into them.

/**
 * A text without the characters of one kind that it ends with: `withoutTrailing('a//', '/')` is `a`. (`replace(/\/+$/, '')`
 * looks at each run of them anew from each place in it, which takes time by the square of its length.)
 */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text.charAt(end - 1) === character) end -= 1;
  return text.slice(0, end);
}

/**
 * A text to be kept, without what it was cut from: a part of a header of 16 KB keeps the whole of it in memory, however
 * short the part is.
 */
export function ownCopy(text: string): string {
  return Buffer.from(text).toString();
}
