// ESLint's own repeats the whole text of each file.
module.exports = (results) => JSON.stringify(results.map(({ filePath, messages }) => ({
  filePath,
  messages: messages.map(({ ruleId, fatal, severity, message, line, column, endLine }) => ({ ruleId, fatal, severity, message, line, column, endLine })),
})));
