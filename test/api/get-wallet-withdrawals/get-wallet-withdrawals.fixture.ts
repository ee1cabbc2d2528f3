// Further helpers for the tests of GET /wallet/withdrawals.

import { beforeAll } from '@jest/globals';
import { fundedMerchant, withdraw } from '../fixtures/wallet.fixture.ts';
import { dataOf } from '../../support/expectations.ts';
import type { Answer, Json, TestMerchant } from '../../support/clients.ts';

export let merchant: TestMerchant;

export let ids: string[];

export const list = (query = '', its = merchant) => its.rest('GET', `/wallet/withdrawals${query}`);

export const idsOf = (answer: Answer) => (dataOf(answer).items as Json[]).map((item) => item.withdrawalId as string);

beforeAll(async () => {
  merchant = await fundedMerchant();
  ids = [];
  for (let n = 0; n < 25; n += 1) ids.unshift(dataOf(await withdraw({}, merchant), 201).withdrawalId as string);
});
