// The settings: defaults of new payments, branding, password, second factors, sessions, and the audit log.

import { useCallback, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { SettingsDocument } from '../../generated/operations.ts';
import { Copy } from '../../components/copy.tsx';
import { Facts, Sheet } from '../../components/overlays/sheet.tsx';
import { SectionLinks } from '../../components/section-links.tsx';
import { Loading, Problem } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { AuditLog } from './audit-log.tsx';
import { Factors } from './factors/sheet.tsx';
import { PasswordForm } from './password-form.tsx';
import { Sessions } from './sessions.tsx';
import { SettingsForm } from './settings-form.tsx';

export default function Settings(): ReactNode {
  const [{ data, error }, reload] = useQuery({ query: SettingsDocument });
  const refresh = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  return (
    <>
      <SectionLinks section="Settings" />
      {error && <Problem error={error} onRetry={refresh} />}
      {!data && !error && <Loading lines={8} />}
      {data && (
        <>
          <Sheet title="Payments">
            <SettingsForm settings={data.settings} />
          </Sheet>
          <Sheet title="Account">
            <Facts
              rows={[
                ['E-mail', data.merchant.email],
                ['Merchant id', <Copy key="id" value={data.merchant.id} label="merchant id" />],
                ['Since', <Time key="since" value={data.merchant.createdAt} />],
              ]}
            />
          </Sheet>
          <Sheet title="Password">
            <PasswordForm email={data.merchant.email} />
          </Sheet>
        </>
      )}
      <Factors />
      <Sessions />
      <AuditLog />
    </>
  );
}
