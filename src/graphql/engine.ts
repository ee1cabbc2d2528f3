// The GraphQL engine: prepare, admit, execute or subscribe. Every transport (REST, /graphql, web sockets, event
// streams, the payment page) hands it a document, variables and a context, and gets a result. It knows no transport.

import {
  execute,
  getVariableValues,
  GraphQLError,
  Kind,
  OperationTypeNode,
  subscribe,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { OperationContext } from '../access/caller.ts';
import { invalid, type GatewayError } from '../values/errors.ts';
import { createCompiledStage, type Runnable, type StageOptions, type StageResult } from './compiled-stage.ts';
import { createDocumentCache, documentKey, type DocumentCache } from './document-cache.ts';
import { refusalOfKey } from './idempotency-rule.ts';
import { isTooLarge, measuredField, budgetOf, tooLargeError } from './measured-fields.ts';
import { chargeAnswer, chargeOperation, createScales } from './operation-weight.ts';
import { createPrepare, type OperationRequest, type Prepared, type RefusedDocument } from './prepare.ts';
import { costOf } from './query-limits.ts';
import { fragmentsOf } from './selections.ts';

/** An operation that may run: validated, counted, its variables coerced. */
export interface Operation extends Runnable {
  readonly context: OperationContext;
}

type Variables = Readonly<Record<string, unknown>>;

export interface Engine {
  readonly schema: GraphQLSchema;
  readonly introspection: boolean;
  /** The validated documents of all transports, by the SHA-256 of their text. */
  readonly documents: DocumentCache;
  /** Reads and validates a caller's text. Throws 9001. */
  prepare(request: OperationRequest, context: OperationContext): Promise<Prepared | RefusedDocument>;
  /** The operation of a text that was validated before, if it is the only one; null for any other text. */
  known(text: string): Prepared | null;
  /**
   * Lets an operation run: counts what it weighs and waits for its turn if it is large (9001, 9503), holds it to one
   * mutation under an Idempotency-Key (2001), and coerces its variables (2001; 1001 or 1004 come first).
   */
  admit(prepared: Prepared, variables: Variables, context: OperationContext): Promise<Operation>;
  /** Executes a query or mutation. Never rejects for what a resolver throws: that is an error of the result. */
  execute(operation: Operation): Promise<ExecutionResult>;
  /** Opens a subscription: its results, or one result with the errors that prevented it. */
  subscribe(operation: Operation): Promise<AsyncGenerator<ExecutionResult, void, void> | ExecutionResult>;
}

export interface EngineOptions extends Pick<StageOptions, 'takeTurn'> {
  readonly schema: GraphQLSchema;
  readonly introspection: boolean;
  /** Why variables are refused, in the order permission, types, meaning; null where none of these explains it. */
  refusalOfVariables(
    operation: OperationDefinitionNode,
    variables: Variables,
    context: OperationContext,
  ): GatewayError | null;
}

/** Makes the engine of a schema. Wraps the schema's root resolvers (see compiled-stage.ts). */
export function createEngine(options: EngineOptions): Engine {
  const { schema, introspection } = options;
  const documents = createDocumentCache();
  const weigh = createScales(schema);
  const runCompiled = createCompiledStage(schema, {
    budgetOf,
    ...(options.takeTurn && { takeTurn: options.takeTurn }),
  });

  function coerce({ operation }: Prepared, variables: Variables, context: OperationContext): Variables {
    // One error is enough: each shows the whole value that it is about.
    const read = getVariableValues(schema, operation.variableDefinitions ?? [], variables, { maxErrors: 0 });
    if (read.coerced) return read.coerced;
    const message = read.errors[0]?.message ?? 'is refused';
    throw options.refusalOfVariables(operation, variables, context) ?? invalid([{ path: '', message }]);
  }

  return {
    schema,
    introspection,
    documents,
    prepare: createPrepare({ schema, introspection, documents }),
    known(text) {
      const document = documents.get(documentKey(text));
      return document ? soleOperationOf(document) : null;
    },
    async admit(prepared, variables, context) {
      const { document, operation } = prepared;
      if (context.load) await chargeOperation(context, () => weigh(document, operation, variables));
      const refusal = context.idempotencyKey === null ? null : refusalOfKey(document, operation);
      if (refusal) throw refusal;
      const coerced = coerce(prepared, variables, context);
      if (context.load && operation.operation === OperationTypeNode.SUBSCRIPTION) {
        const fragments = fragmentsOf(document);
        context.load.itemCost = costOf(schema, operation, (name) => fragments.get(name));
      }
      return { ...prepared, variables, coerced, context };
    },
    async execute(operation) {
      const { context } = operation;
      const result = await completed(operation, await runCompiled(operation));
      await chargeAnswer(context);
      return isTooLarge(context) ? { data: null, errors: [tooLargeError()] } : result;
    },
    subscribe: (operation) => subscribe(argumentsOf(operation)),
  };

  /** What the stage made, or what graphql-js makes of its answers. An answer that is too large is not made again. */
  function completed(operation: Operation, stage: StageResult): ExecutionResult | Promise<ExecutionResult> {
    if ('data' in stage) return stage;
    if (isTooLarge(operation.context)) return { data: null };
    return execute(argumentsOf(operation, stage.answers));
  }

  function argumentsOf({ document, operation, variables, context }: Operation, rootValue?: unknown) {
    return {
      ...{ schema, document, rootValue },
      variableValues: variables,
      contextValue: context,
      operationName: operation.name?.value ?? null,
      fieldResolver: measuredField,
    };
  }
}

/** What kept an operation from running, as its result: an error without data. */
export const refusedResult = (error: unknown): ExecutionResult => ({
  errors: [new GraphQLError('', { originalError: error instanceof Error ? error : new Error(String(error)) })],
});

/** A document with its operation, if it has one and no other. */
function soleOperationOf(document: DocumentNode): Prepared | null {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const [operation, another] = operations;
  return operation && !another ? { document, operation } : null;
}
