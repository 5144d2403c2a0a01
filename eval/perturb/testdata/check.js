// Compiles each file that standard input names, and prints a line for each that fails: file, tab, error.
const fs = require('fs')
const vm = require('vm')

for (const name of fs.readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  const text = fs.readFileSync(name, 'utf8')
  try {
    if (/^\s*(import|export)\b/m.test(text)) {
      new vm.SourceTextModule(text)
    } else {
      new vm.Script(`(function () {${text.replace(/^#!/, '//')}\n})`)
    }
  } catch (error) {
    console.log(`${name}\t${error.name}`)
  }
}
