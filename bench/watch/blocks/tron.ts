// A TRON node with generated blocks as full as the main network's: 300 transactions, most of them USDT transfers, and
// their receipts.

import { bytesOfAddress } from '../../../src/chain/tron/address.ts';
import { encodeRaw, transactionId } from '../../../src/chain/tron/transaction.ts';
import type { Answer, ChainTask } from '../task.ts';
import { digest, keyOf, ourKey, rowOf, TRANSFERRED, TRON_USDT } from '../deposits.ts';

const TRANSACTIONS = 300;
const SECONDS = 3;
const TRANSFER_TOPIC = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

const idAt = (height: number): string =>
  `${height.toString(16).padStart(16, '0')}${digest(`block ${String(height)}`)
    .toString('hex')
    .slice(16)}`;
const timeAt = (height: number): number => 1_700_000_000_000 + height * SECONDS * 1_000;
const word = (hex: string): string => hex.padStart(64, '0');

interface Made {
  readonly transaction: string;
  /** The transaction's receipt in two parts, between which the height and time of its block are inserted. */
  readonly info: readonly [string, string];
}

/** Builds a transfer of USDT, or of TRX for one nonce in four. */
function make(name: string, to: string, nonce: number): Made {
  const owner = bytesOfAddress(keyOf('TRON', `payer ${name}`));
  const recipient = bytesOfAddress(to);
  const isCoin = nonce % 4 === 3;
  const amount = word(TRANSFERRED.toString(16));
  const data = `a9059cbb${word(recipient.subarray(1).toString('hex'))}${amount}`;
  const contract = bytesOfAddress(TRON_USDT);
  const raw = encodeRaw({
    ...{
      refBlock: digest('reference'),
      expiration: 1_700_000_060_000n,
      timestamp: BigInt(nonce),
      feeLimit: 30_000_000n,
    },
    contract: isCoin
      ? { type: 'TRANSFER', owner, to: recipient, amount: TRANSFERRED }
      : { type: 'TRIGGER', owner, contract, data: Buffer.from(data, 'hex') },
  });
  const id = transactionId(raw).toString('hex');
  const log = {
    address: contract.subarray(1).toString('hex'),
    topics: [TRANSFER_TOPIC, word(owner.subarray(1).toString('hex')), word(recipient.subarray(1).toString('hex'))],
    data: amount,
  };
  const receipt = { energy_usage_total: 64_285, net_usage: 345, result: 'SUCCESS' };
  const info = { fee: 345_000, contractResult: [''], receipt, ...(isCoin ? {} : { log: [log] }) };
  return {
    transaction: JSON.stringify({
      ret: [{ contractRet: 'SUCCESS' }],
      signature: [`${digest(name).toString('hex')}${digest(id).toString('hex')}1b`],
      txID: id,
      raw_data: {
        contract: [
          { parameter: { value: { data, owner_address: owner.toString('hex') } }, type: 'TriggerSmartContract' },
        ],
        ...{ ref_block_bytes: '1234', ref_block_hash: '0123456789abcdef', timestamp: nonce, fee_limit: 30_000_000 },
      },
      raw_data_hex: raw.toString('hex'),
    }),
    info: [`{"id":"${id}",`, `,${JSON.stringify(info).slice(1)}`],
  };
}

export function createTronBlocks({ blocks: tip }: ChainTask): Answer {
  const strangers = Array.from({ length: TRANSACTIONS }, (_, index) =>
    make(`stranger ${String(index)}`, keyOf('TRON', `recipient ${String(index)}`), index),
  );
  const rest = strangers.map(({ transaction }) => transaction).join();
  const headOf = (height: number) => ({
    blockID: idAt(height),
    block_header: { raw_data: { number: height, parentHash: idAt(height - 1), timestamp: timeAt(height) } },
  });
  const oursOf = (height: number): Made[] => {
    const row = rowOf(height);
    return row === null ? [] : [make(`ours ${String(row)}`, ourKey('TRON', row), 4 * height)];
  };
  return (path, { num, id_or_num: named }) => {
    const height = Number(num ?? named ?? tip);
    if (height > tip) return ['{}'];
    if (path.endsWith('/getblock')) return [JSON.stringify(headOf(height))];
    const ours = oursOf(height);
    if (path.endsWith('/getblockbynum')) {
      const own = ours.map(({ transaction }) => `${transaction},`).join('');
      return [`${JSON.stringify(headOf(height)).slice(0, -1)},"transactions":[${own}${rest}]}`];
    }
    const place = `"blockNumber":${String(height)},"blockTimeStamp":${String(timeAt(height))}`;
    return [`[${[...ours, ...strangers].map(({ info: [before, after] }) => before + place + after).join()}]`];
  };
}
