// `npm run sdk`: writes the generated files of all SDKs from schema/openapi.json. The results are committed, and
// test/sdk compares them.

import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { typescriptTables, typescriptTypes } from './sdk/typescript.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const generated = join(root, 'sdk/typescript/src/generated');

for (const [name, text] of Object.entries(await typescriptTables(root))) writeFileSync(join(generated, name), text);
writeFileSync(join(generated, 'api.ts'), await typescriptTypes(root));
