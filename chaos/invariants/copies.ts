// Invariants after the database was replaced by an older copy: nothing is paid twice, and the ledger is complete again.

import { parseUnits } from 'viem/utils';
import { DECIMALS } from './chain-balances.ts';
import type { CopyEvidence, CopyPayout } from '../copies/evidence.ts';
import type { PayoutNote } from '../load/client-log.ts';
import { first } from './invariant.ts';

interface CopyRule {
  readonly words: string;
  readonly breach: (evidence: CopyEvidence) => string | null;
}

export const COPY_INVARIANTS: readonly CopyRule[] = [
  { words: 'no address ever holds more than is due', breach: findOverpaid },
  { words: 'a network that signed after the copy reports that it is halted, and is ready', breach: findUnsaid },
  { words: 'npm run recover lets it sign again', breach: findUnrecovered },
  { words: 'a payout that waits in the copy is paid once, at whatever time', breach: findWaiting },
  { words: 'what the chain paid is in the ledger once, and what is not there was not paid', breach: findUnbooked },
  { words: 'a paid refund whose payment is lost is an outflow in the ledger, once', breach: findOutflows },
  { words: 'a withdrawal that is repeated is refused with 4005 if it was paid, and else paid once', breach: findRetry },
  { words: 'what was paid to orders that the copy lost is in suspense, and nothing else', breach: findSuspended },
  {
    words: 'with that written off the ledger keeps all its rules and matches the chain (ledger:verify)',
    breach: ({ ledgerFault }) => ledgerFault,
  },
];

const units = ({ amount, currency }: PayoutNote): bigint => parseUnits(amount, DECIMALS[currency] ?? 0);

/** The name of a payout: its id, if its merchant was given one, and its address. */
const nameOf = ({ kind, id, address }: PayoutNote): string => `${kind} ${id ?? 'without an answer'} to ${address}`;

const byAddress = (payouts: readonly CopyPayout[]): Map<string, CopyPayout[]> =>
  Map.groupBy(payouts, ({ address }) => address);

function findOverpaid({ payouts, receivedWhenHalted, received }: CopyEvidence): string | null {
  return first(payouts, (note) => {
    const due = note.refused === null ? units(note) : 0n;
    return first([receivedWhenHalted, received], (amounts) => {
      const came = amounts.get(note.address) ?? 0n;
      return came <= due ? null : `${nameOf(note)} received ${came} base units of ${note.currency}, and ${due} are due`;
    });
  });
}

function findUnsaid({ signed, readyWhenHalted }: CopyEvidence): string | null {
  if (signed === 0 && readyWhenHalted === null) return null;
  if (readyWhenHalted === null) return `${signed} transactions were signed after the copy, and nothing is halted`;
  const { status, halted } = readyWhenHalted;
  return status === 200 && halted.includes('ETH')
    ? null
    : `/readyz answers ${status}, halted: ${halted.join(', ') || 'none'}`;
}

function findUnrecovered({ recovered, haltsLeft }: CopyEvidence): string | null {
  if (recovered.code !== 0) return `npm run recover ended with ${recovered.code}: ${recovered.words}`;
  return haltsLeft.length === 0 ? null : `halted after npm run recover: ${haltsLeft.join(', ')}`;
}

function findWaiting({ inCopy, payouts, received, book }: CopyEvidence): string | null {
  const notes = new Map(payouts.map((note) => [note.address.toLowerCase(), note]));
  const booked = byAddress(book);
  return first(inCopy, ({ id, address, status }) => {
    const note = notes.get(address);
    if (!note) return `payout ${id} was never requested`;
    if (status !== 'REQUESTED') return null;
    const came = received.get(note.address) ?? 0n;
    const now = (booked.get(address) ?? []).map((payout) => payout.status).join(', ');
    return came === units(note) && now === 'COMPLETED'
      ? null
      : `${nameOf(note)} waited in the copy; it is ${now || 'gone'}, and ${came} of ${units(note)} base units came`;
  });
}

/** A refund cannot be recovered without its payment. */
const isOfLostPayment = ({ kind, orderId }: PayoutNote, { payments }: CopyEvidence): boolean =>
  kind === 'refund' && !payments.has(orderId ?? '');

function findOutflows(evidence: CopyEvidence): string | null {
  const { payouts, received, outflows } = evidence;
  const paid = payouts.filter((note) => isOfLostPayment(note, evidence) && received.get(note.address) === units(note));
  return paid.length === outflows
    ? null
    : `${paid.length} refunds of lost payments were paid, and the ledger has ${outflows} outflows`;
}

function findUnbooked(evidence: CopyEvidence): string | null {
  const { payouts, received, book } = evidence;
  const booked = byAddress(book);
  return first(payouts, (note) => {
    if (isOfLostPayment(note, evidence)) return null;
    const came = received.get(note.address) ?? 0n;
    const here = booked.get(note.address.toLowerCase()) ?? [];
    const tell = here.map(({ id, status, transfers }) => `${id} ${status} by ${transfers} transfers`).join(', ');
    const isOnce = here.length === 1 && here[0]?.status === 'COMPLETED' && here[0].transfers === 1;
    if (came === 0n ? here.length === 0 : came === units(note) && isOnce) return null;
    return `${nameOf(note)}: ${came} of ${units(note)} base units came, and the ledger has ${tell || 'nothing'}`;
  });
}

/** The error code for an insufficient balance. */
const TOO_LITTLE = '4001';

/** A withdrawal that was lost with its deposits may be refused: the money behind it is in suspense. */
function findRetry({ retries, received }: CopyEvidence): string | null {
  return first(retries, ({ note, held, code }) => {
    const came = received.get(note.address) ?? 0n;
    const due = code === TOO_LITTLE ? 0n : units(note);
    const isRight = held > 0n ? code === '4005' : code === null || code === TOO_LITTLE;
    if (isRight && came === due) return null;
    const answer = code ?? 'accepted';
    return `${nameOf(note)} held ${held}, was asked for again (${answer}) and holds ${came} of ${units(note)} base units`;
  });
}

function findSuspended({ suspended }: CopyEvidence): string | null {
  return first(suspended, ({ currency, amount, least, most }) =>
    least <= amount && amount <= most
      ? null
      : `${amount} base units of ${currency} are in suspense; lost orders were paid ${least}, ${most} at most`,
  );
}

/** A line about what happened with one copy. */
export function copySummary({ inCopy, signed, readyWhenHalted, retries }: CopyEvidence): string {
  const waiting = inCopy.filter(({ status }) => status === 'REQUESTED').length;
  const answers = Object.entries(Object.groupBy(retries, ({ code }) => code ?? 'accepted'));
  const again = answers.map(([code, some = []]) => `${some.length} ${code}`).join(', ');
  return [
    `${waiting} payouts wait in the copy`,
    `${signed} transactions were signed after it`,
    readyWhenHalted === null ? 'nothing halted' : `halted: ${readyWhenHalted.halted.join(', ')}`,
    `asked for again: ${again || 'none'}`,
  ].join('; ');
}
