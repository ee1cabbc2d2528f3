// Counts every answered HTTP call, and records API calls in the API log.

import type { Clock } from '../database/clock.ts';
import { loggedPath, type createApiLog } from '../domain/merchants/api-log.ts';
import { ipOf } from '../server/admission/authenticate.ts';
import type { AnsweredCall } from '../server/http-server.ts';
import type { Metrics } from '../server/metrics/health.ts';

interface RecorderParts {
  readonly apiLog: ReturnType<typeof createApiLog>;
  readonly metrics: Metrics;
  readonly clock: Clock;
}

export function createCallRecorder({ metrics, apiLog, clock }: RecorderParts) {
  return ({ request, reply }: AnsweredCall): void => {
    const { url: route = 'unknown' } = request.routeOptions;
    metrics.countCall(route, request.method, reply.statusCode, reply.elapsedTime / 1_000);
    if (!request.url.startsWith('/api/') && !request.url.startsWith('/graphql')) return;
    // Calls that were shed are not logged: a row would add work to an overloaded process.
    if (request.isShed) return;
    // What our own pages ask for would bury the calls of a merchant's programs; what they change is in the audit log.
    if (request.context?.cookie && request.context.caller) return;
    const { requestId, caller, ip } = request.context ?? { requestId: request.id, caller: null, ip: ipOf(request) };
    apiLog.record({
      merchantId: caller?.merchantId ?? null,
      keyId: caller?.keyId ?? null,
      requestId,
      at: clock.now(),
      method: request.method,
      path: loggedPath(request.url),
      operation: request.context?.call?.operation ?? request.operation,
      status: reply.statusCode,
      errorCode: request.context?.call?.errorCode ?? request.errorCode,
      durationMs: Math.round(reply.elapsedTime),
      ip,
      traceId: request.traceId,
    });
  };
}
