// What `npm run doctor` says of the cell: of the variable, the database, the signer's journal and the addresses.

import { afterAll, afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTestFolder } from '../../support/database/database.ts';
import { openDeployment, type Deployment } from './deployment.fixture.ts';
import { findingsOf, type Variables } from './run.fixture.ts';

jest.setTimeout(300_000);
const MARK = '00000000-0000-4000-8000-000000000003';

let deployment: Deployment;
let cell: Variables;
beforeAll(async () => {
  deployment = await openDeployment();
  const { variables } = deployment;
  cell = { ...variables, CELL: '3', PAY_URL: 'https://pay.example/pay', JOURNAL_DIR: await makeTestFolder('doctor') };
});
afterAll(() => deployment.stop());
afterEach(() => deployment.server.sql('delete from deployment_cell'));

const become = (number: number) =>
  deployment.server.sql(`insert into deployment_cell (cell, mark) values (${String(number)}, '${MARK}')`);
const said = (variables: Variables) => findingsOf('cell', variables);

it('without cells there is nothing to say', async () => {
  expect(await said(deployment.variables)).toEqual(['ok: none: there is but this database']);
});

it('before the first start with CELL it is said that it is for good', async () => {
  expect(await said(cell)).toEqual([
    'warning: CELL says cell 3, and the database is of none yet: the next start makes it that, for good',
  ]);
});

it('of one cell, all is well; of another or of none, the start would be refused', async () => {
  await become(3);
  expect(await said(cell)).toEqual(['ok: cell 3, as the database says']);
  expect(await said({ ...cell, CELL: '4' })).toEqual(['fault: the database is of cell 3, and CELL says cell 4']);
  expect(await said({ ...cell, CELL: '' })).toEqual(['fault: the database is of cell 3, and CELL says no cell']);
});

it("the journal is to be this database's, for those that sign", async () => {
  await become(3);
  const file = join(cell['JOURNAL_DIR'] ?? '', 'journal-cell.json');
  await writeFile(file, JSON.stringify({ cell: 4, mark: 'b' }), { mode: 0o600 });
  expect(await said(cell)).toEqual([expect.stringMatching(/^fault: the journal in .* is of cell 4, not of 3$/)]);
  await writeFile(file, JSON.stringify({ cell: 3, mark: 'b' }), { mode: 0o600 });
  expect(await said(cell)).toEqual([
    expect.stringMatching(/^fault: the journal in .* belongs to another database that is cell 3 as well/),
  ]);
  await writeFile(file, JSON.stringify({ cell: 3, mark: MARK }), { mode: 0o600 });
  expect(await said(cell)).toEqual(['ok: cell 3, as the database says']);
});

it('one address for the cell and for what all share is a warning', async () => {
  await become(3);
  expect(await said({ ...cell, PAY_URL: '' })).toEqual([
    `warning: PAY_URL and BASE_URL are both at localhost:${cell['PORT'] ?? ''}`,
  ]);
});
