// How large a GraphQL document may be and how much it may ask for, over HTTP, sockets and streams alike; fragments
// count wherever they are used.

import {
  getNamedType,
  getNullableType,
  GraphQLError,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValidationRule,
} from 'graphql';

/**
 * Contract, section 8. `tokens` is for the parser (`maxTokens`), the rest for `QUERY_LIMIT_RULES`. The dearest
 * operation of the documented REST calls, a page of 100 events with their payments and invoices, costs 17,001.
 */
export const QUERY_LIMITS = { tokens: 2_000, depth: 20, aliases: 100, cost: 20_000 } as const;

/** What a field costs: itself 1, and what is in it once for each item that it may answer. */
export const COSTS = {
  /** Items of a page whose `first` is not given. */
  pageByDefault: 20,
  /** Items of a page whose `first` is a variable, whatever it holds: documents are weighed without their variables. */
  largestPage: 100,
  /** Items of a list of the query itself that has no pages, such as `apiKeys`. */
  rootList: 20,
  /** Items of a list within an item, such as the transactions of a payment. */
  innerList: 5,
  /** The same of a list that mostly has one, such as the quotes of an invoice: its field is marked `mostlyOne`. */
  shortList: 2,
  /** A look at the schema, whatever it shows; GraphQL's own rules limit how far it goes. */
  introspection: { __schema: 3_000, __type: 300 } as Readonly<Record<string, number>>,
} as const;

interface Size {
  readonly depth: number;
  readonly aliases: number;
}

const EMPTY: Size = { depth: 0, aliases: 0 };

/** Refuses operations that are too deep or have too many aliases. */
const limitSize: ValidationRule = (context) => {
  const known = new Map<string, Size>();

  function sizeOfFragment(fragment: FragmentDefinitionNode): Size {
    const name = fragment.name.value;
    const size = known.get(name);
    if (size) return size;
    // A fragment that spreads itself counts nothing here; a rule of GraphQL's own refuses it.
    known.set(name, EMPTY);
    const measured = sizeOf(fragment.selectionSet);
    known.set(name, measured);
    return measured;
  }

  function sizeOf(selectionSet: SelectionSetNode): Size {
    let depth = 0;
    let aliases = 0;
    for (const selection of selectionSet.selections) {
      let inner = EMPTY;
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = context.getFragment(selection.name.value);
        if (fragment) inner = sizeOfFragment(fragment);
      } else if (selection.selectionSet) inner = sizeOf(selection.selectionSet);
      const isField = selection.kind === Kind.FIELD;
      depth = Math.max(depth, inner.depth + (isField ? 1 : 0));
      aliases += inner.aliases + (isField && selection.alias ? 1 : 0);
    }
    return { depth, aliases };
  }

  return {
    OperationDefinition(operation) {
      const { depth, aliases } = sizeOf(operation.selectionSet);
      const refuse = (message: string) => context.reportError(new GraphQLError(message, { nodes: [operation] }));
      if (depth > QUERY_LIMITS.depth) refuse(`The operation is deeper than ${QUERY_LIMITS.depth} levels`);
      if (aliases > QUERY_LIMITS.aliases) refuse(`The operation has more than ${QUERY_LIMITS.aliases} aliases`);
    },
  };
};

/** Refuses operations that cost too much. */
const limitCost: ValidationRule = (context) => ({
  OperationDefinition(operation) {
    const cost = costOf(context.getSchema(), operation, (name) => context.getFragment(name));
    if (cost <= QUERY_LIMITS.cost) return;
    const [is, most] = [cost, QUERY_LIMITS.cost].map((figure) => figure.toLocaleString('en-US'));
    const message = `The operation costs ${is}, and ${most} is the most: ask for fewer fields or smaller pages`;
    context.reportError(new GraphQLError(message, { nodes: [operation] }));
  },
});

type FindFragment = (name: string) => FragmentDefinitionNode | null | undefined;

/** What an operation may cost at most, whatever its variables hold. Fields that do not exist cost nothing. */
export function costOf(schema: GraphQLSchema, operation: OperationDefinitionNode, find: FindFragment): number {
  return createCosts(schema, operation, find).ofSet(operation.selectionSet);
}

/** The same of each field at the top of an operation. */
export function createFieldCosts(schema: GraphQLSchema, operation: OperationDefinitionNode, find: FindFragment) {
  return createCosts(schema, operation, find).ofField;
}

function createCosts(schema: GraphQLSchema, { operation }: OperationDefinitionNode, find: FindFragment) {
  const known = new Map<string, number>();
  const root = schema.getRootType(operation);

  function costOfSelection(selection: SelectionNode, parent: GraphQLNamedType, isPage: boolean): number {
    if (selection.kind === Kind.FIELD) return costOfField(selection, parent, isPage);
    if (selection.kind === Kind.FRAGMENT_SPREAD) return costOfSpread(selection.name.value, isPage);
    const name = selection.typeCondition?.name.value;
    return costOfSet(selection.selectionSet, (name === undefined ? parent : schema.getType(name)) ?? parent, isPage);
  }

  function costOfSet({ selections }: SelectionSetNode, parent: GraphQLNamedType, isPage: boolean): number {
    return selections.reduce((sum, selection) => sum + costOfSelection(selection, parent, isPage), 0);
  }

  /** A fragment costs the same wherever it is used, but for whether its lists are those of a page. */
  function costOfSpread(name: string, isPage: boolean): number {
    const key = `${name} ${String(isPage)}`;
    const cost = known.get(key);
    if (cost !== undefined) return cost;
    const fragment = find(name);
    const type = fragment && schema.getType(fragment.typeCondition.name.value);
    if (!fragment || !type) return 0;
    known.set(key, 0);
    const measured = costOfSet(fragment.selectionSet, type, isPage);
    known.set(key, measured);
    return measured;
  }

  function costOfField(field: FieldNode, parent: GraphQLNamedType, isPage: boolean): number {
    const { value: name } = field.name;
    const introspection = Object.hasOwn(COSTS.introspection, name) ? COSTS.introspection[name] : undefined;
    if (introspection !== undefined) return introspection;
    const definition = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
    if (!definition) return name === '__typename' ? 1 : 0;
    const type = getNamedType(definition.type);
    if (!field.selectionSet || !isCompositeType(type)) return 1;
    const hasPages = definition.args.some((argument) => argument.name === 'first');
    const items = hasPages ? pageOf(field) : isPage ? 1 : listOf(definition, parent === root);
    return 1 + items * costOfSet(field.selectionSet, type, hasPages);
  }

  return {
    ofSet: (set: SelectionSetNode) => (root ? costOfSet(set, root, false) : 0),
    ofField: (field: FieldNode) => (root ? costOfField(field, root, false) : 0),
  };
}

/**
 * Items of a page. One that is too large is refused as any wrong argument is, by its path, and counts as the largest.
 */
function pageOf(field: FieldNode): number {
  const value = field.arguments?.find((argument) => argument.name.value === 'first')?.value;
  if (value === undefined || value.kind === Kind.NULL) return COSTS.pageByDefault;
  if (value.kind !== Kind.INT) return COSTS.largestPage;
  return Math.min(COSTS.largestPage, Math.max(1, Number(value.value)));
}

function listOf(field: GraphQLField<unknown, unknown>, isOfRoot: boolean): number {
  if (!isListType(getNullableType(field.type))) return 1;
  if (isOfRoot) return COSTS.rootList;
  return field.extensions['mostlyOne'] === true ? COSTS.shortList : COSTS.innerList;
}

/** The rules to add to GraphQL's own. */
export const QUERY_LIMIT_RULES: readonly ValidationRule[] = [limitSize, limitCost];
