/**
 * How long an adapter of a test waits for a node that does answer. The time-out of a question is not the matter of such
 * a test, and a machine that stands still for some seconds would have the product take the node for silent, rightly.
 */
export const PATIENCE_MS = 30_000;
