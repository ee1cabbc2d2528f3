// The engine's first stage: runs an operation without graphql-js where that is plain. What a document asks for is
// compiled once: its root fields and the functions that complete their answers (see compile-selection.ts). Anything out
// of the ordinary, errors above all, is left to graphql-js, together with the answers that are already there. So the
// response never depends on which of the two produced it.

import {
  getArgumentValues,
  Kind,
  OperationTypeNode,
  visit,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { AnswerBudget } from '../values/answer-budget.ts';
import { compileCompletion, type Complete, type Source } from './compile-selection.ts';
import { RootAnswers } from './root-answers.ts';

/** A validated operation with its variables. */
export interface Runnable {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** As the caller sent them. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** As the schema coerced them. */
  readonly coerced: Readonly<Record<string, unknown>>;
  readonly context: object;
}

/** The whole data, without errors; or the answers of the root fields that ran, for graphql-js to complete. */
export type StageResult = { readonly data: Record<string, unknown> } | { readonly answers: RootAnswers };

export interface StageOptions {
  /** Runs the resolver of a root field, at once or in its turn. */
  readonly takeTurn?: (context: object, work: () => unknown) => unknown;
  /** How large a query's answer may become; null for any size. After a refusal its `left` is negative. */
  readonly budgetOf?: (context: object) => AnswerBudget | null;
}

/** A compiled operation. */
interface Compiled {
  readonly fields: readonly RootField[];
  /** How often it was left to graphql-js, less how often it was not. */
  failures: number;
}

/** A root field: its resolver, the resolver's info, and the function that completes its answer. */
interface RootField {
  readonly key: string;
  readonly node: FieldNode;
  readonly definition: GraphQLField<unknown, unknown>;
  readonly resolve: Resolver;
  readonly info: Omit<GraphQLResolveInfo, 'variableValues'>;
  readonly complete: Complete;
}

type Resolver = GraphQLFieldResolver<unknown, unknown>;

/** From here on a document goes to graphql-js at once: its values are not plain. */
const MOST_FAILURES = 4;

/**
 * Makes the stage of a schema. It wraps the schema's root resolvers: under a root value of `RootAnswers`, a field that
 * has been answered is not run again.
 */
export function createCompiledStage(
  schema: GraphQLSchema,
  { takeTurn = (_context, work) => work(), budgetOf = () => null }: StageOptions = {},
): (run: Runnable) => Promise<StageResult> {
  const compiled = new WeakMap<OperationDefinitionNode, Compiled | null>();
  const resolvers = new Map<unknown, Resolver>();
  for (const type of [schema.getQueryType(), schema.getMutationType()])
    for (const field of Object.values(type?.getFields() ?? {})) {
      if (!field.resolve) continue;
      resolvers.set(field, field.resolve);
      field.resolve = answerOnce(field.resolve, takeTurn);
    }

  function compiledOf({ document, operation }: Runnable): Compiled | null {
    const known = compiled.get(operation);
    if (known !== undefined) return known && known.failures < MOST_FAILURES ? known : null;
    const made = compile({ schema, document, operation, resolvers });
    compiled.set(operation, made);
    return made;
  }

  return async (run) => {
    const answers = new RootAnswers();
    const ready = compiledOf(run);
    if (!ready) return { answers };
    const budget = run.operation.operation === OperationTypeNode.QUERY ? budgetOf(run.context) : null;
    const data = await complete(ready, { run, answers, takeTurn, budget });
    return data ? { data } : { answers };
  };
}

/** Runs a root resolver in its turn; in an execution that was begun by the stage, takes its answer from there. */
function answerOnce(resolve: Resolver, takeTurn: NonNullable<StageOptions['takeTurn']>): Resolver {
  return (root, args, context, info) => {
    const given = typeof context === 'object' && context !== null ? context : {};
    const ask = (source: unknown) => takeTurn(given, () => resolve(source, args, context, info));
    return root instanceof RootAnswers ? root.ask(String(info.path.key), () => ask(undefined)) : ask(root);
  };
}

interface CompletionParts {
  readonly run: Runnable;
  readonly answers: RootAnswers;
  readonly takeTurn: NonNullable<StageOptions['takeTurn']>;
  readonly budget: AnswerBudget | null;
}

/**
 * Asks the root fields and completes each as it answers, mutations one after the other. Null if one of them fails or is
 * not plain.
 */
async function complete(ready: Compiled, { run, answers, takeTurn, budget }: CompletionParts) {
  const { context, operation, coerced } = run;
  const given: unknown[] = [];
  // A copy: graphql-js measures anew what is left to it.
  const own = budget && { left: budget.left };
  let isPlain = true;
  const completeOne = (field: RootField, answer: unknown): unknown => {
    try {
      return field.complete(answer, own);
    } catch (error) {
      // Too large is no property of the document: the next answer may fit.
      if (budget && own && own.left < 0) budget.left = own.left;
      else isPlain = false;
      throw error;
    }
  };
  try {
    for (const field of ready.fields) {
      const { key, node, definition, resolve, info } = field;
      const args = getArgumentValues(definition, node, coerced);
      const answer = answers.ask(key, () =>
        takeTurn(context, () => resolve(undefined, args, context, { ...info, variableValues: { ...coerced } })),
      );
      const data = isThenable(answer) ? answer.then((value) => completeOne(field, value)) : completeOne(field, answer);
      given.push(operation.operation === OperationTypeNode.QUERY ? data : await data);
    }
    const all = await Promise.all(given);
    if (budget && own) budget.left = own.left;
    ready.failures = Math.max(0, ready.failures - 1);
    return Object.fromEntries(ready.fields.map(({ key }, place) => [key, all[place]]));
  } catch {
    // Other fields may fail too. graphql-js reports them; here they must not be unhandled rejections.
    void Promise.allSettled(given);
    if (!isPlain) ready.failures += 1;
    return null;
  }
}

const isThenable = (value: unknown): value is Promise<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function';

interface CompileParts extends Pick<Runnable, 'document' | 'operation'> {
  readonly schema: GraphQLSchema;
  /** The root resolvers before they were wrapped. */
  readonly resolvers: ReadonlyMap<unknown, Resolver>;
}

/** Compiles an operation; null unless its root selection consists of plain fields. */
function compile({ schema, document, operation, resolvers }: CompileParts): Compiled | null {
  const parentType =
    operation.operation === OperationTypeNode.SUBSCRIPTION ? undefined : schema.getRootType(operation.operation);
  if (!parentType) return null;
  const source = sourceOf(document);
  const fields = new Map<string, RootField>();
  for (const node of operation.selectionSet.selections) {
    if (node.kind !== Kind.FIELD || node.directives?.length) return null;
    const key = node.alias?.value ?? node.name.value;
    const definition = parentType.getFields()[node.name.value];
    const resolve = resolvers.get(definition);
    // `__schema`, `__type` and `__typename` are not among a type's fields.
    if (!definition || !resolve || fields.has(key) || key === '__proto__') return null;
    const complete = compileCompletion(definition.type, [node], source);
    if (!complete) return null;
    const info = infoOf({ schema, operation, parentType, definition, node, key, source });
    fields.set(key, { key, node, definition, resolve, info, complete });
  }
  return { fields: [...fields.values()], failures: 0 };
}

interface FieldParts extends Pick<GraphQLResolveInfo, 'schema' | 'operation'> {
  readonly parentType: GraphQLObjectType;
  readonly definition: GraphQLField<unknown, unknown>;
  readonly node: FieldNode;
  readonly key: string;
  readonly source: Source;
}

/** The `info` argument of a root resolver, without the variables. */
function infoOf({ schema, operation, parentType, definition, node, key, source }: FieldParts): RootField['info'] {
  return {
    fieldName: definition.name,
    fieldNodes: [node],
    returnType: definition.type,
    parentType,
    path: { prev: undefined, key, typename: parentType.name },
    schema,
    fragments: Object.fromEntries(source.fragments),
    rootValue: undefined,
    operation,
  };
}

/** A document's fragments. At most twice as many fields as are written may be compiled from it. */
function sourceOf(document: DocumentNode): Source {
  const fragments = new Map<string, FragmentDefinitionNode>();
  let written = 0;
  visit(document, {
    Field: () => void (written += 1),
    FragmentDefinition: (fragment) => void fragments.set(fragment.name.value, fragment),
  });
  return { fragments, fieldsLeft: 2 * written };
}
