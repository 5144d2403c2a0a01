// The numbers behind "=" are those of JSHint 2.13 (esversion 11), for the
// functions that begin on the line, from left to right.
function operators(a, b = a || 2) { // = 13
  if (a && b) return a ?? b;
  else if (b) {}
  var g = function () { return a || b; }; // = 2
  const h = (x) => x ? 1 : 2; // = 2
  for (const z of a) {}
  for (var i = 0; i < 3; i++) {}
  switch (a) { case 1: case 2: break; default: }
  try {} catch (e) {} finally {}
  while (a) {}
  do {} while (b);
}
class Q extends P {
  m() { if (a) {} } // = 2
  get p() { return 1; } // = 1
  static s() { return a?.b; } // = 1
}
var o = {
  m() { if (a) {} }, // = 2
  k: function () {}, // = 1
  async *gen() { for await (const x of y) {} }, // = 2
  get z() { return 1; }, // = 1
};
A.prototype.foo = function () { if (1) {} }; // = 2
const nested = a => b => { if (a && b) {} }; // = 1 3
for (const k in o) (function () { return k ? () => 1 : 2; })(); // = 2 1
async function last() { return await a; } // = 1
