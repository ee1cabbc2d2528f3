// The settings of the merchant: defaults of new payments, branding, and the audit log.

import { useCallback, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { SettingsDocument } from '../../generated/operations.ts';
import { Copy } from '../../components/copy.tsx';
import { Facts, Sheet } from '../../components/overlays/sheet.tsx';
import { SectionLinks } from '../../components/section-links.tsx';
import { Loading, Problem } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { useSession } from '../../session.ts';
import { AuditLog } from './audit-log.tsx';
import { CustomerMails } from './customer-mails.tsx';
import { SettingsForm } from './settings-form.tsx';

export default function Settings(): ReactNode {
  const { may } = useSession();
  const audit = may('READ_AUDIT') && <AuditLog />;
  return (
    <>
      {may('MANAGE_SETTINGS') && <SectionLinks section="Settings" />}
      {may('MANAGE_SETTINGS') ? <General>{audit}</General> : audit}
    </>
  );
}

/** What comes below is shown with it, not before: it would move away from under the pointer. */
function General({ children }: { readonly children: ReactNode }): ReactNode {
  const [{ data, error }, reload] = useQuery({ query: SettingsDocument });
  const refresh = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  if (error)
    return (
      <>
        <Problem error={error} onRetry={refresh} />
        {children}
      </>
    );
  if (!data) return <Loading lines={8} />;
  return (
    <>
      <Sheet title="Payments">
        <SettingsForm settings={data.settings} />
      </Sheet>
      <CustomerMails settings={data.settings} />
      <Sheet title="Account">
        <Facts
          rows={[
            ['E-mail', data.merchant.email],
            ['Merchant ID', <Copy key="id" value={data.merchant.id} label="merchant id" />],
            ['Created', <Time key="since" value={data.merchant.createdAt} isExact />],
          ]}
        />
      </Sheet>
      {children}
    </>
  );
}
