// Execution of documents that are run again and again. What a document asks for is found out once: its fields at the
// top, whose resolvers get variables and arguments as graphql-js reads them, and the functions that complete what they
// answer (see complete.ts). Wherever something is out of the ordinary, an error above all, graphql-js does it all, from
// the same answers: what is answered never depends on who did it.

import {
  execute,
  getArgumentValues,
  getVariableValues,
  Kind,
  OperationTypeNode,
  visit,
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { AnswerRoom } from '../values/answer-room.ts';
import { compileCompletion, type Complete, type Source } from './compile-selection.ts';

/** An operation to run. Its context is of this run alone: what the fields at the top answer is kept by it. */
export interface Operation {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: object;
}

export interface Executor {
  /**
   * Runs an operation that has passed validation, with the result that graphql-js would give; where its variables are
   * wrong, without data and with one error for all.
   */
  execute(operation: Operation): Promise<ExecutionResult>;
  /**
   * The same, or null where graphql-js is to do it, with this document and this context: no field at the top that has
   * been run is run again. A second time, for the same context, it is always null. Null too where the answer would be
   * too large: then less than nothing is left of its room.
   */
  tryExecute(operation: Operation): Promise<Completed | null>;
}

/** The result of an operation without errors. */
interface Completed {
  readonly data: Record<string, unknown>;
}

export interface ExecutorOptions {
  /** An object that a context and its copies have in common. */
  readonly identityOf?: (context: object) => object;
  /** Runs the resolver of a field at the top, at once or in its turn. */
  readonly takeTurn?: (context: object, work: () => unknown) => unknown;
  /** How large a query's answer may become; null where it may be of any size. */
  readonly roomOf?: (context: object) => AnswerRoom | null;
}

/** An operation made ready. */
interface Compiled {
  readonly fields: readonly TopField[];
  /** How often it was of no use, less how often it was. */
  failures: number;
}

/** A field at the top: who answers it, what they are told of it, and what completes their answer. */
interface TopField {
  readonly key: string;
  readonly node: FieldNode;
  readonly definition: GraphQLField<unknown, unknown>;
  readonly resolve: Resolver;
  readonly info: Omit<GraphQLResolveInfo, 'variableValues'>;
  readonly complete: Complete;
}

type Variables = Record<string, unknown>;

/** Beyond this a document is left to graphql-js: its values are not plain. */
const MOST_FAILURES = 4;

/**
 * Makes the executor of a schema, whose fields at the top are not asked twice from then on where we have asked them.
 */
export function createExecutor(schema: GraphQLSchema, options: ExecutorOptions = {}): Executor {
  const { identityOf = (context) => context, takeTurn = (_context, work) => work(), roomOf = () => null } = options;
  const answers = new WeakMap<object, Map<string, Kept>>();
  const compiled = new WeakMap<OperationDefinitionNode, Compiled | null>();
  const resolvers = new Map<unknown, Resolver>();
  for (const type of [schema.getQueryType(), schema.getMutationType()])
    for (const field of Object.values(type?.getFields() ?? {})) {
      if (!field.resolve) continue;
      resolvers.set(field, field.resolve);
      field.resolve = askOnce(field.resolve, (context) => answers.get(identityOf(context)), takeTurn);
    }

  function compiledOf({ document, operation }: Operation): Compiled | null {
    const known = compiled.get(operation);
    if (known !== undefined) return known && known.failures < MOST_FAILURES ? known : null;
    const made = compile({ schema, document, operation, resolvers });
    compiled.set(operation, made);
    return made;
  }

  /** The first error of variables is enough here: each shows the whole of what it is about, and takes as long. */
  const readVariables = ({ operation, variables }: Operation) =>
    getVariableValues(schema, operation.variableDefinitions ?? [], variables, { maxErrors: 0 });

  async function attempt(run: Operation, variableValues: Variables): Promise<Completed | null> {
    const ready = compiledOf(run);
    const identity = identityOf(run.context);
    if (!ready || answers.has(identity)) return null;
    const asked = new Map<string, Kept>();
    const room = run.operation.operation === OperationTypeNode.QUERY ? roomOf(run.context) : null;
    const data = await ask(ready, { variableValues, run, asked, takeTurn, room });
    if (data) return { data };
    // It is graphql-js that asks for them now.
    answers.set(identity, asked);
    return null;
  }

  return {
    tryExecute(run) {
      const { coerced } = readVariables(run);
      return coerced ? attempt(run, coerced) : Promise.resolve(null);
    },
    async execute(run) {
      const { document, operation, variables: variableValues, context: contextValue } = run;
      const { coerced, errors } = readVariables(run);
      if (!coerced) return { errors };
      const result = await attempt(run, coerced);
      const operationName = operation.name?.value;
      try {
        return result ?? (await execute({ schema, document, variableValues, contextValue, operationName }));
      } finally {
        answers.delete(identityOf(contextValue));
      }
    },
  };
}

interface AskParts {
  readonly run: Operation;
  readonly variableValues: Variables;
  /** Filled with what the fields at the top answer. */
  readonly asked: Map<string, Kept>;
  readonly takeTurn: NonNullable<ExecutorOptions['takeTurn']>;
  readonly room: AnswerRoom | null;
}

/**
 * The data that the fields at the top make, each completed as it is answered, mutations one after the other; null where
 * one of them fails or is not plain.
 */
async function ask(ready: Compiled, { run, variableValues, asked, takeTurn, room }: AskParts) {
  const { context, operation } = run;
  const given: unknown[] = [];
  // What is left to graphql-js in the end it measures anew.
  const own = room && { left: room.left };
  let isPlain = true;
  const complete = (field: TopField, answer: unknown): unknown => {
    try {
      return field.complete(answer, own);
    } catch (error) {
      // What is too large says nothing of the next answer.
      if (room && own && own.left < 0) room.left = own.left;
      else isPlain = false;
      throw error;
    }
  };
  try {
    for (const field of ready.fields) {
      const { key, node, definition, resolve, info } = field;
      const args = getArgumentValues(definition, node, variableValues);
      const kept = attempt(() =>
        takeTurn(context, () => resolve(undefined, args, context, { ...info, variableValues })),
      );
      asked.set(key, kept);
      const answer = kept();
      const data = isThenable(answer) ? answer.then((value) => complete(field, value)) : complete(field, answer);
      given.push(operation.operation === OperationTypeNode.QUERY ? data : await data);
    }
    const all = await Promise.all(given);
    if (room && own) room.left = own.left;
    ready.failures = Math.max(0, ready.failures - 1);
    return Object.fromEntries(ready.fields.map(({ key }, place) => [key, all[place]]));
  } catch {
    // Those who were asked besides may fail as well; graphql-js will hear it from them.
    void Promise.allSettled(given);
    if (!isPlain) ready.failures += 1;
    return null;
  }
}

const isThenable = (value: unknown): value is Promise<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function';

/** Gives what a field at the top answered, or throws what it threw. */
type Kept = () => unknown;

type Resolver = GraphQLFieldResolver<unknown, unknown>;

/** The resolver of a field at the top; in a run that we began it gives the answer that is there, or is asked once. */
function askOnce(
  resolve: Resolver,
  answersOf: (context: object) => Map<string, Kept> | undefined,
  takeTurn: NonNullable<ExecutorOptions['takeTurn']>,
): Resolver {
  return (source, args, context, info) => {
    const given = typeof context === 'object' && context !== null ? context : {};
    const kept = answersOf(given);
    const key = String(info.path.key);
    const ask = () => takeTurn(given, () => resolve(source, args, context, info));
    if (!kept) return ask();
    const known = kept.get(key) ?? attempt(ask);
    kept.set(key, known);
    return known();
  };
}

function attempt(work: () => unknown): Kept {
  try {
    const result = work();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

interface CompileParts extends Pick<Operation, 'document' | 'operation'> {
  readonly schema: GraphQLSchema;
  /** Those of the fields at the top as they were. */
  readonly resolvers: ReadonlyMap<unknown, Resolver>;
}

/** Makes an operation ready; null where its top is more than plain fields. */
function compile({ schema, document, operation, resolvers }: CompileParts): Compiled | null {
  const parentType =
    operation.operation === OperationTypeNode.SUBSCRIPTION ? undefined : schema.getRootType(operation.operation);
  if (!parentType) return null;
  const source = sourceOf(document);
  const fields = new Map<string, TopField>();
  for (const node of operation.selectionSet.selections) {
    if (node.kind !== Kind.FIELD || node.directives?.length) return null;
    const key = node.alias?.value ?? node.name.value;
    const definition = parentType.getFields()[node.name.value];
    const resolve = resolvers.get(definition);
    // `__schema` and its kind are not among the fields.
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

/** What the resolver of a field at the top is told of where it stands. */
function infoOf({ schema, operation, parentType, definition, node, key, source }: FieldParts): TopField['info'] {
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

/** A document's fragments; as many fields may be made of it as are written, and as many again. */
function sourceOf(document: DocumentNode): Source {
  const fragments = new Map<string, FragmentDefinitionNode>();
  let written = 0;
  visit(document, {
    Field: () => void (written += 1),
    FragmentDefinition: (fragment) => void fragments.set(fragment.name.value, fragment),
  });
  return { fragments, fieldsLeft: 2 * written };
}
