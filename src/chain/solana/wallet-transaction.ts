// Transactions for somebody else's wallet to sign and send. Wallets in a browser take whole transactions on Solana,
// where on other networks they make them from what they are asked to pay.

import type { WalletRequest } from '../adapter.ts';
import { associatedTokenAccount } from './address.ts';
import * as message from './message.ts';
import type { Mints } from './mints.ts';
import type { SolanaNode } from './node.ts';
import { NO_SIGNATURE, readAnchor } from './send.ts';
import { referenceOf } from './uri.ts';

/** A blockhash serves everybody who asks within this time, so that askers cost the node no more than that. */
const BLOCKHASH_MS = 2_000;

/**
 * Makes the function that builds them. It asks the node for a recent blockhash alone: such a transaction is valid for
 * about a minute, and on this chain only. Its result is base64, unsigned. Throws `ChainUnavailable`.
 */
export function createWalletTransactions(
  { node, mints }: { readonly node: SolanaNode; readonly mints: Mints },
  now: () => number = () => performance.now(),
): (request: WalletRequest) => Promise<string> {
  let recent: { readonly blockhash: Promise<string>; readonly readAt: number } | null = null;
  const readBlockhash = (): Promise<string> => {
    if (recent !== null && now() - recent.readAt <= BLOCKHASH_MS) return recent.blockhash;
    const asked = { blockhash: readAnchor(node).then(({ reference }) => reference), readAt: now() };
    recent = asked;
    asked.blockhash.catch(() => {
      if (recent === asked) recent = null;
    });
    return asked.blockhash;
  };
  return async (request) => {
    const [blockhash, instructions] = await Promise.all([readBlockhash(), instructionsOf(mints, request)]);
    const built = message.encodeMessage(request.payer, blockhash, instructions);
    return message
      .encodeTransaction(
        built,
        built.signers.map(() => NO_SIGNATURE),
      )
      .toString('base64');
  };
}

/** What the payment URI asks wallets for: the transfer, with the order's reference among its accounts. */
async function instructionsOf(mints: Mints, request: WalletRequest): Promise<message.Instruction[]> {
  const { payer, address, currency, amount, orderId } = request;
  const reference = { key: referenceOf(orderId), signs: false, writes: false };
  const referring = ({ accounts, ...rest }: message.Instruction) => ({ ...rest, accounts: [...accounts, reference] });
  const mint = mints.contractOf(currency);
  if (mint === null) return [referring(message.transferCoin(payer, address, amount))];
  const token = { mint, ...(await mints.read(currency)) };
  const [from, to] = [payer, address].map((owner) => associatedTokenAccount(owner, mint, token.program));
  const transfer = message.transferToken({ from: from ?? '', owner: payer, to: to ?? '', units: amount }, token);
  return [message.createTokenAccount(payer, to ?? '', address, token), referring(transfer)];
}
