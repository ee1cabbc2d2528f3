// A token for the EVM adapter's tests: like USDT it returns nothing, and it can pay twice, log something else first,
// and fail.

import { compileSource } from './solidity.fixture.ts';

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract TestToken {
  uint8 public constant decimals = 6;
  event Transfer(address indexed from, address indexed to, uint256 value);
  event Noted(address indexed from);
  function transfer(address to, uint256 value) external { emit Transfer(msg.sender, to, value); }
  function transferLater(address to, uint256 value) external {
    emit Noted(msg.sender);
    emit Transfer(msg.sender, to, value);
    emit Transfer(msg.sender, to, value + 1);
  }
  function transferAndFail(address to, uint256 value) external payable {
    emit Transfer(msg.sender, to, value);
    revert("no");
  }
}`;

/** The ABI of what the tests call. */
export const testTokenAbi = (['transfer', 'transferLater', 'transferAndFail'] as const).map((name) => ({
  type: 'function' as const,
  name,
  stateMutability: 'nonpayable' as const,
  inputs: [
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
  ],
  outputs: [],
}));

/** The code that deploys the token. */
export const compileTestToken = (): string => compileSource(SOURCE)['TestToken']?.creation ?? '';
