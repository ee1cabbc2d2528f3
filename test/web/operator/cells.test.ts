// Several cells in Chromium: who signs in in the wrong one is led to theirs, and an operator sees all. Without Chromium
// this is left to CI, which has it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { Browser, Page } from 'playwright-core';
import { connectDatabase } from '../../../src/database/connection.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { createDirectory, type OpenDirectory } from '../../../src/gateway/cells/open-directory.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { addPerson } from '../../support/operators.ts';
import { PATIENT_DATABASE } from '../../support/patience.ts';
import { PASSWORD } from '../../support/people.ts';
import { DESKTOP, executablePath, launch, look, type Look } from '../browser.fixture.ts';
import { inspect } from '../console/browser.fixture.ts';

const SECRET = 'a-secret-of-all-cells-0000000000000000';
const OTHER = { cell: 4, url: 'https://cell-4.pay.example' };
const log = pino({ level: 'silent' });
const REPORT = {
  ...{ version: '1.0.0', merchants: 12_345, payoutsDue: 3, payoutsStuck: 2, halted: ['ETH'], eventsWait: 71 },
  ...{ ledgerCheckedAt: new Date(0).toISOString(), ledgerFaults: 1 },
};

let store: TestDatabase;
let gateway: TestGateway;
let other: OpenDirectory;
let browser: Browser;
let seen: Look;
let page: Page;

if (executablePath !== undefined)
  describe('the pages of several cells', () => {
    beforeAll(async () => {
      store = await createTestDatabase();
      const book = await connectDatabase({ url: store.url, poolMax: 2, log, patience: PATIENT_DATABASE });
      await migrate(book);
      await book.close();
      other = createDirectory({ url: store.url, secret: SECRET, own: OTHER, log, patience: PATIENT_DATABASE });
      await other.enter();
      await other.take('mia@example.com');
      gateway = await startTestGateway({
        ...{ CELL: '3', CELL_DIRECTORY_URL: store.url, CELL_DIRECTORY_SECRET: SECRET },
      });
      browser = await launch();
      seen = await look(browser, `${gateway.url}/console`, { viewport: DESKTOP, reducedMotion: 'reduce' });
      page = seen.page;
    });
    afterAll(async () => {
      await browser.close();
      await gateway.stop();
      await other.close();
      await store.drop();
    });
    it('lead those of another cell to its console', leadElsewhere);
    it('tell who asks for a new password where their account is', leadReset);
    it('show operators how each cell is, and which has fallen silent', seeCells);
    it('did nothing that their policy forbids, asked no other host and logged no error', () => {
      // Those who are signed out are answered 401, and those of another cell 421.
      expect(seen.faults.filter((fault) => !/status of (401|421)/.test(fault))).toEqual([]);
    });
  });

async function signIn(email: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

async function leadElsewhere(): Promise<void> {
  await signIn('mia@example.com');
  const way = page.getByRole('alert').getByRole('link', { name: 'cell-4.pay.example' });
  await way.waitFor();
  expect(await way.getAttribute('href')).toBe(`${OTHER.url}/console`);
  await inspect(page, 'sign-in-elsewhere');
}

async function leadReset(): Promise<void> {
  await page.goto(`${gateway.url}/console/reset`);
  await page.getByLabel('E-mail').fill('mia@example.com');
  await page.getByRole('button', { name: 'Send me a link' }).click();
  await page.getByText(`This address belongs to ${OTHER.url}/console`).waitFor();
}

async function seeCells(): Promise<void> {
  await page.goto(`${gateway.url}/operator`);
  await signIn((await addPerson(gateway, { isOperator: true })).email);
  await page.getByRole('navigation', { name: 'Operator' }).getByRole('link', { name: 'Cells', exact: true }).click();
  const row = (text: string) => page.getByRole('table', { name: 'Cells' }).getByRole('row').filter({ hasText: text });
  await row('this one').getByText('Reports').waitFor();
  await row('cell-4').getByText('Silent').waitFor();
  await other.report(REPORT);
  await page.reload();
  for (const words of ['Reports', '12,345', '2 stuck', 'Halted: Ethereum', '71 s', 'Does not add up'])
    await row('cell-4').getByText(words, { exact: true }).waitFor();
  expect(await row('cell-4').getByRole('link').getAttribute('href')).toBe(`${OTHER.url}/operator`);
  await inspect(page, 'operator-cells');
}
