// A page of the console that was opened before an upgrade asks for the parts of its own build, whatever process it
// meets; and nothing is served that no gateway of this deployment has stored.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createRetention } from '../../src/domain/retention.ts';
import { createConsoleFiles, type OwnFile } from '../../src/gateway/routes/console-files.ts';
import type { Services } from '../../src/resolvers/services.ts';
import { builtFiles } from '../../src/server/pages/console-page.ts';
import { deriveSecrets } from '../../src/values/secrets/keys.ts';
import { startTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { until } from '../support/until.ts';

const PATH = 'console/assets/former-page-Ab_-1234.js';
const BODY = 'export const former = true;';

let gateway: TestGateway;
let deps: Services['deps'];

beforeAll(async () => {
  gateway = await startTestGateway();
  deps = gateway.deps as Services['deps'];
});
afterAll(() => gateway.stop());

const file = (path: string, body = BODY): OwnFile => ({ path, load: () => Promise.resolve(Buffer.from(body)) });

/** As a process of another build does when it starts. */
const runWith = (own: readonly OwnFile[], of = deps) => createConsoleFiles(of, own).worker.processNext();

const get = (path: string) => fetch(`${gateway.url}/${path}`);

describe('files of another build', () => {
  it('are served as that build serves them, once a process of it has run', async () => {
    expect((await get(PATH)).status).toBe(404);
    await runWith([file(PATH), file('operator/assets/former-Ab_-1234.css', 'a{}')]);
    const answer = await get(PATH);
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      ...[200, 'text/javascript; charset=utf-8', BODY],
    ]);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect((await get('operator/assets/former-Ab_-1234.css')).headers.get('content-type')).toContain('text/css');
  });

  it('every file of this build is stored when it starts', async () => {
    const own = builtFiles();
    expect(own.length).toBeGreaterThan(20);
    await until(async () => {
      const [row] = await gateway.sql<{ count: string }>('select count(*) from console_file where path = any($1)', [
        own.map(({ path }) => path),
      ]);
      return Number(row?.count) === own.length;
    });
    // Each has a name that is found again.
    for (const { path } of own) expect(path).toMatch(/^(console|operator)\/assets\/[\w.-]+-[\w-]{8}\.(js|css|svg)$/);
  });

  it('are deleted a day after the last process of that build has said so', async () => {
    const path = 'console/assets/ended-Ab_-1234.js';
    await runWith([file(path)]);
    await gateway.sql(`update console_file set kept_at = now() - interval '23 hours' where path = $1`, [path]);
    await createRetention(deps, { apiLogDays: 30, eventDays: null }).processNext();
    expect((await get(path)).status).toBe(200);
    await gateway.sql(`update console_file set kept_at = now() - interval '25 hours' where path = $1`, [path]);
    // One that still runs says so again.
    await runWith([file(path)]);
    await createRetention(deps, { apiLogDays: 30, eventDays: null }).processNext();
    expect((await get(path)).status).toBe(200);
    await gateway.sql(`update console_file set kept_at = now() - interval '25 hours' where path = $1`, [path]);
    await createRetention(deps, { apiLogDays: 30, eventDays: null }).processNext();
    expect((await get(path)).status).toBe(404);
  });

  it('may be stored by many processes at once', async () => {
    const own = Array.from({ length: 40 }, (_, nth) => file(`console/assets/many-${String(nth).padStart(8, '0')}.js`));
    await Promise.all(Array.from({ length: 8 }, (_, nth) => runWith(nth % 2 === 0 ? own : own.toReversed())));
    expect((await get(own[39]?.path ?? '')).status).toBe(200);
  });
});

describe('what is not served', () => {
  const stored = (path: string, body: string, seal: string) =>
    gateway.sql(
      `insert into console_file (path, body, seal, kept_at) values ($1, $2::text::bytea, decode($3, 'hex'), now())
       on conflict (path) do update set body = excluded.body, seal = excluded.seal`,
      [path, body, seal],
    );

  it.each([
    ['no seal', ''],
    ['a seal of another length', 'ab'],
    ['a seal that nobody made', 'ab'.repeat(32)],
  ])('a row with %s', async (_name, seal) => {
    await stored('console/assets/forged-Ab_-1234.js', 'alert(1)', seal);
    expect((await get('console/assets/forged-Ab_-1234.js')).status).toBe(404);
  });

  it('a file in the place of another, with other contents, or of another deployment', async () => {
    const path = 'console/assets/moved-Ab_-1234.js';
    await runWith([file(path)]);
    const elsewhere = 'console/assets/elsewhere-Ab_-1234.js';
    await gateway.sql(`insert into console_file select $2, body, seal, kept_at from console_file where path = $1`, [
      path,
      elsewhere,
    ]);
    expect((await get(elsewhere)).status).toBe(404);
    await gateway.sql(`update console_file set body = body || 'x'::bytea where path = $1`, [path]);
    expect((await get(path)).status).toBe(404);
    const others = { ...deps, secrets: deriveSecrets('another secret, as long as one has to be') };
    await runWith([file(path)], others);
    expect((await get(path)).status).toBe(404);
    // This deployment's own process puts it right.
    await runWith([file(path)]);
    expect((await get(path)).status).toBe(200);
  });

  it.each(['x.js', 'no-hash.js', '..%2Findex-Ab_-1234.html', `${'a'.repeat(200)}-Ab_-1234.js`, 'a-Ab_-1234.js.map'])(
    'the name %j, and no page in its place',
    async (name) => {
      const answer = await get(`console/assets/${name}`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, expect.stringContaining('json')]);
    },
  );
});
