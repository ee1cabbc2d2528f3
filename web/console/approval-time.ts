// How long payouts wait to be approved; the gateway writes it into the page.

const HOURS = Number(
  document.querySelector('meta[name="turnpike-approval-hours"]')?.getAttribute('content') ?? Number.NaN,
);

/** Until when a payout may be approved that was requested at a time. */
export const approvableUntil = (createdAt: string): Date => new Date(Date.parse(createdAt) + HOURS * 3_600_000);
