// How the operator signs in: their second factors.

import type { ReactNode } from 'react';
import { Factors } from '../../console/pages/account/factors/sheet.tsx';

export default function Account(): ReactNode {
  return <Factors />;
}
