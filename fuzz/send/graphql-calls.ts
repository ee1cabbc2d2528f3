// Builds a request from a GraphQL plan, with its placeholders filled in, and sends it by the chosen transport.

import { authorizationOf } from '../generate/callers.ts';
import type { GraphQLPlan, PlannedArgument } from '../generate/graphql-plans.ts';
import { resolveAll } from '../generate/references.ts';
import { isOrdinary } from './rest-calls.ts';
import { printSelection } from '../generate/selections.ts';
import type { Preparer, Shop } from '../state/merchants.ts';
import { runOnSocket, type Listening } from './sockets.ts';
import { runOnStream } from './streams.ts';
import { send, type Json, type WireAnswer, type WireRequest } from '../state/http.ts';

export interface GraphQLCall {
  readonly plan: GraphQLPlan;
  readonly shop: Shop;
  /** Over a socket, its body is the payload of the subscribe message. */
  readonly request: WireRequest;
  /** The document as it was sent; null if none was. */
  readonly query: string | null;
  readonly operationName: string | null;
  readonly authorization: string | null;
  /** The arguments of each field, by the field's response name. */
  readonly inputs: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The outcome of a call. */
export interface GraphQLOutcome {
  /** Null if the call went over a socket. */
  readonly answer: WireAnswer | null;
  /** GraphQL results; there may be several for a subscription. */
  readonly results: readonly Json[];
  /** The close code, if the gateway closed the socket; otherwise null. */
  readonly closeCode: number | null;
}

export async function makeGraphQLCall(
  plan: GraphQLPlan,
  preparer: Preparer,
  shops: readonly Shop[],
): Promise<GraphQLCall> {
  const shop = shops[plan.shop % shops.length];
  const other = shops[(plan.shop + 1) % shops.length];
  if (!shop || !other) throw new Error('There are no shops');
  const printed = await printDocument(plan, preparer, shop);
  const authorization = await authorizationOf(plan.access, { preparer, shop, other });
  const variables: unknown = plan.variables === null ? printed.variables : plan.variables.value;
  const body: unknown = plan.document?.bend(printed.query, { variables }) ?? { query: printed.query, variables };
  const sent = (body ?? {}) as { query?: unknown; operationName?: unknown };
  const headers = {
    ...(authorization === null ? {} : { authorization }),
    accept: 'application/graphql-response+json',
    ...plan.headers,
  };
  return {
    ...{ plan, shop, authorization, inputs: printed.inputs },
    request: plan.transport === 'get' ? asGet(sent, headers) : asPost(plan, body, headers),
    query: typeof sent.query === 'string' && !Array.isArray(body) ? sent.query : null,
    operationName: typeof sent.operationName === 'string' ? sent.operationName : null,
  };
}

function asPost({ bytes, transport }: GraphQLPlan, body: unknown, headers: Record<string, string>): WireRequest {
  const plain = Buffer.from(JSON.stringify(body));
  const request = {
    method: 'POST',
    target: transport === 'stream' ? '/graphql/stream' : '/graphql',
    headers: { 'content-type': 'application/json', ...headers, ...bytes?.headers },
    body: bytes === null ? plain : bytes.bend(plain),
  };
  return { ...request, isRaw: !isOrdinary(request) };
}

function asGet(sent: Readonly<Record<string, unknown>>, headers: Record<string, string>): WireRequest {
  const parameters = Object.entries(sent).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(text.toWellFormed())}`;
  });
  // Apollo refuses a GET that a browser could send without a preflight, which this header rules out.
  const all = { 'apollo-require-preflight': 'true', ...headers };
  const request = { method: 'GET', target: `/graphql?${parameters.join('&')}`, headers: all, body: null };
  return { ...request, isRaw: !isOrdinary(request) };
}

/** Sends the call. Throws if there is no answer in time. */
export async function sendGraphQL(call: GraphQLCall, url: string, listening: Listening): Promise<GraphQLOutcome> {
  const { plan, request } = call;
  // Only an object with a document can be subscribed with; other frames are another part of the fuzz.
  if (plan.transport === 'socket' && call.query !== null && plan.bytes === null) {
    const payload = JSON.parse(String(request.body)) as object;
    return { answer: null, ...(await runOnSocket(url, call.authorization, payload, listening)) };
  }
  if (plan.transport === 'stream' && request.isRaw !== true)
    return { closeCode: null, ...(await runOnStream(url, request, listening)) };
  const answer = await send(url, request);
  return { answer, results: [answer.body], closeCode: null };
}

interface Printed {
  readonly query: string;
  readonly variables: Record<string, unknown>;
  readonly inputs: Record<string, Record<string, unknown>>;
}

async function printDocument(plan: GraphQLPlan, preparer: Preparer, shop: Shop): Promise<Printed> {
  const fragments: string[] = [];
  const variables: Record<string, unknown> = {};
  const declared: string[] = [];
  const inputs: Printed['inputs'] = {};
  const fields: string[] = [];
  for (const [index, { field, args, selection }] of plan.fields.entries()) {
    const name = `r${index}`;
    const given: string[] = [];
    for (const argument of args) {
      const value = await resolveAll(preparer, shop, argument.value);
      if (value === undefined) continue;
      inputs[name] = {
        ...inputs[name],
        ...(value !== null && typeof value === 'object' ? value : { [argument.name]: value }),
      };
      given.push(
        `${argument.name}: ${writtenAs(argument, value, { name: `v${index}_${argument.name}`, variables, declared })}`,
      );
    }
    const inner = selection === null ? '' : ` ${printSelection(selection, fragments)}`;
    fields.push(`${name}: ${field}${given.length > 0 ? `(${given.join(', ')})` : ''}${inner}`);
  }
  const head = declared.length > 0 ? `${plan.operation} (${declared.join(', ')})` : plan.operation;
  return { query: [`${head} { ${fields.join(' ')} }`, ...fragments].join(' '), variables, inputs };
}

interface Variables {
  readonly name: string;
  readonly variables: Record<string, unknown>;
  readonly declared: string[];
}

function writtenAs(
  { type, isLiteral }: PlannedArgument,
  value: unknown,
  { name, variables, declared }: Variables,
): string {
  if (isLiteral) return JSON.stringify(value);
  declared.push(`$${name}: ${type}`);
  variables[name] = value;
  return `$${name}`;
}
