// Checks what must hold of every GraphQL answer, and records the outcome of each requested field.

import {
  getNullableType,
  getOperationAST,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  Kind,
  OperationTypeNode,
  parse,
  type DocumentNode,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { GraphQLCall, GraphQLOutcome } from '../send/graphql-calls.ts';
import { faultsOfAnswer, isNoHttp, isRightful, rowOf } from './rest.ts';
import type { Json } from '../state/http.ts';

/**
 * A root field of the operation that no directive left out, named like `Query.payments`, and the code that it failed
 * with; null if it was answered.
 */
export interface RootOutcome {
  readonly name: string;
  readonly field: string;
  readonly responseName: string;
  readonly data: Json;
  readonly failure: string | null;
}

export interface GraphQLVerdict {
  readonly faults: readonly string[];
  readonly roots: readonly RootOutcome[];
  /** Whether the operation could have changed anything. */
  readonly isMutation: boolean;
}

/** Operations that need no token. */
const PUBLIC = new Set([
  'currencies',
  'checkout',
  'registerMerchant',
  'createMerchant',
  'login',
  ...['signIn', 'startPasskeySignIn', 'finishSignIn', 'signInOptions', 'startOidcInvitation'],
  'createAccessToken',
  'checkoutUpdated',
  ...['invitation', 'acceptInvitation', 'requestPasswordReset', 'resetPassword', 'verifyEmail', 'revertEmail'],
  'sandboxMails',
  ...['invoiceCheckout', 'invoiceCheckoutUpdated', 'chooseAsset', 'linkCheckout', 'submitPaymentLink'],
  'walletTransaction',
  '__typename',
  '__schema',
  '__type',
]);

/** Judges the outcome of a call; fields that were answered are added to `seen` as `Type.field`. */
export function judgeGraphQL(
  schema: GraphQLSchema,
  call: GraphQLCall,
  outcome: GraphQLOutcome,
  seen: Set<string>,
): GraphQLVerdict {
  const { answer, results, closeCode } = outcome;
  if (answer !== null && isNoHttp(answer))
    return { faults: faultsOfAnswer(call.request, answer), roots: [], isMutation: false };
  const faults: string[] = [];
  if (answer !== null) faults.push(...faultsOfHttp(call, outcome));
  const document = call.query === null ? null : parsed(call.query);
  const operation = document && getOperationAST(document, call.operationName);
  const [result] = results as Json[];
  const maySayNothing = call.plan.operation === 'subscription' && call.plan.isBent;
  if (result === undefined && closeCode === null && !maySayNothing) faults.push('it ended without a result');
  for (const one of results) faults.push(...faultsOfResult(one, call, answer?.headers['x-request-id']));
  const roots = operation && document ? rootsOf(schema, { document, operation }, result, closeCode, seen, faults) : [];
  for (const { field, failure } of roots)
    if (failure === null && !PUBLIC.has(field) && isNobody(call))
      faults.push(`${field} answered to the caller "${call.plan.access}"`);
  return { faults, roots, isMutation: operation?.operation === OperationTypeNode.MUTATION };
}

const isNobody = ({ plan: { access } }: GraphQLCall) =>
  ['none', 'tampered', 'unsigned', 'nonsense', 'basic', 'secret'].includes(access);

function parsed(query: string): DocumentNode | null {
  try {
    return parse(query);
  } catch {
    return null;
  }
}

function faultsOfHttp({ request }: GraphQLCall, { answer }: GraphQLOutcome): string[] {
  if (answer === null) return [];
  const faults = faultsOfAnswer(request, answer);
  const type = answer.headers['content-type'] ?? '';
  if (!/^(application\/(graphql-response\+)?json|text\/event-stream)(;|$)/.test(type))
    faults.push(`answered with the type ${type}`);
  const codes = ((answer.body?.errors ?? []) as Json[]).map((error) => rowOf(error.extensions?.errorCode)?.status);
  // A request that fails before execution has the status of its error, but with `application/json` an invalid document
  // has 200. 406 is the status of the GraphQL over HTTP specification itself.
  if (answer.status >= 400 && answer.status !== 406 && !codes.includes(answer.status))
    faults.push(`status ${answer.status} for ${answer.text.slice(0, 200)}`);
  return faults;
}

const MASKED = '9500';

function faultsOfResult(result: Json, call: GraphQLCall, requestId: unknown): string[] {
  if (result === null || typeof result !== 'object' || Array.isArray(result))
    return [`not a result: ${JSON.stringify(result)}`];
  const faults: string[] = [];
  if (!('data' in result) && !Array.isArray(result.errors)) faults.push('a result without data and errors');
  if ('errors' in result && (!Array.isArray(result.errors) || result.errors.length === 0))
    faults.push('errors that are not a list');
  const asked = `${call.query ?? ''} ${String(call.request.body)}`;
  for (const error of (result.errors ?? []) as Json[]) {
    const { code, errorCode, requestId: id, ...more } = (error.extensions ?? {}) as Record<string, unknown>;
    const row = rowOf(errorCode);
    const isOwn =
      String(code).startsWith('GRAPHQL_') ||
      ['BAD_REQUEST', 'BAD_USER_INPUT', 'OPERATION_RESOLUTION_FAILURE', row?.graphql].includes(code as string) ||
      String(code).startsWith('PERSISTED_QUERY');
    if (typeof error.message !== 'string' || !row || !isOwn)
      faults.push(`not a documented error: ${JSON.stringify(error)}`);
    if (typeof id !== 'string' || (typeof requestId === 'string' && id !== requestId))
      faults.push(`an error without its request id: ${JSON.stringify(error)}`);
    if (Object.keys(more).some((name) => name !== 'details'))
      faults.push(`an error says more than it should: ${JSON.stringify(error)}`);
    if (row && row.status >= 500 && (row.code === MASKED || !isRightful(row.code, asked)))
      faults.push(`failed with ${row.code}`);
  }
  return faults;
}

interface Asked {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

function rootsOf(
  schema: GraphQLSchema,
  { document, operation }: Asked,
  result: Json,
  closeCode: number | null,
  seen: Set<string>,
  faults: string[],
): RootOutcome[] {
  const root = schema.getRootType(operation.operation);
  if (!root) return [];
  const errors = (result?.errors ?? []) as Json[];
  const refusal = errors.find((error) => error.path === undefined) ?? (result?.data == null ? errors[0] : undefined);
  const silence = result === undefined ? 'said nothing' : undefined;
  const whole = closeCode === null ? (refusal?.extensions?.errorCode ?? silence) : `closed ${closeCode}`;
  const reader = createReader(
    document,
    seen,
    faults,
    errors.map((error) => JSON.stringify(error.path)),
  );
  return fieldsOf(document, operation.selectionSet).flatMap((node) => {
    const responseName = node.alias?.value ?? node.name.value;
    const failed = errors.find((error) => error.path?.[0] === responseName)?.extensions?.errorCode;
    const failure = (failed ?? whole ?? null) as string | null;
    const data: Json = result?.data?.[responseName];
    if (failure === null) reader.field(root, node, data, [responseName]);
    if (failure === null && data === undefined && isOptional(node)) return [];
    return [{ name: `${root.name}.${node.name.value}`, field: node.name.value, responseName, data, failure }];
  });
}

/**
 * The fields of a selection, including those of its fragments, and those that a directive may leave out: they are
 * checked only if present. Of a union, those of one type.
 */
function fieldsOf(
  document: DocumentNode,
  { selections }: SelectionSetNode,
  ofType: string | null = null,
  depth = 0,
): FieldNode[] {
  if (depth > 20) return []; // Cyclic fragments, which were refused.
  const isOther = (condition: string | undefined) => ofType !== null && condition !== undefined && condition !== ofType;
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection];
    if (selection.kind === Kind.INLINE_FRAGMENT)
      return isOther(selection.typeCondition?.name.value)
        ? []
        : fieldsOf(document, selection.selectionSet, ofType, depth + 1);
    const name = selection.name.value;
    const fragment = document.definitions.find(
      (one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === name,
    );
    return fragment?.kind === Kind.FRAGMENT_DEFINITION
      ? fieldsOf(document, fragment.selectionSet, ofType, depth + 1)
      : [];
  });
}

/** Whether a directive may have left the field out. */
const isOptional = ({ directives = [] }: FieldNode): boolean => directives.length > 0;

/** Checks data against the types of the schema. */
function createReader(document: DocumentNode, seen: Set<string>, faults: string[], failedAt: readonly string[]) {
  function field(parent: GraphQLObjectType, node: FieldNode, value: Json, path: readonly (string | number)[]): void {
    const name = node.name.value;
    const definition = parent.getFields()[name];
    if (value === undefined)
      return void (isOptional(node) || name.startsWith('__') || faults.push(`${path.join('.')} is missing`));
    if (!definition) return;
    seen.add(`${parent.name}.${name}`);
    complete(definition.type, node, value, path);
  }

  function complete(
    declared: GraphQLOutputType,
    node: FieldNode,
    value: Json,
    path: readonly (string | number)[],
  ): void {
    if (value === null) {
      if (isNonNullType(declared)) faults.push(`${path.join('.')} is null`);
      return;
    }
    const type = getNullableType(declared);
    if (isListType(type)) {
      if (!Array.isArray(value)) faults.push(`${path.join('.')} is not a list`);
      else value.forEach((item: Json, index) => complete(type.ofType, node, item, [...path, index]));
    } else if (isLeafType(type)) {
      const isRight = isEnumType(type) ? type.getValue(value as string) !== undefined : SCALARS[type.name]?.(value);
      if (isRight !== true) faults.push(`${path.join('.')} is no ${type.name}: ${JSON.stringify(value)}`);
    } else if (isUnionType(type)) {
      const name: Json = (value as Record<string, Json>)['__typename'];
      const member = type.getTypes().find((one) => one.name === name);
      if (member) complete(member, node, value, path);
      else if (name !== undefined) faults.push(`${path.join('.')} is no ${type.name}: ${String(name)}`);
    } else if (isObjectType(type)) {
      const none = { kind: Kind.SELECTION_SET, selections: [] } as const;
      for (const inner of fieldsOf(document, node.selectionSet ?? none, type.name)) {
        const responseName = inner.alias?.value ?? inner.name.value;
        const at = [...path, responseName];
        if (!failedAt.includes(JSON.stringify(at)))
          field(type, inner, (value as Record<string, Json>)[responseName], at);
      }
    }
  }
  return { field };
}

const SCALARS: Readonly<Record<string, (value: Json) => boolean>> = {
  String: (value) => typeof value === 'string',
  ID: (value) => typeof value === 'string',
  Int: Number.isInteger,
  Float: (value) => typeof value === 'number',
  Boolean: (value) => typeof value === 'boolean',
  DateTimeISO: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
  JSONObject: (value) => typeof value === 'object' && !Array.isArray(value),
};
