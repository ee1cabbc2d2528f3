// A real anvil with payers who pay, raise their fees and double-spend, and whose blocks can be dropped.

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeFunctionData, erc20Abi, keccak256, toBytes, type Address, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { dumpState } from '../../src/sandbox/evm/saved-state.ts';
import { hex } from '../../src/sandbox/evm/steps.ts';
import { endNode, launchNode, type AnvilNode } from '../../src/sandbox/evm/anvil-node.ts';
import { fundFaucet, signDeployments, signDeposit, TEST_TOKENS } from '../../src/sandbox/evm/test-tokens.ts';
import { log } from '../domain/book.fixture.ts';
import { makeTestFolder } from '../support/database/database.ts';
import { askNode } from './unsteady-node.fixture.ts';

export const CHAIN_ID = 31_337;
export const PAYERS = 4;

const payers = Array.from({ length: PAYERS }, (_, nth) => privateKeyToAccount(keccak256(toBytes(`test payer ${nth}`))));
const RICHES = 10n ** 40n;
const GWEI = 10n ** 9n;

/** What a transaction pays; `to` in canonical form, `amount` in base units. */
export interface Payment {
  readonly to: string;
  readonly currency: string;
  readonly amount: bigint;
}

/** A signed transaction. Those of one payer and nonce exclude each other. */
export interface Signed extends Payment {
  readonly hash: Hex;
  readonly raw: Hex;
  readonly payer: number;
  readonly nonce: number;
  /** How many times its fee was doubled. */
  readonly bumps: number;
}

export interface Head {
  readonly height: number;
  readonly hash: Hex;
  /** Unix seconds. */
  readonly time: number;
}

/** A state of the chain that it can be set back to. */
export interface Moment {
  readonly head: Head;
  readonly snapshotId: Hex;
  /** Anvil's whole state, as it writes it to disk. */
  readonly state: Buffer;
  /** The process that took the snapshot; no other can go back to it. */
  readonly node: AnvilNode;
}

export interface PayersChain {
  /** Changes with `restart`. */
  readonly url: () => string;
  /** Asks the node directly; throws its error. */
  rpc<Value = unknown>(method: string, ...params: unknown[]): Promise<Value>;
  head(): Promise<Head>;
  /** Signs a payment at the payer's next free nonce and puts it into the mempool. */
  pay(payer: number, payment: Payment): Promise<Signed>;
  /** Signs another transaction with the nonce of `instead`, at twice its fee; nothing is sent. */
  sign(instead: Signed, payment?: Payment): Promise<Signed>;
  /** Puts a transaction into the mempool; false if the node rejects it. */
  send(signed: Signed): Promise<boolean>;
  /** The transactions that can be mined next, as the node shows them. */
  waiting(): Promise<Signed[]>;
  /** The transactions of the newest blocks, oldest first. */
  newest(depth: number): Promise<Signed[]>;
  /** Mines blocks with this time, or their parent's if that is later; the first takes what waits. */
  mine(count: number, time?: number): Promise<void>;
  /** Takes the newest blocks off the chain; the mempool is empty then. */
  rollBack(depth: number): Promise<void>;
  /** Empties the mempool. */
  dropAll(): Promise<void>;
  /** The lowest height that it can be rolled back to: a restarted node holds no older state. */
  floor(): number;
  remember(): Promise<Moment>;
  /** Sets the chain back by `evm_revert`; false if that state is no longer on it. */
  revert(moment: Moment): Promise<boolean>;
  /** Ends the node, and starts one with that state. */
  restart(moment: Moment): Promise<void>;
  /** What an address holds at the tip, in base units. */
  balance(address: string, currency: string): Promise<bigint>;
  stop(): Promise<void>;
}

interface State {
  readonly folder: string;
  node: AnvilNode;
  floor: number;
  readonly known: Map<string, Signed>;
  /** Gives each block another producer, so that no block is by chance equal to the one that it replaces. */
  mined: number;
}

/** Starts it, with the sandbox's test tokens, and payers who have plenty of everything. */
export async function startPayersChain(): Promise<PayersChain> {
  const folder = await makeTestFolder('payers');
  const state: State = { folder, node: await launch(folder, null), floor: 0, known: new Map(), mined: 0 };
  try {
    await setUp(state);
  } catch (error) {
    await endNode(state.node);
    throw error;
  }
  return {
    url: () => state.node.url,
    rpc: (method, ...params) => rpc(state, method, ...params),
    head: () => head(state),
    pay: (payer, payment) => pay(state, payer, payment),
    sign: (instead, payment = instead) => sign(state, { ...payment, ...nextBump(instead) }),
    send: (signed) => send(state, signed),
    waiting: () => waiting(state),
    newest: (depth) => newest(state, depth),
    mine: (count, time = 0) => mine(state, count, time),
    rollBack: async (depth) => {
      await dropAll(state);
      await rpc(state, 'anvil_rollback', depth);
      await dropAll(state);
    },
    dropAll: () => dropAll(state),
    floor: () => state.floor,
    remember: () => remember(state),
    revert: (moment) => revert(state, moment),
    restart: (moment) => restart(state, moment),
    balance: (address, currency) => balance(state, address as Address, currency),
    stop: async () => {
      await endNode(state.node);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const launch = (folder: string, stateFile: string | null): Promise<AnvilNode> =>
  launchNode({
    options: { network: 'ETH', chainId: 31_337, log, binary: undefined },
    marker: join(folder, 'anvil'),
    stateFile,
  });

async function rpc<Value>({ node }: State, method: string, ...params: unknown[]): Promise<Value> {
  const told = await askNode(node.url, method, params);
  if ('error' in told) throw new Error(`${method}: ${told.error.message}`);
  return told.result as Value;
}

async function setUp(state: State): Promise<void> {
  await fundFaucet(state.node.rpc);
  for (const { address } of payers) await rpc(state, 'anvil_setBalance', address, hex(RICHES));
  for (const raw of await signDeployments(CHAIN_ID)) await rpc(state, 'eth_sendRawTransaction', raw);
  await mine(state, 1, 0);
  let nonce = 0;
  for (const { address } of payers) {
    for (const currency of TEST_TOKENS.keys()) {
      const gift = { chainId: CHAIN_ID, nonce, address, currency, amount: RICHES };
      await rpc(state, 'eth_sendRawTransaction', await signDeposit(gift));
      nonce += 1;
    }
  }
  await mine(state, 1, 0);
}

async function head(state: State): Promise<Head> {
  const { number, hash, timestamp } = await rpc<{ number: Hex; hash: Hex; timestamp: Hex }>(
    state,
    'eth_getBlockByNumber',
    'latest',
    false,
  );
  return { height: Number(number), hash, time: Number(timestamp) };
}

type Terms = Payment & Pick<Signed, 'payer' | 'nonce' | 'bumps'>;

const nextBump = ({ payer, nonce, bumps }: Signed) => ({ payer, nonce, bumps: bumps + 1 });

async function sign(state: State, { to, currency, amount, payer, nonce, bumps }: Terms): Promise<Signed> {
  const account = payers[payer % PAYERS];
  if (!account) throw new Error(`there is no payer ${String(payer)}`);
  const factor = 2n ** BigInt(bumps);
  const fees = { maxFeePerGas: 100n * GWEI * factor, maxPriorityFeePerGas: GWEI * factor };
  const common = { type: 'eip1559', chainId: CHAIN_ID, nonce, gas: 200_000n, ...fees } as const;
  const token = TEST_TOKENS.get(currency);
  const args = [to as Address, amount] as const;
  const content = token
    ? { to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args }) }
    : { to: to as Address, value: amount };
  const raw = await account.signTransaction({ ...common, ...content });
  const signed = { to, currency, amount, payer, nonce, bumps, raw, hash: keccak256(raw) };
  state.known.set(signed.hash, signed);
  return signed;
}

async function pay(state: State, payer: number, payment: Payment): Promise<Signed> {
  const nonce = await rpc<Hex>(state, 'eth_getTransactionCount', payers[payer % PAYERS]?.address, 'pending');
  const signed = await sign(state, { ...payment, payer, nonce: Number(nonce), bumps: 0 });
  await send(state, signed);
  return signed;
}

async function send({ node }: State, { raw }: Signed): Promise<boolean> {
  return 'result' in (await askNode(node.url, 'eth_sendRawTransaction', [raw]));
}

type Pool = Readonly<Record<'pending' | 'queued', Record<string, Record<string, { hash: string }>>>>;

async function waiting(state: State): Promise<Signed[]> {
  const { pending } = await rpc<Pool>(state, 'txpool_content');
  return Object.values(pending)
    .flatMap((byNonce) => Object.values(byNonce))
    .map(({ hash }) => knownOf(state, hash));
}

function knownOf({ known }: State, hash: string): Signed {
  const signed = known.get(hash);
  if (!signed) throw new Error(`nobody here signed ${hash}`);
  return signed;
}

async function newest(state: State, depth: number): Promise<Signed[]> {
  const { height } = await head(state);
  const found: Signed[] = [];
  for (let at = height - depth + 1; at <= height; at += 1) {
    const { transactions } = await rpc<{ transactions: string[] }>(state, 'eth_getBlockByNumber', hex(at), false);
    found.push(...transactions.map((hash) => knownOf(state, hash)));
  }
  return found;
}

async function mine(state: State, count: number, time: number): Promise<void> {
  if (count <= 0) return;
  state.mined += 1;
  await rpc(state, 'anvil_setCoinbase', `0x${state.mined.toString(16).padStart(40, '0')}`);
  await rpc(state, 'anvil_setNextBlockBaseFeePerGas', hex(GWEI));
  await rpc(state, 'evm_setNextBlockTimestamp', Math.max(time, (await head(state)).time));
  await rpc(state, 'anvil_mine', hex(count));
}

const dropAll = (state: State): Promise<void> => rpc(state, 'anvil_dropAllTransactions');

async function remember(state: State): Promise<Moment> {
  const { node } = state;
  return {
    head: await head(state),
    state: await dumpState(node.url),
    snapshotId: await rpc(state, 'evm_snapshot'),
    node,
  };
}

async function revert(state: State, { head: { height, hash }, snapshotId, node }: Moment): Promise<boolean> {
  if (node !== state.node) return false;
  const there = await rpc<{ hash: string } | null>(state, 'eth_getBlockByNumber', hex(height), false);
  if (there?.hash !== hash) return false;
  await dropAll(state);
  return rpc<boolean>(state, 'evm_revert', snapshotId);
}

async function restart(state: State, moment: Moment): Promise<void> {
  const file = join(state.folder, 'moment.json');
  await writeFile(file, moment.state);
  await endNode(state.node);
  state.node = await launch(state.folder, file);
  state.floor = moment.head.height;
  const { hash } = await head(state);
  if (hash !== moment.head.hash) throw new Error('the node did not come back at the moment');
  await dropAll(state);
}

async function balance(state: State, address: Address, currency: string): Promise<bigint> {
  const token = TEST_TOKENS.get(currency);
  if (!token) return BigInt(await rpc<Hex>(state, 'eth_getBalance', address, 'latest'));
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [address] });
  return BigInt(await rpc<Hex>(state, 'eth_call', { to: token, data }, 'latest'));
}
