// Queries and mutations over sockets and event streams take turns as calls do.

import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { createLoad, type OperationContext } from '../../../src/access/caller.ts';
import { createHttpServer } from '../../../src/server/http-server.ts';
import { registerLoadShedding } from '../../../src/server/admission/load-shedding.ts';
import { LARGE_LIMITS, OVERLOAD_LIMITS } from '../../../src/server/admission/admission-queue.ts';
import { until } from '../../support/until.ts';

describe('operations of sockets and streams', () => {
  it.each([1, 2])('of %i calls wait for their turn, and are not run when their callers have hung up', async (calls) => {
    const overload = registerLoadShedding(
      createHttpServer({
        ...{ log: pino({ level: 'silent' }), trustProxy: [], httpsOnly: false, tls: null },
        onAnswered: () => undefined,
      }),
    );
    const ends: (() => void)[] = [];
    const run = (work: () => Promise<number>) => {
      const load = { ...createLoad(), calls };
      const context = { load, caller: null, ip: '192.0.2.1' } as OperationContext;
      return { load, result: overload.inTurn(context, work) };
    };
    const most = calls === 1 ? OVERLOAD_LIMITS.underWay : LARGE_LIMITS.underWay;
    const hold = () => new Promise<number>((resolve) => ends.push(() => resolve(1)));
    const held = Array.from({ length: most }, () => run(hold).result);
    let begun = 0;
    const { load, result } = run(() => Promise.resolve((begun += 1)));
    const refused = expect(result).rejects.toMatchObject({ errorName: 'OVERLOADED' });
    await until(() => ends.length === most);
    expect(overload.figures()).toEqual({ underWay: most, waiting: 1 });
    load.isOver = true;
    for (const end of ends) end();
    expect(await Promise.all(held)).toEqual(Array.from({ length: most }, () => 1));
    await refused;
    expect(begun).toBe(0);
    expect(overload.figures()).toEqual({ underWay: 0, waiting: 0 });
  });
});
