// One request of the fuzz from plan to verdict: built, sent, checked, counted, and learnt from.

import type { GraphQLSchema } from 'graphql';
import type { createChecker } from '../../test/docs/openapi-document.fixture.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { makeGraphQLCall, sendGraphQL, type GraphQLCall, type GraphQLOutcome } from './graphql-calls.ts';
import type { GraphQLPlan } from '../generate/graphql-plans.ts';
import { faultsOfAnswer, faultsOfEnvelope, faultsOfRest } from '../oracle/rest.ts';
import { judgeGraphQL } from '../oracle/graphql.ts';
import { learn } from '../state/learn.ts';
import type { OddPlan } from '../generate/odd-plans.ts';
import { asCommand } from '../reproduce.ts';
import { keep, makeRestCall, type KeptRequests } from './rest-calls.ts';
import type { RestPlan } from '../generate/rest-plans.ts';
import type { Preparer, Shop } from '../state/merchants.ts';
import type { SocketPlan } from '../generate/socket-plans.ts';
import { sendFrames } from './sockets.ts';
import type { Tally } from '../oracle/coverage.ts';
import { send } from '../state/http.ts';
import type { System } from '../state/environment.ts';

export type Plan = RestPlan | GraphQLPlan | SocketPlan | OddPlan;

export interface FuzzDeps {
  readonly system: System;
  readonly schema: GraphQLSchema;
  readonly check: ReturnType<typeof createChecker>['faultsOf'];
  readonly preparer: Preparer;
  readonly shops: readonly Shop[];
  readonly kept: KeptRequests;
  readonly tally: Tally;
}

/** What was wrong with a request, if anything. */
export interface Verdict {
  /** The kind of request, by which different faults are counted. */
  readonly name: string;
  readonly faults: readonly string[];
  /** How to send it again by hand. */
  readonly command: string;
}

/** A verdict, and whether the request may have changed anything. */
interface Judged extends Verdict {
  readonly mayChange: boolean;
}

/** Performs a plan, and compares the changes that the database recorded with the answer. */
export async function perform(deps: FuzzDeps, plan: Plan): Promise<Verdict> {
  const { changes } = deps.system;
  const judged = await PERFORMERS[plan.kind](deps, plan as never, async () => void (await changes.take()));
  const changed = await changes.take();
  if (judged.mayChange || changed.length === 0) return judged;
  return { ...judged, faults: [...judged.faults, `refused or a read, but it changed: ${changed.join(', ')}`] };
}

/** Called when a request is about to be sent: changes made in preparing it are not its own. */
type OnReady = () => Promise<void>;
type Performer<Kind extends Plan> = (deps: FuzzDeps, plan: Kind, onReady: OnReady) => Promise<Judged>;

const performRest: Performer<RestPlan> = async (deps, plan, onReady) => {
  const { preparer, shops, kept, tally, system } = deps;
  const call = await makeRestCall(plan, preparer, shops, kept);
  await onReady();
  const name = `REST ${plan.operation.id}`;
  const command = asCommand(call.request);
  const answer = await send(system.url, call.request).catch(asFault);
  if (typeof answer === 'string') return { name, faults: [answer], command, mayChange: true };
  const isSuccess = answer.status < 300;
  const code = answer.body?.error?.code as string | undefined;
  tally.request(isSuccess && answer.status !== 0);
  tally.operation(name, isSuccess ? null : (code ?? String(answer.status)));
  const isItself = plan.method === null && plan.tail === '';
  if (isSuccess && isItself && call.repeats === null) {
    keep(kept, call, answer);
    if (plan.access === 'full' || plan.access === 'secret')
      learn(call.shop, plan.operation.id, call.input, answer.body?.data);
  }
  const isRead = call.request.method === 'GET' || call.repeats !== null;
  return { name, faults: faultsOfRest(call, answer, deps.check), command, mayChange: isSuccess && !isRead };
};

const performGraphQL: Performer<GraphQLPlan> = async (deps, plan, onReady) => {
  const { preparer, shops, schema, tally, system } = deps;
  const call = await makeGraphQLCall(plan, preparer, shops);
  await onReady();
  const name = `GraphQL ${plan.fields[0]?.field ?? ''}${plan.transport === 'post' ? '' : ` (${plan.transport})`}`;
  const command = asCommand(call.request);
  const { listening, stopTelling } = createListening(preparer, call);
  const outcome = await sendGraphQL(call, system.url, listening).catch(asFault);
  const isTold = await stopTelling();
  if (typeof outcome === 'string') return { name, faults: [outcome], command, mayChange: true };
  const { faults, roots, isMutation } = judgeGraphQL(schema, call, outcome, tally.fields);
  const answered = roots.filter(({ failure }) => failure === null);
  tally.request(roots.length > 0 && answered.length === roots.length);
  // A field under a hundred aliases counts as one field.
  for (const [root, { failure }] of new Map(roots.map((one) => [one.name, one])))
    tally.operation(isKnown(schema, root) ? `GraphQL ${root}` : 'GraphQL, unknown fields', failure);
  if (roots.length === 0)
    tally.operation('GraphQL, nothing that can be read', codeOf(outcome.results[0]) ?? endOf(outcome));
  if (plan.access === 'full' || plan.access === 'owner')
    for (const { field, responseName, data } of answered)
      learn(call.shop, field, { ...call.inputs[responseName], bearer: call.authorization?.slice(7) }, data);
  const isRepeat = outcome.answer?.headers['idempotent-replayed'] === 'true';
  return { name, faults, command, mayChange: isTold || (isMutation && answered.length > 0 && !isRepeat) };
};

const isKnown = (schema: GraphQLSchema, name: string): boolean => {
  const [type = '', field = ''] = name.split('.');
  const found = schema.getType(type);
  return found !== undefined && 'getFields' in found && Object.hasOwn(found.getFields(), field);
};

const codeOf = (result: { errors?: { extensions?: { errorCode?: string } }[] } | undefined) =>
  result?.errors?.[0]?.extensions?.errorCode;

const endOf = ({ closeCode }: GraphQLOutcome) => (closeCode === null ? 'nothing asked for' : `closed ${closeCode}`);

const TELL_AFTER_MS = 300;

const PAID = { amount: '0.01', currency: 'USDT', network: 'ETH', address: `0x${'4'.repeat(40)}` };

/** Listens to a subscription; if it stays silent, causes something that it must report. */
function createListening({ rest, receiver }: Preparer, { plan, shop }: GraphQLCall) {
  let isOver = false;
  let isTold = false;
  let telling: Promise<unknown> = Promise.resolve();
  async function tell(): Promise<void> {
    const end = performance.now() + TELL_AFTER_MS;
    while (!isOver && performance.now() < end) await pause(10);
    if (isOver) return;
    isTold = true;
    if (plan.fields.some(({ field }) => field === 'payoutUpdated'))
      await rest('POST', '/wallet/withdraw', shop.token, PAID);
    else await rest('POST', '/webhooks/test', shop.token, { url: `${receiver}/live` });
  }
  const isSubscription = plan.operation === 'subscription';
  const afterStart = () => void (telling = isSubscription ? tell().catch(() => undefined) : telling);
  return {
    listening: { afterStart, maySayNothing: isSubscription && plan.isBent },
    async stopTelling(): Promise<boolean> {
      isOver = true;
      await telling;
      return isTold;
    },
  };
}

const performFrames: Performer<SocketPlan> = async ({ system, tally }, { frames }, onReady) => {
  await onReady();
  const command = `a web socket to /graphql, graphql-transport-ws, that sends: ${frames.map((frame) => JSON.stringify(String(frame)).slice(0, 300)).join(' , ')}`;
  const outcome = await sendFrames(system.url, frames).catch(asFault);
  const name = 'web-socket frames';
  if (typeof outcome === 'string') return { name, faults: [outcome], command, mayChange: false };
  tally.request(false);
  tally.operation(name, outcome.closeCode === null ? 'answered' : `closed ${outcome.closeCode}`);
  return { name, faults: [], command, mayChange: false };
};

const performOdd: Performer<OddPlan> = async ({ system, tally }, { request }, onReady) => {
  await onReady();
  const name = 'no operation';
  const command = asCommand(request);
  const answer = await send(system.url, request).catch(asFault);
  if (typeof answer === 'string') return { name, faults: [answer], command, mayChange: false };
  tally.request(false);
  tally.operation(name, String(answer.body?.error?.code ?? answer.status));
  const isEnvelope =
    answer.status >= 400 && request.method !== 'HEAD' && !/^\/(graphql|pay|readyz)/.test(request.target);
  const isOfHttp = answer.status === 431 || answer.status === 408;
  const faults = faultsOfAnswer(request, answer);
  if (isEnvelope && !isOfHttp) faults.push(...faultsOfEnvelope(answer));
  return { name, faults, command, mayChange: false };
};

const PERFORMERS = { rest: performRest, graphql: performGraphQL, socket: performFrames, odd: performOdd };

/** No answer, or none in time, is a fault like any other. */
const asFault = (error: unknown): string => (error instanceof Error ? error.message : String(error));
