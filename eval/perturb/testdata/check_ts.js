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
  const seen = new Set() // an unknown name counts once
  for (const d of [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]) {
    const unknown = [2304, 2552].includes(d.code) && `unknown name ${file.text.substr(d.start, d.length)}`
    if (!seen.has(unknown)) console.log(`${name}\t${unknown || d.code}`)
    if (unknown) seen.add(unknown)
  }
}
