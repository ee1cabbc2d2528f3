// The operator takes an asset out of service and puts it back.

import type { Asset } from '../../values/assets.ts';
import { setAssetOff, setAssetOn } from '../assets/asset-service.ts';
import { inTransaction } from '../deps.ts';
import { requireAsset } from '../requested-amount.ts';
import { reasonOf, recordOperation, type Operator } from './log.ts';

export interface AssetRequest {
  readonly network: string;
  readonly currency: string;
  readonly accepted: boolean;
  readonly reason: string;
}

/** Takes an asset out of service or puts it back; answers it and whether anything changed. Errors: 2001, 3001. */
export async function setAssetAccepted(
  operator: Operator,
  request: AssetRequest,
): Promise<{ readonly asset: Asset; readonly changed: boolean }> {
  const { deps, name } = operator;
  const reason = reasonOf(request.reason);
  const asset = requireAsset(request.currency, request.network);
  const { network, currency } = asset;
  return inTransaction(deps, async (em) => {
    const changed = request.accepted
      ? await setAssetOn(em, asset)
      : await setAssetOff(em, { network, currency, cause: 'OPERATOR', reason, createdBy: name }, deps.clock.now());
    const action = request.accepted ? 'ASSET_ON' : 'ASSET_OFF';
    await recordOperation(em, operator, { action, target: `${currency}/${network}`, details: { reason, changed } });
    return { asset, changed };
  });
}
