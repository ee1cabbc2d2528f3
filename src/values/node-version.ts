// The oldest Node that runs the program. npm's scripts bring their own; this is for those who start it without npm.

/** What the packages of the lock file need; a test compares the two. */
export const OLDEST_NODE = '22.19.0';

/** What is wrong with a version such as `v20.20.2`, in one line; null if the program runs on it. */
export function faultOfNode(version: string): string | null {
  if (compare(partsOf(version), partsOf(OLDEST_NODE)) >= 0) return null;
  return `Turnpike needs Node ${OLDEST_NODE} or newer, and this is ${version.replace(/^v/, '')}: \`npm start\` brings its own`;
}

const partsOf = (version: string): number[] => version.replace(/^v/, '').split('.').map(Number);

/** Negative if `left` is older, positive if it is newer. */
function compare(left: readonly number[], right: readonly number[]): number {
  const at = left.findIndex((part, index) => part !== right[index]);
  return at === -1 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}
