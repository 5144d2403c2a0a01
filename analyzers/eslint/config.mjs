// ESLint's own recommendation and what reviewers object to besides. Left out is
// what only the whole project can tell (undefined names, of which each environment
// has others), what a formatter would change, and what is common in good tests
// (assertions that are expressions, empty functions).
import { readFileSync, readdirSync } from 'node:fs';

const recommended = [
  'constructor-super', 'for-direction', 'getter-return', 'no-async-promise-executor', 'no-case-declarations', 'no-class-assign', 'no-compare-neg-zero',
  'no-cond-assign', 'no-const-assign', 'no-constant-binary-expression', 'no-constant-condition', 'no-control-regex', 'no-debugger', 'no-delete-var',
  'no-dupe-args', 'no-dupe-class-members', 'no-dupe-else-if', 'no-dupe-keys', 'no-duplicate-case', 'no-empty', 'no-empty-character-class',
  'no-empty-pattern', 'no-empty-static-block', 'no-ex-assign', 'no-fallthrough', 'no-func-assign', 'no-global-assign', 'no-import-assign',
  'no-invalid-regexp', 'no-loss-of-precision', 'no-misleading-character-class', 'no-new-native-nonconstructor', 'no-nonoctal-decimal-escape',
  'no-obj-calls', 'no-octal', 'no-prototype-builtins', 'no-self-assign', 'no-setter-return', 'no-shadow-restricted-names', 'no-sparse-arrays',
  'no-this-before-super', 'no-unexpected-multiline', 'no-unreachable', 'no-unsafe-finally', 'no-unsafe-negation', 'no-unsafe-optional-chaining',
  'no-unused-labels', 'no-unused-private-class-members', 'no-useless-backreference', 'no-useless-catch', 'no-useless-escape', 'no-with',
  'require-yield', 'use-isnan', 'valid-typeof',
];

const besides = {
  // What goes wrong, or is not safe.
  'array-callback-return': 1, 'default-case': 1, 'default-case-last': 1, 'eqeqeq': [1, 'always', { null: 'ignore' }],
  'no-alert': 1, 'no-await-in-loop': 1, 'no-caller': 1, 'no-constructor-return': 1, 'no-eval': 1, 'no-extend-native': 1, 'no-implied-eval': 1,
  'no-loop-func': 1, 'no-new-func': 1, 'no-new-wrappers': 1, 'no-promise-executor-return': 1, 'no-return-assign': 1, 'no-script-url': 1,
  'no-self-compare': 1, 'no-sequences': 1, 'no-template-curly-in-string': 1, 'no-throw-literal': 1, 'no-unmodified-loop-condition': 1,
  'no-unreachable-loop': 1, 'no-useless-assignment': 1, 'prefer-promise-reject-errors': 1,
  // What is hard to read, and left over.
  'complexity': [1, 10], 'max-depth': [1, 4], 'max-params': [1, 6], 'max-statements': [1, 50], 'no-lonely-if': 1,
  'no-nested-ternary': 1, 'no-redeclare': [2, { builtinGlobals: false }], 'no-shadow': 1, 'no-unneeded-ternary': 1, 'no-useless-concat': 1,
  'no-useless-constructor': 1, 'no-useless-rename': 1, 'no-useless-return': 1, 'no-warning-comments': 1,
  // What scripts declare for all to see, others may use.
  'no-unused-vars': [2, { vars: 'local' }],
  'crscore/jsx-uses': 2,
};

// Without it a component that occurs in JSX alone would count as unused.
const uses = {
  create: ({ sourceCode }) => ({
    JSXIdentifier(node) {
      sourceCode.markVariableAsUsed(node.name, node);
      sourceCode.markVariableAsUsed('React', node);
    },
    JSXFragment(node) { sourceCode.markVariableAsUsed('React', node); },
  }),
};

// A file does not say how it is loaded: imports and exports tell it, or require.
const kinds = { module: [], commonjs: [], script: [] };
for (const name of readdirSync('.').filter((n) => n.endsWith('.js'))) {
  const text = readFileSync(name, 'utf8');
  const kind = /^\s*(import|export)\b/m.test(text) ? 'module' : /\brequire\s*\(|\bexports\b/.test(text) ? 'commonjs' : 'script';
  kinds[kind].push(name);
}

export default [
  {
    plugins: { crscore: { rules: { 'jsx-uses': uses } } },
    rules: { ...Object.fromEntries(recommended.map((r) => [r, 2])), ...besides },
    languageOptions: { ecmaVersion: 'latest', parserOptions: { ecmaFeatures: { jsx: true } } },
    linterOptions: { reportUnusedDisableDirectives: 'off' },
  },
  ...Object.entries(kinds).filter(([, files]) => files.length).map(([sourceType, files]) => ({ files, languageOptions: { sourceType } })),
];
