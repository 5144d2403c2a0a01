// The built-in reporters repeat the whole line of each finding, or write XML that
// control characters break.
module.exports = {
  reporter: function (results) {
    console.log(JSON.stringify(results.map(function (r) {
      return { file: r.file, line: r.error.line, column: r.error.character, code: r.error.code, reason: r.error.reason };
    })));
  }
};
