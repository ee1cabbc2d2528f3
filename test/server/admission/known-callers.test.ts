// Who waits is told apart by what they sent before, whatever the word in front of it.

import { expect, it } from '@jest/globals';
import { createKnownCallers } from '../../../src/server/admission/known-callers.ts';

type Asked = Parameters<ReturnType<typeof createKnownCallers>['of']>[0];

const asked = (authorization: string, more: object = {}): Asked =>
  ({ headers: { authorization }, ip: '192.0.2.1', ips: undefined, ...more }) as unknown as Asked;
const identified = { context: { caller: { merchantId: 'mer_1' }, ip: '192.0.2.1' } };

it.each([
  ['an access token', 'Bearer one', 'Bearer two', undefined],
  ['the secret of a key, as plugins for BTCPay Server send it', 'token one', 'token two', 'one'],
])('by %s', (_, own, foreign, bearer) => {
  const callers = createKnownCallers();
  const byAddress = callers.of(asked(own));
  // The route has read it by the time the answer is sent.
  callers.learn(asked(own, { ...identified, bearer }), 200);
  expect(callers.of(asked(own))).not.toBe(byAddress);
  expect(callers.of(asked(foreign))).toBe(byAddress);
  callers.learn(asked(own, { bearer }), 401);
  expect(callers.of(asked(own))).toBe(byAddress);
});
