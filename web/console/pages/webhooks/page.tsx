// Webhooks: endpoints, the signing secret, and deliveries.

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
