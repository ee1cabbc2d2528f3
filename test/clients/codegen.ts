// What graphql-codegen makes of the printed schema: its types alone, and the client preset with typed documents.

import type { CodegenConfig } from '@graphql-codegen/cli';

const config: CodegenConfig = {
  schema: '../../schema/schema.graphql',
  emitLegacyCommonJSImports: false,
  generates: {
    'dist/generated/schema.ts': { plugins: ['typescript'], config: { enumsAsTypes: true } },
    'dist/generated/schema-enums.ts': { plugins: ['typescript'] },
    'dist/generated/preset/': { preset: 'client', documents: ['programs/*.ts'] },
  },
};

export default config;
