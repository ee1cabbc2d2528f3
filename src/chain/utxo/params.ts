// The constants of UTXO networks and their chains: genesis hashes, address prefixes, fee limits and maturity rules.

import type { Network } from '../../values/assets.ts';

/** The main chain, the public test chains, and the private one (`regtest`). */
export const CHAIN_NAMES = ['main', 'test', 'testnet4', 'signet', 'regtest'] as const;
export type ChainName = (typeof CHAIN_NAMES)[number];

/** What differs between the chains of a network. */
export interface ChainParams {
  /** The hash of block 0. A node with another one is on the wrong chain. */
  readonly genesis: string;
  /** Human-readable part of SegWit addresses (BIP-173). */
  readonly hrp: string;
  /** Version bytes of Base58Check addresses. All are accepted; the first is written. */
  readonly pubKeyHash: readonly number[];
  readonly scriptHash: readonly number[];
  /** BIP-44 coin type (SLIP-44). */
  readonly coinType: number;
  /** Accepted version bytes of extended public keys: plain ones, and those for P2WPKH (BIP-84, SLIP-132). */
  readonly xpubVersions: readonly number[];
  /** Whether blocks are mined on demand. */
  readonly isOwn: boolean;
}

export interface UtxoParams {
  /** The scheme of payment URIs (BIP-21). */
  readonly scheme: string;
  /** Whether transactions and blocks may carry Mimblewimble extension data (LIP-2, LIP-3), marked by flag 8. */
  readonly hasExtensionBlocks: boolean;
  /** The nodes' dust rate: base units per 1,000 bytes that creating and spending an output takes. */
  readonly dustPerKb: bigint;
  /** The limits of the fee rate that our transactions offer, in base units per virtual byte. */
  readonly minFeeRate: bigint;
  readonly maxFeeRate: bigint;
  /** How much more a replacement must offer per virtual byte of its own (BIP-125, rule 4). */
  readonly replacementStep: bigint;
  /** Confirmations before a coinbase output, or one paid out of the extension block, can be spent. */
  readonly coinbaseMaturity: number;
  readonly pegOutMaturity: number;
  readonly chains: Readonly<Partial<Record<ChainName, ChainParams>>>;
}

const XPUB = 0x0488_b21e;
const ZPUB = 0x04b2_4746;
const TPUB = 0x0435_87cf;
const VPUB = 0x045f_1cf6;
const LTUB = 0x019d_a462;
const TTUB = 0x0436_f6e1;

const BTC_TEST = {
  hrp: 'tb',
  pubKeyHash: [0x6f],
  scriptHash: [0xc4],
  coinType: 1,
  xpubVersions: [TPUB, VPUB, XPUB],
  isOwn: false,
} as const;
const LTC_TEST = {
  hrp: 'tltc',
  pubKeyHash: [0x6f],
  scriptHash: [0x3a, 0xc4],
  coinType: 1,
  xpubVersions: [TPUB, VPUB, TTUB, XPUB],
  isOwn: false,
} as const;

/**
 * To support another relative of Bitcoin, add a row. Genesis blocks, version bytes and prefixes are from
 * bitcoin/bitcoin `src/kernel/chainparams.cpp` and litecoin-project/litecoin `src/chainparams.cpp`.
 */
const PARAMS: Readonly<Partial<Record<Network, UtxoParams>>> = {
  BTC: {
    scheme: 'bitcoin',
    hasExtensionBlocks: false,
    dustPerKb: 3_000n,
    minFeeRate: 1n,
    maxFeeRate: 500n,
    replacementStep: 1n,
    coinbaseMaturity: 100,
    pegOutMaturity: 0,
    chains: {
      main: {
        genesis: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
        hrp: 'bc',
        pubKeyHash: [0x00],
        scriptHash: [0x05],
        coinType: 0,
        xpubVersions: [XPUB, ZPUB],
        isOwn: false,
      },
      test: { ...BTC_TEST, genesis: '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943' },
      testnet4: { ...BTC_TEST, genesis: '00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043' },
      signet: { ...BTC_TEST, genesis: '00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6' },
      regtest: {
        ...BTC_TEST,
        genesis: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
        hrp: 'bcrt',
        isOwn: true,
      },
    },
  },
  LTC: {
    scheme: 'litecoin',
    hasExtensionBlocks: true,
    dustPerKb: 30_000n,
    minFeeRate: 1n,
    maxFeeRate: 2_000n,
    replacementStep: 10n,
    coinbaseMaturity: 100,
    pegOutMaturity: 6,
    chains: {
      main: {
        genesis: '12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2',
        hrp: 'ltc',
        pubKeyHash: [0x30],
        // `M…`, and the original `3…`, which Bitcoin uses too.
        scriptHash: [0x32, 0x05],
        coinType: 2,
        xpubVersions: [XPUB, ZPUB, LTUB],
        isOwn: false,
      },
      test: { ...LTC_TEST, genesis: '4966625a4b2851d9fdee139e56211a0d88575f59ed816ff5e6a63deb4e3e29a0' },
      regtest: {
        ...LTC_TEST,
        genesis: '530827f38f93b43ed12af0b3ad25a288dc02ed74d6d7857862df51fc56c416f9',
        hrp: 'rltc',
        isOwn: true,
      },
    },
  },
};

/** Throws if the network or its chain is unknown. */
export function paramsOf(network: Network, chain: ChainName): { params: UtxoParams; chain: ChainParams } {
  const params = PARAMS[network];
  if (!params) throw new Error(`${network} is not a UTXO network`);
  const row = params.chains[chain];
  if (!row) throw new Error(`${network} has no chain called ${chain}; it has ${Object.keys(params.chains).join(', ')}`);
  return { params, chain: row };
}
