// Execution of documents that are run again and again. graphql-js runs the fields at the top, with all that belongs to
// them: variables, arguments, permissions, errors, the order of mutations. What they answered is completed by functions
// made once for the document (see complete.ts); where those cannot, graphql-js completes it, from the same answers.

import {
  execute,
  getNamedType,
  isCompositeType,
  Kind,
  OperationTypeNode,
  visit,
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { compileCompletion, type Complete, type Source } from './complete.ts';

/** An operation to run. Its context is of this run alone: what the fields at the top answer is kept by it. */
export interface Operation {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: object;
}

export interface Executor {
  /** Runs an operation that has passed validation, with the result that graphql-js would give. */
  execute(operation: Operation): Promise<ExecutionResult>;
  /**
   * The same, or null where graphql-js is to do it, with this document and this context: no field at the top that has
   * been run is run again.
   */
  tryExecute(operation: Operation): Promise<Completed | null>;
}

/** The result of an operation without errors. */
interface Completed {
  readonly data: Record<string, unknown>;
}

/** An operation made ready. */
interface Compiled {
  /** The operation, with nothing but the type of what the fields at the top answer. */
  readonly top: DocumentNode;
  /** Each field at the top, and what completes its answer; null for leaves. */
  readonly fields: readonly (readonly [key: string, complete: Complete | null])[];
  /** How often it was of no use, less how often it was. */
  failures: number;
}

/** Beyond this a document is left to graphql-js: its values are not plain. */
const MOST_FAILURES = 4;

/** Makes the executor of a schema, whose fields at the top keep their answers from then on where they are asked to. */
export function createExecutor(schema: GraphQLSchema): Executor {
  const answers = new WeakMap<object, Map<string, Kept>>();
  const compiled = new WeakMap<OperationDefinitionNode, Compiled | null>();
  for (const type of [schema.getQueryType(), schema.getMutationType()])
    for (const field of Object.values(type?.getFields() ?? {}))
      if (field.resolve) field.resolve = keepAnswers(field.resolve, answers);

  function compiledOf({ document, operation }: Operation): Compiled | null {
    const known = compiled.get(operation);
    if (known !== undefined) return known && known.failures < MOST_FAILURES ? known : null;
    const made = compile(schema, document, operation);
    compiled.set(operation, made);
    return made;
  }

  async function tryExecute(run: Operation): Promise<Completed | null> {
    const ready = compiledOf(run);
    if (!ready) return null;
    const { variables: variableValues, context: contextValue } = run;
    const kept = new Map<string, Kept>();
    answers.set(contextValue, kept);
    const { data, errors } = await execute({ schema, document: ready.top, variableValues, contextValue });
    if (errors || !data) return null;
    const completed: Record<string, unknown> = {};
    try {
      for (const [key, complete] of ready.fields)
        completed[key] = complete && data[key] !== null ? complete(await kept.get(key)?.()) : data[key];
    } catch {
      ready.failures += 1;
      return null;
    }
    ready.failures = Math.max(0, ready.failures - 1);
    return { data: completed };
  }

  return {
    tryExecute,
    async execute(run) {
      const { document, operation, variables: variableValues, context: contextValue } = run;
      const result = await tryExecute(run);
      const operationName = operation.name?.value;
      try {
        return result ?? (await execute({ schema, document, variableValues, contextValue, operationName }));
      } finally {
        answers.delete(contextValue);
      }
    },
  };
}

/** Gives what a field at the top answered, or throws what it threw. */
type Kept = () => unknown;

type Resolver = GraphQLFieldResolver<unknown, unknown>;

/** The resolver of a field at the top; in a run of ours it is asked once, and gives the same answer when asked again. */
function keepAnswers(resolve: Resolver, answers: WeakMap<object, Map<string, Kept>>): Resolver {
  return (source, args, context, info) => {
    const kept = typeof context === 'object' && context !== null ? answers.get(context) : undefined;
    const key = String(info.path.key);
    if (!kept) return resolve(source, args, context, info);
    const known = kept.get(key) ?? attempt(() => resolve(source, args, context, info));
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

/** Makes an operation ready; null where its top is more than plain fields. */
function compile(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): Compiled | null {
  const root =
    operation.operation === OperationTypeNode.SUBSCRIPTION ? undefined : schema.getRootType(operation.operation);
  const source = sourceOf(document);
  const fields = new Map<string, Complete | null>();
  const top: FieldNode[] = [];
  for (const node of operation.selectionSet.selections) {
    if (node.kind !== Kind.FIELD || node.directives?.length) return null;
    const key = node.alias?.value ?? node.name.value;
    const definition = root?.getFields()[node.name.value];
    // Without a resolver nothing would keep its answer; `__schema` and its kind are not among the fields.
    if (!definition?.resolve || fields.has(key) || key === '__proto__') return null;
    const isLeaf = !isCompositeType(getNamedType(definition.type));
    const complete = isLeaf ? null : compileCompletion(definition.type, [node], source);
    if (!isLeaf && !complete) return null;
    fields.set(key, complete);
    top.push(isLeaf ? node : { ...node, selectionSet: TYPE_ONLY });
  }
  const definition: OperationDefinitionNode = {
    ...operation,
    selectionSet: { ...operation.selectionSet, selections: top },
  };
  return { top: { kind: Kind.DOCUMENT, definitions: [definition] }, fields: [...fields], failures: 0 };
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

const TYPE_ONLY = {
  kind: Kind.SELECTION_SET,
  selections: [{ kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } }],
} as const;
