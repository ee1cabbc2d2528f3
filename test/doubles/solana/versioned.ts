// Builds messages of version 0, which name accounts by their index in lookup tables, with Solana's own library.

import {
  address,
  appendTransactionMessageInstructions,
  blockhash,
  compileTransaction,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import type { Instruction } from '../../../src/chain/solana/message.ts';

export interface LookupTable {
  readonly address: string;
  readonly addresses: readonly string[];
}

/** The message for its payer, the only signer, to sign. */
export function encodeVersioned(
  payer: string,
  hash: string,
  instructions: readonly Instruction[],
  table: LookupTable,
): Buffer {
  // The library's roles are numbers: 2 for a signer, 1 for a writable account.
  const converted = instructions.map(({ program, accounts, data }) => ({
    programAddress: address(program),
    accounts: accounts.map(({ key, signs, writes }) => ({
      address: address(key),
      role: (signs ? 2 : 0) + (writes ? 1 : 0),
    })),
    data,
  }));
  const lifetime = { blockhash: blockhash(hash), lastValidBlockHeight: 0n };
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (made) => setTransactionMessageFeePayer(address(payer), made),
    (made) => setTransactionMessageLifetimeUsingBlockhash(lifetime, made),
    (made) => appendTransactionMessageInstructions(converted, made),
    (made) =>
      compressTransactionMessageUsingAddressLookupTables(made, {
        [address(table.address)]: table.addresses.map((one) => address(one)),
      }),
  );
  return Buffer.from(compileTransaction(message).messageBytes);
}
