// What the browser faces ask for is what the schema offers: their types are generated, and committed.

import { expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

it('the operations of the browser faces are generated from the schema as it is', async () => {
  const program = promisify(execFile)(process.execPath, ['scripts/web-operations.js', '--check']);
  await expect(program).resolves.toMatchObject({ stderr: '' });
});
