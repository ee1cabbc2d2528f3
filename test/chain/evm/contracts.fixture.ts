// Contracts for tests of whole networks: tokens with any number of decimals, and substitutes for the contracts of
// rollups.

import { createRequire } from 'node:module';
import type { Hex } from 'viem';
import { encodeDeployData, parseAbi } from 'viem/utils';

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
abstract contract Token {
  uint8 public decimals;
  mapping(address => uint256) public balanceOf;
  event Transfer(address indexed from, address indexed to, uint256 value);
  constructor(uint8 places, address holder, uint256 supply) { decimals = places; balanceOf[holder] = supply; }
  function move(address to, uint256 value) internal {
    balanceOf[msg.sender] -= value;
    balanceOf[to] += value;
    emit Transfer(msg.sender, to, value);
  }
}
contract SilentToken is Token {
  constructor(uint8 places, address holder, uint256 supply) Token(places, holder, supply) {}
  function transfer(address to, uint256 value) external { move(to, value); }
}
contract PlainToken is Token {
  constructor(uint8 places, address holder, uint256 supply) Token(places, holder, supply) {}
  function transfer(address to, uint256 value) external returns (bool) { move(to, value); return true; }
}
contract NewOracle {
  function getL1FeeUpperBound(uint256 size) external pure returns (uint256) { return 1e9 + size * 1e6; }
}
contract OperatorOracle is NewOracle {
  function getOperatorFee(uint256 gas) external pure returns (uint256) { return 5e12 + gas * 7e6; }
}
contract OldOracle {
  function getL1Fee(bytes calldata data) external pure returns (uint256) { return 3e9 + data.length * 1e6; }
}`;

type ContractName = 'SilentToken' | 'PlainToken' | 'NewOracle' | 'OperatorOracle' | 'OldOracle';
interface Compiled {
  evm: { bytecode: { object: string }; deployedBytecode: { object: string } };
}

/**
 * Compiles all of them, which takes about a second. `creation` deploys a token; `runtime` is code to place at an
 * address.
 */
export function compileContracts(): Record<ContractName, { creation: Hex; runtime: Hex }> {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };
  const outputSelection = { '*': { '*': ['evm.bytecode.object', 'evm.deployedBytecode.object'] } };
  const input = {
    language: 'Solidity',
    sources: { 'C.sol': { content: SOURCE } },
    settings: { evmVersion: 'paris', outputSelection },
  };
  const { contracts } = JSON.parse(solc.compile(JSON.stringify(input))) as {
    contracts: { 'C.sol': Record<ContractName, Compiled> };
  };
  const codeOf = ({ evm }: Compiled) =>
    ({ creation: `0x${evm.bytecode.object}`, runtime: `0x${evm.deployedBytecode.object}` }) as const;
  const { SilentToken, PlainToken, NewOracle, OperatorOracle, OldOracle } = contracts['C.sol'];
  return {
    ...{ SilentToken: codeOf(SilentToken), PlainToken: codeOf(PlainToken) },
    ...{ NewOracle: codeOf(NewOracle), OperatorOracle: codeOf(OperatorOracle), OldOracle: codeOf(OldOracle) },
  };
}

/** The data of the transaction that deploys a token. */
export function tokenCreation(creation: Hex, token: { decimals: number; holder: string; supply: bigint }): Hex {
  const { decimals, holder, supply } = token;
  const abi = parseAbi(['constructor(uint8 places, address holder, uint256 supply)']);
  return encodeDeployData({ abi, bytecode: creation, args: [decimals, holder as Hex, supply] });
}
