// The answers of TRON's double, in the shapes of java-tron's API documentation: zero values are left out, what does not
// exist is `{}`, and addresses are hex.

import type { Block, DoubleChain, Entry } from './chain.ts';
import type { Action } from './protobuf.ts';
import { copyState, PRICES, runTransfer } from './state.ts';
import type { Question } from './question.ts';

type Answer = (chain: DoubleChain, body: Question['body']) => unknown;

const ANSWERS: Readonly<Record<string, Answer>> = {
  '/wallet/getblock': (chain, body) => blockOf(chain, body, chain.tip()),
  '/walletsolidity/getblock': (chain, body) => blockOf(chain, body, chain.final(), chain.final().height),
  '/wallet/getblockbynum': (chain, { num }) => blockJson(chain.at(Number(num ?? 0)), true),
  '/wallet/gettransactioninfobyblocknum': (chain, { num }) => {
    const block = chain.at(Number(num));
    return block ? block.entries.map((entry) => infoJson(block, entry)) : [];
  },
  '/wallet/gettransactioninfobyid': (chain, { value }) => {
    const found = chain.find(String(value));
    return found ? infoJson(found.block, found) : {};
  },
  '/wallet/gettransactionfrompending': (chain, { value }) => (chain.pool.has(String(value)) ? { txID: value } : {}),
  '/wallet/getaccount': (chain, { address }) => {
    const { coins, tokens } = chain.tip().state;
    const balance = coins.get(String(address));
    if (balance === undefined) return {};
    return {
      address,
      ...(tokens.has(String(address)) ? { type: 'Contract' } : {}),
      ...(balance > 0n ? { balance: Number(balance) } : {}),
    };
  },
  '/wallet/getchainparameters': () => ({
    chainParameter: [
      { key: 'getMaintenanceTimeInterval', value: 21_600_000 },
      ...Object.entries(PRICES).map(([key, value]) => ({ key, value })),
      { key: 'getAllowCreationOfContracts' },
    ],
  }),
  '/wallet/triggerconstantcontract': callJson,
  '/wallet/broadcasthex': (chain, { transaction }) => {
    const { id, code, message } = chain.broadcast(String(transaction));
    return { ...(code === 'SUCCESS' ? { result: true } : {}), code, txid: id, message, transaction: '{}' };
  },
};

/** Undefined for questions that the double does not know. */
export function answerOf(chain: DoubleChain, { path, body }: Question): unknown {
  return ANSWERS[path]?.(chain, body);
}

function blockOf(chain: DoubleChain, { id_or_num, detail }: Question['body'], newest: Block, upTo = Infinity) {
  if (id_or_num === undefined) return blockJson(newest, detail === true);
  const block = chain.at(Number(id_or_num));
  return blockJson(block && block.height <= upTo ? block : null, detail === true);
}

function blockJson(block: Block | null, detail: boolean): object {
  if (!block) return {};
  const { id, height, parent, time, root, witness, entries } = block;
  return {
    blockID: id,
    block_header: {
      raw_data: {
        ...(height > 0 ? { number: height } : {}),
        ...{ txTrieRoot: root, witness_address: witness, parentHash: parent, version: 31, timestamp: time },
      },
      witness_signature: '00'.repeat(65),
    },
    ...(detail && entries.length > 0 ? { transactions: entries.map(transactionJson) } : {}),
  };
}

function transactionJson({ transaction, outcome }: Entry): object {
  const { id, raw, signature, refBlockBytes, refBlockHash, expiration, timestamp, feeLimit, action } = transaction;
  return {
    ret: [{ contractRet: outcome.contractRet }],
    signature: [signature],
    txID: id,
    raw_data: {
      contract: [
        {
          parameter: { value: valueOf(action), type_url: `type.googleapis.com/protocol.${action.type}` },
          type: action.type,
        },
      ],
      ...{ ref_block_bytes: refBlockBytes, ref_block_hash: refBlockHash, expiration, timestamp },
      ...(feeLimit > 0 ? { fee_limit: feeLimit } : {}),
    },
    raw_data_hex: Buffer.from(raw).toString('hex'),
  };
}

function valueOf(action: Action): object {
  return action.type === 'TriggerSmartContract'
    ? { data: action.data, owner_address: action.owner, contract_address: action.contract }
    : { amount: action.amount, owner_address: action.owner, to_address: action.to };
}

function infoJson({ height, time }: Block, { transaction, outcome }: Entry): object {
  const { contractRet, fee, energy, logs } = outcome;
  const { action } = transaction;
  const isCall = action.type === 'TriggerSmartContract';
  return {
    id: transaction.id,
    ...(fee > 0 ? { fee } : {}),
    ...{ blockNumber: height, blockTimeStamp: time, contractResult: [''] },
    ...(isCall ? { contract_address: action.contract } : {}),
    receipt: isCall ? { energy_usage_total: energy, net_fee: fee, result: contractRet } : { net_fee: fee },
    ...(contractRet === 'SUCCESS' ? {} : { result: 'FAILED', resMessage: '5245564552542062792074686520646f75626c65' }),
    ...(logs.length > 0 ? { log: logs } : {}),
  };
}

function callJson(chain: DoubleChain, { owner_address, contract_address, data }: Question['body']): object {
  const contract = String(contract_address);
  const call = String(data);
  const state = copyState(chain.tip().state);
  const token = state.tokens.get(contract);
  if (!token) {
    const message = Buffer.from('Smart contract is not exist.').toString('hex');
    return { result: { code: 'CONTRACT_VALIDATE_ERROR', message } };
  }
  const word = (units: bigint) => units.toString(16).padStart(64, '0');
  const answer = (result: string, energy_used: number) => ({
    ...{ result: { result: true }, energy_used, constant_result: [result], transaction: { ret: [{}] } },
  });
  if (call === '313ce567') return answer(word(BigInt(token.decimals)), 300);
  if (call.startsWith('70a08231')) return answer(word(token.balances.get(`41${call.slice(32, 72)}`) ?? 0n), 935);
  const { failed, energy } = runTransfer(state, String(owner_address), contract, call);
  if (!failed) return answer(word(1n), energy);
  return {
    result: { result: true, message: Buffer.from('REVERT opcode executed').toString('hex') },
    ...{ energy_used: energy, constant_result: [''], transaction: { ret: [{ ret: 'FAILED' }] } },
  };
}
