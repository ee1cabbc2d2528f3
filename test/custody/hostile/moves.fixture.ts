// The random moves of a history of payouts on a hostile chain.

import fc from 'fast-check';
import { longList } from '../../support/story/story.ts';
import { LIES, RECIPIENTS, TROUBLES, type Lie, type RecipientKind, type TroubleKind } from './chain.fixture.ts';

export const ORDERS = 4;

export type Move =
  | { readonly kind: 'pay'; readonly order: number }
  | { readonly kind: 'withdraw'; readonly order: number; readonly parts: number; readonly to: RecipientKind }
  | { readonly kind: 'refund'; readonly order: number; readonly parts: number; readonly to: RecipientKind }
  | { readonly kind: 'retry'; readonly payout: number }
  | { readonly kind: 'mine'; readonly blocks: number }
  | { readonly kind: 'reorganise'; readonly depth: number }
  | { readonly kind: 'watch' }
  | { readonly kind: 'send'; readonly steps: number }
  | { readonly kind: 'startAgain' }
  | { readonly kind: 'wait'; readonly minutes: number }
  | { readonly kind: 'trouble'; readonly what: TroubleKind | null }
  | { readonly kind: 'lie'; readonly what: Lie | null }
  | { readonly kind: 'tokenFee'; readonly basisPoints: number }
  | { readonly kind: 'backUp' }
  | { readonly kind: 'restore'; readonly journal: JournalFate }
  | { readonly kind: 'recover' };

/** What is left of the journal after the database was restored. */
export const JOURNALS = ['present', 'lost', 'as old as the backup'] as const;
export type JournalFate = (typeof JOURNALS)[number];

const order = fc.nat(ORDERS - 1);
const to = fc.constantFrom(...RECIPIENTS);
/** Tenths of an order that are paid. */
const parts = fc.constantFrom(1, 2, 3, 9);

const kinds = {
  pay: [6, fc.record({ kind: fc.constant('pay'), order })],
  withdraw: [6, fc.record({ kind: fc.constant('withdraw'), order, parts, to })],
  refund: [3, fc.record({ kind: fc.constant('refund'), order, parts, to })],
  retry: [1, fc.record({ kind: fc.constant('retry'), payout: fc.nat(9) })],
  mine: [6, fc.record({ kind: fc.constant('mine'), blocks: fc.constantFrom(1, 1, 2, 3) })],
  reorganise: [3, fc.record({ kind: fc.constant('reorganise'), depth: fc.integer({ min: 1, max: 3 }) })],
  watch: [7, fc.record({ kind: fc.constant('watch') })],
  send: [8, fc.record({ kind: fc.constant('send'), steps: fc.constantFrom(20, 20, 1, 2) })],
  startAgain: [1, fc.record({ kind: fc.constant('startAgain') })],
  wait: [2, fc.record({ kind: fc.constant('wait'), minutes: fc.constantFrom(1, 11, 30) })],
  trouble: [4, fc.record({ kind: fc.constant('trouble'), what: fc.constantFrom(null, null, null, ...TROUBLES) })],
  lie: [3, fc.record({ kind: fc.constant('lie'), what: fc.constantFrom(null, null, ...LIES) })],
  tokenFee: [1, fc.record({ kind: fc.constant('tokenFee'), basisPoints: fc.constantFrom(0, 10) })],
  backUp: [2, fc.record({ kind: fc.constant('backUp') })],
  restore: [2, fc.record({ kind: fc.constant('restore'), journal: fc.constantFrom(...JOURNALS) })],
  recover: [1, fc.record({ kind: fc.constant('recover') })],
} satisfies { readonly [Kind in Move['kind']]: readonly [number, fc.Arbitrary<Extract<Move, { kind: Kind }>>] };

/** One step of a history. */
const move: fc.Arbitrary<Move> = fc.oneof(
  ...Object.values(kinds).map(([weight, arbitrary]) => ({ weight, arbitrary: arbitrary as fc.Arbitrary<Move> })),
);
const any = (longest: number) => longList(move, longest);
const just = (...moves: readonly Move[]) => fc.constant(moves);

/** Every order is paid and counts. */
const paid = just(
  ...Array.from({ length: ORDERS }, (_, nth): Move => ({ kind: 'pay', order: nth })),
  ...([{ kind: 'mine', blocks: 3 }, { kind: 'watch' }] as const),
);
/** A recipient is paid, unless something is in the way. */
const paysOut = fc
  .tuple(kinds.withdraw[1], just({ kind: 'send', steps: 20 }, { kind: 'mine', blocks: 1 }, { kind: 'watch' }))
  .map(([first, others]): readonly Move[] => [first, ...others]);
const backUp = just({ kind: 'backUp' });

/** Any moves, or any moves around a restore of an older book. */
export const moves: fc.Arbitrary<Move[]> = fc
  .oneof(
    fc.tuple(any(40)),
    fc.tuple(paid, any(35)),
    fc.tuple(
      paid,
      any(8),
      backUp,
      paysOut,
      any(8),
      kinds.restore[1].map((one) => [one]),
      any(12),
    ),
    fc.tuple(
      paid,
      kinds.withdraw[1].map((one) => [one]),
      backUp,
      any(12),
      kinds.restore[1].map((one) => [one]),
      any(12),
    ),
  )
  .map((parts) => (parts as readonly (readonly Move[])[]).flat());
