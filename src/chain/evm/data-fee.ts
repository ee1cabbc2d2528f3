// What a rollup of the OP stack charges for a transaction's bytes on Ethereum, beside its gas. A contract of the chain
// itself tells it (specs.optimism.io, predeploys: GasPriceOracle).

import { encodeFunctionData, parseAbi, size, type Hex } from 'viem';
import { RpcError, type Rpc } from './rpc.ts';
import { quantityOf } from './wire.ts';

const ORACLE = '0x420000000000000000000000000000000000000F';
const ABI = parseAbi([
  // From the Fjord upgrade on: by the size alone, and never too little for that size.
  'function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)',
  'function getL1Fee(bytes unsignedTx) view returns (uint256)',
]);

/**
 * Asks for the most that an unsigned transaction's bytes may cost, in wei. The fee follows Ethereum's prices until the
 * transaction is mined and cannot be capped in it, so half as much again is set aside.
 */
export async function readDataFee(rpc: Rpc, unsigned: Hex): Promise<bigint> {
  const ask = async (data: Hex) =>
    quantityOf(await rpc.call('eth_call', [{ to: ORACLE, data }, 'latest']), 'fee for data');
  const bySize = { abi: ABI, functionName: 'getL1FeeUpperBound', args: [BigInt(size(unsigned))] } as const;
  const byBytes = { abi: ABI, functionName: 'getL1Fee', args: [unsigned] } as const;
  const fee = await ask(encodeFunctionData(bySize)).catch((error: unknown) => {
    if (error instanceof RpcError) return ask(encodeFunctionData(byBytes));
    throw error;
  });
  return fee + fee / 2n;
}
