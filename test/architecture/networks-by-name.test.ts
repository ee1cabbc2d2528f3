// Guards that the watcher, the signer's loop and the state machine are the same for every network: none names one.

import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { NETWORK_CODES, NETWORKS } from '../../src/values/assets.ts';
import { readSources, type Source } from '../support/sources.ts';
import { parse, walk } from './sources.fixture.ts';

/** What must not be written in them, in upper or lower case: codes, names and coins of networks. */
const NAMES = new Set(
  NETWORK_CODES.flatMap((code) => [code, NETWORKS[code].name, NETWORKS[code].coin].map((name) => name.toLowerCase())),
);
/**
 * The kinds of chains and of their accounts must not be written either. An adapter's own description is allowed:
 * `model` is `ACCOUNT` or `UTXO` whatever the network, and how money moves depends on it.
 */
const KINDS = new Set<string>(NETWORK_CODES.flatMap((code) => [NETWORKS[code].kind, NETWORKS[code].account]));

/**
 * Rooms and files that treat all networks alike. Custody's folders for a money model are exempt, and so is key
 * derivation, which differs by chain.
 */
const GENERAL = [
  ...readSources('src/observe'),
  ...readSources('src/domain'),
  ...readSources('src/database/queries'),
  ...readSources('src/resolvers'),
  ...readSources('src/dispatch'),
  ...readSources('src/custody').filter(({ path }) =>
    /^src\/custody\/(?!utxo\/|recovery\/|keys\/(account-keys|ed25519-keys|keystore|signer)\.)/.test(path),
  ),
  ...readSources('src/gateway').filter(({ path }) => /\/(connect-network|metrics|lifecycle)\.ts$/.test(path)),
];

/**
 * Strings of a source that name a network, as `path: text`: a literal that is one, or that contains one as a word of
 * SQL, of a pattern or of a path to a kind of chain.
 */
function namesIn(source: Source): string[] {
  const found: string[] = [];
  const look = (text: string) => {
    const quoted = [...text.matchAll(/'([^']+)'/g)].map(([, word = '']) => word);
    const folders = text.includes('chain/') ? text.split('/') : [];
    for (const word of [text, ...quoted, ...folders])
      if (NAMES.has(word.toLowerCase()) || KINDS.has(word)) found.push(`${source.path}: ${word}`);
  };
  walk(parse(source), (node) => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      look(node.text);
    if (ts.isRegularExpressionLiteral(node)) for (const word of node.text.match(/\w+/g) ?? []) look(word);
    if (ts.isPropertyAccessExpression(node) && NETWORK_CODES.some((code) => code === node.name.text))
      look(node.name.text);
  });
  return found;
}

describe('networks by name', () => {
  it('are in none of the general parts', () => {
    expect(GENERAL.length).toBeGreaterThan(100);
    expect(GENERAL.flatMap(namesIn)).toEqual([]);
  });

  it.each([
    ["if (network === 'ETH') return;", ['ETH']],
    ["if (adapter.kind === 'evm') return;", ['evm']],
    ["await query(em, `select 1 from deposit where network = 'POLYGON' and id = ${id}`);", ['POLYGON']],
    ['const { confirmations } = NETWORKS.TRON;', ['TRON']],
    ["deps.log.warn({ coin: 'Matic' }, 'Solana');", ['Solana']],
    ["if (adapter.model === 'UTXO' && kind === 'utxo') return;", ['utxo']],
    ["// A comment may say 'ETH'.", []],
    ["throw new Error('no network');", []],
    ["import { parseBlock } from '../chain/tron/reader.ts';", ['tron']],
    ["const { quote } = await import('../chain/evm/send.ts');", ['evm']],
    ["import { ChainUnavailable } from '../chain/adapter.ts';", []],
    ['if (/^(BSC|polygon)$/i.test(network)) return;', ['BSC', 'polygon']],
  ])('would be found: %s', (text, names) => {
    expect(namesIn({ path: 'a.ts', text })).toEqual(names.map((name) => `a.ts: ${name}`));
  });
});
