// Causes every row of the error table over REST and over GraphQL.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ERRORS } from '../../../src/values/errors.ts';
import { CASES } from './cases.fixture.ts';
import { expectGraphQLFace, expectRestFace } from './expectations.fixture.ts';
import { openSetup, type Setup } from './setup.fixture.ts';

let setup: Setup;
beforeAll(async () => {
  setup = await openSetup();
});
afterAll(() => setup.gateway.stop());

describe('the table of cases', () => {
  it('has every row of src/values/errors and no other, with the same code, status and GraphQL code', () => {
    const rows = Object.entries(CASES).map(([name, { row }]) => [name, ...row]);
    const ours = Object.entries(ERRORS).map(([name, { code, status, graphql }]) => [name, code, status, graphql]);
    expect(rows.sort()).toEqual(ours.sort());
  });

  it('has a case, or a reason, for each face', () => {
    for (const [name, { rest, graphql }] of Object.entries(CASES))
      for (const face of [rest, graphql]) expect([name, face.length > 0]).toEqual([name, true]);
  });
});

const facesOf = (face: 'rest' | 'graphql') =>
  Object.entries(CASES).flatMap(([name, { row, [face]: cases }]) =>
    typeof cases === 'string'
      ? []
      : cases.map((one, index) => [`${row[0]} ${name}${index > 0 ? `, way ${index + 1}` : ''}`, row, one] as const),
  );

describe('over REST', () => {
  it.each(facesOf('rest'))('%s', async (_name, row, face) => {
    expectRestFace(await face.provoke(setup), row, face);
  });
});

describe('over GraphQL', () => {
  it.each(facesOf('graphql'))('%s', async (_name, row, face) => {
    expectGraphQLFace(await face.provoke(setup), row, face);
  });
});
