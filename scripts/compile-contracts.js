// Compiles the sandbox's test tokens into the artifacts beside them (abi and creation bytecode), which are committed.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import solc from 'solc';

const folder = join(dirname(fileURLToPath(import.meta.url)), '..', 'src', 'sandbox', 'contracts');
const names = readdirSync(folder).filter((name) => name.endsWith('.sol'));

const output = JSON.parse(
  solc.compile(
    JSON.stringify({
      language: 'Solidity',
      sources: Object.fromEntries(names.map((name) => [name, { content: readFileSync(join(folder, name), 'utf8') }])),
      settings: {
        evmVersion: 'paris',
        optimizer: { enabled: true, runs: 200 },
        // Without it a changed comment changes the bytecode, and with it the deployment's transaction hash.
        metadata: { bytecodeHash: 'none', appendCBOR: false },
        outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
      },
    }),
  ),
);

for (const fault of output.errors ?? []) console.error(fault.formattedMessage);
if (output.errors?.some((fault) => fault.severity === 'error')) process.exit(1);

for (const name of names) {
  for (const [contractName, contract] of Object.entries(output.contracts[name])) {
    const artifact = { contractName, abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` };
    const file = name.replace(/\.sol$/, '.json');
    writeFileSync(join(folder, file), `${JSON.stringify(artifact, null, 2)}\n`);
    console.log(`${file}: ${contract.evm.bytecode.object.length / 2} bytes`);
  }
}
