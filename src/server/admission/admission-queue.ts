// The admission queue: a number of calls run at once, a few wait for their turn, and the rest is refused at once.

/** Figures for one process. */
export const OVERLOAD_LIMITS = {
  /**
   * Calls under way at once. Nearly every call works with the database, on far fewer connections than this: more of
   * them at once are no faster, each only takes longer. 64 connections at full speed use two thirds of it. (To count
   * only while something is short was tried: neither a queue for connections nor a busy event loop shows while
   * PostgreSQL is what is slow and commits are grouped.)
   */
  underWay: 96,
  /** Calls that wait for their turn; their bodies are not read yet. */
  waiting: 1_000,
  /** How long a call waits in a burst. */
  patienceMs: 1_000,
  /** How long a call waits once the queue has outlasted a burst: its caller should rather try again later. */
  standingPatienceMs: 20,
} as const;
export type OverloadLimits = { readonly [Name in keyof typeof OVERLOAD_LIMITS]: number };

/** The same for operations that count as several calls; their fields also take turns (see field-turns.ts). */
export const LARGE_LIMITS: OverloadLimits = {
  underWay: 24,
  waiting: 200,
  patienceMs: 1_000,
  standingPatienceMs: 1_000,
};

interface AdmissionQueueOptions {
  readonly limits?: OverloadLimits;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

/** Runs work at once or in its turn. The next turn begins when the work has succeeded, failed or been abandoned. */
export type InTurn = <Result>(caller: string, work: () => Promise<Result> | Result) => Promise<Result>;

/** Makes a queue that refuses no work, for work of admitted calls. */
export function createTurns(atOnce: number): InTurn {
  const endless = { waiting: Infinity, patienceMs: Infinity, standingPatienceMs: Infinity };
  const admission = createAdmissionQueue({ limits: { ...endless, underWay: atOnce } });
  return async (caller, work) => {
    let leave: () => void = () => undefined;
    await new Promise<boolean>((resolve) => {
      leave = admission.enter(caller, resolve);
    });
    try {
      return await work();
    } finally {
      leave();
    }
  };
}

/** Called once: with true when the turn has come, with false when the call is refused. */
type OnTurn = (admitted: boolean) => void;

/** The waiting calls of one caller, in the order they came, and when each gives up. */
type Queue = Map<OnTurn, NodeJS.Timeout | undefined>;

/**
 * Admits calls. Waiting callers take turns, however many calls each has waiting, and the calls of one caller are
 * admitted in order. So a caller who rarely calls is not held up by one who calls all the time.
 */
export function createAdmissionQueue({
  limits = OVERLOAD_LIMITS,
  now = () => performance.now(),
}: AdmissionQueueOptions = {}) {
  const queues = new Map<string, Queue>();
  let waiting = 0;
  let underWay = 0;
  let crowdedSince = -Infinity;
  let lastCrowdedAt = -Infinity;

  /** Takes a call out of its queue; whether it was there. */
  function remove(caller: string, queue: Queue, onTurn: OnTurn): boolean {
    clearTimeout(queue.get(onTurn));
    if (!queue.delete(onTurn)) return false;
    waiting -= 1;
    if (queue.size === 0) queues.delete(caller);
    return true;
  }

  function admitNext(): boolean {
    const [next] = queues;
    const [onTurn] = next?.[1].keys() ?? [];
    if (!next || !onTurn) return false;
    const [caller, queue] = next;
    // Behind all other callers.
    queues.delete(caller);
    queues.set(caller, queue);
    remove(caller, queue, onTurn);
    underWay += 1;
    onTurn(true);
    return true;
  }

  /** A queue that has lasted longer than a burst will not clear soon, so calls wait only briefly. */
  function patience(): number {
    const at = now();
    if (at - lastCrowdedAt > limits.patienceMs) crowdedSince = at;
    lastCrowdedAt = at;
    return at - crowdedSince > limits.patienceMs ? limits.standingPatienceMs : limits.patienceMs;
  }

  /**
   * Makes room for a caller with less than their share waiting, by refusing the last call of a caller with more.
   */
  function makeRoom(caller: string): boolean {
    const share = limits.waiting / (queues.size + (queues.has(caller) ? 0 : 1));
    if ((queues.get(caller)?.size ?? 0) + 1 > share) return false;
    for (const [name, queue] of queues) {
      const last = queue.size > share ? [...queue.keys()].at(-1) : undefined;
      if (last === undefined) continue;
      remove(name, queue, last);
      last(false);
      return true;
    }
    return false;
  }

  function wait(caller: string, onTurn: OnTurn): void {
    const queue = queues.get(caller) ?? (new Map() as Queue);
    queues.set(caller, queue);
    waiting += 1;
    const giveUp = () => void (remove(caller, queue, onTurn) && onTurn(false));
    const ms = patience();
    queue.set(onTurn, ms === Infinity ? undefined : setTimeout(giveUp, ms));
  }

  return {
    figures: () => ({ underWay, waiting }),
    /** Returns a function to call, once or more, when the call has ended or its caller has disconnected. */
    enter(caller: string, onTurn: OnTurn): () => void {
      let entered = false;
      const onOwnTurn: OnTurn = (admitted) => {
        entered = admitted;
        onTurn(admitted);
      };
      if (waiting === 0 && underWay < limits.underWay) {
        underWay += 1;
        onOwnTurn(true);
      } else if (waiting < limits.waiting || makeRoom(caller)) wait(caller, onOwnTurn);
      else onOwnTurn(false);
      return () => {
        const queue = queues.get(caller);
        if (queue) remove(caller, queue, onOwnTurn);
        if (!entered) return;
        entered = false;
        underWay -= 1;
        while (underWay < limits.underWay && admitNext());
      };
    },
  };
}
