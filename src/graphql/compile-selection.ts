// What a selection set makes of a value, as a function made once: graphql-js' own completion looks everything up anew
// for each field of each item, which is most of the time that a page of a list takes. This does the plain part of it
// only: object types whose fields are properties or made of their object alone, lists and leaves. All else is left to
// graphql-js, by the document or by the value, so that what is answered never depends on who did it.

import {
  getNullableType,
  GraphQLBoolean,
  GraphQLID,
  GraphQLInt,
  GraphQLString,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type SelectionSetNode,
} from 'graphql';
import { GraphQLDateTimeISO } from 'graphql-scalars';
import { sizeOfLeaf, takeBytes, type AnswerBudget } from '../values/answer-budget.ts';
import { isoTime } from '../values/formats/iso-time.ts';

/**
 * Makes of a value what is answered; throws where that is for graphql-js to say, and 2001 where it takes more than is
 * left of the budget, if there is one.
 */
export type Complete = (value: unknown, budget: AnswerBudget | null) => unknown;

/** What belongs to a document. */
export interface Source {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** How many more fields may be made of it: fragments that use fragments could make very many of a few lines. */
  fieldsLeft: number;
}

/** Thrown for every value that is not plain; it never leaves the executor. */
const NOT_PLAIN = new Error('Left to graphql-js');

/** The function for a field's type and what is selected of it; null where it is not plain. */
export function compileCompletion(
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
  source: Source,
): Complete | null {
  const inner = compileNullable(getNullableType(type) as GraphQLOutputType, nodes, source);
  if (!inner) return null;
  if (!isNonNullType(type))
    return (value, budget) => (value === null || value === undefined ? null : inner(value, budget));
  return (value, budget) => {
    if (value === null || value === undefined) throw NOT_PLAIN;
    return inner(value, budget);
  };
}

function compileNullable(type: GraphQLOutputType, nodes: readonly FieldNode[], source: Source): Complete | null {
  if (isLeafType(type)) return measured(compileLeaf(type));
  if (isListType(type)) {
    const item = compileCompletion(type.ofType as GraphQLOutputType, nodes, source);
    return item && completeList(item);
  }
  return isObjectType(type) ? compileObject(type, nodes, source) : null;
}

function completeList(item: Complete): Complete {
  return (value, budget) => {
    if (!Array.isArray(value)) throw NOT_PLAIN;
    return value.map((each) => item(each, budget));
  };
}

function compileObject(type: GraphQLObjectType, nodes: readonly FieldNode[], source: Source): Complete | null {
  const selected = collect(type, nodes, source);
  if (type.isTypeOf || !selected) return null;
  const fields: { key: string; complete: Complete }[] = [];
  for (const [key, same] of selected) {
    const complete = compileField(type, same, source);
    if (!complete) return null;
    fields.push({ key, complete });
  }
  // The names with their marks, those of the type itself, and the braces.
  const isTypeName = ([node]: readonly FieldNode[]) => node?.name.value === '__typename';
  const typeNames = [...selected.values()].filter(isTypeName).length;
  const bytes = fields.reduce((sum, { key }) => sum + key.length + 4, 2) + typeNames * sizeOfLeaf(type.name);
  return (value, budget) => {
    // An error fails the field, wherever it was answered.
    if (typeof value !== 'object' || isPromise(value) || value instanceof Error) throw NOT_PLAIN;
    if (budget) takeBytes(budget, bytes);
    const object: Record<string, unknown> = {};
    for (const { key, complete } of fields) object[key] = complete(value, budget);
    return object;
  };
}

/** What is answered for a field of an object, from the object; null where that takes more than the object. */
function compileField(type: GraphQLObjectType, nodes: readonly FieldNode[], source: Source): Complete | null {
  const name = nodes[0]?.name.value ?? '';
  if (name === '__typename') return () => type.name;
  const definition = type.getFields()[name];
  const complete = definition && compileCompletion(definition.type, nodes, source);
  if (!complete) return null;
  if (!definition.resolve) return (object, budget) => complete((object as Record<string, unknown>)[name], budget);
  const ofSource = definition.extensions['ofSource'] as ((object: unknown) => unknown) | undefined;
  return ofSource ? (object, budget) => complete(ofSource(object), budget) : null;
}

/** The fields of an object by their names in the answer, in order; null where that takes variables or other types. */
function collect(
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  source: Source,
): Map<string, FieldNode[]> | null {
  const found = new Map<string, FieldNode[]>();
  const isOwn = (name: string | undefined) => name === undefined || name === type.name;
  const visit = ({ selections }: SelectionSetNode): boolean =>
    selections.every((node) => {
      if (node.directives && node.directives.length > 0) return false;
      if (node.kind === Kind.FIELD) {
        const key = node.alias?.value ?? node.name.value;
        // As a property it would be the object's prototype.
        source.fieldsLeft -= 1;
        if (key === '__proto__' || source.fieldsLeft < 0) return false;
        const same = found.get(key);
        if (same) same.push(node);
        else found.set(key, [node]);
        return true;
      }
      const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : source.fragments.get(node.name.value);
      return fragment !== undefined && isOwn(fragment.typeCondition?.name.value) && visit(fragment.selectionSet);
    });
  return nodes.every((node) => node.selectionSet !== undefined && visit(node.selectionSet)) ? found : null;
}

const isPromise = (value: unknown): boolean => typeof (value as { then?: unknown } | null)?.then === 'function';

function measured(complete: Leaf): Complete {
  return (value, budget) => {
    const answered = complete(value);
    if (budget) takeBytes(budget, sizeOfLeaf(answered));
    return answered;
  };
}

type Leaf = (value: unknown) => unknown;

function compileLeaf(type: GraphQLLeafType): Leaf {
  const serialize: Leaf = (value) => {
    // graphql-js calls what is a function, and waits for what is a promise.
    if (typeof value === 'function' || isPromise(value) || value instanceof Error) throw NOT_PLAIN;
    const serialized: unknown = type.serialize(value);
    if (serialized === null || serialized === undefined) throw NOT_PLAIN;
    return serialized;
  };
  const isAlready = PLAIN.get(type);
  if (isAlready) return (value) => (isAlready(value) ? value : serialize(value));
  if (type === GraphQLDateTimeISO) return (value) => (value instanceof Date ? isoTime(value) : serialize(value));
  return serialize;
}

/** Which values these types would answer as they are. */
const PLAIN = new Map<GraphQLLeafType, (value: unknown) => boolean>([
  [GraphQLString, (value) => typeof value === 'string'],
  [GraphQLID, (value) => typeof value === 'string'],
  [GraphQLInt, (value) => typeof value === 'number' && (value | 0) === value],
  [GraphQLBoolean, (value) => typeof value === 'boolean'],
]);
