// Builds the operator's pages into dist/web/operator: hashed files below /operator/assets, and the page that loads
// them.

import { buildOf } from '../console/vite.config.ts';

export default buildOf(new URL('.', import.meta.url), 'operator');
