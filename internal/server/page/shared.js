// Shows the answer inside a file that share.js saved.

import { result } from "./result.js";

const inside = JSON.parse(document.getElementById("answer")?.textContent ?? "");
const root = /** @type {HTMLElement} */ (document.getElementById("found"));
result(root, { standards: JSON.parse(document.body.dataset.rules ?? "[]") }).show(inside.answer, inside.state);
