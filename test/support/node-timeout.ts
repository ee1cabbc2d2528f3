/**
 * A time-out for tests in which the node does answer. A machine that stands still for some seconds must not make the
 * adapter treat the node as silent, because the time-out is not what these tests are about.
 */
export const NODE_TIMEOUT_MS = 30_000;
