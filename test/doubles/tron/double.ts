// A double of a TRON node: java-tron's HTTP API over an in-memory chain, since no real TRON node runs in our tests. It
// checks transactions as the network does (id, signer, block reference, time, balances, fee limit) with the code of
// TRON's own library, and answers in the shapes of the API's documentation; docs/limits.md says what it cannot show.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pointFromScalar, signRecoverable } from 'tiny-secp256k1';
import { hexOfAddress, keyOfBytes } from '../../../src/chain/tron/address.ts';
import { createChain, type DoubleChain } from './chain.ts';
import { answerOf } from './answers.ts';
import { addressOfKey, encodeTransaction, type Action } from './protobuf.ts';
import type { Question } from './question.ts';
import { copyState, type State, type Token } from './state.ts';

/** Answers in the double's place; undefined leaves it to the double. */
export type Override = (question: Question) => unknown;

export interface TronDouble {
  readonly url: string;
  readonly chainId: number;
  /** Currency → contract, null for the coin. */
  readonly contracts: ReadonlyMap<string, string | null>;
  readonly chain: DoubleChain;
  /** The number of questions answered so far. */
  readonly asked: Question[];
  override(answer: Override | null): void;
  /** Pays from the faucet; the transaction waits for a block. Returns its id. `asset` is a worthless TRC-10 token. */
  pay(request: { to: string; currency: string; amount: bigint; asset?: boolean }): string;
  /** Bars an address from a token, as issuers can. */
  bar(currency: string, address: string): void;
  /** Switches on the token's fee, which goes to its contract's owner. */
  charge(currency: string, basisPoints: bigint): void;
  stop(): Promise<void>;
}

const FAUCET_KEY = Uint8Array.from({ length: 32 }, () => 7);
const FAUCET_HOLDS = 9_000_000_000_000_000n;
const USDT = '41a614f803b6fd780986a42c78ec9c7f77e6ded13c';
const OWNER = `41${'0f'.repeat(20)}`;
const USDC = '413487b63d30b5b2c87fb7ffa8bcfade38eaac1abe';

/** Starts it on a free port of the loopback interface, with blocks three seconds apart from the given time. */
export async function startTronDouble({ startMs = Date.now() - 600_000 } = {}): Promise<TronDouble> {
  const faucet = addressOfKey(pointFromScalar(FAUCET_KEY, false) as Uint8Array);
  const token = (): Token => ({ decimals: 6, balances: new Map([[faucet, FAUCET_HOLDS]]), barred: new Set() });
  const state: State = {
    coins: new Map([
      [faucet, FAUCET_HOLDS],
      [USDT, 0n],
      [USDC, 0n],
    ]),
    tokens: new Map([
      [USDT, token()],
      [USDC, token()],
    ]),
  };
  const chain = createChain({ state: copyState(state), startMs });
  chain.mine(25);
  const asked: Question[] = [];
  let override: Override | null = null;
  let payments = 0;

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
      const question = { path: request.url ?? '', body, headers: request.headers };
      asked.push(question);
      Promise.resolve(override?.(question)).then(
        (own) => {
          const answer = own ?? answerOf(chain, question);
          if (answer === undefined) response.writeHead(404).end('<h1>404</h1>');
          else response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
        },
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
  });
  // A client that asks again after some seconds must not reuse a connection that is just being closed.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const actionOf = (to: string, currency: string, amount: bigint, asset: boolean): Action => {
    if (currency === 'TRX')
      return {
        type: asset ? 'TransferAssetContract' : 'TransferContract',
        ...{ owner: faucet, to, amount: Number(amount) },
      };
    const data = `a9059cbb${to.slice(2).padStart(64, '0')}${amount.toString(16).padStart(64, '0')}`;
    return { type: 'TriggerSmartContract', owner: faucet, contract: currency === 'USDT' ? USDT : USDC, data };
  };
  const address = (hex: string) => keyOfBytes(Buffer.from(hex, 'hex')) ?? '';

  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    chainId: Number.parseInt(chain.at(0)?.id.slice(-8) ?? '', 16),
    contracts: new Map([
      ['TRX', null],
      ['USDT', address(USDT)],
      ['USDC', address(USDC)],
    ]),
    ...{ chain, asked },
    override: (answer) => {
      override = answer;
    },
    pay: ({ to, currency, amount, asset = false }) => {
      const head = chain.tip();
      payments += 1;
      const draft = {
        refBlockId: chain.final().id,
        expiration: head.time + 60_000,
        timestamp: head.time + payments,
        feeLimit: currency === 'TRX' ? 0 : 100_000_000,
        action: actionOf(hexOfAddress(to), currency, amount, asset),
      };
      const sent = chain.broadcast(encodeTransaction(draft, signAsFaucet));
      if (sent.code !== 'SUCCESS') throw new Error(`${sent.code}: ${sent.message}`);
      return sent.id;
    },
    bar: (currency, barred) => {
      const { tokens } = chain.tip().state;
      const contract = currency === 'USDT' ? USDT : USDC;
      const known = tokens.get(contract) as Token;
      tokens.set(contract, { ...known, barred: new Set([...known.barred, hexOfAddress(barred)]) });
    },
    charge: (currency, basisPoints) => {
      const { tokens } = chain.tip().state;
      const contract = currency === 'USDT' ? USDT : USDC;
      tokens.set(contract, { ...(tokens.get(contract) as Token), fee: { basisPoints, owner: OWNER } });
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function signAsFaucet(digest: Uint8Array): Uint8Array {
  const { signature, recoveryId } = signRecoverable(digest, FAUCET_KEY);
  return Buffer.concat([signature, Buffer.of(27 + recoveryId)]);
}
