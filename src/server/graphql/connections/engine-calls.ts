// Adapts the engine to graphql-ws and graphql-sse: what onSubscribe returned comes back as the arguments of `execute`.

import type { ExecutionArgs, ExecutionResult } from 'graphql';
import { refusedResult, type Engine, type Operation } from '../../../graphql/engine.ts';
import { GatewayError } from '../../../values/errors.ts';
import type { LoadShedding } from '../../admission/load-shedding.ts';

/** An admitted operation in the form that both libraries take. */
export interface AdmittedArgs extends ExecutionArgs {
  readonly admitted: Operation;
}

/** The engine, with every operation waiting for its turn. */
export interface ConnectionEngine {
  readonly engine: Engine;
  readonly inTurn: LoadShedding['inTurn'];
}

/** The arguments for an admitted operation. */
export function argumentsOf({ schema }: Engine, admitted: Operation): AdmittedArgs {
  const { document, operation, variables, context } = admitted;
  return {
    ...{ schema, document, admitted },
    operationName: operation.name?.value ?? null,
    variableValues: variables,
    contextValue: context,
  };
}

/** The functions `execute` and `subscribe` for the libraries. A refusal under overload is a result without data. */
export function engineCalls({ engine, inTurn }: ConnectionEngine) {
  return {
    async execute(args: ExecutionArgs): Promise<ExecutionResult> {
      const { admitted } = args as AdmittedArgs;
      try {
        return await inTurn(admitted.context, () => engine.execute(admitted));
      } catch (error) {
        if (error instanceof GatewayError) return refusedResult(error);
        throw error;
      }
    },
    subscribe: (args: ExecutionArgs) => engine.subscribe((args as AdmittedArgs).admitted),
  };
}
