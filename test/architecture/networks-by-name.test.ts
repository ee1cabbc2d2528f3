// The watcher, the signer's loop and the state machine are the same for every network: none of them knows one by name.

import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { NETWORK_CODES, NETWORKS } from '../../src/values/assets.ts';
import { parse, readSources, walk, type Source } from './sources.ts';

/** What must not be written in them: codes, names and coins of networks, and the kinds of chains. */
const NAMES = new Set(
  NETWORK_CODES.flatMap((code) => {
    const { name, coin, kind, account } = NETWORKS[code];
    return [code, name, coin, kind, account];
  }).map((name) => name.toLowerCase()),
);

/** Rooms and files that go over all networks alike. A folder of custody's own for a model of money is no loop. */
const GENERAL = [
  ...readSources('src/observe'),
  ...readSources('src/domain'),
  ...readSources('src/database/queries'),
  ...readSources('src/resolvers'),
  ...readSources('src/dispatch'),
  ...readSources('src/custody').filter(({ path }) =>
    /\/(context|follow-transfers|fund-payouts|send-transfers|sign-transfer|wallets)\.ts$/.test(path),
  ),
  ...readSources('src/gateway').filter(({ path }) => /\/(connect-network|gauges|parts)\.ts$/.test(path)),
];

/** Texts of a source that name a network, as `path: text`: a literal that is one, or that has one as a word of SQL. */
function namesIn(source: Source): string[] {
  const found: string[] = [];
  const look = (text: string) => {
    const quoted = [...text.matchAll(/'([^']+)'/g)].map(([, word = '']) => word);
    for (const word of [text, ...quoted]) if (NAMES.has(word.toLowerCase())) found.push(`${source.path}: ${word}`);
  };
  walk(parse(source), (node) => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      look(node.text);
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
    ["// A comment may say 'ETH'.", []],
    ["throw new Error('no network');", []],
  ])('would be found: %s', (text, names) => {
    expect(namesIn({ path: 'a.ts', text })).toEqual(names.map((name) => `a.ts: ${name}`));
  });
});
