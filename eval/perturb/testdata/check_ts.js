// Checks each file that standard input names, and prints a line for each error: file, tab, code.
// The first argument is the folder of the module typescript. Files in a folder js were JavaScript: they may lack types.
const fs = require('fs')
const ts = require(process.argv[2])

const options = {
  strict: true, noEmit: true, noResolve: true, types: [], target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext,
  jsx: ts.JsxEmit.Preserve, allowJs: true, checkJs: false,
}
const host = ts.createCompilerHost(options)
const read = host.getSourceFile
const libraries = new Map()
const loose = { ...options, noImplicitAny: false }
host.getSourceFile = (name, ...rest) => {
  if (!name.includes('/lib.')) return read(name, ...rest)
  if (!libraries.has(name)) libraries.set(name, read(name, ...rest))
  return libraries.get(name)
}
const last = new Map()
for (const name of fs.readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  const use = /\/[cm]?js\//.test(name) ? loose : options
  const program = ts.createProgram([name], use, host, last.get(use))
  last.set(use, program)
  const file = program.getSourceFile(name)
  for (const d of [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]) {
    console.log(`${name}\t${d.code === 2552 ? 2304 : d.code}`) // 2552: 2304 that guesses a name
  }
}
