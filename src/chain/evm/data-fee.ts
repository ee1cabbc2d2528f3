// What a rollup of the OP stack charges beside gas: for a transaction's bytes on Ethereum, and since its upgrade
// Isthmus for the chain's operator. A contract of the chain itself tells both (specs.optimism.io, predeploys:
// GasPriceOracle).

import type { Hex } from 'viem';
import { encodeFunctionData, parseAbi, size } from 'viem/utils';
import { RpcError, type Rpc } from './rpc.ts';
import { quantityOf } from './rpc-types.ts';

const ORACLE = '0x420000000000000000000000000000000000000F';
const ABI = parseAbi([
  // From the Fjord upgrade on: by the size alone, and never too little for that size. It adds the signature's itself.
  'function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)',
  'function getL1Fee(bytes unsignedTx) view returns (uint256)',
  // From the Isthmus upgrade on.
  'function getOperatorFee(uint256 gasUsed) view returns (uint256)',
]);

/**
 * Asks for the most that an unsigned transaction may cost beside its gas, in wei. The fee for bytes follows Ethereum's
 * prices until the transaction is mined, its operator may change theirs, and neither can be capped in it, so half as
 * much again is set aside. The operator's is that of all the gas that is asked for, which is taken first and given back
 * later.
 */
export async function readDataFee(rpc: Rpc, unsigned: Hex, gas: bigint): Promise<bigint> {
  const ask = async (data: Hex) =>
    quantityOf(await rpc.call('eth_call', [{ to: ORACLE, data }, 'latest']), 'fee for data');
  const bySize = { abi: ABI, functionName: 'getL1FeeUpperBound', args: [BigInt(size(unsigned))] } as const;
  const byBytes = { abi: ABI, functionName: 'getL1Fee', args: [unsigned] } as const;
  const byGas = { abi: ABI, functionName: 'getOperatorFee', args: [gas] } as const;
  const [forBytes, forOperator] = await Promise.all([
    ask(encodeFunctionData(bySize)).catch(lacking(() => ask(encodeFunctionData(byBytes)))),
    ask(encodeFunctionData(byGas)).catch(lacking(() => Promise.resolve(0n))),
  ]);
  const fee = forBytes + forOperator;
  return fee + fee / 2n;
}

/** What is asked instead where the contract has no such function yet. Any other error is not an answer. */
function lacking(instead: () => Promise<bigint>): (error: unknown) => Promise<bigint> {
  return (error) => {
    if (error instanceof RpcError && error.isRevert) return instead();
    throw error;
  };
}

/** What a mined transaction cost beside its gas, in wei, as its receipt says; nothing on a chain that is no rollup. */
export function dataFeeOf(receipt: Record<string, unknown>, gasUsed: bigint): bigint {
  const { l1Fee, operatorFeeScalar, operatorFeeConstant, daFootprintGasScalar } = receipt;
  const forBytes = typeof l1Fee === 'string' ? quantityOf(l1Fee, 'data fee') : 0n;
  if (typeof operatorFeeScalar !== 'string' || typeof operatorFeeConstant !== 'string') return forBytes;
  const perGas = gasUsed * quantityOf(operatorFeeScalar, 'operator fee');
  // The upgrade Jovian, which brought this field, changed the scalar from millionths of a wei to hundreds of wei.
  const scaled = typeof daFootprintGasScalar === 'string' ? perGas * 100n : perGas / 1_000_000n;
  return forBytes + scaled + quantityOf(operatorFeeConstant, 'operator fee');
}
