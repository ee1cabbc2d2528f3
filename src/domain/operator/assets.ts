// The operator takes an asset out of service, or puts it back.

import { findAsset, parseNetwork, type Asset } from '../../values/assets.ts';
import { GatewayError } from '../../values/errors.ts';
import { setAssetOff, setAssetOn } from '../assets/asset-service.ts';
import { inTransaction } from '../deps.ts';
import { reasonOf, recordOperation, type Operator } from './log.ts';

export interface AssetRequest {
  readonly network: string;
  readonly currency: string;
  readonly accepted: boolean;
  readonly reason: string;
}

/**
 * Takes an asset out of service or puts it back. Returns the asset, and whether that changed anything. Errors: 2001,
 * 3001.
 */
export async function setAssetAccepted(
  operator: Operator,
  request: AssetRequest,
): Promise<{ readonly asset: Asset; readonly changed: boolean }> {
  const { deps, name } = operator;
  const reason = reasonOf(request.reason);
  const code = parseNetwork(request.network);
  const asset = code && findAsset(request.currency, code);
  if (!asset) throw new GatewayError('UNSUPPORTED_ASSET');
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
