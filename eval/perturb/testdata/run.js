// Runs a program of JavaScript, or of TypeScript with the folder of the module typescript.
const fs = require('fs')
const vm = require('vm')

const [name, typescript] = process.argv.slice(2)
let text = fs.readFileSync(name, 'utf8')
if (typescript) {
  const ts = require(typescript)
  text = ts.transpileModule(text, { compilerOptions: { target: ts.ScriptTarget.ES2022 } }).outputText
}
vm.runInThisContext(text)
