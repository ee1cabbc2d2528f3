// Links to public block explorers: for transactions on main networks only.

import { describe, expect, it } from '@jest/globals';
import { GraphQLObjectType, type GraphQLResolveInfo } from 'graphql';
import { isMainChain } from '../../../src/chain/open-adapter.ts';
import type { NodeSettings } from '../../../src/chain/settings.ts';
import { buildGatewaySchema } from '../../../src/resolvers/schema.ts';
import type { Services } from '../../../src/resolvers/services.ts';
import type { Network } from '../../../src/values/assets.ts';

const schema = buildGatewaySchema({ mainNetworks: new Set<Network>(['ETH', 'TRON']) } as unknown as Services, 'live');

/** What the schema answers for a field of an object that was found. */
function answerOf(typeName: string, fieldName: string, source: object): unknown {
  const type = schema.getType(typeName);
  const field = type instanceof GraphQLObjectType ? type.getFields()[fieldName] : undefined;
  if (!field?.resolve) throw new Error(`nothing answers ${typeName}.${fieldName}`);
  return field.resolve(source, {}, {}, {} as GraphQLResolveInfo);
}

describe('explorerUrl', () => {
  it('is there for each transaction of a payment on a main network', () => {
    const payment = { network: 'ETH', transactions: [{ txHash: '0xaa' }, { txHash: '0xbb' }] };
    expect(answerOf('Payment', 'transactions', payment)).toEqual([
      { txHash: '0xaa', explorerUrl: 'https://etherscan.io/tx/0xaa' },
      { txHash: '0xbb', explorerUrl: 'https://etherscan.io/tx/0xbb' },
    ]);
  });

  it('is null on any other network', () => {
    const payment = { network: 'POLYGON', transactions: [{ txHash: '0xaa' }] };
    expect(answerOf('Payment', 'transactions', payment)).toEqual([{ txHash: '0xaa', explorerUrl: null }]);
  });

  it.each(['Withdrawal', 'Refund'])('of a %s is there as soon as it has a transaction', (type) => {
    const page = (network: string, txHash: string | null) => answerOf(type, 'explorerUrl', { network, txHash });
    expect(page('TRON', 'ab12')).toBe('https://tronscan.org/#/transaction/ab12');
    expect(page('TRON', null)).toBeNull();
    expect(page('LTC', 'ab12')).toBeNull();
  });
});

describe('a main network', () => {
  const node: NodeSettings = {
    nodes: [{ url: 'http://127.0.0.1' }],
    contracts: new Map(),
    chainId: null,
    trace: false,
  };

  it.each<[Network, Partial<NodeSettings>, boolean]>([
    ['ETH', {}, true],
    ['ETH', { chainId: 1 }, true],
    ['ETH', { chainId: 11_155_111 }, false],
    ['POLYGON', { chainId: 1 }, false],
    ['BTC', { chainName: 'main' }, true],
    ['BTC', { chainName: 'testnet4' }, false],
    ['TRON', { chainId: 728_126_429 }, false],
    ['SOL', { genesisHash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG' }, false],
  ])('%s with %j: %j', (network, settings, isMain) => {
    expect(isMainChain(network, { ...node, ...settings })).toBe(isMain);
  });
});
