// `npm run sdk`: writes the generated files of all SDKs from schema/openapi.json. The results are committed, and
// test/sdk compares them.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generatedFiles } from './sdk/files.ts';
import { typescriptTypes } from './sdk/typescript.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const files = { ...(await generatedFiles(root)), 'sdk/typescript/src/generated/api.ts': await typescriptTypes(root) };
for (const [path, text] of Object.entries(files)) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
