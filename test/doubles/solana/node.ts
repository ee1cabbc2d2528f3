// A Solana node for tests: litesvm behind a small RPC server. Transactions are real and executed by the network's own
// virtual machine and token programs, but the chain is ours, without votes or gossip.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { associatedTokenAccount, TOKEN_PROGRAM } from '../../../src/chain/solana/address.ts';
import * as message from '../../../src/chain/solana/message.ts';
import { mintAccount, newKey, tokenAccount, walletAccount, type TestKey } from './accounts.ts';
import { answerOf, Failure } from './answers.ts';
import { createTestChain, type TestChain } from './chain.ts';
import { encodeVersioned, type LookupTable } from './versioned.ts';

export interface Question {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Answers in the node's place; undefined leaves it to the node. A number is an HTTP status. */
export type Override = (question: Question) => unknown;

export interface SolanaTestNode {
  readonly url: string;
  readonly genesisHash: string;
  /** Currency → mint, null for the coin. */
  readonly contracts: ReadonlyMap<string, string | null>;
  readonly chain: TestChain;
  /** The owner of all money at the start, who may also freeze token accounts. */
  readonly faucet: TestKey;
  readonly asked: Question[];
  override(answer: Override | null): void;
  /** Submits what a payer signs, to wait for a block; returns its id. Throws if it is rejected. */
  submit(instructions: readonly message.Instruction[], signers?: readonly TestKey[]): string;
  /** The same as a message of version 0, whose accounts may come from a lookup table. */
  submitVersioned(instructions: readonly message.Instruction[], table: LookupTable): string;
  /** Pays from the faucet as wallets do, making token accounts where needed; the transaction waits for a block. */
  pay(request: { to: string; currency: string; amount: bigint }): string;
  stop(): Promise<void>;
}

/** Nine million SOL: the most that JSON numbers can carry. */
const FAUCET_HOLDS = 9_000_000_000_000_000n;
const FIRST_BLOCKS = 45;

/** Starts it on a free port of the loopback interface. */
export async function startSolanaNode({
  startSeconds = Math.floor(Date.now() / 1_000) - 600,
} = {}): Promise<SolanaTestNode> {
  const faucet = newKey();
  const mints = new Map(['USDT', 'USDC'].map((currency) => [currency, newKey().address]));
  const chain = createTestChain(
    [
      walletAccount(faucet.address, FAUCET_HOLDS),
      ...[...mints.values()].flatMap((mint) => [mintAccount(mint, faucet.address), tokenAccount(faucet.address, mint)]),
    ],
    startSeconds,
  );
  chain.mine(FIRST_BLOCKS);
  const asked: Question[] = [];
  let override: Override | null = null;
  let payments = 0n;

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { id, method, params = [] } = JSON.parse(Buffer.concat(chunks).toString()) as Question & { id: number };
      const question = { method, params };
      asked.push(question);
      const say = (answer: object) =>
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
      Promise.resolve()
        .then(() => override?.(question))
        .then((own) => {
          if (typeof own === 'number') response.writeHead(own, { 'retry-after': '7' }).end('no');
          else say({ result: own === undefined ? answerOf(chain, method, params) : own });
        })
        .catch((error: unknown) => {
          const { code, message: text, data } = error instanceof Failure ? error : new Failure(-32_603, String(error));
          say({ error: { code, message: text, data } });
        });
    });
  });
  // A client that asks again after some seconds must not reuse a connection that is just being closed.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const submit = (instructions: readonly message.Instruction[], signers: readonly TestKey[] = []): string => {
    const all = [faucet, ...signers];
    // Otherwise two payments of one amount in one block would be the same transaction.
    const budget = message.computeBudget(200_000, (payments += 1n));
    const built = message.encodeMessage(faucet.address, chain.tip().hash, [...budget, ...instructions]);
    const signatures = built.signers.map((key) => all.find(({ address }) => address === key)?.sign(built.bytes));
    const raw = message.encodeTransaction(
      built,
      signatures.filter((signature) => signature !== undefined),
    );
    return hand(raw);
  };

  const hand = (raw: Buffer): string => {
    const answer = chain.submit(raw);
    if (typeof answer !== 'string') throw new Error(answer.message);
    return answer;
  };

  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    genesisHash: chain.blocks[0]?.hash ?? '',
    contracts: new Map<string, string | null>([['SOL', null], ...mints]),
    ...{ chain, faucet, asked, submit },
    submitVersioned: (instructions, table) => {
      const budget = message.computeBudget(200_000, (payments += 1n));
      const bytes = encodeVersioned(faucet.address, chain.tip().hash, [...budget, ...instructions], table);
      return hand(Buffer.concat([Buffer.of(1), faucet.sign(bytes), bytes]));
    },
    override: (answer) => {
      override = answer;
    },
    pay: ({ to, currency, amount }) => submit(paymentOf(faucet.address, mints.get(currency), to, amount)),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The instructions of a wallet's payment. */
export function paymentOf(from: string, mint: string | undefined, to: string, amount: bigint): message.Instruction[] {
  if (mint === undefined) return [message.transferCoin(from, to, amount)];
  const token = { mint, program: TOKEN_PROGRAM, decimals: 6 };
  const [source, target] = [from, to].map((owner) => associatedTokenAccount(owner, mint, TOKEN_PROGRAM));
  return [
    message.createTokenAccount(from, target ?? '', to, token),
    message.transferToken({ from: source ?? '', owner: from, to: target ?? '', units: amount }, token),
  ];
}
