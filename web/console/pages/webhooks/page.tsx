// Where the merchant's servers are told what happened, what signs it, and what became of each event.

import type { ReactNode } from 'react';
import { Deliveries } from './deliveries.tsx';
import { Endpoints } from './endpoints.tsx';
import { SigningSecret } from './signing-secret.tsx';

export default function Webhooks(): ReactNode {
  return (
    <>
      <Endpoints />
      <Deliveries />
      <SigningSecret />
    </>
  );
}
