// Webhooks: endpoints, deliveries, and the signing secret.

import type { ReactNode } from 'react';
import { Deliveries } from './deliveries.tsx';
import { Endpoints } from './endpoints.tsx';
import { SigningSecret } from './signing-secret.tsx';
import { useEndpoints } from './use-endpoints.ts';
import '../../style/webhooks.css';

export default function Webhooks(): ReactNode {
  const known = useEndpoints(24);
  return (
    <>
      <Endpoints {...known} />
      <Deliveries endpoints={known.endpoints} />
      <SigningSecret />
    </>
  );
}
