// Shows the answer inside a file that share.js saved.

import { result } from "./result.js";
import { verdictView } from "./verdicts.js";

const inside = JSON.parse(document.getElementById("answer")?.textContent ?? "");
const root = /** @type {HTMLElement} */ (document.getElementById("found"));
if (inside.decision) verdictView(root).show(inside.decision);
else result(root, { standards: JSON.parse(document.body.dataset.rules ?? "[]") }).show(inside.answer, inside.state);
