// The table of errors in docs/guide/errors.md: codes and messages from the code, and what to do about each.

import { ERRORS, type ErrorName } from '../src/values/errors.ts';

/** What a caller can do about the error. */
const REMEDIES: Readonly<Record<ErrorName, string>> = {
  MISSING_TOKEN: 'Send `Authorization: Bearer` and an access token',
  INVALID_TOKEN: 'Get a new token at `POST /auth/token`, and repeat the call',
  ADDRESS_NOT_ALLOWED: 'Call from an address on `ipWhitelist`; in a sandbox, also from a page on `CORS_ORIGINS`',
  MISSING_PERMISSION: 'The message names the permission. Use a key that has it, and get a new token',
  WRONG_CREDENTIALS: 'Check both key id and secret, or e-mail and password: the answer does not say which is wrong',
  KEY_REVOKED: 'Use another key',
  OTHER_ENVIRONMENT: 'Use test keys in the sandbox and live keys in live mode',
  HTTPS_REQUIRED: 'Call the `https://` URL',
  SECOND_FACTOR_NEEDED: 'Send `code` to `login`, or sign in with `signIn` and `finishSignIn`; confirm with `confirm`',
  CONFIRMATION_NEEDED: 'Confirm with `confirm`, then repeat the call within five minutes',
  REGISTRATION_CLOSED: 'Ask the operator of this gateway for an invitation, or for an account',
  HELD: 'Wait until the time that the message names: your password was reset lately',
  FACTOR_NEEDED:
    'Set up a second factor: the payout policy of this merchant asks for one, or you are an operator in live',
  MERCHANT_SUSPENDED: 'Ask the operator: nothing can be changed or made, and payouts wait; reading goes on',
  VALIDATION: 'Fix every fault that `details` lists by its path',
  IDEMPOTENCY_MISMATCH: 'Use a new key for each different request',
  IDEMPOTENCY_IN_FLIGHT: 'Wait a moment and send the same request again',
  NOT_FOUND: "Check the path and the id. Other merchants' resources are not found either",
  METHOD_NOT_ALLOWED: 'The `Allow` header lists the methods of this path',
  BODY_TOO_LARGE: 'Send a smaller body',
  MEDIA_TYPE: 'Send JSON, and say so in `Content-Type`',
  MALFORMED_JSON: 'Check the body that is actually sent: quotes, commas, encoding',
  EMAIL_TAKEN: 'Sign in to that account, or use another address',
  LAST_OWNER: 'Give somebody else the role OWNER first',
  PEOPLE_CONFLICT:
    'The message says why: they are a member already, the invitation is for another address, or a role is in use',
  NO_MAIL: 'The operator has to set up mail first',
  CUSTOMER_IN_USE: 'Wait until what `details` names has ended, and erase again',
  EVENT_ERASED: 'Nothing: its customer was erased',
  UNSUPPORTED_ASSET: '`GET /currencies` lists the supported pairs',
  BELOW_MINIMUM: 'See `minAmount` in `GET /currencies`',
  ABOVE_MAXIMUM: 'See `maxAmount` in `GET /currencies`',
  REFERENCE_USED: 'Use a new reference, or send the input of the first call to get its invoice',
  WRONG_STATE: 'Read the payment or invoice again: its status has changed',
  NOT_REFUNDABLE: 'The message says how much can be refunded',
  NETWORK_UNAVAILABLE: 'Offer another network (`available` in `GET /currencies`), or try later',
  NOT_QUOTED: 'Name the price in another currency; `GET /rates` shows whether one is quoted',
  TAKES_NO_MORE: 'Read it again: it has ended, or is paid. A new order needs a new invoice',
  NO_RATE: 'Wait `Retry-After` seconds, or choose another coin',
  TOO_MANY_CHOICES: 'Pay one of the quotes that were made, or make a new invoice',
  INSUFFICIENT_FUNDS: '`GET /wallet/balance` shows what is available',
  BAD_ADDRESS: "Ask the recipient for the address again. Token contracts and the gateway's own wallets are refused",
  DUST: 'Send a larger amount',
  DUPLICATE_WITHDRAWAL: 'The withdrawal exists: find it in `GET /wallet/withdrawals`',
  NOT_IN_BOOK: 'Add the address to the book, and wait until it is active; or have the policy changed',
  OVER_LIMIT: 'The message names the limit and what is left of it. Ask for less, or later',
  ALREADY_DECIDED: 'Read it again: somebody else decided it, or its status has changed',
  PAYOUTS_FROZEN: 'Nothing was reserved: try again later with the same id. Earlier payouts wait (`heldReason`)',
  SECOND_PERSON: 'Ask another member to decide: nobody approves what they asked for themselves',
  WEBHOOK_URL_REFUSED: 'Use a public host, and port 80, 443, or 1024 and above',
  RATE_LIMITED: 'Wait `Retry-After` seconds, then call less often',
  MISDIRECTED: 'Repeat the call with the header `Turnpike-Cell` and the number in `details`',
  INTERNAL: 'Try again later, with the same `Idempotency-Key`; report the `X-Request-Id`',
  OVERLOADED: 'Wait `Retry-After` seconds and try again, with the same `Idempotency-Key`',
};

const BEGIN = '<!-- The table is written by `npm run schema`. -->';
const END = '<!-- End of the table. -->';

/** The text of docs/guide/errors.md with the current table. Throws if the markers of the table's place are missing. */
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
