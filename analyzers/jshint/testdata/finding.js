function run(text, limit) {
  if (limit == null) {
    limit = 1
  }
  return eval(text); // jshint ignore:line
}
module.exports = run;
