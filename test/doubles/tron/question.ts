// A question to TRON's double: its path and its body.

import type { IncomingMessage } from 'node:http';

export interface Question {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: IncomingMessage['headers'];
}
