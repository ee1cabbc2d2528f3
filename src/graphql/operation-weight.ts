// How many calls an operation counts as against the rate limits: aliases and fragments must not make a hundred calls
// one.

import {
  Kind,
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { OperationContext } from '../access/caller.ts';
import { MOST_ANSWER_BYTES } from '../values/answer-budget.ts';
import { callsOf } from '../values/call-weight.ts';
import { GatewayError } from '../values/errors.ts';
import { callsToRead } from './document-limits.ts';
import { createFieldCosts } from './query-limits.ts';
import { fragmentsOf, keyOf, selectionsOf, type Fragments } from './selections.ts';

type Variables = Readonly<Record<string, unknown>>;

/** Answers how many calls an operation counts as with these variables, which need not have been checked. */
export type WeighOperation = (
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
) => number;

/**
 * Makes the scales of a schema. An operation is as many calls as it runs fields at the top, `__typename` aside, or as
 * its cost is calls, whichever is more; and one at least. Only what `@skip` and `@include` let run counts. For
 * validated documents.
 */
export function createScales(schema: GraphQLSchema): WeighOperation {
  // Where no variable decides, it is found out once.
  const known = new WeakMap<OperationDefinitionNode, number>();
  return (document, operation, variables) => {
    const before = known.get(operation);
    if (before !== undefined) return before;
    const fragments = fragmentsOf(document);
    const defaults = defaultsOf(operation);
    const top = collectTop(operation.selectionSet, fragments, (name) =>
      Object.hasOwn(variables, name) ? variables[name] : defaults.get(name),
    );
    const costOf = createFieldCosts(schema, operation, (name) => fragments.get(name));
    const names = new Set(top.fields.filter((field) => field.name.value !== '__typename').map(keyOf));
    const cost = top.fields.reduce((sum, field) => sum + costOf(field), 0);
    const calls = Math.max(names.size, callsOf({ cost }));
    if (!top.isConditional) known.set(operation, calls);
    return calls;
  };
}

/** Counts what a document takes to be read, before it is validated. Throws 9001. */
export async function chargeReading(context: OperationContext, document: DocumentNode): Promise<void> {
  await chargeUpTo(context, callsToRead(document));
}

/**
 * Counts an operation as the calls that it weighs, and waits for its turn if these are several. Throws 9001, 9503. The
 * first call was counted as the request came. Without a load (REST, the payment page) a call counts as one.
 */
export async function chargeOperation(context: OperationContext, weigh: () => number): Promise<void> {
  const { load } = context;
  // An operation that is handed on to Apollo Server half-way was counted before.
  if (!load || load.calls !== null) return;
  load.calls = weigh();
  if (load.calls === 1) return;
  await chargeUpTo(context, load.calls);
  await load.enterLarge?.();
}

/**
 * Counts the answer of a query once it is made: a call for each megabyte begun. Callers who have used up theirs are
 * answered all the same, and hears of it the next time.
 */
export async function chargeAnswer(context: OperationContext): Promise<void> {
  if (!context.load) return;
  const bytes = Math.min(MOST_ANSWER_BYTES, MOST_ANSWER_BYTES - context.load.budget.left);
  try {
    await chargeUpTo(context, callsOf({ bytes }));
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
  }
}

/** Counts calls until so many are counted. */
async function chargeUpTo(context: OperationContext, calls: number): Promise<void> {
  const more = calls - (context.load?.counted ?? 1);
  if (more <= 0) return;
  if (context.load) context.load.counted = calls;
  await context.charge?.(more);
}

interface Top {
  readonly fields: readonly FieldNode[];
  /** Whether variables may change which fields there are. */
  readonly isConditional: boolean;
}

/** The fields at the top that are run, as graphql-js collects them: a fragment once, however often it is used. */
function collectTop(selectionSet: SelectionSetNode, fragments: Fragments, valueOf: (name: string) => unknown): Top {
  let isConditional = false;

  function isRun({ directives = [] }: SelectionNode): boolean {
    return directives.every(({ name, arguments: [condition] = [] }) => {
      const { value: directive } = name;
      if ((directive !== 'skip' && directive !== 'include') || !condition) return true;
      const { value } = condition;
      isConditional ||= value.kind === Kind.VARIABLE;
      const given = value.kind === Kind.VARIABLE ? valueOf(value.name.value) : 'value' in value && value.value;
      // What is neither true nor false is refused when it is run; until then it counts.
      return directive === 'skip' ? given !== true : given !== false;
    });
  }

  const selections = [...selectionsOf([selectionSet], fragments, isRun)];
  return { fields: selections.filter((node) => node.kind === Kind.FIELD), isConditional };
}

function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode): ReadonlyMap<string, unknown> {
  const given = variableDefinitions.flatMap(({ variable, defaultValue }) =>
    defaultValue?.kind === Kind.BOOLEAN ? [[variable.name.value, defaultValue.value] as const] : [],
  );
  return new Map(given);
}
