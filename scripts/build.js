// Builds everything into dist/: the program, its tests and tools with tsc, the browser's script, and the files beside them.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const compile = (project) => execFileSync(process.execPath, [tsc, '-p', join(root, project)], { stdio: 'inherit' });

rmSync(join(root, 'dist'), { recursive: true, force: true });
compile('tsconfig.json');
if (existsSync(join(root, 'web/pay/tsconfig.json'))) compile('web/pay/tsconfig.json');
if (existsSync(join(root, 'web/console')))
  await build({ configFile: join(root, 'web/console/vite.config.ts'), logLevel: 'warn' });

for (const folder of ['src/sandbox/contracts']) {
  const source = join(root, folder);
  if (existsSync(source))
    cpSync(source, join(root, 'dist', folder), { recursive: true, filter: (path) => !path.endsWith('.ts') });
}
