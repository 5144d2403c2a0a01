// The page: its controls, the table, and the change that is open. Everything that it shows
// follows from its address.

import { ruleControls } from "./rule.js";
import { grid } from "./grid.js";
import { address, read, sensible } from "./state.js";
import { detail } from "./detail.js";
import { ask } from "./ask.js";
import { element, plain } from "./text.js";

/** @typedef {import("./grid.js").Row} Row */
/** @typedef {{name: string, count: number}} Counted */
/** @typedef {{mode: string, tau?: number, low?: number, slope?: number, comp?: "noisy-or", weights?: string}} Rule */
/** @typedef {{what: string, count: number, examples: string[]}} Problem */
/** @typedef {{title: string, changes: number, reviews: number, scored: number, labelled: number, kept: number, systems: string[], languages: Counted[],
 *   metrics: string[], signatures: Counted[], rule: Rule | null, rules: Rule[], problems: Problem[], warnings: string[]}} Run */
/** @typedef {{searched: number, of: number, found: number, ended: boolean, problem?: string}} Search */
/** @typedef {{name: string, human?: boolean, reviews: number, scored: number, unscored: number, no_row?: number, not_kept?: number, values: number, mean: number | null, bins: number[]}} System */
/** @typedef {{total: number, low: number, high: number, search?: Search, systems: System[]}} Systems */
/** @typedef {{id: string, lang: string, cells: (number | string | null)[], beside?: (number | null)[], diff?: number, mark?: number}} TableRow */
/** @typedef {{from: number, total: number, of: number, search?: Search, rows: TableRow[], place?: number}} Rows */

const labels = ["human.con", "human.comp", "human.rel"]; // whole numbers, mostly
const most = 60; // columns of systems at a time
const all = "\u0000"; // no language has this name

/** @param {string} id @returns {any} */
const by = (id) => document.getElementById(id);
const whole = new Intl.NumberFormat("en");
/** @param {number} n @param {string} one */
const many = (n, one) => `${whole.format(n)} ${one}${n === 1 ? "" : "s"}`;

/** @type {Run} */
let run;
let state = read(location.search);
/** @type {Systems | null} */
let systems = null;
let asked = 0; // queries of the table
let again = 0; // timer of a search that goes on
let typing = 0, following = 0;
/** @type {ReturnType<typeof ruleControls>} */ let controls;

const table = grid(by("table"), {
	fetch: async (from, count, signal) => (await rowsFrom(from, count, signal)).rows.map(rowOf),
	onopen: (id, column) => show({ ...state, open: id, review: column.startsWith("system.") ? column.slice("system.".length) : "" }, true),
	onsort: (sort) => {
		const query = new URLSearchParams(state.query), here = query.get("sort") ?? "order";
		// The largest numbers first, then the smallest.
		const down = sort === here ? query.get("down") !== "1" : sort.startsWith("system.") || sort === "diff";
		query.set("sort", sort);
		if (down) query.set("down", "1");
		else query.delete("down");
		change(query);
	},
	onfail: fail,
});
/** @type {ReturnType<typeof detail>} */
let view;
let at = -1; // the place of the open change in the table, -1 if it is not there

/** The number that is shown where none is chosen: Rel, or a metric where nothing else has numbers. */
const standard = () => (run.scored > 0 || run.metrics.length === 0 ? "rel" : "metric." + run.metrics[0]);

/** The query of the service: with the columns that there is room for. */
function query() {
	const q = sensible(state.query);
	if (!q.has("measure")) q.set("measure", standard());
	if (!q.has("system")) for (const name of run.systems.length > most ? run.systems.slice(0, most) : []) q.append("system", name);
	return q;
}

/** Whether two systems are chosen, whose difference is shown. */
const differs = () => state.query.has("a") && state.query.has("b");

/** The systems that are columns. */
function shown() {
	const chosen = query().getAll("system");
	return chosen.length === 0 ? run.systems : run.systems.filter((name) => chosen.includes(name));
}

/** @param {number} from @param {number} count @param {AbortSignal} [signal] @returns {Promise<Rows>} */
function rowsFrom(from, count, signal) {
	const q = query();
	q.set("from", String(from));
	q.set("count", String(count));
	if (state.open !== null) q.set("place", state.open);
	return ask("api/rows?" + q, signal);
}

/**
 * Goes to a state. The visitor can go back from it if push; keep stays where the table is.
 * @param {import("./state.js").State} next
 * @param {boolean} push
 */
function show(next, push, keep = false) {
	const other = sensible(next.query).toString() !== sensible(state.query).toString(), open = next.open !== state.open;
	state = next;
	if (push && address(state) !== location.pathname + location.search) history.pushState(null, "", address(state));
	else history.replaceState(null, "", address(state));
	if (other) refresh(keep);
	if (open || (other && state.open !== null)) openChange();
}

/**
 * Changes what the table shows.
 * @param {URLSearchParams} query
 */
function change(query, push = true, keep = false) {
	show({ ...state, query }, push, keep);
	draw();
}

/** The rule was moved in the dialog, which shows it already: the table follows.
 * @param {Rule} rule */
function follow(rule) {
	state = { ...state, query: withRule(state.query, rule) };
	draw();
	clearTimeout(following);
	following = setTimeout(() => { // browsers refuse an address for each step of a slider
		history.replaceState(null, "", address(state));
		refresh(true);
	}, 150);
}

async function openChange() {
	if (state.open === null) {
		view.close();
		if (at >= 0) table.go(at);
		by("table").focus({ preventScroll: true });
		return;
	}
	const q = query();
	q.set("id", state.open);
	at = (await view.open(state.open, state.review, q, run.kept > 0 ? chosenRule() : null)) ?? at;
}

/** Asks for the table and the distributions anew. @param {boolean} [keep] whether it goes on where it is */
async function refresh(keep = false) {
	const number = ++asked;
	clearTimeout(again);
	by("table").ariaBusy = "true";
	try {
		const from = keep ? table.from() : 0;
		const [rows, distributions] = await Promise.all([rowsFrom(from, 100), /** @type {Promise<Systems>} */ (ask("api/systems?" + query()))]);
		if (number !== asked) return;
		by("error").replaceChildren();
		systems = distributions;
		table.columns(columns(), sensible(state.query).get("sort") ?? "order", state.query.get("down") === "1");
		table.rows(rows.total, rows.rows.map(rowOf), from, keep);
		said(rows);
		if (rows.place !== undefined && state.open !== null) view.placed(at = rows.place, rows.total);
		if (rows.search && !rows.search.ended) again = setTimeout(() => refresh(true), 400);
	} catch (error) {
		if (number === asked) fail(error);
	} finally {
		if (number === asked) by("table").ariaBusy = "false";
	}
}

/** @param {Rows} rows */
function said(rows) {
	let text = rows.total === rows.of ? many(rows.of, "change") : `${whole.format(rows.total)} of ${many(rows.of, "change")}`;
	if (rows.search) {
		const { searched, of, ended, problem } = rows.search;
		if (!ended) text += `; searched so far: ${whole.format(searched)} of ${many(of, "change")}`;
		if (problem) text += `; not all was searched: ${plain(problem)}`;
	}
	const hidden = run.systems.length - shown().length;
	if (hidden > 0) text += `; systems that are not shown: ${whole.format(hidden)}`;
	by("count").textContent = text;
}

/** @param {unknown} error */
function fail(error) {
	by("error").replaceChildren(element("p", {}, error instanceof Error ? error.message : String(error)));
}

// The columns.

/** @returns {import("./grid.js").Column[]} */
function columns() {
	const list = [{ key: "id", title: "Change", width: "8.5rem", sort: "id" }, { key: "lang", title: "Language", width: "6rem", sort: "lang" }];
	if (differs()) list.push({ key: "diff", title: "Difference", width: "6.8rem", sort: "diff" });
	const least = state.query.has("beside") ? 7.4 : 6.1, wide = (/** @type {string} */ name) => `${Math.min(Math.max(name.length * 0.58 + 1.2, least), 9.5)}rem`;
	return [...list.map((c) => ({ ...c, sort: /** @type {string | null} */ (c.sort) })), ...shown().map((name) => ({
		key: "system." + name, title: plain(name), width: wide(name), sort: "system." + name, head: (/** @type {HTMLElement} */ cell) => headOf(cell, name),
	}))];
}

/** The mean and the distribution of a system. @param {HTMLElement} cell @param {string} name */
function headOf(cell, name) {
	const one = systems?.systems.find((s) => s.name === name);
	if (!systems || !one) return;
	const parts = [many(one.values, "review")];
	for (const [n, what] of /** @type {[number, string][]} */ ([[one.unscored, "unscored"], [one.no_row ?? 0, "without a row"], [one.not_kept ?? 0, "not kept"]])) {
		if (n > 0) parts.push(`${whole.format(n)} ${what}`);
	}
	cell.title = `${plain(name)}${one.human ? " (the human reference)" : ""}: ${parts.join(", ")}; from ${digits(systems.low)} to ${digits(systems.high)}`;
	cell.append(element("span", { className: "sub" }, one.mean === null ? "no number" : `mean ${digits(one.mean)}`), histogram(one.bins));
}

/** @param {number[]} bins */
function histogram(bins) {
	const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), tallest = Math.max(...bins, 1);
	svg.setAttribute("viewBox", `0 0 ${bins.length * 5} 22`);
	svg.setAttribute("preserveAspectRatio", "none");
	svg.setAttribute("aria-hidden", "true"); // the head's title says it
	bins.forEach((n, i) => {
		if (n === 0) return;
		const bar = document.createElementNS("http://www.w3.org/2000/svg", "rect"), height = Math.max((n / tallest) * 22, 1);
		for (const [key, value] of Object.entries({ x: i * 5, y: 22 - height, width: 4, height })) bar.setAttribute(key, String(value));
		svg.append(bar);
	});
	return svg;
}

/** @param {TableRow} row @returns {Row} */
function rowOf(row) {
	const { low, high } = systems ?? { low: 0, high: 1 };
	/** @type {((cell: HTMLElement) => void)[]} */
	const cells = [(cell) => text(cell, row.id), (cell) => text(cell, row.lang)];
	if (differs()) cells.push((cell) => text(cell, row.diff === undefined ? "" : (row.diff > 0 ? "+" : "") + digits(row.diff)));
	row.cells.forEach((value, k) => cells.push((cell) => {
		if (typeof value === "number") {
			cell.classList.add("value");
			cell.style.setProperty("--share", String(Math.min(Math.max((value - low) / (high - low), 0), 1)));
			cell.textContent = labels.includes(state.query.get("measure") ?? "") ? String(value) : digits(value);
		} else if (value !== null) {
			cell.classList.add("none");
			cell.textContent = value;
		}
		const beside = row.beside?.[k];
		if (beside !== undefined && beside !== null) cell.append(element("span", { className: "second" }, labels.includes(state.query.get("beside") ?? "") ? String(beside) : digits(beside)));
		if (row.mark === k) {
			cell.classList.add("worst");
			cell.title = state.query.get("sort") === "over" ? "the most overrated review of this change" : "the most underrated review of this change";
		}
	}));
	return { id: row.id, label: row.id, cells };
}

/** @param {HTMLElement} cell @param {string} value */
function text(cell, value) {
	cell.textContent = plain(value);
	cell.title = plain(value);
}

/** @param {number} v */
function digits(v) {
	return Math.abs(v) >= 1000 ? v.toPrecision(4) : v.toFixed(2);
}

// The controls.

/** The rule that the table shows. @returns {Rule | null} */
function chosenRule() {
	const q = sensible(state.query), mode = q.get("mode");
	if (mode === null) return run.rule;
	/** @type {Record<string, any>} */
	const rule = { mode };
	for (const name of ["tau", "low", "slope"]) if (q.has(name)) rule[name] = Number(q.get(name));
	if (q.get("comp") === "noisy-or") rule.comp = "noisy-or";
	return /** @type {Rule} */ (rule);
}

/** A query with a rule; that of the run needs no parameters. @param {URLSearchParams} query @param {Rule} rule */
function withRule(query, rule) {
	const q = new URLSearchParams(query), own = run.rule;
	for (const name of ["mode", "tau", "low", "slope", "comp"]) q.delete(name);
	if (own && own.mode === rule.mode && own.tau === rule.tau && own.low === rule.low && own.slope === rule.slope && own.comp === rule.comp) return q;
	q.set("mode", rule.mode);
	for (const [name, value] of Object.entries({ tau: rule.tau, low: rule.low, slope: rule.slope, comp: rule.comp })) if (value !== undefined) q.set(name, String(value));
	return q;
}

/** @param {string} id @param {[value: string, label: string][]} options */
function fill(id, options) {
	by(id).replaceChildren(...options.map(([value, label]) => {
		const option = element("option", {}, label);
		option.value = value;
		return option;
	}));
}

/** Makes the controls, of what there is. */
function build() {
	const scores = /** @type {[string, string][]} */ ([["con", "Con"], ["comp", "Comp"], ["rel", "Rel"]]);
	const people = /** @type {[string, string][]} */ (run.labelled > 0 ? scores.map(([value, name]) => ["human." + value, `human label ${name}`]) : []);
	const metrics = /** @type {[string, string][]} */ (run.metrics.map((name) => ["metric." + name, plain(name)]));
	fill("f-measure", [...scores, ...people, ...metrics]);
	fill("f-beside", [["", "nothing"], ...people, ...metrics, ...scores]);
	fill("f-lang", [[all, "all"], .../** @type {[string, string][]} */ (run.languages.map((l) => [l.name, `${plain(l.name) || "not named"} (${whole.format(l.count)})`]))]);
	const names = /** @type {[string, string][]} */ (run.systems.map((name) => [name, plain(name)]));
	fill("f-of", [["", "any system"], ...names]);
	fill("f-a", [["", "none"], ...names]);
	fill("f-b", [["", "none"], ...names]);
	by("systems").replaceChildren(...run.systems.map((name) => {
		const box = element("input"), label = element("label");
		box.type = "checkbox";
		box.value = name;
		label.append(box, element("span", {}, plain(name)));
		label.title = plain(name);
		return label;
	}));
	const kept = run.kept > 0;
	by("scoring").hidden = !kept;
	by("rule-why").textContent = kept
		? (run.kept < run.reviews ? `Similarities were kept of ${whole.format(run.kept)} of ${whole.format(run.reviews)} reviews.` : "")
		: "Mode and τ can be moved for runs whose similarities were kept: crscore score --out DIR --keep-matrices.";
	controls = ruleControls(by("scoring"), { standards: run.rules, prefix: "run-", onchange: (rule) => {
		const step = rule.mode !== chosenRule()?.mode; // the visitor can go back from another mode
		clearTimeout(following);
		following = setTimeout(() => change(withRule(state.query, rule), step, true), 60); // while a slider is dragged
	} });
	by("about").textContent = `${plain(run.title)}: ${many(run.changes, "change")} × ${many(run.systems.length, "system")}, ${many(run.reviews, "review")}, ${whole.format(run.scored)} scored`;
	notes();
	if (matchMedia("(max-width: 60rem), (max-height: 50rem)").matches) by("more").open = false;
}

/** What could not be read, and what is wrong with the whole. */
function notes() {
	/** @type {HTMLElement[]} */
	const list = run.warnings.map((w) => element("p", { className: "note" }, plain(w)));
	if (run.problems.length > 0) {
		const part = element("details", { className: "note" }), sum = run.problems.reduce((n, p) => n + p.count, 0);
		part.append(element("summary", {}, `Problems in the files: ${whole.format(sum)}`));
		for (const p of run.problems) {
			part.append(element("p", {}, `${plain(p.what)}: ${whole.format(p.count)}`));
			const items = element("ul");
			items.append(...p.examples.map((e) => element("li", {}, plain(e))));
			if (p.count > p.examples.length) items.append(element("li", {}, `and ${whole.format(p.count - p.examples.length)} more`));
			part.append(items);
		}
		list.push(part);
	}
	by("notes").replaceChildren(...list);
}

const fields = ["measure", "beside", "lang", "only", "of", "min", "max", "a", "b", "least", "most", "q"];

/** Sets the controls by the address. */
function draw() {
	const q = state.query;
	for (const name of fields) {
		const field = by("f-" + name);
		if (field === document.activeElement && field.tagName === "INPUT") continue;
		field.value = q.get(name) ?? { measure: standard(), lang: all }[name] ?? "";
	}
	const orders = /** @type {[string, string][]} */ ([["order", "of the dataset"], ["id", "change"], ["lang", "language"], ["mean", "mean of the systems"], ["spread", "spread of the systems"]]);
	if (differs()) orders.push(["diff", "difference"]);
	if (q.has("beside")) orders.push(["over", "most overrated first"], ["under", "most underrated first"]);
	fill("f-sort", [...orders, .../** @type {[string, string][]} */ (run.systems.map((name) => ["system." + name, plain(name)]))]);
	by("f-sort").value = sensible(q).get("sort") ?? "order";
	by("f-down").checked = q.get("down") === "1";
	const chosen = q.getAll("system"), columns = shown();
	for (const box of by("systems").querySelectorAll("input")) box.checked = chosen.length === 0 ? columns.includes(box.value) : chosen.includes(box.value);
	controls.show(chosenRule(), run.rule);
	by("clear").disabled = q.toString() === "";
}

/** Reads the controls into the address. @param {boolean} push */
function changed(push) {
	const q = new URLSearchParams(state.query);
	for (const name of fields) {
		const field = by("f-" + name), value = name === "q" ? field.value.trim() : field.value;
		const wrong = field.type === "number" && field.validity.badInput;
		field.setAttribute("aria-invalid", String(wrong));
		if (value === (name === "lang" ? all : name === "measure" ? standard() : "") || wrong) q.delete(name);
		else q.set(name, value);
	}
	change(q, push);
}

function listen() {
	const form = by("controls");
	form.addEventListener("submit", (/** @type {Event} */ event) => event.preventDefault());
	form.addEventListener("input", (/** @type {Event} */ event) => {
		const field = /** @type {HTMLInputElement} */ (event.target);
		if (!fields.includes(field.id.replace("f-", ""))) return;
		clearTimeout(typing);
		if (field.tagName === "SELECT") changed(true);
		else typing = setTimeout(() => changed(false), 200); // while somebody types
	});
	by("f-sort").addEventListener("change", () => {
		const q = new URLSearchParams(state.query);
		q.set("sort", by("f-sort").value);
		change(q);
	});
	by("f-down").addEventListener("change", () => {
		const q = new URLSearchParams(state.query);
		if (by("f-down").checked) q.set("down", "1");
		else q.delete("down");
		change(q);
	});
	by("systems").addEventListener("change", () => {
		const boxes = [...by("systems").querySelectorAll("input")], chosen = boxes.filter((b) => b.checked).map((b) => b.value);
		const q = new URLSearchParams(state.query);
		q.delete("system");
		if (chosen.length < boxes.length) for (const name of chosen) q.append("system", name);
		change(q);
	});
	by("clear").addEventListener("click", () => {
		by("f-q").value = "";
		change(new URLSearchParams());
	});
	addEventListener("popstate", () => {
		const next = read(location.search), other = next.query.toString() !== state.query.toString(), open = next.open !== state.open;
		state = next;
		draw();
		if (other) refresh();
		if (open || (other && state.open !== null)) openChange();
	});
}

try {
	run = await ask("api/run");
	document.title = `${plain(run.title)} – crscore view`;
	view = detail(by("detail"), {
		onclose: () => show({ ...state, open: null }, true),
		onstep: async (step) => {
			const id = await table.id(at + step);
			if (id === null) return;
			at += step; // also where the change cannot be read
			show({ ...state, open: id }, true);
		},
		onreview: (review) => {
			state = { ...state, review };
			history.replaceState(null, "", address(state));
		},
		onrule: (rule) => run.kept > 0 && follow(rule),
		standards: run.rules,
	});
	build();
	listen();
	draw();
	await refresh();
	if (state.open !== null) await openChange();
	document.documentElement.dataset.ready = "true";
} catch (error) {
	fail(error);
}
