// The example receivers, each run as a real program: they accept what the gateway sends and reject everything else.

import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signatureHeaders } from '../../src/domain/webhooks/signature.ts';
import { newWebhookSecret } from '../../src/values/secrets/webhook-secret.ts';
import { openSetup, type Setup } from '../dispatch/webhook-setup.fixture.ts';
import { until } from '../support/until.ts';
import { isInstalled, LANGUAGES, startReceiver, type Command, type Program } from './receiver-programs.fixture.ts';

const INSTALLED = LANGUAGES.filter(({ needs }) => isInstalled(needs));
const REQUIRED = process.env['CI'] === 'true' ? LANGUAGES : LANGUAGES.slice(0, 2);

const [CURRENT, OLD, STRANGE] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];

const BODY = Buffer.from('{"id":"evt_table","type":"payment.succeeded","data":{"payment":{"orderId":"ord_é€😀"}}}  \n');

interface Case {
  readonly name: string;
  readonly body?: Buffer;
  /** The header, for the Unix time at which the case is sent. */
  readonly signature: (nowSeconds: number) => string | undefined;
}

/** The hex digest of a signature over `<time>.<body>`. */
const v1 = (key: string | Buffer, time: number | string, body: Buffer = BODY): string =>
  createHmac('sha256', key).update(`${time}.`).update(body).digest('hex');
const right = (now: number): string => `t=${now}, v1=${v1(CURRENT, now)}`;
const bytes = (text: string): Buffer => Buffer.from(text);
const signedBody = (name: string, body: Buffer): Case => ({
  name,
  body,
  signature: (now) => `t=${now}, v1=${v1(CURRENT, now, body)}`,
});

const TAKEN: readonly Case[] = [
  { name: 'a right signature', signature: right },
  { name: 'the old secret on the receiver, too', signature: (now) => `t=${now}, v1=${v1(OLD, now)}` },
  { name: 'a second v1 that is right', signature: (now) => `t=${now}, v1=${v1(STRANGE, now)}, v1=${v1(CURRENT, now)}` },
  { name: 'a first v1 that is right', signature: (now) => `${right(now)}, v1=${v1(STRANGE, now)}` },
  { name: 'a broken v1 before the right one', signature: (now) => `t=${now}, v1=zz, v1=${v1(CURRENT, now)}` },
  { name: 'entries of a later version', signature: (now) => `v2=abc,${right(now)},x` },
  { name: 'no blanks after the commas', signature: (now) => right(now).replace(', ', ',') },
  { name: 'almost five minutes old', signature: (now) => right(now - 290) },
  { name: 'a clock that is four minutes behind', signature: (now) => right(now + 240) },
  signedBody(
    'escaped characters',
    bytes('{"id":"evt_table","type":"x","data":{"note":"\\u00e9\\ud83d\\ude00 \\"\\\\"}}'),
  ),
  signedBody('other alphabets', bytes('{"id":"evt_table","type":"x","data":{"note":"Привет 你好 שלום ﷽ e\u0301"}}')),
  signedBody('line breaks and blanks', bytes('\r\n{ "id" : "evt_table",\n\t"type":"x", "data":{} }\r\n')),
  signedBody('a test event', bytes('{"id":"evt_table","type":"webhook.test","data":{}}')),
];

const REFUSED: readonly Case[] = [
  { name: 'no header', signature: () => undefined },
  { name: 'an empty header', signature: () => '' },
  { name: 'a tampered body', body: bytes(BODY.toString().replace('ord_', 'ord-')), signature: right },
  { name: 'a body that was parsed and written anew', body: bytes(BODY.toString().trimEnd()), signature: right },
  { name: 'one byte changed in a character', body: bytes(BODY.toString().replace('é', 'è')), signature: right },
  { name: 'an empty body', body: Buffer.alloc(0), signature: right },
  { name: 'a wrong secret', signature: (now) => `t=${now}, v1=${v1(STRANGE, now)}` },
  { name: 'two wrong secrets', signature: (now) => `t=${now}, v1=${v1(STRANGE, now)}, v1=${v1('', now)}` },
  {
    name: 'the decoded secret',
    signature: (now) => `t=${now}, v1=${v1(Buffer.from(CURRENT.slice(6), 'base64'), now)}`,
  },
  { name: 'the secret without its prefix', signature: (now) => `t=${now}, v1=${v1(CURRENT.slice(6), now)}` },
  { name: 'both secrets as one', signature: (now) => `t=${now}, v1=${v1(`${CURRENT},${OLD}`, now)}` },
  { name: 'more than five minutes old', signature: (now) => right(now - 310) },
  { name: 'more than five minutes ahead', signature: (now) => right(now + 310) },
  { name: 'a time from the year 1970', signature: () => right(0) },
  { name: 'milliseconds', signature: (now) => right(now * 1_000) },
  { name: 'a fresh time on an old signature', signature: (now) => `t=${now}, v1=${v1(CURRENT, now - 400)}` },
  { name: 'an old time and a fresh one', signature: (now) => `t=${now - 400}, ${right(now)}` },
  { name: 'the same time twice', signature: (now) => `t=${now}, ${right(now)}` },
  { name: 'no time', signature: (now) => `v1=${v1(CURRENT, now)}` },
  { name: 'an empty time', signature: () => `t=, v1=${v1(CURRENT, '')}` },
  ...['-1', '+1', '0x1', '1e9', ' 1', 'NaN', 'Infinity', '1.5', '9'.repeat(30)].map((time) => ({
    name: `the time ${time}`,
    signature: () => `t=${time}, v1=${v1(CURRENT, time)}`,
  })),
  { name: 'a time with a fraction', signature: (now) => `t=${now}.0, v1=${v1(CURRENT, `${now}.0`)}` },
  { name: 'no v1', signature: (now) => `t=${now}` },
  { name: 'an empty v1', signature: (now) => `t=${now}, v1=` },
  { name: 'half a v1', signature: (now) => right(now).slice(0, -32) },
  { name: 'a v1 with more behind it', signature: (now) => `${right(now)}00` },
  { name: 'another version', signature: (now) => right(now).replace('v1', 'v0') },
  { name: 'base64', signature: (now) => `t=${now}, v1=${Buffer.from(v1(CURRENT, now), 'hex').toString('base64')}` },
  { name: 'a body without its time', signature: (now) => `t=${now}, v1=${hmacOfBody()}` },
  { name: 'rubbish', signature: () => 'rubbish' },
  { name: 'commas', signature: () => ',,,,' },
  { name: 'bytes beyond ASCII', signature: (now) => `t=${now}, v1=${'\u00e9'.repeat(64)}` },
  { name: 'a long row of entries', signature: (now) => `t=${now}${',v1=0'.repeat(1_000)}` },
  signedBody('what is signed, but is no JSON', bytes('payment.succeeded')),
  signedBody('what is signed, but is no event', bytes('["evt_table"]')),
  signedBody('what is signed, but is null', bytes('null')),
  signedBody('what is signed, but is no UTF-8', Buffer.from('{"id":"evt_table","type":"\xff"}', 'latin1')),
];

function hmacOfBody(): string {
  return createHmac('sha256', CURRENT).update(BODY).digest('hex');
}

/** Sends a case and returns `status body`. */
async function send(url: string, { body = BODY, signature }: Case): Promise<string> {
  const header = signature(Math.floor(Date.now() / 1_000));
  const headers = { 'content-type': 'application/json', ...(header !== undefined && { 'x-pgw-signature': header }) };
  const response = await fetch(url, { method: 'POST', headers, body });
  return `${response.status} ${await response.text()}`;
}

let setup: Setup;

beforeAll(async () => {
  setup = await openSetup();
});

afterAll(async () => {
  await setup.close();
});

it(`the languages that are to be tested here are installed: ${REQUIRED.map(({ name }) => name).join(', ')}`, () => {
  expect(INSTALLED).toEqual(expect.arrayContaining([...REQUIRED]));
});

describe.each(INSTALLED)('the receiver in $name', (language) => {
  let folder: string;
  let command: Command;
  let program: Program;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'turnpike-receiver-'));
    command = language.build(folder);
    program = await startReceiver(command, folder, [CURRENT, OLD]);
  }); // A newer Go compiles its whole library first.

  afterAll(async () => {
    await program.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function addMerchant(secret: string): Promise<string> {
    const { id } = await setup.addMerchant();
    await setup.sql('update merchant set webhook_secret = $2 where id = $1', [id, secret]);
    return id;
  }

  it("takes the gateway's deliveries, which end SUCCESS, and prints one line for each event", async () => {
    const merchantId = await addMerchant(CURRENT);
    const own = `evt_${language.name}`;
    const body = `{"id":"${own}","type":"payment.succeeded","note":"é€😀  ","data":{"payment":{"orderId":"ord_1"}}}`;
    const event = await setup.addEvent(merchantId, { callbackUrl: `${program.url}/hook?a=%C3%A9`, body });
    const again = await setup.addEvent(merchantId, { callbackUrl: program.url, body });
    await setup.dispatch();
    for (const { id } of [event, again]) {
      expect(await setup.record(merchantId, id)).toMatchObject({ status: 'SUCCESS', attempts: 1, responseCode: 200 });
    }
    await until(() => program.lines().length > 0);
    expect(program.lines().filter((line) => line.includes(own))).toEqual([`${own} payment.succeeded ord_1`]);
  });

  it('refuses the delivery of a merchant whose secret it does not have, and the gateway tries again', async () => {
    const merchantId = await addMerchant(STRANGE);
    const event = await setup.addEvent(merchantId, { callbackUrl: program.url });
    await setup.dispatch();
    expect(await setup.record(merchantId, event.id)).toMatchObject({ status: 'RETRYING', responseCode: 400 });
    await until(() => program.complaints().includes('no v1 signature matches'));
  });

  it.each([
    [[CURRENT, STRANGE], '200 {"status":"ok"}'],
    [[STRANGE, CURRENT], '200 {"status":"ok"}'],
    [[OLD], '200 {"status":"ok"}'],
    [[STRANGE], '400 {"status":"refused"}'],
  ])('judges what the gateway signs during a rotation (%#)', async (secrets, expected) => {
    const signature = (timestampSeconds: number) => {
      const ids = { eventId: 'evt_table', deliveryId: 'dlv_1', attempt: 1 };
      return signatureHeaders({ ...ids, timestampSeconds, body: BODY, secrets })['X-PGW-Signature'];
    };
    expect(await send(program.url, { name: 'rotation', signature })).toBe(expected);
  });

  it.each(TAKEN)('takes $name', async (one) => {
    expect(await send(program.url, one)).toBe('200 {"status":"ok"}');
  });

  it.each(REFUSED)('refuses $name', async (one) => {
    expect(await send(program.url, one)).toBe('400 {"status":"refused"}');
  });

  it('acts once on an event that arrives ten times at the same time', async () => {
    const one = signedBody('copies', bytes('{"id":"evt_copies","type":"webhook.test","data":{}}'));
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(program.url, one)));
    expect(answers).toEqual(Array(10).fill('200 {"status":"ok"}'));
    await until(() => program.lines().some((line) => line.startsWith('evt_copies')));
    expect(program.lines().filter((line) => line.startsWith('evt_copies'))).toEqual(['evt_copies webhook.test']);
  });

  it('does not start without a secret', async () => {
    await expect(startReceiver(command, folder, [])).rejects.toThrow('WEBHOOK_SECRET is not set');
  });
});
