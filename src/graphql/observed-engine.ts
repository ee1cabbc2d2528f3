// An engine that tells of every operation that it was given: which one, what it came to, and how long it took.

import { GraphQLError, Kind, type DocumentNode, type OperationDefinitionNode } from 'graphql';
import type { OperationContext } from '../access/caller.ts';
import { traced } from '../tracing.ts';
import { GatewayError } from '../values/errors.ts';
import type { Engine, Operation } from './engine.ts';
import type { Prepared } from './prepare.ts';
import { fragmentsOf, selectionsOf } from './selections.ts';

/** An operation that ended. */
export interface ObservedOperation {
  readonly kind: 'query' | 'mutation' | 'subscription';
  /** Its field at the top, by its name in the schema; `several` if it has different ones. */
  readonly field: string;
  /** `refused`: with an error that its caller can mend; `failed`: with one of ours, or for lack of room. */
  readonly outcome: 'success' | 'refused' | 'failed';
  /** Null for a subscription, and for what was refused before it ran. */
  readonly seconds: number | null;
}

/** Wraps an engine; `tell` is called once for each operation, whatever transport it came by. */
export function observeEngine(engine: Engine, tell: (operation: ObservedOperation) => void): Engine {
  const fields = new WeakMap<OperationDefinitionNode, string>();
  // What is refused on the short way is handed on to Apollo Server, and refused there again.
  const refused = new WeakSet<object>();

  function known({ document, operation }: Prepared): string {
    const field = fields.get(operation) ?? fieldOf(document, operation);
    fields.set(operation, field);
    return field;
  }

  function tellOf(prepared: Prepared, outcome: ObservedOperation['outcome'], seconds: number | null): void {
    tell({ kind: prepared.operation.operation, field: known(prepared), outcome, seconds });
  }

  async function admit(
    prepared: Prepared,
    variables: Readonly<Record<string, unknown>>,
    context: OperationContext,
  ): Promise<Operation> {
    try {
      return await engine.admit(prepared, variables, context);
    } catch (error) {
      const isKnown = context.load !== undefined && refused.has(context.load);
      if (context.load) refused.add(context.load);
      if (!isKnown) tellOf(prepared, outcomeOf([error]), null);
      throw error;
    }
  }

  return {
    ...engine,
    admit,
    async execute(operation) {
      const startedAt = performance.now();
      const name = `${operation.operation.operation} ${known(operation)}`;
      const result = await traced(name, 'within', {}, () => engine.execute(operation));
      tellOf(operation, outcomeOf(result.errors), (performance.now() - startedAt) / 1_000);
      return result;
    },
    async subscribe(operation) {
      const opened = await engine.subscribe(operation);
      tellOf(operation, outcomeOf('errors' in opened ? opened.errors : undefined), null);
      return opened;
    },
  };
}

function outcomeOf(errors: readonly unknown[] = []): ObservedOperation['outcome'] {
  if (errors.length === 0) return 'success';
  return errors.every(isRefusal) ? 'refused' : 'failed';
}

/** Whether the caller can mend it: one of our errors below 500, or one of graphql-js about the operation itself. */
function isRefusal(error: unknown): boolean {
  const cause = error instanceof GraphQLError ? (error.originalError ?? error) : error;
  return cause instanceof GatewayError ? cause.row.status < 500 : cause instanceof GraphQLError;
}

/** The field at the top of a validated operation, so one of the schema's. Fields of introspection begin with `__`. */
function fieldOf(document: DocumentNode, { selectionSet }: OperationDefinitionNode): string {
  const selections = [...selectionsOf([selectionSet], fragmentsOf(document))];
  const names = new Set(selections.flatMap((node) => (node.kind === Kind.FIELD ? [node.name.value] : [])));
  if (names.size > 1) names.delete('__typename');
  const [name = '__typename', ...more] = names;
  return more.length === 0 ? name : 'several';
}
