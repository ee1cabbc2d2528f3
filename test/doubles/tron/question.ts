// What the double of a TRON node is asked.

import type { IncomingMessage } from 'node:http';

export interface Question {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: IncomingMessage['headers'];
}
