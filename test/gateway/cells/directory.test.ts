// The directory of cells: an address is had in one cell, those of another are sent there, strangers learn nothing from
// it, and a cell lives while it is away.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { connectDatabase, query, type Database } from '../../../src/database/connection.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { createDirectory, type OpenDirectory } from '../../../src/gateway/cells/open-directory.ts';
import { createDirectoryUpkeep } from '../../../src/observe/keep-directory.ts';
import { createCellReport } from '../../../src/observe/report-cell.ts';
import { graphql, type Answer, type Json } from '../../support/clients.ts';
import { VERSION } from '../../../src/database/program.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { newOperator } from '../../support/operators.ts';
import { PATIENT_DATABASE } from '../../support/patience.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';

const HERE = 3;
const THERE = 4;
const SECRET = 'a-secret-of-all-cells-0000000000000000';
const SITE = { cell: THERE, url: 'https://cell-4.pay.example' };
const log = pino({ level: 'silent' });

const PASSWORD = 'three green lamps';
const REGISTER = `mutation ($email: String!) {
  registerMerchant(input: { companyName: "Kettle & Co", email: $email, password: "${PASSWORD}" }) { merchant { id } }
}`;
const SIGN_IN = `mutation ($email: String!, $password: String!) {
  signIn(email: $email, password: $password) { token { accessToken } }
}`;
const RESET = 'mutation ($email: String!) { requestPasswordReset(email: $email) }';

let store: TestDatabase;
let book: Database;
let gateway: TestGateway;
/** The directory as the other cell has it. */
let there: OpenDirectory;

beforeAll(async () => {
  store = await createTestDatabase();
  book = await connectDatabase({ url: store.url, poolMax: 2, log, patience: PATIENT_DATABASE });
  await migrate(book);
  there = createDirectory({ url: store.url, secret: SECRET, own: SITE, log, patience: PATIENT_DATABASE });
  await there.enter();
  gateway = await startTestGateway({
    ...{ CELL: String(HERE), CELL_DIRECTORY_URL: store.url, CELL_DIRECTORY_SECRET: SECRET },
  });
});
afterAll(async () => {
  await gateway.stop();
  await there.close();
  await book.close();
  await store.drop();
});

const call = (text: string, variables: object): Promise<Answer> => graphql(gateway)(text, variables);
const register = (email: string) => call(REGISTER, { email });
const signIn = (email: string, password: string = PASSWORD) => call(SIGN_IN, { email, password });
const codeOf = ({ body }: Answer): string | undefined =>
  (body as { errors?: readonly { extensions: { errorCode: string } }[] }).errors?.[0]?.extensions.errorCode;
const detailsOf = ({ body }: Answer): unknown =>
  (body as { errors?: readonly { extensions: { details?: unknown } }[] }).errors?.[0]?.extensions.details;
const TO_THERE = [
  { path: 'cell', message: String(THERE) },
  { path: 'url', message: SITE.url },
];

describe('an address', () => {
  it('that another cell has is refused, and left to it', async () => {
    await there.take('Taken@Example.com');
    expect(codeOf(await register('taken@example.com'))).toBe('2009');
    expect(await gateway.sql(`select from person where email = 'taken@example.com'`)).toHaveLength(0);
  });

  it('is taken by who registers here, in whatever case it is written', async () => {
    expect(codeOf(await register('Mia@Example.com'))).toBeUndefined();
    await expect(there.take('mia@example.com')).rejects.toMatchObject({ errorName: 'EMAIL_TAKEN' });
    expect(codeOf(await signIn('mia@example.com'))).toBeUndefined();
  });

  it('is kept as a digest, and nothing else', async () => {
    const rows = await query(
      book.em,
      `select encode(digest, 'escape') as text, length(digest) as bytes from cell_directory`,
    );
    expect(rows.length).toBeGreaterThan(1);
    for (const { text, bytes } of rows) expect([String(text).includes('example'), bytes]).toEqual([false, 32]);
  });

  it('that two cells take at once goes to one of them', async () => {
    const here = createDirectory({
      url: store.url,
      secret: SECRET,
      own: { cell: HERE, url: gateway.url },
      log,
      patience: PATIENT_DATABASE,
    });
    const taken: number[] = [];
    for (let nth = 0; nth < 40; nth += 1) {
      const email = `race-${String(nth)}@example.com`;
      const both = await Promise.allSettled([here.take(email), there.take(email)]);
      taken.push(both.filter(({ status }) => status === 'fulfilled').length);
    }
    await here.close();
    expect(taken).toEqual(taken.map(() => 1));
  });

  it('is changed to one that another cell has: refused, and nothing is changed', async () => {
    const { body } = await signIn('mia@example.com');
    const mia = graphql(gateway, body.data.signIn.token.accessToken);
    expect(codeOf(await mia(`mutation { confirmPassword(password: "${PASSWORD}") }`))).toBeUndefined();
    const change = await mia('mutation { changeEmail(email: "taken@example.com") }');
    expect(codeOf(change)).toBe('2009');
    expect(await gateway.sql(`select from person where email = 'mia@example.com'`)).toHaveLength(1);
  });
});

describe('signing in', () => {
  it('with an address of another cell leads there, right or wrong', async () => {
    const answer = await signIn('taken@example.com', 'whatever');
    expect([answer.status, codeOf(answer), detailsOf(answer)]).toEqual([421, '9421', TO_THERE]);
    expect(detailsOf(await call(RESET, { email: 'taken@example.com' }))).toEqual(TO_THERE);
  });

  it('with an address that nobody has leads somewhere, always to the same cell, so that nothing is learnt', async () => {
    const codes = new Map<string, number>();
    for (let nth = 0; nth < 24; nth += 1) {
      const email = `nobody-${nth}@example.com`;
      const [first, reset] = [await signIn(email), await call(RESET, { email })];
      const code = codeOf(first) ?? '';
      expect(codeOf(reset)).toBe(code === '1005' ? undefined : code);
      const fromThere = await there.elsewhere(email);
      // Where one cell sends them, the other does not send them back.
      expect(fromThere?.cell ?? THERE).toBe(code === '1005' ? HERE : THERE);
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
    expect([...codes.keys()].sort()).toEqual(['1005', '9421']);
  });
});

describe('the upkeep', () => {
  it('enters who was here before there was a directory, counts those of others, and frees what nobody has', async () => {
    await gateway.sql(`update person set email = 'older@example.com' where email = 'mia@example.com'`);
    await query(book.em, `update cell_directory set seen_at = now() - interval '31 days' where cell = $1`, [HERE]);
    const warnings: unknown[] = [];
    const upkeep = createDirectoryUpkeep(
      { ...gateway.deps, log: { warn: (entry: unknown) => warnings.push(entry) } as never },
      createDirectory({
        url: store.url,
        secret: SECRET,
        own: { cell: HERE, url: gateway.url },
        log,
        patience: PATIENT_DATABASE,
      }),
    );
    while (await upkeep.processNext());
    await expect(there.take('older@example.com')).rejects.toMatchObject({ errorName: 'EMAIL_TAKEN' });
    await expect(there.take('mia@example.com')).resolves.toBeUndefined();
    expect(warnings).toEqual([]);
    expect(await upkeep.processNext()).toBe(false);
  });
});

describe("the operator's overview", () => {
  const CELLS = `{ operatorCells {
    cell url isThis reportedAt version merchants payoutsDue payoutsStuck halted eventsWait ledgerCheckedAt ledgerFaults
  } }`;
  const seen = async (): Promise<Json[]> => {
    const { body } = await (await newOperator(gateway)).graphql(CELLS);
    return body.data.operatorCells as Json[];
  };
  const report = (of: OpenDirectory) => createCellReport(gateway.deps, of, { stuckAfterMinutes: 60 }).processNext();

  it('has each cell as it reported itself', async () => {
    const here = gateway.deps.directory as OpenDirectory;
    await gateway.sql(`insert into signing_halt (network, findings, halted_at) values ('ETH', '[]', now())`);
    await report(here);
    const [own, other] = await seen();
    await gateway.sql('delete from signing_halt');
    const [{ count }] = (await gateway.sql('select count(*)::int from merchant')) as [{ count: number }];
    expect(count).toBeGreaterThan(0);
    expect(own).toMatchObject({
      ...{ cell: HERE, url: gateway.url, isThis: true, version: VERSION, merchants: count },
      ...{ payoutsDue: 0, payoutsStuck: 0, halted: ['ETH'], ledgerFaults: 0 },
    });
    expect(Date.now() - Date.parse(own?.reportedAt as string)).toBeLessThan(60_000);
    expect(other).toMatchObject({ ...SITE, isThis: false, reportedAt: null, version: null, halted: null });
  });

  it('is whole though another cell writes what this release does not know', async () => {
    const strange = {
      version: 3,
      merchants: 'many',
      payoutsDue: 1e12,
      halted: 'ETH',
      ledgerCheckedAt: 'soon',
      more: {},
    };
    await there.report(strange as never);
    const [own, other] = await seen();
    expect(own).toMatchObject({ cell: HERE, version: VERSION });
    const nothing = { version: null, merchants: null, payoutsDue: null, ledgerCheckedAt: null, ledgerFaults: null };
    expect(other).toMatchObject({ cell: THERE, halted: null, ...nothing });
    expect(other?.reportedAt).not.toBeNull();
  });

  it('has a cell that an older copy of the directory did not have', async () => {
    await query(book.em, 'delete from cell_site where cell = $1', [THERE]);
    await there.report({ version: VERSION, merchants: 1 } as never);
    expect((await seen()).map(({ cell, merchants }) => [cell, merchants])).toEqual([
      [HERE, expect.any(Number)],
      [THERE, 1],
    ]);
    expect(detailsOf(await signIn('taken@example.com', 'whatever'))).toEqual(TO_THERE);
  });

  it('is of operators alone', async () => {
    const { body } = await signIn('older@example.com');
    const mia = graphql(gateway, body.data.signIn.token.accessToken);
    expect(codeOf(await mia(CELLS))).toBe('1004');
    expect(codeOf(await call(CELLS, {}))).toBe('1001');
  });
});

describe('a directory that is away', () => {
  it('keeps nobody of this cell from signing in; nobody registers, and nobody is sent anywhere', async () => {
    await query(book.em, 'alter table cell_directory rename to cell_directory_away');
    try {
      expect(codeOf(await signIn('older@example.com'))).toBeUndefined();
      expect(codeOf(await register('new@example.com'))).toBe('9503');
      expect(await gateway.sql(`select from person where email = 'new@example.com'`)).toHaveLength(0);
      expect(codeOf(await signIn('away@example.com'))).toBe('1005');
    } finally {
      await query(book.em, 'alter table cell_directory_away rename to cell_directory');
    }
  });

  it('with another secret is refused at the start', async () => {
    const other = createDirectory({
      url: store.url,
      secret: `${SECRET}-other`,
      own: { cell: 5, url: 'https://5' },
      log,
    });
    await expect(other.enter()).rejects.toThrow('has another one');
    expect(await query(book.em, 'select cell from cell_site order by cell')).toEqual([{ cell: HERE }, { cell: THERE }]);
  });
});
