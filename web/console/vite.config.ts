// Builds the console into dist/web/console: hashed files below /console/assets, and the page that loads them.

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/console/',
  // The server replaces it with the nonce of each response; components that add style rules read it from the page.
  html: { cspNonce: 'NONCE' },
  build: {
    outDir: '../../dist/web/console',
    emptyOutDir: true,
    // All assets are files of their own: the content security policy does not allow data: scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
