// The drawings beside the links of the navigation, as lines on a ground of 20 by 20. They say nothing that the words
// beside them do not.

import type { ReactNode } from 'react';

const LINES = {
  home: 'M3 9.5l7-6 7 6V17h-5v-5H8v5H3z',
  payments: 'M3 7h13l-3-3M17 13H4l3 3',
  invoices: 'M5 3h10v14l-2.5-1.5L10 17l-2.5-1.5L5 17zM8 7h4M8 10.5h4',
  links: 'M8.5 11.5l3-3M8 7l1.5-1.5a3.5 3.5 0 0 1 5 5L13 12M12 13l-1.5 1.5a3.5 3.5 0 0 1-5-5L7 8',
  person: 'M10 10a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM4 17c0-2.8 2.7-4.5 6-4.5s6 1.7 6 4.5',
  people:
    'M7.5 9.5a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5zM2.5 16c0-2.5 2.2-4 5-4s5 1.5 5 4M13 4.5a2.75 2.75 0 0 1 0 5M14.5 12.3c1.8.5 3 1.8 3 3.7',
  balances: 'M3 6.5h13.5V16H3zM3 6.5L13 3v3.5M13.5 11.25v.01',
  approvals: 'M10 3l6 2v5c0 3.5-2.5 6-6 7-3.5-1-6-3.5-6-7V5zM7.5 10l2 2 3.5-4',
  reports: 'M4 3.5V16h13M8 13V9.5M12 13V6M16 13v-2',
  webhooks: 'M11 3l-6 8h4.5L8.5 17 15 9h-4.5z',
  keys: 'M12.5 11.5a4 4 0 1 0-4-4L3.5 13v3.5H7v-2h2v-2zM13.5 6.5v.01',
  logs: 'M4 5h12M4 10h12M4 15h7',
  inbox: 'M3 11.5h4l1 2h4l1-2h4M3 11.5L5.5 5h9L17 11.5V16H3z',
  docs: 'M10 5.5C8.5 4.3 6.5 4 4 4v11.5c2.5 0 4.5.3 6 1.5 1.5-1.2 3.5-1.5 6-1.5V4c-2.5 0-4.5.3-6 1.5zM10 5.5V17',
  settings:
    'M3 6h7.5M14.5 6H17M3 14h2.5M9.5 14H17M12.5 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM7.5 16a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  leave: 'M8 4H4v12h4M12.5 6.5L16 10l-3.5 3.5M16 10H8',
  more: 'M5 10v.01M10 10v.01M15 10v.01',
  networks: 'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM3 10h14M10 3c-3 3-3 11 0 14 3-3 3-11 0-14',
  shops: 'M4 10.5V17h12v-6.5M4.5 3.5h11L17 8c0 3-3.5 3-3.5.5 0 2.5-3.5 2.5-3.5 0 0 2.5-3.5 2.5-3.5 0C6.5 11 3 11 3 8z',
  payouts: 'M10 13V3.5M6.5 7L10 3.5 13.5 7M4 13v3.5h12V13',
  cells: 'M3.5 3.5h5v5h-5zM11.5 3.5h5v5h-5zM3.5 11.5h5v5h-5zM11.5 11.5h5v5h-5z',
  coins:
    'M10 8.5c3.3 0 6-1 6-2.5s-2.7-2.5-6-2.5S4 4.5 4 6s2.7 2.5 6 2.5zM4 6v8c0 1.5 2.7 2.5 6 2.5s6-1 6-2.5V6M4 10c0 1.5 2.7 2.5 6 2.5s6-1 6-2.5',
} as const;

export type IconName = keyof typeof LINES;

export function Icon({ name }: { readonly name: IconName }): ReactNode {
  return (
    <svg className="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={LINES[name]} />
    </svg>
  );
}
