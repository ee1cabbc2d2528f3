// A new batch from a CSV file: what is wrong with it, by line; then what it comes to; then the request.

import { useRef, useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useMutation } from 'urql';
import { readable, sum } from '../../amounts.ts';
import { newOnceKey, onlyOnce } from '../../client.ts';
import { CreatePayoutBatchDocument } from '../../generated/operations.ts';
import { faultsOf } from '../../errors.ts';
import { grouped } from '../../grouped.ts';
import { announce } from '../../components/announcer.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { Facts, Sheet } from '../../components/overlays/sheet.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Checks } from '../../components/forms/checks.tsx';
import { OperationForm, textOrNull } from '../../components/forms/operation-form.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { byLine, readBatch, type FileRow, type LineFault } from './read-batch.ts';

/** A file that was read: its rows, or what is wrong with it. */
interface ReadFile {
  readonly name: string;
  readonly rows: readonly FileRow[] | null;
  readonly faults: readonly LineFault[] | null;
  /** Counts the files that were chosen. */
  readonly turn: number;
}

export default function Upload(): ReactNode {
  const [file, setFile] = useState<ReadFile | null>(null);
  const read = async (chosen: File) => {
    const { rows, faults } = readBatch(await chosen.arrayBuffer());
    setFile((last) => ({ name: chosen.name, rows, faults, turn: (last?.turn ?? 0) + 1 }));
    if (faults) announce(`${faults.length} ${faults.length === 1 ? 'thing is' : 'things are'} wrong with the file`);
  };
  return (
    <>
      <p>
        <Link href="/wallet/batches">All batches</Link>
      </p>
      <Sheet title="The file">
        <Choose onChoose={(chosen) => void read(chosen)} />
      </Sheet>
      {file?.faults && <Faults name={file.name} faults={file.faults} />}
      {file?.rows && !file.faults && (
        <Request key={file.turn} rows={file.rows} onFaults={(faults) => setFile({ ...file, faults })} />
      )}
    </>
  );
}

function Choose({ onChoose }: { readonly onChoose: (file: File) => void }): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <p>
        A CSV file in UTF-8 with at most 1,000 withdrawals, one a line. Its first line is{' '}
        <code className="long">currency,network,amount,address,merchantWithdrawalId</code>; the last column is your own
        id of a withdrawal, and may be left out.
      </p>
      <div className="actions">
        <Button onPress={() => input.current?.click()}>Choose a file</Button>
      </div>
      <input
        ref={input}
        type="file"
        accept=".csv,text/csv"
        aria-label="CSV file"
        className="unseen"
        tabIndex={-1}
        onChange={({ currentTarget }) => {
          const [chosen] = currentTarget.files ?? [];
          if (chosen) onChoose(chosen);
          // The same file may be chosen again once it was mended.
          currentTarget.value = '';
        }}
      />
    </>
  );
}

/** More than anybody mends at once. */
const SHOWN_FAULTS = 100;

function Faults({ name, faults }: { readonly name: string; readonly faults: readonly LineFault[] }): ReactNode {
  const rest = faults.length - SHOWN_FAULTS;
  return (
    <Sheet title={`Nothing is requested: ${name} has to be mended`}>
      <Table
        label="What is wrong"
        rows={faults.slice(0, SHOWN_FAULTS).map((fault, nth) => ({ ...fault, nth }))}
        keyOf={({ nth }) => String(nth)}
        columns={FAULT_COLUMNS}
      />
      {rest > 0 && <p className="quietly">And {rest} more.</p>}
    </Sheet>
  );
}

const FAULT_COLUMNS: readonly Column<LineFault>[] = [
  { title: 'Line', cell: ({ line }) => line ?? 'All' },
  { title: 'Column', cell: ({ column }) => column ?? '' },
  { title: 'What is wrong', cell: ({ message }) => message },
];

interface RequestProps {
  readonly rows: readonly FileRow[];
  readonly onFaults: (faults: readonly LineFault[]) => void;
}

interface Plan {
  readonly label: string | null;
  readonly allowDuplicates: boolean;
}

function Request({ rows, onFaults }: RequestProps): ReactNode {
  const [plan, setPlan] = useState<Plan | null>(null);
  // Sent again, the same request is paid once.
  const keys = useRef(new Map<string, string>());
  const [, create] = useMutation(CreatePayoutBatchDocument);
  const [, go] = useLocation();
  const send = async () => {
    const input = { ...plan, rows: rows.map(({ line, ...row }) => row) };
    const asked = JSON.stringify(plan);
    const key = keys.current.get(asked) ?? newOnceKey();
    keys.current.set(asked, key);
    const outcome = await create({ input }, onlyOnce(key));
    const faults = byLine(faultsOf(outcome.error), rows);
    if (faults.length > 0) onFaults(faults);
    if (outcome.data) {
      announce('The batch is requested');
      go(`/wallet/batches/${outcome.data.createPayoutBatch.id}`);
    }
    return outcome;
  };
  return (
    <Sheet title={`${rows.length} ${rows.length === 1 ? 'withdrawal' : 'withdrawals'}`}>
      <Facts rows={sumsOf(rows).map(({ asset, amount }) => [asset, `${readable(amount)}, and the network fees`])} />
      <OperationForm
        action="Continue"
        onSubmit={(form) => {
          setPlan({ label: textOrNull(form, 'label'), allowDuplicates: form.has('allowDuplicates') });
          return Promise.resolve({});
        }}
      >
        <Field label="Name (optional)" name="label" maxLength={100} hint="Your own, such as “Wages in November”." />
        <Checks
          label="Twice the same"
          name="allowDuplicates"
          options={[['yes', 'Lines may pay the same amount to the same address']]}
        />
      </OperationForm>
      <Confirm
        title={`Request ${rows.length === 1 ? 'this withdrawal' : `these ${rows.length} withdrawals`}?`}
        action="Request all of them"
        refusal="Not yet"
        needsProof
        isOpen={plan !== null}
        onClose={() => setPlan(null)}
        onConfirm={send}
      >
        <Facts rows={sumsOf(rows).map(({ asset, amount }) => [asset, readable(amount)])} />
        <p>All of them are reserved, or none. What was sent does not come back.</p>
      </Confirm>
    </Sheet>
  );
}

/** What leaves of each coin, without network fees; what is no amount is left to the gateway to refuse. */
function sumsOf(rows: readonly FileRow[]): { readonly asset: string; readonly amount: string }[] {
  const counted = rows.filter(({ amount }) => /^\d+(\.\d+)?$/.test(amount));
  const assets = grouped(counted, ({ currency, network }) => `${currency.toUpperCase()} on ${network.toUpperCase()}`);
  return [...assets].map(([asset, group]) => ({
    asset,
    amount: group.reduce((all, { amount }) => sum(all, amount), '0'),
  }));
}
