// Builds the console into dist/web/console: hashed files below /console/assets, and the page that loads them.

import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin, type UserConfig } from 'vite';
import { TOKENS } from '../../src/values/look/tokens.ts';

/** The style sheet of colours, which is no file: what the pages of customers have in them is imported by its name. */
const TOKENS_FILE = 'virtual:tokens.css';

const tokens: Plugin = {
  name: 'tokens',
  resolveId: (id) => (id === TOKENS_FILE ? `\0${TOKENS_FILE}` : null),
  load: (id) => (id === `\0${TOKENS_FILE}` ? TOKENS : null),
};

interface Chunk {
  readonly name: string;
  readonly facadeModuleId: string | null;
}

/** A page in a folder of its own, `page.tsx`, has the folder's name, as faults in the browser name files. */
const fileOf = ({ name, facadeModuleId }: Chunk): string =>
  `assets/${name === 'page' && facadeModuleId !== null ? basename(dirname(facadeModuleId)) : name}-[hash].js`;

/** The build of an application in a folder of web, which is served at the path of its name. */
export function buildOf(folder: URL, name: 'console' | 'operator'): UserConfig {
  return defineConfig({
    root: fileURLToPath(folder),
    base: `/${name}/`,
    // The server replaces it with the nonce of each response; components that add style rules read it from the page.
    plugins: [tokens],
    html: { cspNonce: 'NONCE' },
    build: {
      outDir: `../../dist/web/${name}`,
      emptyOutDir: true,
      // All assets are files of their own: the content security policy does not allow data: scripts.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: { output: { chunkFileNames: fileOf } },
    },
  });
}

export default buildOf(new URL('.', import.meta.url), 'console');
