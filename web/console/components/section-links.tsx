// The pages of a section, such as those of the settings, as links above each of them.

import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';

const SECTIONS = {
  Settings: [
    ['/settings', 'General'],
    ['/settings/rates', 'Rates'],
  ],
  Wallet: [
    ['/wallet', 'Balances'],
    ['/wallet/addresses', 'Addresses'],
    ['/wallet/policy', 'Policy'],
  ],
  Reports: [
    ['/reports', 'By period'],
    ['/reports/receipts', 'Receipts'],
  ],
} as const;

export function SectionLinks({ section }: { readonly section: keyof typeof SECTIONS }): ReactNode {
  const [location] = useLocation();
  return (
    <nav className="section-links" aria-label={section}>
      {SECTIONS[section].map(([path, words]) => (
        <Link key={path} href={path} {...(location === path && { 'aria-current': 'page' })}>
          {words}
        </Link>
      ))}
    </nav>
  );
}
