// The coins that something may be paid in, as checkboxes; none stands for all.

import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { networkName } from '../../networks.ts';
import { AssetsDocument, type AcceptedAssetInput } from '../../generated/operations.ts';
import { Checks } from './checks.tsx';

interface AssetChecksProps {
  readonly hint: string;
  readonly chosen?: readonly AcceptedAssetInput[] | null | undefined;
}

/** The field is `acceptedAssets`. What was chosen and is not available now stays in the list. */
export function AssetChecks({ hint, chosen }: AssetChecksProps): ReactNode {
  const [{ data }] = useQuery({ query: AssetsDocument });
  if (!data) return null;
  const known = data.currencies.filter(({ available }) => available).map(codeOf);
  const before = (chosen ?? []).map(codeOf);
  return (
    <Checks
      label="Coins to pay in"
      name="acceptedAssets"
      hint={hint}
      options={[...new Set([...known, ...before])].map((code) => [code, inWords(assetOf(code))])}
      defaultValue={before}
    />
  );
}

const codeOf = ({ currency, network }: AcceptedAssetInput) => `${currency}/${network}`;

function assetOf(code: string): AcceptedAssetInput {
  const [currency = '', network = ''] = code.split('/');
  return { currency, network };
}

/** An asset in words: `USDT on TRON`. */
export const inWords = ({ currency, network }: AcceptedAssetInput): string => `${currency} on ${networkName(network)}`;

/** The chosen assets of a form; null for none, which stands for all. */
export function assetsOf(data: FormData): AcceptedAssetInput[] | null {
  const chosen = data.getAll('acceptedAssets').filter((value) => typeof value === 'string');
  return chosen.length === 0 ? null : chosen.map(assetOf);
}
