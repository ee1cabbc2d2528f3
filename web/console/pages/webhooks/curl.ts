// A request as a command that repeats it.

export interface RepeatedRequest {
  readonly url: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body: string;
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A line for a POSIX shell: nothing in it is read as anything but text. */
export function curlOf({ url, headers, body }: RepeatedRequest): string {
  return [
    `curl ${quoted(url)}`,
    ...headers.map(({ name, value }) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(body)}`,
  ].join(' \\\n  ');
}
