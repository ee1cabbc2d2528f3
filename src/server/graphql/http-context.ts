// The request data that Apollo Server carries from one hook to the next, besides the context of the operation.

import type { ExecutionResult } from 'graphql';
import type { OperationContext } from '../../access/caller.ts';
import type { Operation } from '../../graphql/engine.ts';

export interface HttpContext extends OperationContext {
  /** Once the engine has admitted the operation. */
  admitted?: Operation;
  /** Once the engine has executed it. */
  result?: ExecutionResult;
}
