// npm run fuzz: requests out of the OpenAPI document and the GraphQL schema against a gateway of its own, one after the
// other, good ones and hostile ones, each judged by what must hold of every answer.
//   npm run fuzz -- --runs 100000 --seed 1
//   npm run fuzz -- --all     goes on after a fault, and tells one request of each kind of fault at the end

import fc from 'fast-check';
import { buildSchema, isObjectType } from 'graphql';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createChecker, operationsOf } from '../test/docs/openapi-document.fixture.ts';
import { ledgerFault } from './oracle/ledger.ts';
import { perform, type FuzzDeps, type Plan, type Verdict } from './send/perform.ts';
import { anyPlan, rootsOf, tour } from './generate/plans.ts';
import { createPreparer, openShop } from './state/merchants.ts';
import { createTally, type Tally } from './oracle/coverage.ts';
import { endConnections, type Json } from './state/http.ts';
import { openSystem, type System } from './state/environment.ts';

const DEFAULT_RUNS = 5_000;
const LEAST_SHARE = 0.3;
/** How long a failed request is shrunk. */
const SHRINK_WITHIN_MS = 30_000;
/** How often an operation is tried: what it needs may have been used up in the meantime. */
const TOUR_TRIES = 4;
/** How many tours each merchant gets at the end, for what chance has left out. */
const LAST_ROUNDS = 3;

interface Options {
  readonly runs: number;
  readonly seed: number;
  readonly all: boolean;
}

interface Interface {
  readonly document: Json;
  readonly operations: ReturnType<typeof operationsOf>;
  readonly schema: ReturnType<typeof buildSchema>;
}

const say = (text: string) => void process.stdout.write(`${text}\n`);

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: String(DEFAULT_RUNS) },
      seed: { type: 'string', default: String(randomBytes(4).readInt32BE()) },
      all: { type: 'boolean', default: false },
    },
  });
  if (!/^[1-9]\d{0,8}$/.test(values.runs)) throw new Error(`--runs is a whole number, not "${values.runs}"`);
  if (!/^-?\d{1,10}$/.test(values.seed)) throw new Error(`--seed is a whole number, not "${values.seed}"`);
  return { runs: Number(values.runs), seed: Number(values.seed), all: values.all };
}

/** Reads both documents as committed: the run requests what they document. */
function readInterface(): Interface {
  const read = (name: string) => readFileSync(join(import.meta.dirname, '../../schema', name), 'utf8');
  const document: Json = JSON.parse(read('openapi.json'));
  return { document, operations: operationsOf(document), schema: buildSchema(read('schema.graphql')) };
}

async function prepare(system: System, { document, schema }: Interface): Promise<FuzzDeps> {
  const preparer = createPreparer(system.url, system.receiver);
  const shops = [];
  for (const policy of ['ACCEPT', 'MANUAL', 'ACCEPT']) shops.push(await openShop(preparer, policy));
  return {
    system,
    schema,
    check: createChecker(document).faultsOf,
    preparer,
    shops,
    kept: new Map(),
    tally: createTally(),
  };
}

class Fault extends Error {}

/** Performs plans one by one; throws `Fault` at the first fault, or, with `--all`, collects one of each kind. */
function createRun(deps: FuzzDeps, all: boolean) {
  const found = new Map<string, string>();
  let shrinkUntil = Infinity;
  return {
    found,
    async one(plan: Plan): Promise<void> {
      // Shrinking has taken long enough: plans that are not tried count as good, and the smallest so far remains.
      if (performance.now() > shrinkUntil) return;
      const verdict = await perform(deps, plan);
      if (verdict.faults.length === 0) return;
      if (shrinkUntil === Infinity && !all) shrinkUntil = performance.now() + SHRINK_WITHIN_MS;
      const told = tell(verdict);
      if (!all) throw new Fault(told);
      const kind = `${verdict.name}: ${(verdict.faults[0] ?? '').slice(0, 60)}`;
      if (!found.has(kind)) found.set(kind, told);
    },
  };
}

const tell = ({ name, faults, command }: Verdict): string => `${name}: ${faults.join('\n  ')}\n  ${command}`;

async function fuzz(
  deps: FuzzDeps,
  { document, operations, schema }: Interface,
  { runs, seed, all }: Options,
): Promise<string[]> {
  const run = createRun(deps, all);
  const takeTour = async (from: number, at: { shop?: number }): Promise<void> => {
    for (const [index, arbitrary] of tour(document, operations, schema).entries())
      for (const plan of fc.sample(arbitrary, { numRuns: TOUR_TRIES, seed: from + index })) {
        const before = deps.tally.total.successes;
        await run.one({ ...plan, ...at }).catch((error: unknown) => {
          if (!(error instanceof Fault)) throw error;
          run.found.set(error.message, error.message);
        });
        if (deps.tally.total.successes > before) break;
      }
  };
  await takeTour(seed, {});
  if (run.found.size > 0 && !all) return [...run.found.values()];
  const property = fc.asyncProperty(anyPlan(document, operations, schema), (plan) => run.one(plan));
  const ask = async (numRuns: number, from: number): Promise<void> => {
    const result = await fc.check(property, { numRuns, seed: from });
    if (!result.failed) return;
    const cause =
      result.errorInstance instanceof Error ? result.errorInstance : new Error(String(result.errorInstance));
    run.found.set(
      'last',
      `after ${result.numRuns} requests, made smaller ${result.numShrinks} times\n${cause instanceof Fault ? cause.message : (cause.stack ?? cause.message)}`,
    );
  };
  await ask(Math.max(1, runs - deps.tally.total.requests), seed);
  const isDone = () => run.found.size > 0 || shortcomings(deps.tally, { document, operations, schema }).length === 0;
  for (let visit = 1; visit <= LAST_ROUNDS * deps.shops.length && !isDone(); visit += 1)
    await takeTour(seed + runs + visit, { shop: visit % deps.shops.length });
  return [...run.found.values()];
}

/**
 * What needs a factor of a merchant's owner: they would have to show it at each later sign-in and confirmation. Wrong
 * answers to these are sent; right ones are in test/resolvers/people.
 */
const NEED_FACTOR = [
  ...['GraphQL Mutation.finishTotp', 'GraphQL Mutation.finishPasskey', 'GraphQL Mutation.finishSignIn'],
  'GraphQL Mutation.removeFactor',
];
/**
 * What needs a payout that waits, and so a policy, which would make other calls wait as well; and a second person. The
 * fuzz sends payouts that do not wait; others are in test/resolvers/payouts.
 */
const NEED_POLICY = ['GraphQL Mutation.approvePayout', 'GraphQL Mutation.rejectPayout'];
/** What needs an operator, whose calls are in test/resolvers/operator. */
const NEED_OPERATOR = [
  ...['payoutFreezes', 'operatorMerchants', 'networkHealth', 'stuckPayouts'].map((name) => `GraphQL Query.${name}`),
  ...['gatewayFunds', 'operatorActions', 'operatorLog', 'operatorCells'].map((name) => `GraphQL Query.${name}`),
  ...['failPayout', 'creditSuspense', 'writeOffSuspense', 'withdrawFees', 'approveAction', 'rejectAction'].map(
    (name) => `GraphQL Mutation.${name}`,
  ),
  ...['freezePayouts', 'liftFreeze', 'setAssetAccepted', 'suspendMerchant', 'restoreMerchant', 'inviteMerchant'].map(
    (name) => `GraphQL Mutation.${name}`,
  ),
];
/** What needs a provider of identities; right answers are in test/resolvers/people. */
const NEED_PROVIDER = ['startOidc', 'startOidcInvitation', 'removeIdentity'].map((name) => `GraphQL Mutation.${name}`);
/** What needs a node of Solana, which no sandbox has; right answers are in test/gateway/networks. */
const NEED_SOLANA = ['GraphQL Query.walletTransaction'];
const UNREACHED = [...NEED_SOLANA, ...NEED_PROVIDER, ...NEED_FACTOR, ...NEED_POLICY, ...NEED_OPERATOR];
const isUnreached = (field: string) =>
  /^(Factor|Identity|PayoutFreeze|Operator(Cell|Merchant|Action|Log)(Edge|Entry|Connection)?|NetworkHealth|GatewayFunds)\./.test(
    field,
  ) || UNREACHED.includes(`GraphQL ${field}`);

/** What the run has failed to reach, without which finding no faults means nothing. */
function shortcomings(tally: Tally, { operations, schema }: Interface): string[] {
  const { requests, successes } = tally.total;
  const names = [
    ...operations.map(({ id }) => `REST ${id}`),
    ...rootsOf(schema).map(
      ({ kind, field }) => `GraphQL ${schema.getRootType(kind as never)?.name ?? ''}.${field.name}`,
    ),
  ];
  const reachable = names.filter((name) => !UNREACHED.includes(name));
  const never = reachable.filter((name) => tally.successesOf(name) === 0).map((name) => `${name} never succeeded`);
  const isFew = successes < requests * LEAST_SHARE;
  return [
    ...never,
    ...unseenFields(tally, schema),
    ...(isFew ? [`only ${successes} of ${requests} requests succeeded`] : []),
  ];
}

function unseenFields(tally: Tally, schema: Interface['schema']): string[] {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  return types
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) => Object.keys(type.getFields()).map((field) => `${type.name}.${field}`))
    .filter((field) => !tally.fields.has(field) && !isUnreached(field))
    .map((field) => `${field} was never answered`);
}

async function main(): Promise<number> {
  const options = readOptions();
  const startedAt = performance.now();
  say(`Fuzz: ${options.runs} requests, seed ${options.seed}`);
  let close: () => Promise<void> = async () => undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void close().finally(() => process.exit(130)));
  const described = readInterface();
  const system = await openSystem((closeSystem) => (close = closeSystem));
  try {
    const deps = await prepare(system, described);
    const faults = await fuzz(deps, described, options);
    const { requests, successes } = deps.tally.total;
    say(`\n${'operation'.padEnd(38)} requests  successes  failures by code\n${deps.tally.table()}`);
    if (faults.length === 0) faults.push(...shortcomings(deps.tally, described), ...(await ledgerFault(system)));
    for (const fault of faults) say(`\n✗ ${fault}`);
    if (faults.length > 0) for (const line of system.api.lastWords().slice(-5)) say(`  ${line.slice(0, 1_500)}`);
    const took = ((performance.now() - startedAt) / 1_000).toFixed(0);
    const share = ((100 * successes) / Math.max(1, requests)).toFixed(1);
    say(
      `\n${requests} requests, ${successes} (${share} %) valid and successful, ${faults.length} faults; ${took} s, seed ${options.seed}`,
    );
    return faults.length === 0 ? 0 : 1;
  } finally {
    endConnections();
    await system.close();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 2;
}
