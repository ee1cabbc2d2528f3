// Streams a long JSON answer in parts, with the same bytes as `JSON.stringify` of the whole.

/**
 * Writes an object whose innermost last value is an empty list, such as `{ success, data: { …, rows: [] } }`, filling
 * that list with items. Each part is made when it is read. An answer that breaks off midway is not valid JSON.
 */
export async function* streamJson(
  whole: object,
  parts: AsyncIterable<readonly unknown[]>,
): AsyncGenerator<string, void> {
  const text = JSON.stringify(whole);
  const end = text.lastIndexOf(']');
  let before = text.slice(0, end);
  for await (const items of parts) {
    if (items.length === 0) continue;
    yield before + JSON.stringify(items).slice(1, -1);
    before = ',';
  }
  yield (before === ',' ? '' : before) + text.slice(end);
}
