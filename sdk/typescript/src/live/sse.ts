// Server-Sent Events as the gateway sends them: lines of `event:` and `data:`, ended by an empty line.

/** One message of a stream. */
export interface Message {
  readonly event: string;
  readonly data: string;
}

/**
 * Splits a stream of text into its messages. A comment of the gateway's, which keeps the connection alive, is a message
 * without a name. Text after the last empty line was cut off, and is dropped.
 */
export async function* readMessages(chunks: AsyncIterable<string>): AsyncGenerator<Message, void, undefined> {
  let rest = '';
  let event = '';
  let data: string[] = [];
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const full of lines) {
      const line = full.replace(/\r$/, '');
      if (line === '') {
        yield { event, data: data.join('\n') };
        [event, data] = ['', []];
      } else if (line.startsWith('event:')) event = line.slice(6).trim();
      else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
    }
  }
}
