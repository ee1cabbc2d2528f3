// The tests run as tsc emitted them: what is tested is what ships.
export default {
  roots: ['<rootDir>/dist/test'],
  testMatch: ['**/*.test.js'],
  transform: {},
  testTimeout: 30_000,
};
