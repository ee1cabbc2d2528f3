// Random selection sets of the schema's types, and their text.

import fc from 'fast-check';
import { getNamedType, isCompositeType, isObjectType, isUnionType, type GraphQLNamedType } from 'graphql';

/** How a selection of fields is written. */
type Style = 'plain' | 'inline' | 'fragment' | 'include';

export interface Selected {
  readonly field: string;
  readonly alias: string | null;
  readonly inner: Selection | null;
}

export interface Selection {
  readonly type: string;
  readonly style: Style;
  readonly fields: readonly Selected[];
  /** Of a union: what is selected of each of its types. */
  readonly members?: readonly Selection[];
}

/** Fields that the run learns from, selected wherever they exist. */
const TELLING = new Set(['id', 'status', 'keyId', 'eventId', 'secret', 'latePaymentPolicy', 'nextCursor', 'endCursor']);

const known = new Map<string, fc.Arbitrary<Selection>>();

/** Selections of an object type or of each type of a union; the schema's types have no cycles. */
export function selectionOf(type: GraphQLNamedType): fc.Arbitrary<Selection> {
  const found = known.get(type.name);
  if (found) return found;
  if (isUnionType(type))
    return fc
      .tuple(...type.getTypes().map(selectionOf))
      .map((members) => unionOf(type.name, members.map(withoutAliases)));
  if (!isObjectType(type)) throw new Error(`${type.name} is no object type`);
  const fields = Object.values(type.getFields()).map((field) => {
    const inner = getNamedType(field.type);
    const selected = fc.record({
      field: fc.constant(field.name),
      alias: TELLING.has(field.name)
        ? fc.constant(null)
        : fc.option(fc.constantFrom('a', 'b', '_', 'data', 'errors', '__proto'), { freq: 8 }),
      inner: isCompositeType(inner) ? selectionOf(inner) : fc.constant(null),
    });
    const all = selected as fc.Arbitrary<Selected | null>;
    return TELLING.has(field.name) ? all : fc.option(all, { freq: isCompositeType(inner) ? 3 : 2 });
  });
  const made = fc
    .tuple(fc.tuple(...fields), fc.constantFrom<Style>('plain', 'plain', 'plain', 'inline', 'fragment', 'include'))
    .map(([chosen, style]) => {
      const selected = chosen.filter((one) => one !== null);
      const aliases = new Set<string>();
      // Two fields under one name would be another kind of document.
      const distinct = selected.map((one) => {
        if (one.alias === null || aliases.has(one.alias)) return { ...one, alias: null };
        aliases.add(one.alias);
        return one;
      });
      const typename = { field: '__typename', alias: null, inner: null };
      return { type: type.name, style, fields: distinct.length > 0 ? distinct : [typename] };
    });
  known.set(type.name, made);
  return made;
}

/** The types of a union may have fields of one name, which have to be the same ones. */
function withoutAliases({ fields, ...rest }: Selection): Selection {
  const plain = ({ field, inner }: Selected) => ({ field, alias: null, inner: inner && withoutAliases(inner) });
  return { ...rest, fields: fields.map(plain) };
}

const unionOf = (type: string, members: readonly Selection[]): Selection => ({
  ...{ type, style: 'plain', fields: [{ field: '__typename', alias: null, inner: null }], members },
});

/** A selection of everything in an object type, or in each type of a union. */
export function wholeSelection(type: GraphQLNamedType): Selection {
  if (isUnionType(type)) return unionOf(type.name, type.getTypes().map(wholeSelection));
  if (!isObjectType(type)) throw new Error(`${type.name} is no object type`);
  const fields = Object.values(type.getFields()).map((field) => {
    const inner = getNamedType(field.type);
    return { field: field.name, alias: null, inner: isCompositeType(inner) ? wholeSelection(inner) : null };
  });
  return { type: type.name, style: 'plain', fields };
}

/** The text of a selection set; fragments are added to `fragments`. */
export function printSelection({ type, style, fields, members = [] }: Selection, fragments: string[]): string {
  const parts = members.map((one) => `... on ${one.type} ${printSelection(one, fragments)}`);
  const inner = [...fields.map((one) => printField(one, fragments)), ...parts].join(' ');
  if (style === 'inline') return `{ ... on ${type} { ${inner} } }`;
  if (style === 'include') return `{ ... @include(if: true) { ${inner} } }`;
  if (style === 'plain') return `{ ${inner} }`;
  const name = `F${fragments.length}`;
  fragments.push(`fragment ${name} on ${type} { ${inner} }`);
  return `{ ...${name} }`;
}

function printField({ field, alias, inner }: Selected, fragments: string[]): string {
  const name = alias === null ? field : `${alias}: ${field}`;
  return inner === null ? name : `${name} ${printSelection(inner, fragments)}`;
}
