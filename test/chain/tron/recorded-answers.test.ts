// The TRON adapter reads answers of real TRON nodes, recorded from their documentation. This shows that the answers of
// our double have the right shapes.

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createTronAdapter } from '../../../src/chain/tron/adapter.ts';
import { bytesOfAddress, keyOfBytes } from '../../../src/chain/tron/address.ts';
import { transactionId } from '../../../src/chain/tron/transaction.ts';
import { readInfo } from '../../../src/chain/tron/rpc-types.ts';
import { startTronDouble, type TronDouble } from '../../doubles/tron/double.ts';
import { NODE_TIMEOUT_MS } from '../../support/node-timeout.ts';
import { ANSWERS, CREATED_BY_NODE, MAINNET_TRANSFERS } from './recorded.fixture.ts';

let server: TronDouble;
const key = (hex: string) => keyOfBytes(Buffer.from(hex, 'hex')) ?? '';

beforeAll(async () => {
  server = await startTronDouble();
});
afterEach(() => server.override(null));
afterAll(() => server.stop());

/** An adapter whose node answers some paths with a recording. */
function replay(answers: Readonly<Record<string, unknown>>, token = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t') {
  server.override(({ path }) => answers[path]);
  const contracts = new Map([
    ['TRX', null],
    ['USDT', token],
  ]);
  return createTronAdapter({ network: 'TRON', url: server.url, contracts, timeoutMs: NODE_TIMEOUT_MS });
}

describe('recorded on the Nile test network', () => {
  it('the head of the newest block, and of a block by its number', async () => {
    const { nowBlock, block } = ANSWERS;
    expect(await replay({ '/wallet/getblock': nowBlock }).tip()).toEqual({
      hash: '0000000003fe266bf6b6d392f654dc2e5011601546ed04623d9fcc4e9d439a25',
      parentHash: '0000000003fe266a65d5194c947f6f7a059d4646c8e9a5293226bc7fdcfc775e',
      height: 66_987_627,
      time: new Date(1_777_445_307_000),
    });
    const adapter = replay({ '/wallet/getblock': block });
    expect(await adapter.headAt(66_987_565)).toMatchObject({
      hash: '0000000003fe262d52bfa4b2814f816fd2e57af5b98a33d60d8630a03a908e0e',
      parentHash: '0000000003fe262c85cd6b02033f4c3e5c1efa35de256a17bd906dc61fb1aeed',
    });
  });

  it('what became of transactions: what they cost, and what a contract logged', () => {
    expect(ANSWERS.infosOfBlock.map((info) => readInfo(info))).toMatchObject([
      {
        id: 'ff44a2823a870c12f12a4ca6e7647650356bc2bb5e02c5855312cf2db4c950c1',
        fee: 267_000n,
        failed: false,
        logs: [],
      },
      { id: '0419405287081aa44f4d78725e6fabac8d14e71abf9e28825ad4f4e61a5bccb7', fee: 267_000n, height: 66_987_565 },
    ]);
    const call = readInfo(ANSWERS.infoOfCall);
    expect(call).toMatchObject({ fee: 5_254_500n, failed: false, blockTime: 1_777_437_762_000 });
    expect(call?.logs).toMatchObject([{ address: '9ff8fc48fb114ccd5bbdc24a86f0c73082f08825' }]);
    expect(call?.logs[0]?.topics).toHaveLength(3);
    expect(readInfo({})).toBeNull();
  });

  it('an account with its balance, and what a token says that it holds', async () => {
    const holder = key('41dd791d6b49e190062d650e6a23c575510d35f2f9');
    const accounts = replay({ '/wallet/getaccount': ANSWERS.account });
    expect((await accounts.balances([holder], 'TRX')).get(holder)).toBe(1_793_227_200n);
    const tokens = replay({ '/wallet/triggerconstantcontract': ANSWERS.constantCall });
    expect((await tokens.balances([holder], 'USDT')).get(holder)).toBe(0x40cfcc00n);
    const asked = server.asked.at(-1)?.body;
    expect(asked?.data).toBe(`70a08231000000000000000000000000${bytesOfAddress(holder).toString('hex').slice(2)}`);
  });

  it('what the node refused', async () => {
    const adapter = replay({ '/wallet/broadcasthex': ANSWERS.tapos });
    await expect(adapter.broadcast('0a')).rejects.toMatchObject({ reason: 'EXPIRED' });
    expect(await replay({ '/wallet/broadcasthex': ANSWERS.duplicate }).broadcast('0a')).toBe('known');
    const unsigned = replay({ '/wallet/broadcasthex': ANSWERS.signature });
    await expect(unsigned.broadcast('0a')).rejects.toThrow('SIGERROR');
    const limited = replay({ '/wallet/getblock': ANSWERS.rateLimited });
    await expect(limited.tip()).rejects.toThrow('lack of computing resources');
  });
});

describe('recorded on the main network', () => {
  it('payments in a block are found with their receivers and amounts', async () => {
    const [first, second] = MAINNET_TRANSFERS;
    const parent = { hash: `${(62_258_697).toString(16).padStart(16, '0')}${'ab'.repeat(24)}`, height: 62_258_697 };
    const hash = `${(62_258_698).toString(16).padStart(16, '0')}${'cd'.repeat(24)}`;
    // The recording has transactions but no blocks: the block header is made up, everything else that is read is
    // recorded.
    const header = { raw_data: { number: 62_258_698, parentHash: parent.hash, timestamp: 1_717_419_792_000 } };
    const recorded = [first, second].filter((transfer) => transfer !== undefined);
    const transactions = recorded.map(({ id, raw, signature }) => ({
      ...{ ret: [{ contractRet: 'SUCCESS' }], signature: [signature], txID: id, raw_data_hex: raw },
    }));
    const infos = recorded.map(({ id }) => ({
      ...{ id, blockNumber: 62_258_698, blockTimeStamp: 1_717_419_792_000, contractResult: [''] },
      receipt: { net_usage: 265 },
    }));
    const adapter = replay({
      '/wallet/getblock': { blockID: hash, block_header: header },
      '/wallet/getblockbynum': { blockID: hash, block_header: header, transactions },
      '/wallet/gettransactioninfobyblocknum': infos,
    });
    const next = await adapter.next(parent);
    expect(next).toMatchObject({
      kind: 'block',
      block: {
        transfers: recorded.map(({ id, to, amount }) => ({
          ...{ txHash: id, ordinal: 0, addressKey: key(to), currency: 'TRX', amount },
        })),
      },
    });
  });

  it('ids are the digests of what nodes built', () => {
    for (const { id, raw } of CREATED_BY_NODE) expect(transactionId(Buffer.from(raw, 'hex')).toString('hex')).toBe(id);
  });
});
