// Compiles files, and prints a line for each that fails: file, kind, message, with tabs between them. It runs no code.
const fs = require('fs')
const vm = require('vm')

for (const name of process.argv.slice(2)) {
  const text = fs.readFileSync(name, 'utf8')
  try {
    vm.compileFunction(text.replace(/^#!/, '//'))
  } catch (asScript) {
    try {
      new vm.SourceTextModule(text)
    } catch (asModule) {
      const error = /^\s*(import|export)\b/m.test(text) ? asModule : asScript
      console.log([name, 'syntax', String(error.message).split(/\s+/).join(' ')].join('\t'))
    }
  }
}
