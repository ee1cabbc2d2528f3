// A contract that pays the coin out in every way a contract can: plain, nested and reverted calls, and
// self-destruction.

import { createRequire } from 'node:module';
import type { Hex } from 'viem';
import { encodeFunctionData } from 'viem/utils';

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Bomb { constructor(address payable to) payable { selfdestruct(to); } }
contract Purse { constructor() payable {} }
contract TestPayer {
  function pay(address[] calldata to) public payable {
    for (uint i = 0; i < to.length; i++) {
      (bool ok,) = to[i].call{value: msg.value / to.length}("");
      require(ok);
    }
  }
  function payNested(address[] calldata to) external payable { this.pay{value: msg.value}(to); }
  function payDelegated(address[] calldata to) external payable {
    (bool ok,) = address(this).delegatecall(abi.encodeCall(this.pay, (to)));
    require(ok);
  }
  function payAndFail(address[] calldata to) public payable { pay(to); revert("no"); }
  function tryAndFail(address[] calldata to) external payable {
    (bool ok,) = address(this).call{value: msg.value / 2}(abi.encodeCall(this.payAndFail, (to)));
    require(!ok);
    (ok,) = to[0].call{value: msg.value / 2}("");
    require(ok);
  }
  function payByEnd(address[] calldata to) external payable { new Bomb{value: msg.value}(payable(to[0])); }
  function payToNew(address[] calldata) external payable { new Purse{value: msg.value}(); }
}`;

export type PayerCall = 'pay' | 'payNested' | 'payDelegated' | 'payAndFail' | 'tryAndFail' | 'payByEnd' | 'payToNew';

interface SolcOutput {
  contracts: { 'P.sol': { TestPayer: { evm: { bytecode: { object: string } } } } };
}

/** Compiles the contract; about a second. */
export function compileTestPayer(): string {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };
  const input = {
    language: 'Solidity',
    sources: { 'P.sol': { content: SOURCE } },
    settings: { evmVersion: 'paris', outputSelection: { '*': { '*': ['evm.bytecode.object'] } } },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as SolcOutput;
  return `0x${output.contracts['P.sol'].TestPayer.evm.bytecode.object}`;
}

/** The call data that makes the contract pay these addresses equal parts of what it is sent. */
export function payerCall(functionName: PayerCall, receivers: readonly string[]): string {
  const inputs = [{ name: 'to', type: 'address[]' }] as const;
  const abi = [{ type: 'function', name: functionName, stateMutability: 'payable', inputs, outputs: [] }] as const;
  return encodeFunctionData({ abi, functionName, args: [receivers as Hex[]] });
}
