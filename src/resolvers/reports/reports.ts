// GraphQL queries of reports and receipts; REST serves the same rows as JSON or CSV.

import { Arg, Args, Ctx, Field, InputType, Int, ObjectType, Query, registerEnumType, Resolver } from 'type-graphql';
import { findReceipts } from '../../domain/ledger/receipts.ts';
import { openReport } from '../../domain/ledger/reports.ts';
import * as checks from '../../values/checks.ts';
import { callerOf, Needs, type Context } from '../operation/context.ts';
import { Checked } from '../operation/validation.ts';
import { openPage, toConnection } from '../pagination.ts';
import type { Services } from '../services.ts';
import { PageArgs } from '../types/page.ts';
import { Receipt, ReceiptConnection, ReceiptFilter } from '../types/receipt.ts';

const ReportUnitEnum = { DAY: 'day', WEEK: 'week', MONTH: 'month' } as const;
type ReportUnit = (typeof ReportUnitEnum)[keyof typeof ReportUnitEnum];
registerEnumType(ReportUnitEnum, {
  name: 'ReportUnit',
  description: 'How long a period of a report is, in UTC.',
  valuesConfig: {
    DAY: { description: 'A day, such as `2026-11-21`.' },
    WEEK: { description: 'An ISO week, such as `2026-W47`.' },
    MONTH: { description: 'A month, such as `2026-11`.' },
  },
});

@InputType({ description: 'Which report; by default the last 30 days, by day.' })
export class ReportInput {
  @Field(() => String, { nullable: true, description: 'The first day or instant.' })
  @Checked(checks.date)
  declare startDate?: string | null;

  @Field(() => String, { nullable: true, description: 'The last day, or the instant before which.' })
  @Checked(checks.date)
  declare endDate?: string | null;

  @Field(() => String, { nullable: true, description: 'Of one currency only.' })
  declare currency?: string | null;

  @Field(() => String, { nullable: true, description: 'Of one network only.' })
  declare network?: string | null;

  @Field(() => ReportUnitEnum, { nullable: true, description: 'The periods; DAY by default.' })
  declare groupBy?: ReportUnit | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether `fiatCurrency` and `fiatGross` are appended.' })
  declare fiat?: boolean | null;
}

@ObjectType({ description: 'Sums of one asset. Amounts are decimal strings.', simpleResolvers: true })
export class ReportTotals {
  @Field(() => String, { description: 'The currency code.' })
  declare currency: string;

  @Field(() => String, { description: 'The canonical network code.' })
  declare network: string;

  @Field(() => Int, { description: 'Payments that money was credited for.' })
  declare payments: number;

  @Field(() => String, { description: 'Credited deposits less those that left the chain, before the fee.' })
  declare gross: string;

  @Field(() => String, { description: 'Our fee.' })
  declare fees: string;

  @Field(() => String, { description: '`gross` less `fees`.' })
  declare net: string;

  @Field(() => String, { description: 'Completed refunds, without their network fees.' })
  declare refunded: string;

  @Field(() => String, { description: 'Completed withdrawals, without their network fees.' })
  declare withdrawn: string;

  @Field(() => String, {
    nullable: true,
    description: 'What the receipts of `gross` are valued in, if in one currency; null unless the input asks for it.',
  })
  declare fiatCurrency: string | null;

  @Field(() => String, {
    nullable: true,
    description: '`gross` by the values of its receipts; null where one lacks its value.',
  })
  declare fiatGross: string | null;
}

@ObjectType({ description: 'Sums of one period and asset.', simpleResolvers: true })
export class ReportRow extends ReportTotals {
  @Field(() => String, { description: 'The period: `2026-11-21`, `2026-W47` or `2026-11`.' })
  declare period: string;
}

@ObjectType({ description: 'What came in, what it cost and what left.', simpleResolvers: true })
export class Report {
  @Field(() => Date, { description: 'Its first instant.' })
  declare from: Date;

  @Field(() => Date, { description: 'The instant it ends before.' })
  declare to: Date;

  @Field(() => [ReportTotals], { description: 'The sums of the whole time, one for each asset.' })
  declare totals: readonly ReportTotals[];

  @Field(() => [ReportRow], { description: 'The sums of each period, oldest first.' })
  declare rows: readonly ReportRow[];
}

@Resolver()
export class ReportResolver {
  constructor(private readonly services: Services) {}

  @Needs('READ_REPORTS')
  @Query(() => Report, { description: 'A report from the book, to the last unit.' })
  report(
    @Arg('input', () => ReportInput, { nullable: true, description: 'Which report.' }) input: ReportInput | null,
    @Ctx() context: Context,
  ): Report {
    const report = openReport(this.services.deps, callerOf(context).merchantId, input ?? {});
    const { from, to } = report;
    // Read only if selected: graphql-js calls a property that is a function, and calls all of an object's in one turn.
    let isWhole = false;
    const totals = async () => {
      await Promise.resolve();
      return isWhole ? (await report.read()).totals : report.readTotals();
    };
    const rows = async () => {
      isWhole = true;
      return (await report.read()).rows;
    };
    return { from, to, totals, rows } as unknown as Report;
  }

  @Needs('READ_REPORTS')
  @Query(() => ReceiptConnection, { description: 'Every deposit that was credited, newest first.' })
  async receipts(
    @Args(() => PageArgs) args: PageArgs,
    @Arg('filter', () => ReceiptFilter, { nullable: true, description: 'Which receipts.' })
    filter: ReceiptFilter | null,
    @Ctx() context: Context,
  ): Promise<ReceiptConnection> {
    const { merchantId } = callerOf(context);
    const page = openPage(this.services, `receipts/${merchantId}`, args);
    const { nodes, hasMore } = await findReceipts(this.services.deps, merchantId, filter ?? {}, page);
    return toConnection<Receipt>(nodes, hasMore, page);
  }
}
