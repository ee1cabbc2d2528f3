// The limits of web sockets, and the codes they are closed with.

/** What a client may do before its socket is closed. */
export const SOCKET_LIMITS = {
  /** Open sockets of this process, fewer where it has few file descriptors; an upgrade more is refused with 503. */
  socketsPerProcess: 20_000,
  /** Open sockets without a token of one address, IPv6 by its /64; an upgrade more is refused with 429. */
  socketsPerAddress: 200,
  /** The same with those that have a token: half of the process, whatever number of merchants is behind the address. */
  socketsPerAddressInAll: 10_000,
  /** Open sockets of one merchant in this process; one more is closed with 4429. */
  socketsPerMerchant: 1_000,
  /** Operations under way on one socket; one more closes it with 4429. */
  operationsPerSocket: 100,
  /** A larger message closes the socket with 1009. */
  messageBytes: 64 * 1_024,
  /** What waits for a client that does not read, one answer aside; more closes the socket with 1013. */
  unreadBytes: 4 * 1_024 * 1_024,
  /**
   * The same of all sockets, streams and large answers over HTTP together; beyond it the caller who has most is cut
   * off.
   */
  unreadBytesOfAll: 256 * 1_024 * 1_024,
  /** What each may have waiting even then. */
  unreadShareBytes: 64 * 1_024,
  /** Pings, and pongs that nobody asked for, in ten seconds; one more closes the socket with 4429. */
  pingsOfClient: 100,
  /** Without connection_init by then the socket is closed with 4408. */
  initMs: 3_000,
  /** A client is pinged this often, and gone when it has not answered the ping before. */
  pingMs: 15_000,
} as const;
export type SocketLimits = { readonly [Name in keyof typeof SOCKET_LIMITS]: number };

/** Close codes in addition to those of graphql-ws for clients that break its protocol. */
export const CLOSE_CODES = {
  /** The gateway is shutting down: connect again. */
  goingAway: 1001,
  /** The process is about to stop: connect again, another one is there. */
  restart: 1012,
  /** We failed; the log says how. */
  internal: 1011,
  /**
   * Updates were not read in time, or could not be checked: connect and subscribe again, the present state comes first.
   */
  tryAgain: 1013,
  /** The client sent what only servers send; what is no message at all graphql-ws closes with the same code. */
  badRequest: 4400,
  /** The token is wrong, has expired, or its key was revoked, narrowed, or may not be used from this address. */
  forbidden: 4403,
  /** The token belongs to another cell, which the reason names. */
  misdirected: 4421,
  /** One of the limits above. */
  tooMany: 4429,
} as const;
