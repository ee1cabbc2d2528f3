// Assertions for any row of the error table, over REST and over GraphQL.

import { expect } from '@jest/globals';
import type { Answer, Json } from '../../support/clients.ts';
import { expectGraphQLError, expectKeys, expectRefusal } from '../../support/expectations.ts';
import type { ErrorCase, Face } from './cases.fixture.ts';

type Row = ErrorCase['row'];

/** Over REST: the status, the whole envelope, and the headers. */
export function expectRestFace(answer: Answer, [code, status]: Row, face: Omit<Face, 'provoke'>): void {
  expectWhatIsFixed(answer, expectRefusal(answer, status, code), face);
}

/** Over GraphQL: the same, in `extensions`. */
export function expectGraphQLFace(answer: Answer, [code, status, graphql]: Row, face: Omit<Face, 'provoke'>): void {
  const error = expectGraphQLError(answer, face.status ?? status, face.graphql ?? graphql, code);
  expect(answer.body.errors).toHaveLength(1);
  expect(answer.headers['content-type']).toMatch(/^application\/(graphql-response\+)?json; charset=utf-8$/);
  expectKeys(error, ['message', 'extensions', ...['locations', 'path'].filter((key) => key in error)]);
  // An error of a resolver has a path; an error from before execution has no data at all.
  if (face.status === 200) expect(error.path).toEqual([expect.any(String)]);
  else expect(answer.body).not.toHaveProperty('data');
  expectWhatIsFixed(answer, { message: error.message, ...error.extensions }, face);
}

function expectWhatIsFixed(answer: Answer, error: Json, { message, headers = {}, details }: Omit<Face, 'provoke'>) {
  expect(error.message).toMatch(/\S/);
  if (message !== undefined) expect(error.message).toBe(message);
  for (const [name, value] of Object.entries(headers))
    expect(`${name}: ${String(answer.headers[name])}`).toMatch(says(name, value));
  if (details === undefined) return expect(error).not.toHaveProperty('details');
  for (const fault of error.details as Json[]) {
    expectKeys(fault as object, ['path', 'message']);
    expect(fault.message).toMatch(/\S/);
  }
  expect((error.details as Json[]).map(({ path }) => path).sort()).toEqual([...details].sort());
}

/** A header as `name: value`, so that a failure shows its name. */
function says(name: string, value: RegExp): RegExp {
  return new RegExp(`^${name}: ${value.source.replace(/^\^/, '')}`);
}
