// The operations of the web faces match the schema: their generated types are committed and up to date.

import { expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

it('the operations of the browser faces are generated from the schema as it is', async () => {
  const program = promisify(execFile)(process.execPath, ['scripts/web-operations.js', '--check']);
  await expect(program).resolves.toMatchObject({ stderr: '' });
});
