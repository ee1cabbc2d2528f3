// Choosing between GraphQL's two media types, and that no Accept header takes longer to parse than others of its
// length.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'node:http';
import { answerTypeOf, plainAccept } from '../../../src/server/graphql/accept.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';

const JSON_TYPE = 'application/json';
const OWN_TYPE = 'application/graphql-response+json';

describe('the type of a GraphQL answer', () => {
  it.each([
    ['*/*', JSON_TYPE, '*/*'],
    ['application/*', JSON_TYPE, '*/*'],
    [JSON_TYPE, JSON_TYPE, JSON_TYPE],
    ['text/html,application/json;q=0.9', JSON_TYPE, JSON_TYPE],
    ['application/json; charset="utf-8"', JSON_TYPE, JSON_TYPE],
    [OWN_TYPE, OWN_TYPE, OWN_TYPE],
    [`${OWN_TYPE}, ${JSON_TYPE}`, OWN_TYPE, OWN_TYPE],
    [`${JSON_TYPE}, ${OWN_TYPE}`, JSON_TYPE, '*/*'],
    [`${JSON_TYPE};q=0.5, ${OWN_TYPE};q=0.6`, OWN_TYPE, OWN_TYPE],
    [`${OWN_TYPE};q=0, ${JSON_TYPE}`, JSON_TYPE, '*/*'],
    [`${JSON_TYPE};q=0, ${OWN_TYPE}`, OWN_TYPE, OWN_TYPE],
    [`${JSON_TYPE};q=0`, null, undefined],
    ['text/html', null, undefined],
    ['nonsense', null, undefined],
    [`${JSON_TYPE}${' '.repeat(1_000)}`, null, undefined],
  ])('of "%s" is %s', (header, type, plain) => {
    expect({ type: answerTypeOf(header), plain: plainAccept(header) }).toEqual({ type, plain });
  });
});

describe('a header of 15 KB', () => {
  let gateway: BorrowedGateway;
  beforeAll(async () => {
    gateway = await borrowGateway();
  });
  afterAll(() => gateway.stop());

  /** The fastest of several calls, because other load of the machine can only slow them down. */
  async function quickestMs(accept: string): Promise<number> {
    const took: number[] = [];
    for (let n = 0; n < 5; n += 1) {
      const from = performance.now();
      expect(await statusOf(accept)).toBe(200);
      took.push(performance.now() - from);
    }
    return Math.min(...took);
  }

  function statusOf(accept: string): Promise<number | undefined> {
    const headers = { 'content-type': 'application/json', accept };
    return new Promise((resolve, reject) => {
      const call = request(`${gateway.url}/graphql`, { method: 'POST', headers }, (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode));
      });
      call.once('error', reject).end('{"query":"{ __typename }"}');
    });
  }

  it.each([
    ['digits of a quality', `${JSON_TYPE};q=.${'1'.repeat(15_000)}x`],
    ['parameters', `${JSON_TYPE}${' ;'.repeat(7_500)}x`],
    ['spaces', `${JSON_TYPE}${' '.repeat(15_000)}x`],
    ['an open quotation', `${JSON_TYPE};a="${','.repeat(15_000)}`],
    ['types', 'a/b,'.repeat(3_750)],
    ['qualities of nothing', `${JSON_TYPE}${' ;q=0'.repeat(3_000)}x`],
  ])('full of %s is answered about as fast as a short one', async (_name, header) => {
    const plain = await quickestMs(JSON_TYPE);
    expect(await quickestMs(header)).toBeLessThan(20 * plain);
  });
});
