// Compiles the sandbox's test tokens and the contracts of tests. The artifacts (ABI and bytecode; for tests also the
// deployed code) are committed beside the sources.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import solc from 'solc';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
compile(join(root, 'src/sandbox/evm/contracts'), ({ bytecode }) => ({ bytecode: `0x${bytecode.object}` }));
compile(join(root, 'test/doubles/contracts'), ({ bytecode, deployedBytecode }) => ({
  bytecode: `0x${bytecode.object}`,
  deployedBytecode: `0x${deployedBytecode.object}`,
}));

function compile(folder, codeOf) {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sol'));
  const output = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: 'Solidity',
        sources: Object.fromEntries(names.map((name) => [name, { content: readFileSync(join(folder, name), 'utf8') }])),
        settings: {
          evmVersion: 'paris',
          optimizer: { enabled: true, runs: 200 },
          // Otherwise a changed comment would change the bytecode, and so the deployment's transaction hash.
          metadata: { bytecodeHash: 'none', appendCBOR: false },
          outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
        },
      }),
    ),
  );

  for (const fault of output.errors ?? []) console.error(fault.formattedMessage);
  if (output.errors?.some((fault) => fault.severity === 'error')) process.exit(1);

  for (const name of names) {
    for (const [contractName, contract] of Object.entries(output.contracts[name])) {
      const artifact = { contractName, abi: contract.abi, ...codeOf(contract.evm) };
      const file = name.replace(/\.sol$/, '.json');
      writeFileSync(join(folder, file), `${JSON.stringify(artifact, null, 2)}\n`);
      console.log(`${file}: ${contract.evm.bytecode.object.length / 2} bytes`);
    }
  }
}
