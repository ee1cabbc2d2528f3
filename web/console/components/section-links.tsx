// The pages of a section, such as those of the settings, as links above each of them.

import type { ReactNode } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
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

/** What is chosen on one page of a section, and kept on the others: parameters of the URL. */
const KEPT: Readonly<Partial<Record<keyof typeof SECTIONS, readonly string[]>>> = { Reports: ['from', 'to'] };

export function SectionLinks({ section }: { readonly section: keyof typeof SECTIONS }): ReactNode {
  const [location] = useLocation();
  const [parameters] = useSearchParams();
  const { may } = useSession();
  const kept = new URLSearchParams([...parameters].filter(([name]) => KEPT[section]?.includes(name)));
  const query = kept.size > 0 ? `?${kept.toString()}` : '';
  const links: readonly SectionLink[] = SECTIONS[section];
  return (
    <nav className="section-links" aria-label={section}>
      {links
        .filter(([, , needs]) => needs === undefined || may(needs))
        .map(([path, words]) => (
          <Link key={path} href={`${path}${query}`} {...(location === path && { 'aria-current': 'page' })}>
            {words}
          </Link>
        ))}
    </nav>
  );
}
