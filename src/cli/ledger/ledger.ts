// npm run ledger: shows what is in suspense and where it may have come from, and books it to a merchant or the gateway.

import { userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import { readConfig, type Config } from '../../config/config.ts';
import { createDatabaseClock } from '../../database/clock.ts';
import type { Database } from '../../database/connection.ts';
import type { NamedArrival } from '../../domain/ledger/claim-arrival.ts';
import { creditFromSuspense, writeOffSuspense } from '../../domain/ledger/suspense.ts';
import { NETWORKS, type Network } from '../../values/assets.ts';
import { withDatabase } from '../with-database.ts';
import { listSuspense } from './suspense.ts';

const USAGE = `npm run ledger -- COMMAND

  suspense                what the chain holds and the book cannot explain, and the orders it may belong to
  suspense credit --payment ord_… --currency USDT --amount 5 --note "…"
                          credits the payment's merchant, less the fee, as a deposit would; --network POLYGON
                          if it is on another network of the payment's address
  suspense write-off --network ETH --currency USDT --amount 5 --note "…"
                          books it as the gateway's gain; --amount=-5 books a shortfall as its loss

  --arrival NUMBER        an arrival at an address of a lost order, which is moved as a whole once it has its
                          confirmations; the first command shows the numbers

  --by NAME               who does it, for the record; the system user by default
`;

const OPTIONS = {
  payment: { type: 'string' },
  network: { type: 'string' },
  currency: { type: 'string' },
  amount: { type: 'string' },
  arrival: { type: 'string' },
  note: { type: 'string' },
  by: { type: 'string' },
} as const;

type Option = keyof typeof OPTIONS;
/** Returns a required option; throws if it is missing. */
type Given = (name: Option) => string;
type Maybe = (name: Option) => string | null;

const say = (line: string) => void process.stdout.write(`${line}\n`);

interface Command {
  readonly options: readonly Option[];
  /** Optional. */
  readonly optional?: readonly Option[];
  run(config: Config, db: Database, given: Given, maybe: Maybe): Promise<void>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  suspense: { options: [], run: (config, db) => listSuspense(config, db, say) },
  'suspense credit': {
    options: ['payment', 'currency', 'amount', 'note', 'by'],
    optional: ['network', 'arrival'],
    run: credit,
  },
  'suspense write-off': {
    options: ['network', 'currency', 'amount', 'note', 'by'],
    optional: ['arrival'],
    run: writeOff,
  },
};

async function credit(config: Config, db: Database, given: Given, maybe: Maybe): Promise<void> {
  const [paymentId, currency, amount] = [given('payment'), given('currency'), given('amount')];
  const request = {
    paymentId,
    network: maybe('network'),
    currency,
    amount,
    arrival: namedArrival(config, maybe('arrival')),
    note: given('note'),
    operator: given('by'),
  };
  const id = await creditFromSuspense({ db, clock: await createDatabaseClock(db.em) }, request);
  say(`${amount} ${currency.toUpperCase()} credited to the merchant of ${paymentId}, less the fee: suspense/${id}`);
}

async function writeOff(config: Config, db: Database, given: Given, maybe: Maybe): Promise<void> {
  const [network, currency, amount] = [given('network'), given('currency'), given('amount')];
  const arrival = namedArrival(config, maybe('arrival'));
  const request = { network, currency, amount, arrival, note: given('note'), operator: given('by') };
  const id = await writeOffSuspense({ db, clock: await createDatabaseClock(db.em) }, request);
  say(`${amount} ${currency.toUpperCase()} on ${network.toUpperCase()} written off: suspense/${id}`);
}

/** With as many confirmations as the gateway requires for a deposit. */
function namedArrival({ confirmations, sandboxNetworks }: Config, id: string | null): NamedArrival | null {
  if (id === null) return null;
  const byDefault = (network: Network) => (sandboxNetworks.includes(network) ? 2 : NETWORKS[network].confirmations);
  return { id, confirmationsOn: (network) => confirmations.get(network) ?? byDefault(network) };
}

/** Runs the command that the arguments name; false if they name none. */
async function run(args: string[]): Promise<boolean> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const name = positionals.join(' ');
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const foreign = Object.keys(values).find(
    (option) => ![...(command?.options ?? []), ...(command?.optional ?? [])].includes(option as Option),
  );
  if (!command || foreign !== undefined) return false;
  const given: Given = (option) => {
    const value = values[option] ?? (option === 'by' ? operatorName() : undefined);
    if (value === undefined) throw new Error(`--${option} is missing; see npm run ledger`);
    return value;
  };
  // Report missing options before opening the database.
  command.options.forEach(given);
  const config = readConfig();
  await withDatabase(config, (db) => command.run(config, db, given, (name) => values[name] ?? null));
  return true;
}

/** In a container the user may have a number and no name. */
function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${String(process.getuid?.() ?? 'unknown')}`;
  }
}

try {
  if (!(await run(process.argv.slice(2)))) {
    process.stderr.write(USAGE);
    process.exitCode = 2;
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
