// The pages of a section, such as those of the settings, as links above each of them.

import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import type { MemberPermission } from '../generated/operations.ts';
import { useSession } from '../session.ts';

type SectionLink = readonly [path: string, words: string, needs?: MemberPermission];

const SECTIONS = {
  Settings: [
    ['/settings', 'General'],
    ['/settings/rates', 'Rates'],
  ],
  Balances: [
    ['/wallet', 'Balances'],
    ['/wallet/addresses', 'Addresses'],
    ['/wallet/policy', 'Policy'],
    ['/wallet/settlement', 'Settlement'],
    ['/wallet/batches', 'Batches', 'WITHDRAW'],
  ],
  Reports: [
    ['/reports', 'By period'],
    ['/reports/receipts', 'Receipts'],
  ],
} as const satisfies Readonly<Record<string, readonly SectionLink[]>>;

export function SectionLinks({ section }: { readonly section: keyof typeof SECTIONS }): ReactNode {
  const [location] = useLocation();
  const { may } = useSession();
  const links: readonly SectionLink[] = SECTIONS[section];
  return (
    <nav className="section-links" aria-label={section}>
      {links
        .filter(([, , needs]) => needs === undefined || may(needs))
        .map(([path, words]) => (
          <Link key={path} href={path} {...(location === path && { 'aria-current': 'page' })}>
            {words}
          </Link>
        ))}
    </nav>
  );
}
