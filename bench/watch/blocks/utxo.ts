// Blocks as full as Bitcoin's (3,000 transactions) and Litecoin's (400), as bytes; each transaction has two inputs and
// two outputs.

import { doubleSha256, hashToText } from '../../../src/chain/utxo/transaction.ts';
import type { Answer, ChainTask } from '../task.ts';
import { digest, keyOf, ourKey, rowOf, TRANSFERRED } from '../deposits.ts';

const TRANSACTIONS = { BTC: 3_000, LTC: 400 };
const SECONDS = { BTC: 600, LTC: 150 };

interface Made {
  readonly bytes: Buffer;
  readonly id: Buffer;
}

/** Builds a transaction that spends two outputs locked to keys (BIP-141); its second output is the change. */
function make(name: string, scripts: readonly [string, string]): Made {
  const inputs = [0, 1].map((index) =>
    Buffer.concat([digest(`${name} spends`), Buffer.of(index, 0, 0, 0, 0), Buffer.alloc(4, 0xff)]),
  );
  const outputs = scripts.map((script) => {
    const amount = Buffer.alloc(8);
    amount.writeBigUInt64LE(TRANSFERRED);
    return Buffer.concat([amount, Buffer.of(script.length / 2), Buffer.from(script, 'hex')]);
  });
  const [version, lockTime] = [Buffer.of(2, 0, 0, 0), Buffer.alloc(4)];
  const body = Buffer.concat([Buffer.of(2), ...inputs, Buffer.of(2), ...outputs]);
  const witness = Buffer.concat([Buffer.of(2, 72), Buffer.alloc(72, 7), Buffer.of(33), Buffer.alloc(33, 8)]);
  return {
    bytes: Buffer.concat([version, Buffer.of(0, 1), body, witness, witness, lockTime]),
    id: doubleSha256(Buffer.concat([version, body, lockTime])),
  };
}

function merkleRoot(ids: readonly Buffer[]): Buffer {
  let level = ids;
  while (level.length > 1) {
    const pairs = Array.from({ length: Math.ceil(level.length / 2) }, (_, index) => index * 2);
    level = pairs.map((at) => doubleSha256(Buffer.concat([level[at], level[at + 1] ?? level[at]] as Buffer[])));
  }
  return level[0] ?? Buffer.alloc(32);
}

interface Block {
  readonly header: Buffer;
  readonly hash: Buffer;
  readonly ours: Made | null;
}

export function createUtxoBlocks({ network, blocks: tip }: ChainTask): Answer {
  if (network !== 'BTC' && network !== 'LTC') throw new Error(`${network} has no such blocks`);
  const strangers = Array.from({ length: TRANSACTIONS[network] - 1 }, (_, index) => {
    const name = `stranger ${String(index)}`;
    return make(name, [keyOf(network, name), keyOf(network, `${name} change`)]);
  });
  const last = make('last', [keyOf(network, 'last'), keyOf(network, 'change')]);
  const rest = Buffer.concat(strangers.map(({ bytes }) => bytes)).toString('hex');
  const ids = strangers.map(({ id }) => id);
  const plainRoot = merkleRoot([...ids, last.id]);
  const made: Block[] = [];
  for (let height = 0; height <= tip; height += 1) {
    const row = rowOf(height);
    const ours = row === null ? null : make(`pays ${String(row)}`, [ourKey(network, row), keyOf(network, 'change')]);
    const header = Buffer.alloc(80);
    header.writeUInt32LE(0x20000000, 0);
    made[height - 1]?.hash.copy(header, 4);
    (ours === null ? plainRoot : merkleRoot([...ids, ours.id])).copy(header, 36);
    header.writeUInt32LE(1_700_000_000 + height * SECONDS[network], 68);
    made.push({ header, hash: doubleSha256(header), ours });
  }
  const heights = new Map(made.map(({ hash }, height) => [hashToText(hash), height]));
  const count = Buffer.from([0xfd, TRANSACTIONS[network] & 0xff, TRANSACTIONS[network] >> 8]).toString('hex');
  const nameOf = (height: number) => (made[height] ? hashToText(made[height].hash) : undefined);

  return (_path, { id, method, params }) => {
    const [which] = params as readonly unknown[];
    const height = heights.get(String(which)) ?? Number(which);
    const say = (result: unknown) => [JSON.stringify({ result, error: null, id })];
    if (method === 'getblockhash') return say(nameOf(height));
    if (method === 'getbestblockhash') return say(nameOf(tip));
    if (method === 'getblockheader')
      return say({
        ...{ height, time: 1_700_000_000 + height * SECONDS[network], confirmations: tip - height + 1 },
        ...{ previousblockhash: nameOf(height - 1), nextblockhash: nameOf(height + 1) },
      });
    if (method !== 'getblock') throw new Error(`Unexpected method: ${String(method)}`);
    const block = made[height];
    const head = `${block?.header.toString('hex') ?? ''}${count}`;
    const end = (block?.ours ?? last).bytes.toString('hex');
    return [`{"result":"${head}`, rest, `${end}","error":null,"id":${String(id)}}`];
  };
}

/** The hash of the first block, which depends on nothing but the network. */
export function firstHash(network: 'BTC' | 'LTC'): string {
  const [answer = ''] = createUtxoBlocks({ network, blocks: 0 })('', { id: 0, method: 'getblockhash', params: [0] });
  return (JSON.parse(String(answer)) as { result: string }).result;
}
