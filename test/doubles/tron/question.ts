// A question to TRON's double: path, body and headers.

import type { IncomingMessage } from 'node:http';

export interface Question {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: IncomingMessage['headers'];
}
