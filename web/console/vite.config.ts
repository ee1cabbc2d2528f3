// Builds the console into dist/web/console: hashed files below /console/assets, and the page that loads them.

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/console/',
  // The server writes each answer's own nonce in its place; components that add style rules read it from the page.
  html: { cspNonce: 'NONCE' },
  build: {
    outDir: '../../dist/web/console',
    emptyOutDir: true,
    // Everything is a file of ours: the content security policy has no room for data: scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
