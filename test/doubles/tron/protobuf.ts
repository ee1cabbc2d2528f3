// Reads and writes TRON's transactions with the code of TRON's own library, so that the double does not share the
// mistakes of our code.

import { createHash } from 'node:crypto';
import { recover } from 'tiny-secp256k1';
import { utils } from 'tronweb';
import { keccak256 } from 'viem/utils';

interface Pb {
  serializeBinary(): Uint8Array;
}
interface AnyPb extends Pb {
  getTypeUrl(): string;
  getValue_asU8(): Uint8Array;
}
interface ContractPb extends Pb {
  getType(): number;
  getParameter(): AnyPb | undefined;
}
interface RawPb extends Pb {
  getRefBlockBytes_asU8(): Uint8Array;
  getRefBlockHash_asU8(): Uint8Array;
  getExpiration(): number;
  getTimestamp(): number;
  getFeeLimit(): number;
  getContractList(): ContractPb[];
}
interface TransactionPb extends Pb {
  getRawData(): RawPb | undefined;
  getSignatureList_asU8(): Uint8Array[];
  addSignature(signature: Uint8Array): void;
}
interface TransferPb extends Pb {
  getOwnerAddress_asU8(): Uint8Array;
  getToAddress_asU8(): Uint8Array;
  getAmount(): number;
}
interface TriggerPb extends Pb {
  getOwnerAddress_asU8(): Uint8Array;
  getContractAddress_asU8(): Uint8Array;
  getData_asU8(): Uint8Array;
}
interface Kind<Message> {
  deserializeBinary(bytes: Uint8Array): Message;
}
interface Library {
  Transaction: Kind<TransactionPb>;
  TransferContract: Kind<TransferPb>;
  TransferAssetContract: Kind<TransferPb>;
  TriggerSmartContract: Kind<TriggerPb>;
}

const library = (globalThis as unknown as { TronWebProto: Library }).TronWebProto;

/** What a transaction does, with addresses as 21 bytes of hex. */
export type Action =
  | { readonly type: 'TransferContract'; readonly owner: string; readonly to: string; readonly amount: number }
  | { readonly type: 'TransferAssetContract'; readonly owner: string; readonly to: string; readonly amount: number }
  | { readonly type: 'TriggerSmartContract'; readonly owner: string; readonly contract: string; readonly data: string };

const TYPES = { TransferContract: 1, TransferAssetContract: 2, TriggerSmartContract: 31 } as const;

export interface Decoded {
  readonly id: string;
  /** The signed bytes. */
  readonly raw: Uint8Array;
  /** The size of the whole transaction, as bandwidth counts it. */
  readonly size: number;
  readonly signature: string;
  /** The signer, 21 bytes as hex; null if the signature is invalid. */
  readonly signer: string | null;
  readonly refBlockBytes: string;
  readonly refBlockHash: string;
  readonly expiration: number;
  readonly timestamp: number;
  readonly feeLimit: number;
  readonly action: Action;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));

/** Parses a signed transaction; throws if it is invalid, or does something that the double does not support. */
export function decodeTransaction(text: string): Decoded {
  const transaction = library.Transaction.deserializeBinary(bytes(text));
  const raw = transaction.getRawData();
  const [contract, ...more] = raw?.getContractList() ?? [];
  const signatures = transaction.getSignatureList_asU8();
  if (!raw || !contract || more.length > 0) throw new Error('Contract validate error : No contract!');
  const signed = raw.serializeBinary();
  const digest = createHash('sha256').update(signed).digest();
  return {
    id: hex(digest),
    raw: signed,
    size: transaction.serializeBinary().length,
    signature: hex(signatures[0] ?? new Uint8Array()),
    signer: signatures.length === 1 && signatures[0] ? signerOf(digest, signatures[0]) : null,
    refBlockBytes: hex(raw.getRefBlockBytes_asU8()),
    refBlockHash: hex(raw.getRefBlockHash_asU8()),
    expiration: raw.getExpiration(),
    timestamp: raw.getTimestamp(),
    feeLimit: raw.getFeeLimit(),
    action: actionOf(contract),
  };
}

function actionOf(contract: ContractPb): Action {
  const parameter = contract.getParameter();
  const name = parameter?.getTypeUrl().replace('type.googleapis.com/protocol.', '');
  const type = (Object.keys(TYPES) as (keyof typeof TYPES)[]).find((key) => TYPES[key] === contract.getType());
  if (!parameter || !type || name !== type) throw new Error(`the double knows no ${name ?? 'nameless contract'}`);
  const value = parameter.getValue_asU8();
  if (type === 'TriggerSmartContract') {
    const call = library.TriggerSmartContract.deserializeBinary(value);
    const owner = hex(call.getOwnerAddress_asU8());
    return { type, owner, contract: hex(call.getContractAddress_asU8()), data: hex(call.getData_asU8()) };
  }
  const transfer = library[type].deserializeBinary(value);
  const owner = hex(transfer.getOwnerAddress_asU8());
  return { type, owner, to: hex(transfer.getToAddress_asU8()), amount: transfer.getAmount() };
}

function signerOf(digest: Uint8Array, signature: Uint8Array): string | null {
  if (signature.length !== 65) return null;
  const v = signature[64] ?? 0;
  const recoveryId = (v >= 27 ? v - 27 : v) as 0 | 1;
  if (recoveryId > 1) return null;
  const key = recover(digest, signature.subarray(0, 64), recoveryId, false);
  return key && addressOfKey(key);
}

/** The address of an uncompressed public key. */
export function addressOfKey(publicKey: Uint8Array): string {
  return `41${keccak256(publicKey.subarray(1)).slice(-40)}`;
}

export interface Draft {
  readonly refBlockId: string;
  readonly expiration: number;
  readonly timestamp: number;
  readonly feeLimit: number;
  readonly action: Action;
}

/** Builds a transaction with the library, and calls `sign` with its digest. */
export function encodeTransaction(draft: Draft, sign: (digest: Uint8Array) => Uint8Array): string {
  const { refBlockId, expiration, timestamp, feeLimit, action } = draft;
  const transaction = utils.transaction.txJsonToPb({
    raw_data: {
      contract: [
        {
          parameter: { value: valueOf(action), type_url: `type.googleapis.com/protocol.${action.type}` },
          type: action.type,
        },
      ],
      ref_block_bytes: refBlockId.slice(12, 16),
      ref_block_hash: refBlockId.slice(16, 32),
      ...{ expiration, timestamp },
      ...(feeLimit > 0 ? { fee_limit: feeLimit } : {}),
    },
  }) as TransactionPb;
  const raw = transaction.getRawData()?.serializeBinary() ?? new Uint8Array();
  transaction.addSignature(sign(createHash('sha256').update(raw).digest()));
  return hex(transaction.serializeBinary());
}

function valueOf(action: Action): object {
  const owner_address = action.owner;
  if (action.type === 'TriggerSmartContract')
    return { owner_address, contract_address: action.contract, data: action.data };
  const transfer = { owner_address, to_address: action.to, amount: action.amount };
  return action.type === 'TransferContract' ? transfer : { ...transfer, asset_name: '31303032303030' };
}
