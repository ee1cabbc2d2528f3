// GraphQL query of the API log: one row per call.

import { Arg, Args, Ctx, Field, ID, InputType, Int, ObjectType, Query, registerEnumType, Resolver } from 'type-graphql';
import { listApiLog, searchApiLog } from '../database/queries/list-api-log.ts';
import { readAnywhere } from '../database/read-source.ts';
import { loggedPath } from '../domain/merchants/api-log.ts';
import { asEnum } from '../entities/enums.ts';
import * as checks from '../values/checks.ts';
import { callerOf, Needs, type Context } from './operation/context.ts';
import { openPage, toConnection, toConnectionBefore } from './pagination.ts';
import type { Services } from './services.ts';
import { PageArgs, PageInfo } from './types/page.ts';
import { Checked } from './operation/validation.ts';

@ObjectType({ description: 'A call of the API.', simpleResolvers: true })
export class ApiLogEntry {
  @Field(() => String, { description: 'The `X-Request-Id` it was answered with.' })
  declare requestId: string;

  @Field(() => Date, { description: 'When it was answered; of a stream, when it ended.' })
  declare at: Date;

  @Field(() => String, { nullable: true, description: "The key it was made with; null for the owner's own." })
  declare keyId: string | null;

  @Field(() => String, { description: 'The HTTP method; `WS` for an operation on a web socket.' })
  declare method: string;

  @Field(() => String, { description: 'The path, without its query.' })
  declare path: string;

  @Field(() => String, { nullable: true, description: 'The operation, such as `createPayment`.' })
  declare operation: string | null;

  @Field(() => Int, { description: 'The HTTP status answered; on a web socket the one that it stands for.' })
  declare status: number;

  @Field(() => String, { nullable: true, description: 'The code of the error answered; null where there was none.' })
  declare errorCode: string | null;

  @Field(() => Int, { description: 'How long it took, in milliseconds.' })
  declare durationMs: number;

  @Field(() => String, { description: 'The address it came from.' })
  declare ip: string;
}

@ObjectType({ description: 'A call in a list.', simpleResolvers: true })
export class ApiLogEdge {
  @Field(() => String, { description: 'Its cursor: the list goes on after it.' })
  declare cursor: string;

  @Field(() => ApiLogEntry, { description: 'The call.' })
  declare node: ApiLogEntry;
}

@ObjectType({ description: 'A page of the API log, newest first.', simpleResolvers: true })
export class ApiLogConnection {
  @Field(() => [ApiLogEdge], { description: 'The calls with their cursors.' })
  declare edges: ApiLogEdge[];

  @Field(() => [ApiLogEntry], { description: 'The calls.' })
  declare nodes: ApiLogEntry[];

  @Field(() => PageInfo, { description: 'Where this page stands.' })
  declare pageInfo: PageInfo;
}

const ApiLogSourceEnum = asEnum(['KEY', 'SESSION']);
type ApiLogSource = keyof typeof ApiLogSourceEnum;
registerEnumType(ApiLogSourceEnum, {
  name: 'ApiLogSource',
  description: 'How a call was made.',
  valuesConfig: {
    KEY: { description: 'With an API key, or a token issued for it.' },
    SESSION: { description: "With the token of somebody's own session. What the console does has no rows." },
  },
});

@InputType({ description: 'Which calls. What is looked for among many calls may take several pages: see `apiLogs`.' })
export class ApiLogFilter {
  @Field(() => String, { nullable: true, description: 'The first day or instant.' })
  @Checked(checks.date)
  declare startDate?: string | null;

  @Field(() => String, { nullable: true, description: 'The last day, or the instant before which.' })
  @Checked(checks.date)
  declare endDate?: string | null;

  @Field(() => ID, { nullable: true, description: 'Made with this key.' })
  declare keyId?: string | null;

  @Field(() => String, { nullable: true, description: 'Of this HTTP method, or `WS`.' })
  @Checked(checks.method)
  declare method?: string | null;

  @Field(() => Int, { nullable: true, description: 'Answered with a status that begins with this digit, 1 to 5.' })
  @Checked(checks.whole(1, 5))
  declare statusClass?: number | null;

  @Field(() => String, { nullable: true, description: 'Whose path begins so, such as `/api/v1/payments`.' })
  @Checked(checks.pathStart)
  declare path?: string | null;

  @Field(() => String, { nullable: true, description: 'Answered with this error code, such as `2004`.' })
  @Checked(checks.text(20))
  declare errorCode?: string | null;

  @Field(() => ApiLogSourceEnum, { nullable: true, description: 'Made so; in any way, if left out.' })
  declare source?: ApiLogSource | null;
}

@Resolver()
export class ApiLogResolver {
  constructor(private readonly services: Services) {}

  @Needs('READ_REPORTS')
  @Query(() => ApiLogConnection, {
    description:
      "Calls of the merchant's keys, newest first. Those that this process has answered are there; of others, a row appears within a second. A page that is narrowed by more than dates looks at 10,000 calls at most: it may have fewer calls than it was asked for, or none, and yet a next page.",
  })
  async apiLogs(
    @Args(() => PageArgs) args: PageArgs,
    @Arg('filter', () => ApiLogFilter, { nullable: true, description: 'Which calls.' }) filter: ApiLogFilter | null,
    @Ctx() context: Context,
  ): Promise<ApiLogConnection> {
    const { merchantId } = callerOf(context);
    const page = openPage(this.services, `apiLogs/${merchantId}`, args);
    const bound = (text: string | null | undefined, which: 'start' | 'end') =>
      text == null ? null : checks.parseDate(text, which);
    const range = { from: bound(filter?.startDate, 'start'), until: bound(filter?.endDate, 'end') };
    await this.services.flushApiLog(range.until);
    const filtered = { merchantId, ...range, before: page.before };
    const search = searchOf(filter ?? {});
    const { db } = this.services.deps;
    if (search !== null) {
      const { rows, next } = await readAnywhere(db, ({ pool }) =>
        searchApiLog(pool, { ...filtered, ...search }, page.limit),
      );
      return toConnectionBefore(rows, next, page);
    }
    const rows = await readAnywhere(db, ({ pool }) => listApiLog(pool, filtered, page.limit + 1));
    return toConnection(rows.slice(0, page.limit), rows.length > page.limit, page);
  }
}

/** What the rows are searched for; null if there is nothing but dates. */
function searchOf({ keyId, method, statusClass, path, errorCode, source }: ApiLogFilter) {
  const search = {
    keyId: keyId ?? null,
    method: method ?? null,
    statusClass: statusClass ?? null,
    path: path == null ? null : loggedPath(path),
    errorCode: errorCode ?? null,
    source: source ?? null,
  };
  return Object.values(search).some((value) => value !== null) ? search : null;
}
