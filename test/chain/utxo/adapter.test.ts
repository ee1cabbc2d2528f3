// The UTXO adapter (Bitcoin and its relatives) on a real litecoind, over its RPC and over the double of an Esplora
// server.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { UtxoAdapter } from '../../../src/chain/adapter.ts';
import type { BlockHead, ChainBlock } from '../../../src/chain/blocks.ts';
import { ChainUnavailable } from '../../../src/chain/errors.ts';
import { createUtxoAdapter, type UtxoAdapterOptions } from '../../../src/chain/utxo/adapter.ts';
import { createLitecoinChain, type LitecoinChain } from '../../../src/sandbox/litecoin/chain.ts';
import { describeWithLitecoind } from '../../support/litecoind.ts';
import { NODE_TIMEOUT_MS } from '../../support/node-timeout.ts';
import { startEsploraDouble } from '../../doubles/esplora.ts';

const XPUB =
  'xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V';

describeWithLitecoind('the adapter on litecoind', () => {
  let folder: string;
  let litecoin: LitecoinChain;
  let double: Awaited<ReturnType<typeof startEsploraDouble>>;
  let index = 0;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'turnpike-litecoin-'));
    litecoin = await createLitecoinChain({ dataDir: folder, log: pino({ level: 'silent' }) });
    double = await startEsploraDouble(litecoin.rpc);
  });
  afterAll(async () => {
    await double.stop();
    await litecoin.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const open = (options: Partial<UtxoAdapterOptions> = {}): UtxoAdapter =>
    createUtxoAdapter({
      ...{ network: 'LTC', chain: 'regtest', kind: 'CORE', url: litecoin.rpcUrl, cookiePath: litecoin.cookiePath },
      ...{ minesOnDemand: true, timeoutMs: NODE_TIMEOUT_MS },
      ...options,
    });
  const node = async <Answer>(method: string, ...params: unknown[]) =>
    (await litecoin.rpc.call(method, ...params)) as Answer;
  const fresh = (adapter: UtxoAdapter) => adapter.derive(XPUB, index++);
  const pay = async (address: string, amount: bigint) =>
    (await litecoin.deposit({ address, currency: 'LTC', amount, confirmations: -1 })).txHash;

  describe.each(['CORE', 'ESPLORA'] as const)('over %s', (kind) => {
    let adapter: UtxoAdapter;
    let start: BlockHead;

    beforeEach(async () => {
      adapter = open(kind === 'ESPLORA' ? { kind, url: double.url } : {});
      await litecoin.mine(1);
      start = await adapter.tip();
    });

    async function nextBlock(): Promise<ChainBlock> {
      const next = await adapter.next(start);
      if (next.kind !== 'block') throw new Error(next.kind);
      return next.block;
    }

    it('the tip, and nothing after it, is what follows the tip', async () => {
      await adapter.verify();
      expect(await adapter.next(start)).toEqual({ kind: 'tip', tip: start });
      expect(await adapter.headAt(start.height)).toEqual(start);
      expect(await adapter.headAt(start.height + 1)).toBeNull();
    });

    it('a payment is seen while it waits, and in its block, at its output’s place', async () => {
      const { address, key } = fresh(adapter);
      const txHash = await pay(address, 12_345_678n);
      const waiting = (await adapter.mempool()).transfers.filter(({ addressKey }) => addressKey === key);
      expect(waiting).toMatchObject([{ txHash, currency: 'LTC', amount: 12_345_678n }]);
      expect(await adapter.txState(txHash)).toEqual({ kind: 'mempool' });
      await litecoin.mine(1);
      const block = await nextBlock();
      expect(block).toMatchObject({ parentHash: start.hash, height: start.height + 1 });
      expect(block.transfers.filter(({ addressKey }) => addressKey === key)).toEqual(waiting);
      expect(await adapter.txState(txHash)).toMatchObject({ kind: 'mined', block: { hash: block.hash } });
    });

    it('several orders paid by one transaction are transfers of their own', async () => {
      const [one, other] = [fresh(adapter), fresh(adapter)];
      const txHash = await node<string>('sendmany', '', { [one.address]: '0.1', [other.address]: '0.2' });
      await litecoin.mine(1);
      const ours = (await nextBlock()).transfers.filter(({ addressKey }) => [one.key, other.key].includes(addressKey));
      expect(ours.map(({ amount }) => amount).sort()).toEqual([10_000_000n, 20_000_000n]);
      expect(new Set(ours.map(({ ordinal }) => ordinal)).size).toBe(2);
      expect(ours.every((transfer) => transfer.txHash === txHash)).toBe(true);
    });

    it('a block that left the chain is news, and its payment is found dead, and displaced by its double-spend', async () => {
      const { address, key } = fresh(adapter);
      const txHash = await pay(address, 50_000_000n);
      await litecoin.mine(1);
      const block = await nextBlock();
      const spends = block.transfers.find(({ addressKey }) => addressKey === key)?.spends ?? '';
      expect(await adapter.conflictAt({ txHash, spends }, block.height)).toBeNull();
      await litecoin.reorg(1);
      expect(await adapter.next(block)).toEqual({ kind: 'reorganised' });
      expect(await adapter.isCanonical(block)).toBe(false);
      expect(await adapter.txState(txHash)).toEqual({ kind: 'unknown' });
      expect(await adapter.conflictAt({ txHash, spends }, block.height + 1)).toBe(block.height);
    });

    it('a payment that is outbid by its payer vanishes from what waits', async () => {
      const { address, key } = fresh(adapter);
      const txHash = await node<string>('sendtoaddress', address, '0.3', '', '', false, true);
      expect((await adapter.mempool()).transfers.some((transfer) => transfer.txHash === txHash)).toBe(true);
      const { txid } = await node<{ txid: string }>('bumpfee', txHash);
      const waiting = (await adapter.mempool()).transfers.filter(({ addressKey }) => addressKey === key);
      expect(waiting.map((transfer) => transfer.txHash)).toEqual([txid]);
      expect(await adapter.txState(txHash)).toEqual({ kind: 'unknown' });
    });

    it('an unspent output is told with its amount, at one block or not at all', async () => {
      const { address, key } = fresh(adapter);
      const txHash = await pay(address, 70_000_001n);
      await litecoin.mine(1);
      const block = await nextBlock();
      const { ordinal } = block.transfers.find(({ addressKey }) => addressKey === key) ?? { ordinal: -1 };
      const outpoint = `${txHash}:${String(ordinal)}`;
      const known = { amount: 70_000_001n, confirmations: 1, isMature: true };
      expect(await adapter.unspent([outpoint, `${txHash}:99`], block)).toEqual(new Map([[outpoint, known]]));
      expect(await adapter.unspent([outpoint], start)).toBeNull();
    });
  });

  it('a node on another chain, without its index, or that refuses the credentials is unavailable', async () => {
    await expect(open({ chain: 'test' }).verify()).rejects.toThrow('is on the chain of');
    const url = litecoin.rpcUrl.replace('//', '//somebody:secret@');
    const refused = createUtxoAdapter({
      ...{ network: 'LTC', chain: 'regtest', kind: 'CORE', url, minesOnDemand: true, timeoutMs: NODE_TIMEOUT_MS },
    }).verify();
    await expect(refused).rejects.toBeInstanceOf(ChainUnavailable);
    await expect(refused).rejects.not.toThrow('secret');
  });

  it('new coins of a miner have to ripen', async () => {
    const { address, key } = fresh(open());
    await node('generatetoaddress', 1, address);
    const tip = await open().tip();
    const before = await open().headAt(tip.height - 1);
    const next = before && (await open().next(before));
    if (next?.kind !== 'block') throw new Error('there is no block');
    const mined = next.block.transfers.find(({ addressKey }) => addressKey === key);
    expect(mined?.spends).toBeUndefined();
    const outpoint = `${mined?.txHash ?? ''}:${String(mined?.ordinal)}`;
    expect((await open().unspent([outpoint]))?.get(outpoint)).toMatchObject({ isMature: false });
  });
});
