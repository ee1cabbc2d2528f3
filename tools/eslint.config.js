// Lint rules: what finds mistakes, with types; what is a matter of layout is left to prettier.
import js from '@eslint/js';
import prettier from 'eslint-config-prettier/flat';
import regexp from 'eslint-plugin-regexp';
import { defineConfig } from 'eslint/config';
import { join } from 'node:path';
import tseslint from 'typescript-eslint';
import { commentWidth } from './comment-width.js';
import { FILES_WITH_LONG_FUNCTIONS } from './long-functions.js';

/** Code that ships with the product; the rest is tests and tools, which may be looser. */
const PRODUCT = ['src/**/*.ts', 'sdk/**/*.ts', 'cli/**/*.ts', 'web/**/*.ts', 'web/**/*.tsx'];
const TESTS_AND_TOOLS = [
  'test/**/*.ts',
  'bench/**/*.ts',
  'chaos/**/*.ts',
  'demo/**/*.ts',
  'fuzz/**/*.ts',
  'examples/**/*.ts',
  'scripts/**/*.ts',
];

const NO_FLOATS = [
  { name: 'parseFloat', message: 'Amounts never pass through a float: use the functions of src/values/amount.ts.' },
];

const NO_NARROWED_TESTS = [
  {
    selector: 'MemberExpression[property.name=/^(only|skip|todo|failing)$/][object.name=/^(describe|it|test)$/]',
    message: 'Every test runs, everywhere: no .only, .skip, .todo or .failing.',
  },
  {
    selector: 'CallExpression[callee.name=/^(fdescribe|fit|xdescribe|xit|xtest)$/]',
    message: 'Every test runs, everywhere: no focused and no disabled tests.',
  },
];

const LENGTHS = { skipBlankLines: true, skipComments: true };

const RELATIVE_IMPORTS = {
  regex: '^\\.{1,2}/.*\\.js$',
  message: 'Relative imports are written with .ts; the compiler rewrites them.',
};

export default defineConfig(
  {
    ignores: [
      '**/dist/',
      '**/dist-*/',
      '**/node_modules/',
      'coverage/',
      '.turnpike/',
      'bench/results/',
      'test/clients/{programs,codegen.ts,make-postman.js}',
      'test/lighthouse/measure.js',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    plugins: { local: { rules: { 'comment-width': commentWidth } } },
    rules: {
      'local/comment-width': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-restricted-globals': ['error', ...NO_FLOATS],
      'no-restricted-properties': [
        'error',
        { object: 'Number', property: 'parseFloat', message: NO_FLOATS[0].message },
      ],
      'no-restricted-syntax': ['error', ...NO_NARROWED_TESTS],
    },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: join(import.meta.dirname, '..') } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrorsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      // Leaves files with decorators alone: emitted metadata needs their imports as values.
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/no-unnecessary-boolean-literal-compare': 'error',
      '@typescript-eslint/use-unknown-in-catch-callback-variable': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // An async function without await is how an interface that returns a promise is met.
      '@typescript-eslint/require-await': 'off',
      // Dependencies are records of functions that are meant to be taken apart.
      '@typescript-eslint/unbound-method': 'off',
      'no-restricted-imports': ['error', { patterns: [RELATIVE_IMPORTS] }],
    },
  },
  {
    files: PRODUCT,
    rules: { '@typescript-eslint/no-non-null-assertion': 'error' },
  },
  {
    // A regular expression that meets a caller's text and is not linear in it stops the process for seconds.
    files: PRODUCT,
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignoreSticky: false }],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/config/config.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'Number', property: 'parseFloat', message: NO_FLOATS[0].message },
        {
          object: 'process',
          property: 'env',
          message: 'Only src/config/config.ts reads the environment; take it as an argument.',
        },
      ],
      'no-restricted-imports': [
        'error',
        {
          patterns: [RELATIVE_IMPORTS],
          paths: ['process', 'node:process'].map((name) => ({
            name,
            importNames: ['env'],
            message: 'Only src/config/config.ts reads the environment; take it as an argument.',
          })),
        },
      ],
    },
  },
  { files: ['web/*/generated/*.ts', 'sdk/typescript/src/generated/*.ts'], rules: { 'local/comment-width': 'off' } },
  {
    files: ['src/**/*.ts', 'sdk/**/*.ts', 'cli/**/*.ts'],
    ignores: ['sdk/typescript/src/generated/*.ts'],
    rules: { 'max-lines': ['error', { max: 250, ...LENGTHS }] },
  },
  {
    files: ['src/**/*.ts', 'sdk/**/*.ts', 'cli/**/*.ts'],
    ignores: FILES_WITH_LONG_FUNCTIONS,
    rules: { 'max-lines-per-function': ['error', { max: 60, ...LENGTHS }] },
  },
  {
    // Tests and tools read JSON answers freely: what they assert is the check.
    files: TESTS_AND_TOOLS,
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: ['**/*.js'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        Buffer: 'readonly',
        setTimeout: 'readonly',
      },
    },
  },
  {
    files: ['plugins/**/*.js'],
    languageOptions: {
      sourceType: 'script',
      globals: { window: 'readonly', document: 'readonly', fetch: 'readonly', URLSearchParams: 'readonly' },
    },
  },
  prettier,
);
