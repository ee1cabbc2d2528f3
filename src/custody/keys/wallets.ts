// Opens the wallets that money leaves from: the hot wallet pays, the gas wallet pays for sweeps, deposit addresses are
// swept.

import type { ChainSender, ParsedAddress } from '../../chain/adapter.ts';
import type { Curve } from '../../chain/transactions.ts';
import type { SenderRole } from '../../database/queries/payouts/nonces.ts';
import { accountPath, accountPaths, pooledPaths } from './account-keys.ts';
import type { Signer } from './signer.ts';

/** One of our addresses and the path of its key. */
export interface Wallet extends ParsedAddress {
  readonly path: string;
  readonly role: SenderRole;
}

export interface Wallets {
  readonly hot: Wallet;
  readonly gas: Wallet;
  /** The wallet of a deposit address. Throws if the address does not come from this signer's seed. */
  deposit(index: number, expectedKey: string): Promise<Wallet>;
}

/** What must be known of a chain to derive its wallets. */
interface WalletsOf {
  readonly adapter: Pick<ChainSender, 'addressOf'> & { readonly accountPath?: string; readonly curve?: Curve };
  readonly account: string;
}

/** The hot and the gas wallet are the first two addresses of the account's internal chain (BIP-44, `1/0` and `1/1`). */
export async function openWallets(signer: Signer, { adapter, account }: WalletsOf): Promise<Wallets> {
  const { curve = 'secp256k1' } = adapter;
  const isPooled = curve === 'ed25519';
  const paths = isPooled ? pooledPaths(account) : accountPaths(adapter.accountPath ?? accountPath(account));
  const open = async (path: string, role: SenderRole): Promise<Wallet> => ({
    ...adapter.addressOf(await signer.publicKey(path, curve)),
    path,
    role,
  });
  return {
    hot: await open(paths.wallet(0), 'HOT'),
    gas: await open(paths.wallet(1), 'GAS'),
    deposit: async (index, expectedKey) => {
      const wallet = await open(paths.deposit(index), 'DEPOSIT');
      if (wallet.key !== expectedKey)
        throw new Error(`The address ${expectedKey} does not belong to this signer's seed`);
      return wallet;
    },
  };
}
