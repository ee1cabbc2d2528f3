// A long JSON answer in parts: the bytes that `JSON.stringify` would make of the whole.

/**
 * Writes an object whose innermost last value is an empty list, such as `{ success, data: { …, rows: [] } }`, with items in
 * that list, each part made when it is asked for. What breaks off midway is no JSON.
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
