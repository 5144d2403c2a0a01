// Checks files, and prints a line for each error: file, kind, message, with tabs between them. It runs no code.
// The first argument is the module typescript.
const fs = require('fs')
const ts = require(process.argv[2])

const options = {
  strict: true, noImplicitAny: false, noEmit: true, noResolve: true, types: [], target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext, jsx: ts.JsxEmit.Preserve,
}
const host = ts.createCompilerHost(options)
const read = host.getSourceFile
const libraries = new Map()
host.getSourceFile = (name, ...rest) => {
  if (!name.includes('/lib.')) return read(name, ...rest)
  if (!libraries.has(name)) libraries.set(name, read(name, ...rest))
  return libraries.get(name)
}
let last
for (const name of process.argv.slice(3)) {
  const program = last = ts.createProgram([name], options, host, last)
  const file = program.getSourceFile(name)
  const print = (kind, d) => {
    const [message] = ts.flattenDiagnosticMessageText(d.messageText, ' ').split(' Did you mean')
    console.log([name, kind, message.split(/\s+/).join(' ')].join('\t'))
  }
  for (const d of program.getSyntacticDiagnostics(file)) print('syntax', d)
  for (const d of program.getSemanticDiagnostics(file)) {
    print([2304, 2307, 2503, 2552, 2792].includes(d.code) ? 'unknown' : `TS${d.code}`, d)
  }
}
