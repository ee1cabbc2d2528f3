// Messages of version 0, which name accounts by their places in tables, made by Solana's own library.

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

/** The message that its payer, who alone signs, has to sign. */
export function encodeVersioned(
  payer: string,
  hash: string,
  instructions: readonly Instruction[],
  table: LookupTable,
): Buffer {
  // Roles are numbers there: 2 for who signs, and 1 for what is written.
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
