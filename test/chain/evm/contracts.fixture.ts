// Contracts for tests of whole networks: tokens with any number of decimals, and substitutes for the contracts of
// rollups.

import type { Hex } from 'viem';
import { encodeDeployData, parseAbi } from 'viem/utils';
import { compileSource, type Code } from './solidity.fixture.ts';

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

/** The code of all of them. */
export const compileContracts = (): Readonly<Record<ContractName, Code>> => compileSource(SOURCE);

/** The data of the transaction that deploys a token. */
export function tokenCreation(creation: Hex, token: { decimals: number; holder: string; supply: bigint }): Hex {
  const { decimals, holder, supply } = token;
  const abi = parseAbi(['constructor(uint8 places, address holder, uint256 supply)']);
  return encodeDeployData({ abi, bytecode: creation, args: [decimals, holder as Hex, supply] });
}
