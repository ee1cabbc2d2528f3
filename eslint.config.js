// The rules, and the packages that they come from, are in tools/.
export { default } from './tools/eslint.config.js';
