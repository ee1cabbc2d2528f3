// Context for chains on which money lies in transaction outputs.

import type { UtxoAdapter } from '../../chain/adapter.ts';
import type { Chain } from '../../domain/deps.ts';
import type { Context } from '../context.ts';

export interface UtxoContext extends Context {
  readonly chain: Chain & { readonly adapter: UtxoAdapter };
}
