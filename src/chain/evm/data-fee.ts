// Fees that OP Stack rollups charge on top of gas: for publishing the transaction's bytes on Ethereum and, since the
// Isthmus upgrade, for the operator. A predeployed contract quotes both (specs.optimism.io, predeploys:
// GasPriceOracle).

import type { Hex } from 'viem';
import { encodeFunctionData, parseAbi, size } from 'viem/utils';
import { RpcError, type Rpc } from './rpc.ts';
import { quantityOf } from './rpc-types.ts';

const ORACLE = '0x420000000000000000000000000000000000000F';
const ABI = parseAbi([
  // Since the Fjord upgrade: an upper bound from the size alone. It adds the signature's size itself.
  'function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)',
  'function getL1Fee(bytes unsignedTx) view returns (uint256)',
  // Since the Isthmus upgrade.
  'function getOperatorFee(uint256 gasUsed) view returns (uint256)',
]);

/**
 * The most that an unsigned transaction may cost on top of gas, in wei. The data fee follows Ethereum's prices until
 * the transaction is mined, and the operator fee may change too; a transaction can cap neither, so 50 % is added. The
 * operator fee is for the whole gas limit, because it is charged first and partly refunded later.
 */
export async function readDataFee(rpc: Rpc, unsigned: Hex, gas: bigint): Promise<bigint> {
  const ask = async (data: Hex) =>
    quantityOf(await rpc.call('eth_call', [{ to: ORACLE, data }, 'latest']), 'fee for data');
  const bySize = { abi: ABI, functionName: 'getL1FeeUpperBound', args: [BigInt(size(unsigned))] } as const;
  const byBytes = { abi: ABI, functionName: 'getL1Fee', args: [unsigned] } as const;
  const byGas = { abi: ABI, functionName: 'getOperatorFee', args: [gas] } as const;
  const [forBytes, forOperator] = await Promise.all([
    ask(encodeFunctionData(bySize)).catch(onRevert(() => ask(encodeFunctionData(byBytes)))),
    ask(encodeFunctionData(byGas)).catch(onRevert(() => Promise.resolve(0n))),
  ]);
  const fee = forBytes + forOperator;
  return fee + fee / 2n;
}

/** A catch handler: asks something else if the contract lacks the function (it reverts); other errors are thrown. */
function onRevert(instead: () => Promise<bigint>): (error: unknown) => Promise<bigint> {
  return (error) => {
    if (error instanceof RpcError && error.isRevert) return instead();
    throw error;
  };
}

/** What a mined transaction cost on top of gas, in wei, from its receipt; 0 on a chain that is not a rollup. */
export function dataFeeOf(receipt: Record<string, unknown>, gasUsed: bigint): bigint {
  const { l1Fee, operatorFeeScalar, operatorFeeConstant, daFootprintGasScalar } = receipt;
  const forBytes = typeof l1Fee === 'string' ? quantityOf(l1Fee, 'data fee') : 0n;
  if (typeof operatorFeeScalar !== 'string' || typeof operatorFeeConstant !== 'string') return forBytes;
  const perGas = gasUsed * quantityOf(operatorFeeScalar, 'operator fee');
  // The Jovian upgrade added this field and changed the scalar's unit from millionths of a wei to hundreds of wei.
  const scaled = typeof daFootprintGasScalar === 'string' ? perGas * 100n : perGas / 1_000_000n;
  return forBytes + scaled + quantityOf(operatorFeeConstant, 'operator fee');
}
