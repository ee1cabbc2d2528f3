// A shop's till: invoices in the domain's tests, paid in coins of three chains that exist only as data, at rates that a
// test sets.

import { HDKey } from '@scure/bip32';
import { createEvmAdapter } from '../../../src/chain/evm/adapter.ts';
import { query } from '../../../src/database/connection.ts';
import type { Chain, Deps } from '../../../src/domain/deps.ts';
import { createAssetChooser } from '../../../src/domain/invoices/choose-asset.ts';
import { createInvoiceCreator } from '../../../src/domain/invoices/create-invoice.ts';
import { getInvoice } from '../../../src/domain/invoices/read-invoices.ts';
import type { CreateInvoiceInput } from '../../../src/domain/invoices/requests.ts';
import type { MarketQuestion, QuotedRate, RateMerchant, Rates } from '../../../src/domain/rates/rates.ts';
import { requireAsset } from '../../../src/domain/requested-amount.ts';
import type { InvoicePaymentSnapshot, InvoiceSnapshot } from '../../../src/domain/snapshots/invoice.ts';
import { createInvoiceExpiry } from '../../../src/observe/expire-invoices.ts';
import type { Network } from '../../../src/values/assets.ts';
import { quotedRate, RATE_DECIMALS } from '../../../src/values/prices/price.ts';
import { log, pay, type Order, type Setup } from '../book.fixture.ts';

/** The secrets that the digest of an input needs. */
const secrets = { idempotencyKey: Buffer.alloc(32, 1) };
export type TillDeps = Deps & { readonly secrets: typeof secrets };

const ACCOUNTS = { ETH: 'evm', TRON: 'tron', LTC: 'ltc', BTC: 'btc' } as const;
type TillNetwork = keyof typeof ACCOUNTS;
const COINS: Readonly<Record<TillNetwork, readonly string[]>> = {
  ETH: ['ETH', 'USDT', 'USDC'],
  TRON: ['TRX', 'USDT'],
  LTC: ['LTC'],
  BTC: ['BTC'],
};

/** Reads a decimal of up to twelve places as a rate. */
export function rate(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(RATE_DECIMALS, '0'));
}

const toMarketRate = (market: bigint | undefined, at: Date) => (market === undefined ? null : { rate: market, at });

/** Rates as a test sets them: market rates by pair, such as `BTC/EUR`. */
export interface RateTable extends Rates {
  set(pair: string, market: string | null): void;
  /** The market rate of a pair as it was set last. */
  market(pair: string): bigint | undefined;
}

export function createRateTable(): RateTable {
  const markets = new Map<string, bigint>();
  const quote = ({ spread }: RateMerchant, asset: string, currency: string): QuotedRate | null => {
    const own = { market: rate('1'), rate: rate('1'), sources: [] };
    const market = markets.get(`${asset}/${currency}`);
    const rest = { at: new Date(0), state: 'FRESH', evidence: [] } as const;
    if (asset === currency) return { ...rest, ...own };
    return market === undefined ? null : { ...rest, market, rate: quotedRate(market, spread), sources: ['sandbox'] };
  };
  return {
    set: (pair, market) => void (market === null ? markets.delete(pair) : markets.set(pair, rate(market))),
    market: (pair) => markets.get(pair),
    quote,
    marketsAt: (_em, questions) => {
      const marketOf = ({ asset, currency }: MarketQuestion) => markets.get(`${asset}/${currency}`);
      return Promise.resolve(questions.map((question) => toMarketRate(marketOf(question), question.at)));
    },
    knows: (_merchant, currency) => [...markets.keys()].some((pair) => pair.endsWith(`/${currency}`)),
  };
}

const XPUB = HDKey.fromMasterSeed(Buffer.alloc(32, 7)).derive("m/44'/60'/0'").publicExtendedKey;

function chainOf(network: TillNetwork): Chain {
  const contracts = new Map(
    COINS[network].map((currency) => [currency, currency === network ? null : `0x${currency}`]),
  );
  const evm = createEvmAdapter({
    ...{ network: 'ETH', rpcUrl: 'http://127.0.0.1:1', chainId: 31_337, minesOnDemand: true, timeoutMs: 100, log },
    contracts: new Map([
      ['ETH', null],
      ['USDT', '0x2222222222222222222222222222222222222222'],
      ['USDC', '0x3333333333333333333333333333333333333333'],
    ]),
  });
  const derive = (_xpub: string, index: number) => ({ address: `${network}-${index}`, key: `${network}-${index}` });
  const parseAddress = (address: string) => ({ address, key: address });
  const model = network === 'TRON' ? 'ACCOUNTS' : 'OUTPUTS';
  const double = { network, contracts, derive, parseAddress, model, dustOf: () => 546n };
  const adapter = network === 'ETH' ? evm : (double as unknown as Chain['adapter']);
  return { adapter, account: ACCOUNTS[network], requiredConfirmations: 2, networkFees: new Map() };
}

export const CHAINS: ReadonlyMap<Network, Chain> = new Map(
  (['ETH', 'TRON', 'LTC', 'BTC'] as const).map((network) => [network, chainOf(network)]),
);

/** What a till does for one shop. */
export interface Till<Source extends Rates = RateTable> {
  readonly deps: TillDeps;
  readonly rates: Source;
  readonly choose: ReturnType<typeof createAssetChooser>;
  readonly createOnce: ReturnType<typeof createInvoiceCreator>;
  /** An invoice of 100 EUR for an hour unless `fields` say otherwise. */
  create(merchantId: string, fields?: Partial<CreateInvoiceInput>): Promise<InvoiceSnapshot>;
  /** Chooses an asset as a payer does; answers the newest quote of it. */
  quote(invoice: { readonly id: string }, currency: string, network: string): Promise<InvoicePaymentSnapshot>;
  /** Looks once for invoices whose time has run out. */
  expire(): Promise<void>;
}

/** Opens a till on a setup: with rates of its own, and with every chain. */
export const openTill = (setup: Pick<Setup, 'deps' | 'setNow'>, rates = createRateTable()): Promise<Till> =>
  openTillAt(setup, rates);

/** The same with any rates. */
export async function openTillAt<Source extends Rates>(
  { deps: own, setNow }: Pick<Setup, 'deps' | 'setNow'>,
  rates: Source,
): Promise<Till<Source>> {
  const deps: TillDeps = { ...own, chains: CHAINS, rates, secrets };
  for (const account of Object.values(ACCOUNTS))
    await query(deps.db.em, 'insert into derivation_account (account, xpub) values ($1, $2) on conflict do nothing', [
      account,
      XPUB,
    ]);
  const [createOnce, choose, expiry] = [
    createInvoiceCreator(deps),
    createAssetChooser(deps),
    createInvoiceExpiry(deps),
  ];
  return {
    ...{ deps, rates, createOnce, choose },
    create: async (merchantId, fields = {}) =>
      (await createOnce(merchantId, { amount: '100', currency: 'EUR', ...fields }, null)).result,
    quote: async ({ id: invoiceId }, currency, network) => {
      const { payments } = await choose({ invoiceId, currency, network, withoutToken: true });
      // Two quotes of one instant would be in no order.
      setNow(new Date(deps.clock.now().getTime() + 1));
      const asset = requireAsset(currency, network);
      const found = payments.findLast((one) => one.currency === asset.currency && one.network === asset.network);
      if (!found) throw new Error(`${invoiceId} has no quote of ${currency} on ${network}`);
      return found;
    },
    expire: async () => {
      while (await expiry.processNext()) continue;
    },
  };
}

/** The payment of a quote as an order that can be paid. */
export async function orderOf({ sql }: Pick<Setup, 'sql'>, { id }: { readonly id: string }): Promise<Order> {
  const [row] = await sql<Order>(
    'select id, merchant_id as "merchantId", address_key as "addressKey" from payment where id = $1',
    [id],
  );
  if (!row) throw new Error(`there is no order ${id}`);
  return row;
}

/** A transfer of an amount, in base units, to the address of a quote. */
export const toward = async (
  setup: Pick<Setup, 'sql'>,
  quote: Pick<InvoicePaymentSnapshot, 'id' | 'currency'>,
  amount: bigint,
) => pay(await orderOf(setup, quote), amount, { currency: quote.currency });

/** Types of an invoice's events with the state that each reports, oldest first. */
export async function toldOf({ sql }: Pick<Setup, 'sql'>, { id }: { readonly id: string }): Promise<string[]> {
  const rows = await sql<{ told: string }>(
    `select concat(type, ' ', payload->>'status', ' ' || (payload->>'exception')) as told
     from event where invoice_id = $1 order by version`,
    [id],
  );
  return rows.map(({ told }) => told);
}

/** The invoice as it is now. */
export const read = async ({ deps }: Pick<Till, 'deps'>, merchantId: string, { id }: { readonly id: string }) =>
  getInvoice(deps, merchantId, id);
