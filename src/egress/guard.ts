// What a connection to a merchant's address must pass: one set of rules for sending webhooks and for trying out whether
// they can be sent.

import { isPublicAddress } from '../values/internet/ip-range.ts';
import type { ConnectorOptions, Resolver } from './connector.ts';
import { createDnsResolver, systemResolver } from './dns.ts';

export interface GuardOptions {
  /** Whether to allow loopback, private and other non-public addresses (`WEBHOOK_ALLOW_PRIVATE`). */
  readonly allowPrivate: boolean;
  /** Covers everything from the DNS lookup to the end of the TLS handshake. */
  readonly deadlineMs: number;
  readonly resolver?: Resolver | undefined;
}

/** The guard's part of a connector's options. */
export function createGuard({
  allowPrivate,
  deadlineMs,
  resolver,
}: GuardOptions): Pick<ConnectorOptions, 'isAllowed' | 'resolve' | 'timeoutMs'> {
  return {
    isAllowed: allowPrivate ? () => true : isPublicAddress,
    resolve: resolver ?? (allowPrivate ? systemResolver : createDnsResolver({ timeoutMs: deadlineMs })),
    timeoutMs: deadlineMs,
  };
}
