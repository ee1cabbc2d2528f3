// The public part of an error: what callers see, and what only the log has.

import { describe, expect, it } from '@jest/globals';
import { toPublicError } from '../../src/server/public-errors.ts';
import { GatewayError } from '../../src/values/errors.ts';

const failing = (fields: object, message = 'secret words') => Object.assign(new Error(message), fields);

describe('toPublicError', () => {
  it('shows our own errors as they are', () => {
    const shown = toPublicError(new GatewayError('RATE_LIMITED', { retryAfterSeconds: 7 }));
    expect(shown).toMatchObject({ status: 429, code: '9001', retryAfterSeconds: 7 });
  });

  it.each([
    ['a refused connection', failing({ code: 'ECONNREFUSED' })],
    ['a socket that is not there', failing({ code: 'ENOENT', syscall: 'connect' })],
    ['a socket whose queue is full, because the server stands still', failing({ code: 'EAGAIN', syscall: 'connect' })],
    ['a server that goes down', failing({ code: '57P01' })],
    ['one that comes up', failing({ code: '57P03' })],
    ['one with no connection left', failing({ code: '53300' })],
    ['one whose disk is full', failing({ code: '53100' })],
    ['one without memory', failing({ code: '53200' })],
    ['a connection that ended', failing({}, 'Connection terminated unexpectedly')],
    ['one that is too busy to answer a new connection', failing({}, 'Query read timeout')],
    ['any of these as a cause', failing({ cause: failing({ cause: failing({ code: '08006' }) }) })],
  ])('%s is an outage: 9503, to be tried again, without a word of it', (_name, error) => {
    const shown = toPublicError(error);
    expect(shown).toMatchObject({ status: 503, code: '9503', retryAfterSeconds: 1 });
    expect(JSON.stringify(shown)).not.toMatch(/secret|Connection|Query/);
  });

  it.each([
    ['a fault of ours', failing({ code: '42601' })],
    ['a missing file', failing({ code: 'ENOENT', syscall: 'open' })],
    ['a text', 'secret words'],
    ['nothing', undefined],
  ])('%s is 9500', (_name, error) => {
    const shown = toPublicError(error);
    expect(shown).toMatchObject({ status: 500, code: '9500' });
    expect(JSON.stringify(shown)).not.toContain('secret');
  });
});
