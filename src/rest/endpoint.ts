// REST as a thin adapter: a row of the table, parsed and validated against the schema at boot, executed with the
// caller's variables. It contains no payment logic.

import { Kind, parse, type ExecutionResult, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';
import { GatewayError, invalid, type Fault } from '../values/errors.ts';
import { streamCsv } from '../values/formats/csv.ts';
import { streamJson } from '../values/formats/json-stream.ts';
import type { OperationContext } from '../access/caller.ts';
import type { Engine } from '../graphql/engine.ts';
import { prepareOwn, type Prepared } from '../graphql/prepare.ts';
import { partsOf, type Span } from './report-periods.ts';
import type { Route } from './routes/route.ts';
import { createVariableReader, type RestRequest } from './variables.ts';

/** A prepared row. `run` returns the success envelope, or throws a `GatewayError` or what the resolver threw. */
export interface Endpoint {
  readonly route: Route;
  /** The operation's name, for the log. */
  readonly operation: string;
  /** Counts against the stricter limit of calls with credentials. */
  readonly isThrottled: boolean;
  /** Throws 1001 or 1004 before the body is read, as the schema would after. */
  authorize(context: unknown): void;
  run(request: RestRequest, context: OperationContext): Promise<RestAnswer>;
}

/** The envelope as an object, or a text of the requested type that is made part by part while it is read. */
export type RestAnswer =
  | { readonly status: number; readonly body: object }
  | { readonly status: number; readonly parts: AsyncIterable<string>; readonly type: string };

interface AdapterDeps {
  readonly engine: Pick<Engine, 'schema' | 'admit' | 'execute'>;
  /** Returns the permission check of an operation; it throws if the permission is missing. */
  guardOf(operation: OperationDefinitionNode): (context: unknown) => void;
  /** Every fault of variables that the schema refused. */
  explain(operation: OperationDefinitionNode, variables: Readonly<Record<string, unknown>>, context: unknown): Fault[];
}

/** Prepares a row. Throws at boot if its document does not fit the schema. */
export function createEndpoint(deps: AdapterDeps, route: Route): Endpoint {
  const { engine } = deps;
  const own = prepareAll(deps, route, route);
  const { operation } = own.prepared;
  const { alternative, asCsv, csvDocument } = route;
  const ofCsv = csvDocument === undefined ? own.prepared : prepare(deps, route, csvDocument);
  const other = alternative && prepareAll(deps, route, alternative);
  const readVariables = createVariableReader(engine.schema, route, operation);
  const toRestPath = createPathNames(operation);

  async function execute(one: Prepared, variables: Readonly<Record<string, unknown>>, context: OperationContext) {
    try {
      return dataOf(await engine.execute(await engine.admit(one, variables, context)));
    } catch (error) {
      throw inRestPaths(error, toRestPath);
    }
  }

  /** Reads a request's format and variables; throws 2001 with every fault. */
  function read({ query, ...rest }: RestRequest, context: OperationContext) {
    const format = route.inParts || asCsv ? readFormat(query) : { isCsv: false, query, faults: [] };
    const { variables, faults: own } = readVariables({ ...rest, query: format.query });
    const faults = [...format.faults, ...own];
    if (faults.length === 0) return { isCsv: format.isCsv, variables };
    const known = new Set(faults.map(({ path }) => path));
    const more = deps.explain(operation, variables, context).map(toRestPath);
    throw invalid([...faults, ...more.filter(({ path }) => !known.has(path))]);
  }

  return {
    route,
    operation: operation.name?.value ?? route.path,
    isThrottled: isThrottled(engine.schema, operation),
    authorize: deps.guardOf(operation),
    async run(request, context) {
      const { isCsv, variables } = read(request, context);
      const { status } = route;
      const run = (one: Prepared, given: Variables) => execute(one, given, context);
      const chosen = alternative && other && variables[alternative.when] === true ? other : own;
      if (chosen.parts) {
        const parts = await readInParts(chosen.prepared, chosen.parts, { isCsv, variables, run });
        if (parts) return { status, ...parts };
      }
      if (asCsv && isCsv) return { status, type: CSV, parts: await begun(streamCsv(asCsv, pagesOf())) };
      const data = await run(chosen.prepared, variables);
      const { message } = route;
      return { status, body: { success: true, data, ...(message === undefined ? {} : { message }) } };

      /** Reads a list page by page, each when the one before has been taken. */
      async function* pagesOf() {
        let cursor: string | null = null;
        do {
          const page = (await run(ofCsv, { ...variables, limit: LONGEST_PAGE, cursor })) as ListPage;
          yield page.items;
          cursor = page.pagination.nextCursor;
        } while (cursor !== null);
      }
    },
  };
}

type Variables = Readonly<Record<string, unknown>>;

/** The documents of a row, prepared. */
interface PreparedRow {
  readonly prepared: Prepared;
  readonly parts: (NonNullable<Route['inParts']> & { readonly prepared: Record<'span' | 'head', Prepared> }) | null;
}

function prepareAll(deps: AdapterDeps, route: Route, { document, inParts }: Pick<Route, 'document' | 'inParts'>) {
  const [span, head] = inParts ? [inParts.span, inParts.head].map((text) => prepare(deps, route, text)) : [];
  const parts = inParts && span && head ? { ...inParts, prepared: { span, head } } : null;
  return { prepared: prepare(deps, route, document), parts } satisfies PreparedRow;
}

interface PartsRequest {
  readonly isCsv: boolean;
  readonly variables: Variables;
  run(one: Prepared, given: Variables): Promise<unknown>;
}

/** A report that is read in parts, as a text that is made while it is read; null for JSON of a single part. */
async function readInParts(
  rows: Prepared,
  { field, columns, prepared }: NonNullable<PreparedRow['parts']>,
  { isCsv, variables, run }: PartsRequest,
): Promise<{ readonly type: string; readonly parts: AsyncIterable<string> } | null> {
  const whole = toSpan((await run(prepared.span, variables)) as Span);
  const times = [...partsOf(whole, unitOf(variables))];
  const during = (time: Span) => ({ ...variables, startDate: textOf(time.from), endDate: textOf(time.to) });
  const read = async (time: Span) => ((await run(rows, during(time))) as Rows)[field] ?? [];
  if (isCsv) return { type: CSV, parts: await begun(streamCsv(columns, rowsOf(times, read))) };
  if (times.length <= 1) return null;
  const data = { ...((await run(prepared.head, during(whole))) as object), [field]: [] };
  return { type: JSON_TYPE, parts: await begun(streamJson({ success: true, data }, rowsOf(times, read))) };
}

/** The parameter `format`: json (the default) or csv. */
function readFormat(query: RestRequest['query']) {
  const [format = 'json', ...more] = query.get('format') ?? [];
  const isKnown = (format === 'json' || format === 'csv') && more.length === 0;
  const faults: Fault[] = isKnown ? [] : [{ path: 'format', message: 'must be json or csv' }];
  return { isCsv: format === 'csv', query: new Map([...query].filter(([name]) => name !== 'format')), faults };
}

/** What the schema lets a page of a list have at most. */
const LONGEST_PAGE = 100;

/** A page of a list, as rows select it. */
interface ListPage {
  readonly items: readonly Row[];
  readonly pagination: { readonly nextCursor: string | null };
}

const CSV = 'text/csv; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
type Row = Readonly<Record<string, unknown>>;
type Rows = Readonly<Record<string, readonly Row[]>>;

const toSpan = ({ from, to }: Span): Span => ({ from: new Date(from), to: new Date(to) });
const textOf = (time: Date): string => time.toISOString();

function unitOf({ groupBy }: Row): 'day' | 'week' | 'month' {
  return groupBy === 'WEEK' ? 'week' : groupBy === 'MONTH' ? 'month' : 'day';
}

/** Reads the parts of a period one after another, each when the one before has been taken. */
async function* rowsOf(times: readonly Span[], read: (time: Span) => Promise<readonly Row[]>) {
  for (const time of times) yield await read(time);
}

/** Reads the first part ahead, so that an error before any output becomes an ordinary error response. */
async function begun(parts: AsyncGenerator<string, void>): Promise<AsyncIterable<string>> {
  const first = await parts.next();
  return (async function* () {
    if (first.done === true) return;
    yield first.value;
    yield* parts;
  })();
}

function prepare({ engine }: AdapterDeps, { method, path }: Route, text: string): Prepared {
  try {
    return prepareOwn(engine.schema, parse(text, { noLocation: true }));
  } catch (cause) {
    throw new Error(`${method} ${path}: ${String(cause)}`, { cause });
  }
}

/** The data of a result; throws what the resolver threw. */
function dataOf({ data, errors }: ExecutionResult): unknown {
  const [error] = errors ?? [];
  if (error) throw error.originalError ?? error;
  return data && 'result' in data ? data['result'] : data;
}

/** The error with the paths of its faults changed from variables to the fields of the request. */
function inRestPaths(error: unknown, toRestPath: PathNames): unknown {
  if (!(error instanceof GatewayError) || !error.details) return error;
  const details = error.details.map(toRestPath);
  if (error.errorName === 'VALIDATION') return invalid(details);
  return new GatewayError(error.errorName, { message: error.message, details, cause: error });
}

function isThrottled(schema: GraphQLSchema, { operation, selectionSet }: OperationDefinitionNode): boolean {
  const fields = schema.getRootType(operation)?.getFields() ?? {};
  return selectionSet.selections.some(
    (node) => node.kind === Kind.FIELD && fields[node.name.value]?.extensions['throttled'] === true,
  );
}

const RENAMED: ReadonlyMap<string, string> = new Map([
  ['first', 'limit'],
  ['after', 'cursor'],
]);

type PathNames = (fault: Fault) => Fault;

/** Turns variable paths into request paths: drops `input` and `filter`; `first` and `after` get their REST names. */
function createPathNames(operation: OperationDefinitionNode): PathNames {
  const own = new Set((operation.variableDefinitions ?? []).map(({ variable }) => variable.name.value));
  return ({ path, ...fault }) => {
    const plain = path.replace(/^(input|filter)(\.|$)/, '');
    // Parameters of webhooks are written as their records are: `event_type`.
    const snake = plain.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const named = [plain, snake].find((name) => own.has(name));
    return { path: named ?? RENAMED.get(plain) ?? plain, ...fault };
  };
}
