function run(text, limit) {
  if (limit == null) {
    limit = 1
  }
  return eval(text);
}
module.exports = run;
