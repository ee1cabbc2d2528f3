// A link to another page of the console that looks like a button.

import type { ReactNode } from 'react';
import { Link } from 'wouter';

interface LinkButtonProps {
  readonly href: string;
  readonly look?: 'main' | 'quiet';
  readonly children: ReactNode;
}

export function LinkButton({ href, look = 'main', children }: LinkButtonProps): ReactNode {
  return (
    <Link href={href} className={`button ${look}`}>
      {children}
    </Link>
  );
}
