// The table of errors in docs/guide/errors.md: codes and messages from the code, and what to do about each.

import { ERRORS, type ErrorName } from '../src/values/errors.ts';

/** What a caller can do about the error. */
const REMEDIES: Readonly<Record<ErrorName, string>> = {
  MISSING_TOKEN: 'Send `Authorization: Bearer` and an access token',
  INVALID_TOKEN: 'Get a new token at `POST /auth/token`, and repeat the call',
  ADDRESS_NOT_ALLOWED: 'Call from an address (`ipWhitelist`) or, in a sandbox, a page (`CORS_ORIGINS`) that may',
  MISSING_PERMISSION: 'The message names it: use a key that has it, and a token issued since',
  WRONG_CREDENTIALS: 'Check keyId and secret (or e-mail address and password); which one is wrong is not told',
  KEY_REVOKED: 'Use another key',
  OTHER_ENVIRONMENT: 'Test keys go with the sandbox, live keys with live',
  HTTPS_REQUIRED: 'Live answers over HTTPS only',
  REGISTRATION_CLOSED: 'Ask the operator of this gateway for an account',
  VALIDATION: '`details` lists every fault by its path: mend them all',
  IDEMPOTENCY_MISMATCH: 'Use a new key for another request',
  IDEMPOTENCY_IN_FLIGHT: 'Wait a moment and send the same again',
  NOT_FOUND: "Check the path and the id; another merchant's is not found either",
  METHOD_NOT_ALLOWED: '`Allow` lists the methods of this path',
  BODY_TOO_LARGE: 'Send less',
  MEDIA_TYPE: 'Send JSON, and say so in `Content-Type`',
  MALFORMED_JSON: 'Look at the body as it is sent: quotes, commas, encoding',
  EMAIL_TAKEN: 'Sign in to that account, or use another address',
  UNSUPPORTED_ASSET: '`GET /currencies` lists the pairs',
  BELOW_MINIMUM: '`minAmount` of `GET /currencies`',
  ABOVE_MAXIMUM: '`maxAmount` of `GET /currencies`',
  WRONG_STATE: 'Read the payment: it has moved on',
  NOT_REFUNDABLE: 'The message says how much can be refunded',
  NETWORK_UNAVAILABLE: 'Offer another network (`available` in `GET /currencies`), or try later',
  INSUFFICIENT_FUNDS: '`GET /wallet/balance` says what is available',
  BAD_ADDRESS: "Ask for the address again; a token's contract or a wallet of the gateway is none",
  DUST: 'Send more',
  DUPLICATE_WITHDRAWAL: 'It was asked for already: look in `GET /wallet/withdrawals`',
  ALREADY_DECIDED: 'Read it again: somebody was faster, or it has moved on',
  PAYOUTS_FROZEN:
    'Try again later, with the same id; nothing was taken. What was asked for before waits (`heldReason`)',
  WEBHOOK_URL_REFUSED: 'Use a public host, and port 80, 443, or 1024 and above',
  RATE_LIMITED: 'Wait `Retry-After` seconds, then call less often',
  INTERNAL: 'Try again later, with the same `Idempotency-Key`; report the `X-Request-Id`',
  OVERLOADED: 'Wait `Retry-After` seconds and try again, with the same `Idempotency-Key`',
};

const BEGIN = '<!-- The table is written by `npm run schema`. -->';
const END = '<!-- End of the table. -->';

/** The text of docs/guide/errors.md with the table as it should be. Throws where the marks of its place are missing. */
export function withErrorTable(text: string): string {
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error('docs/guide/errors.md has no place for the table');
  return `${before}${BEGIN}\n\n${errorTable()}\n\n${END}${after}`;
}

/** The table in Markdown, its columns as wide as their widest cell. */
function errorTable(): string {
  const names = Object.keys(ERRORS) as ErrorName[];
  const rows = names.map((name) => {
    const { code, status, graphql, message } = ERRORS[name];
    return [code, String(status), `\`${graphql}\``, message.replaceAll('<', '\\<'), REMEDIES[name]];
  });
  const cells = [['Code', 'HTTP', 'GraphQL `code`', 'Message', 'What to do'], ...rows];
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: readonly string[]) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = cells;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(head), rule, ...body.map(line)].join('\n');
}
