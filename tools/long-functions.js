/** Longer than they should be. The list may only get shorter. */
export const FILES_WITH_LONG_FUNCTIONS = [
  'src/dispatch/subscriptions/event-log.ts',
  'src/server/admission/admission-queue.ts',
  'src/server/admission/load-shedding.ts',
  'src/server/graphql/connections/registry.ts',
  'src/server/graphql/ws/server.ts',
];
