// Runs a program of JavaScript, or of TypeScript with the folder of the module typescript.
const fs = require('fs')
const vm = require('vm')

const [name, typescript] = process.argv.slice(2)
let text = fs.readFileSync(name, 'utf8')
if (typescript) {
  const ts = require(typescript)
  const compilerOptions = { target: ts.ScriptTarget.ES2022, jsx: ts.JsxEmit.React, jsxFactory: 'h', jsxFragmentFactory: 'Fragment' }
  text = ts.transpileModule(text, { compilerOptions, fileName: name }).outputText
}
vm.runInThisContext(text)
