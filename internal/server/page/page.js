// The page at /. It asks POST /v1/score once for a change and its reviews, and computes the
// scores of every mode and threshold from the matrices of the answer. The comments of a bot go
// to POST /v1/gate.

import { Unreadable, dropped, isDiff, readSides, readText, sides } from "./files.js";
import { result } from "./result.js";
import { share } from "./share.js";
import { count, element, plain, short } from "./text.js";
import { verdictView } from "./verdicts.js";

/** @typedef {HTMLInputElement & HTMLTextAreaElement} Field */

const $ = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const field = (/** @type {string} */ id) => /** @type {Field} */ (document.getElementById(id));
const mostReviews = 20;

const saving = (/** @type {string} */ id) => element("button", { type: "button", className: "button", id, onclick: save }, "Save as a page");
const view = result($("found"), { standards: JSON.parse(document.body.dataset.rules ?? "[]"), say, tools: [saving("share")] });
const verdicts = verdictView($("decided"), [saving("share-decision")]);
let token = ""; // in memory only
/** @type {AbortController | null} */ let asking = null; // of the request that is on its way
/** @type {(() => import("./share.js").Shared) | null} */ let found = null; // what is shown
/** @type {{ files: { path: string, old?: string, new?: string }[], left: string[], same: number } | null} */ let whole = null; // files in the place of a diff
/** @type {Record<string, { shown: string, text: string }>} */ const exact = {}; // texts of files as they are: a textarea changes line ends

// ——— Saying things ———

/** @param {string} text */
function say(text) {
	$("status").textContent = text;
}

/** @param {string} title @param {string} [detail] */
function fail(title, detail) {
	$("error").replaceChildren(element("p", {}, short(title)), ...(detail ? [element("p", {}, short(detail))] : []));
	$("error").scrollIntoView({ block: "nearest" });
	say("");
}

class Refusal extends Error {
	/** @param {string} title @param {string} [detail] @param {number} [status] of the answer */
	constructor(title, detail, status) {
		super(title);
		this.detail = detail;
		this.status = status;
	}
}

// ——— Asking ———

/** @param {string} id */
function text(id) {
	const value = field(id).value;
	return exact[id]?.shown === value ? exact[id].text : value;
}

const kind = () => /** @type {HTMLInputElement} */ (document.querySelector("[name=kind]:checked")).value;

/** The fields of a request that describe the change. */
function change() {
	/** @type {Record<string, any>} */ const body = whole ? { files: whole.files } : { diff: text("diff") };
	for (const name of whole ? ["lang"] : ["path", "lang"]) {
		const v = field(name).value.trim();
		if (v) body[name] = v;
	}
	return body;
}

/** @returns {Record<string, any>} */
function request() {
	if (kind() === "comments") {
		const policy = { drop_off_topic: field("drop").checked, min_rel: Number(field("min-rel").value) || 0, max_comments: Number(field("max-comments").value) || 0 };
		return { ...change(), comments: text("comments"), policy };
	}
	const reviews = fields().map((id, i) => ({ id: field(`name-${i + 1}`).value.trim() || `review ${i + 1}`, text: text(id) }));
	const said = reviews.filter((r) => r.text.trim()); // a field that was added and left empty is no review
	return { ...change(), reviews: said.length ? said : reviews.slice(0, 1) };
}

/** What a status means, where the service does not say it better. @type {Record<number, string>} */
const titles = { 400: "The service cannot read this", 413: "This is too much for the service", 421: "The service does not answer under this address", 429: "The service is busy", 500: "The service has a bug", 503: "The service is not ready" };
/** @type {Record<string, string>} */
const places = { diff: "In the change", files: "In the files", path: "In the path", lang: "In the language", reviews: "In the reviews", comments: "In the comments", policy: "In the conditions" };

/** @param {string} path @param {string} body @param {AbortSignal} signal */
async function ask(path, body, signal) {
	/** @type {Record<string, string>} */ const headers = { "Content-Type": "application/json", Accept: "application/json, application/problem+json" };
	if (token) headers.Authorization = "Bearer " + token;
	const [answer, content] = await fetch(path, {
		method: "POST", headers, body, signal,
		mode: "same-origin", credentials: "omit", cache: "no-store", redirect: "error", referrerPolicy: "no-referrer",
	}).then(async (a) => /** @type {[Response, string]} */ ([a, await a.text()])).catch((e) => {
		throw signal.aborted ? e : new Refusal("The service cannot be reached", `Is it still running? (${e.message})`);
	});
	if (answer.ok) return JSON.parse(content);
	/** @type {{ title?: string, detail?: string, pointer?: string } | null} */ let problem = null;
	try {
		problem = JSON.parse(content);
	} catch { // something between here and the service has answered
	}
	const title = titles[answer.status] ?? String(problem?.title ?? `The service answered ${answer.status}`);
	const wait = Number(answer.headers.get("Retry-After")), [, at, n] = String(problem?.pointer ?? "").split("/");
	const place = places[at] && (at === "reviews" && /^\d+$/.test(n ?? "") ? `In review ${Number(n) + 1}` : places[at]);
	const detail = [String(problem?.detail ?? (problem ? "" : `It answered ${answer.status}.`)), wait > 0 ? `Try again in ${wait} s.` : ""].filter(Boolean).join(" ");
	if (answer.status === 401) {
		const again = token !== "";
		token = "";
		signIn(again);
		if (!again) return undefined;
		throw new Refusal("The service does not take this token", detail);
	}
	throw new Refusal(title, place && detail ? `${place}: ${detail}` : detail, answer.status);
}

/** What is missing before the service can be asked. @returns {[field: string, title: string, detail: string] | null} */
function missing() {
	if (!whole && !field("diff").value.trim()) return ["diff", "There is no change yet", "Paste a diff, drop files, or begin with the example."];
	if (kind() === "comments" && !field("comments").value.trim()) return ["comments", "There are no comments yet", "Paste the file that the bot writes, or drop it."];
	return null;
}

async function run() {
	asking?.abort();
	const mine = (asking = new AbortController());
	const seconds = Number($("ask").dataset.seconds);
	const timer = setTimeout(() => mine.abort("late"), seconds * 1000);
	$("error").replaceChildren();
	const lack = missing();
	if (lack) {
		$(lack[0]).focus();
		fail(lack[1], lack[2]);
		finish(mine, timer);
		return;
	}
	busy(true);
	say("Scoring.");
	try {
		const made = request(), mark = key(), comments = "comments" in made;
		const body = (/** @type {object} */ more) => JSON.stringify({ ...made, change: true, ...more });
		const scores = () => ask("v1/score", body({ explain: true, similarities: true }), mine.signal).catch((e) => {
			if (!(e instanceof Refusal) || e.status !== 413) throw e;
			return ask("v1/score", body({ explain: true }), mine.signal); // each sentence then has its nearest reference alone
		});
		const answer = await (comments ? ask("v1/gate", body({}), mine.signal) : scores());
		if (answer === undefined || asking !== mine) return;
		if ("reviews" in made) made.reviews.forEach((/** @type {{ text: string }} */ r, /** @type {number} */ i) => answer.results?.[i] && (answer.results[i].text = r.text));
		show(answer, mark, comments);
	} catch (e) {
		if (asking !== mine) return; // another one took its place
		if (mine.signal.aborted) {
			if (mine.signal.reason === "late") fail("The service did not answer", `It had ${seconds} s.`);
			else say("Cancelled.");
		} else if (e instanceof Refusal) fail(e.message, e.detail);
		else fail("The page does not understand the service's answer", /** @type {Error} */ (e).message);
	} finally {
		finish(mine, timer);
	}
}

/** @param {AbortController} mine @param {number} timer */
function finish(mine, timer) {
	clearTimeout(timer);
	if (asking !== mine) return;
	asking = null;
	busy(false);
}

/** @param {boolean} on */
function busy(on) {
	$("score").classList.toggle("working", on);
	$("score").textContent = on ? "Scoring…" : "Score";
	if (!on && document.activeElement === $("cancel")) $("score").focus();
	$("cancel").hidden = !on;
	$("results").ariaBusy = on ? "true" : null;
}

/** @param {boolean} again */
function signIn(again) {
	$("sign-in").hidden = false;
	field("token").value = "";
	field("token").ariaInvalid = again ? "true" : null;
	field("token").focus();
	say("This service asks for a token.");
}

// ——— The result ———

let asked = ""; // what the shown result is an answer to

/** @param {any} answer @param {string} mark @param {boolean} comments */
function show(answer, mark, comments) {
	const said = comments ? verdicts.show(answer) : view.show(answer);
	found = () => (comments ? { decision: answer } : { answer, state: view.state() });
	asked = mark;
	const signing = $("sign-in").contains(document.activeElement);
	$("sign-in").hidden = $("nothing").hidden = true;
	$("found").hidden = comments;
	$("decided").hidden = !comments;
	changed(); // it can be typed on meanwhile
	say(said);
	if (signing) $("results").focus({ preventScroll: true }); // its own place is gone
	const { top } = $("results").getBoundingClientRect();
	if (top < 0 || top > innerHeight / 2) scrollBy({ top, behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
}

async function save() {
	if (!found) return;
	try {
		await share(found());
		say("The page is saved.");
	} catch (e) {
		fail("The page cannot be saved", /** @type {Error} */ (e).message);
	}
}

// ——— Putting texts in ———

/** @param {string} id @param {string} shown @param {string} [original] */
function put(id, shown, original = shown) {
	field(id).value = shown;
	exact[id] = { shown: field(id).value, text: original };
	field(id).scrollTop = 0;
	changed();
}

function changed() {
	$("stale").hidden = !asked || key() === asked;
}

/** The request in short: texts of files do not change, and are large. */
function key() {
	const made = request();
	return JSON.stringify("files" in made ? { ...made, files: made.files.map((/** @type {{ path: string, old?: string, new?: string }} */ f) => [f.path, f.old?.length, f.new?.length]) } : made);
}

/** The ids of the fields with reviews. */
const fields = () => [...document.querySelectorAll("#reviews textarea")].map((e) => e.id);

/** Adds a field for a review. */
function another(name = "") {
	const n = fields().length + 1, id = n === 1 ? "review" : `review-${n}`;
	const open = element("input", { type: "file", id: `${id}-file`, ariaLabel: `Open a file with review ${n}` });
	const area = element("textarea", { id, autocomplete: "off", "aria-describedby": "review-hint" });
	const called = element("input", { type: "text", id: `name-${n}`, className: "called", value: name, placeholder: "name", ariaLabel: `Name of review ${n}`, autocomplete: "off" });
	const box = element("div", { className: "review", "data-drop": id }, element("div", { className: "head" }, element("label", { htmlFor: id }, n === 1 ? "Review" : `Review ${n}`), called,
		element("label", { className: "button plain file" }, "Open a file", open)), area);
	if (n === 1) box.append(element("p", { className: "hint", id: "review-hint" }, "What a person or a program wrote about it: plain text or Markdown."));
	$("reviews").append(box);
	receive(id, box);
	called.addEventListener("input", changed);
	$("reviews").classList.toggle("many", n > 1);
	field("another").disabled = n >= mostReviews;
	return area;
}

/** Shows the files that are the change, or the field for a diff. */
function showWhole() {
	$("whole").hidden = !whole;
	field("diff").hidden = Boolean(whole);
	if (!whole) return $("whole").replaceChildren();
	const { files, left, same } = whole, shown = files.slice(0, 20);
	const state = (/** @type {{ old?: string, new?: string }} */ f) => (f.old === undefined ? "added" : f.new === undefined ? "deleted" : "changed");
	const swap = () => {
		if (whole) whole.files = whole.files.map((f) => ({ path: f.path, ...(f.new !== undefined && { old: f.new }), ...(f.old !== undefined && { new: f.old }) }));
		showWhole();
		$("whole").querySelector("button")?.focus();
	};
	$("whole").replaceChildren(element("p", {}, `${count(files.length, "file")}, old and new:`),
		element("ul", {}, ...shown.map((f) => element("li", {}, `${plain(f.path)}: ${state(f)}`)), ...(files.length > 20 ? [element("li", {}, `and ${files.length - 20} more`)] : [])),
		...(same ? [element("p", { className: "of" }, `The same on both sides, and left out: ${count(same, "file")}.`)] : []),
		...(left.length ? [element("p", { className: "of" }, `Left out, for they are not text: ${short(left.join(", "))}`)] : []),
		element("p", { className: "row" }, element("button", { type: "button", className: "button", onclick: swap }, "Swap old and new"), element("button", { type: "button", className: "button", id: "no-whole", onclick: () => {
			whole = null;
			showWhole();
			field("diff").focus();
		} }, "Remove the files")));
	changed();
}

/** Takes files that were opened or dropped. @param {string} id @param {import("./files.js").Dropped[]} list */
async function take(id, list) {
	try {
		$("error").replaceChildren();
		if (id === "diff") await takeChange(list);
		else {
			for (const [i, d] of list.entries()) { // of several each is a review
				const content = await readText(d.file);
				if (i > 0 && (id === "comments" || fields().length >= mostReviews)) throw new Unreadable(i === 1 ? "Only the first file could be taken." : `Only the first ${i} files could be taken.`);
				const at = i === 0 ? id : another().id, name = document.getElementById(`name-${fields().indexOf(at) + 1}`);
				if (name instanceof HTMLInputElement && list.length > 1) name.value = d.file.name;
				put(at, content);
			}
		}
		say(`${list.map((d) => plain(d.file.name)).slice(0, 3).join(", ")}: read.`);
	} catch (e) {
		fail("This cannot be read", e instanceof Unreadable ? e.message : /** @type {Error} */ (e).message);
	}
}

/** @param {import("./files.js").Dropped[]} list */
async function takeChange(list) {
	if (list.length === 1 && !list[0].path.includes("/")) {
		const content = await readText(list[0].file);
		whole = null;
		showWhole();
		put("diff", content);
		if (!isDiff(content)) throw new Unreadable(`${plain(list[0].file.name)} is not a diff. For a change of whole files drop both: the old and the new file.`);
		return;
	}
	const both = sides(list);
	if (!both) throw new Unreadable("These files are not two sides of a change. Drop two files, or two folders: the old and the new.");
	if (list.length === 2 && (await Promise.all(list.map((d) => readText(d.file).then(isDiff, () => false)))).every(Boolean)) throw new Unreadable("These are two diffs. Drop one of them.");
	whole = await readSides(both);
	showWhole();
}

const hasFiles = (/** @type {DragEvent} */ e) => Boolean(e.dataTransfer?.types.includes("Files"));

/** Lets a field take files. @param {string} id @param {HTMLElement} area */
function receive(id, area) {
	$(id).addEventListener("input", changed);
	$(id + "-file").addEventListener("change", (e) => {
		const input = /** @type {HTMLInputElement} */ (e.target), list = [...(input.files ?? [])];
		if (list.length) take(id, list.map((file) => ({ path: file.name, file })));
		input.value = ""; // the same one can be opened again
	});
	const over = (/** @type {boolean} */ on) => (/** @type {DragEvent} */ e) => {
		if (!on && area.contains(/** @type {Node | null} */ (e.relatedTarget))) return;
		area.classList.toggle("over", on && hasFiles(e));
	};
	area.addEventListener("dragenter", over(true));
	area.addEventListener("dragleave", over(false));
	area.addEventListener("drop", async (e) => {
		area.classList.remove("over");
		if (!e.dataTransfer || !hasFiles(e)) return;
		$(id).focus();
		try {
			const list = await dropped(e.dataTransfer);
			if (list.length) await take(id, list);
		} catch (x) {
			fail("This cannot be read", /** @type {Error} */ (x).message);
		}
	});
}

another();
for (const id of ["diff", "comments"]) receive(id, /** @type {HTMLElement} */ (document.querySelector(`[data-drop=${id}]`)));
for (const name of ["path", "lang", "drop", "min-rel", "max-comments"]) $(name).addEventListener("input", changed);
// Keeps the browser from opening a dropped file or link in place of the page. Text that
// is dropped in a field is left to the browser, which can undo it.
for (const event of /** @type {const} */ (["dragover", "drop"])) {
	addEventListener(event, (e) => {
		const target = /** @type {Element} */ (e.target);
		if (!hasFiles(e) && target.closest?.("textarea, [type=text]")) return;
		e.preventDefault();
		if (event === "dragover" && e.dataTransfer && !(hasFiles(e) && target.closest?.("[data-drop]"))) e.dataTransfer.dropEffect = "none";
	});
}
for (const radio of document.querySelectorAll("[name=kind]")) {
	radio.addEventListener("change", () => {
		const bot = kind() === "comments";
		$("bot").hidden = !bot;
		$("reviews").hidden = $("another").hidden = bot;
		changed();
	});
}

$("ask").addEventListener("submit", (e) => {
	e.preventDefault();
	run();
});
$("ask").addEventListener("keydown", (e) => {
	if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
		e.preventDefault();
		run();
	}
	if (e.key === "Escape") asking?.abort();
});
$("cancel").addEventListener("click", () => asking?.abort());
$("another").addEventListener("click", () => another().focus());
$("clear").addEventListener("click", () => {
	clear();
	$("error").replaceChildren();
	field("diff").focus();
});
/** @type {(() => void) | null} */ let bring = null; // brings back what was cleared
function clear() {
	asking?.abort();
	const ids = ["diff", "comments", ...fields()], names = fields().map((_, i) => field(`name-${i + 1}`).value);
	const texts = ids.map((id) => ({ shown: field(id).value, text: text(id) })), files = whole;
	if (files || texts.some((t) => t.shown.trim())) {
		bring = () => {
			clear();
			bring = null;
			whole = files;
			showWhole();
			names.forEach((name, i) => {
				if (i > 0) another();
				field(`name-${i + 1}`).value = name;
			});
			ids.forEach((id, i) => put(id, texts[i].shown, texts[i].text));
			$("undo").hidden = true;
		};
	}
	$("undo").hidden = !bring;
	whole = null;
	showWhole();
	$("reviews").replaceChildren();
	another();
	for (const id of ["diff", "review", "comments"]) put(id, "");
	for (const name of ["path", "lang"]) field(name).value = "";
}

/** Puts the example in and scores it. @param {string} [first] the id of the review to begin with */
async function example(first) {
	/** @type {{ diff: string, reviews: { id: string, text: string }[] }} */
	let made;
	try {
		made = await fetch("example.json").then((a) => a.json());
	} catch (e) {
		return fail("The service cannot be reached", `Is it still running? (${/** @type {Error} */ (e).message})`);
	}
	const { diff, reviews } = made;
	clear();
	field("name-1").value = "";
	/** @type {HTMLInputElement} */ (document.querySelector("[name=kind][value=reviews]")).click();
	put("diff", diff);
	const ordered = reviews.toSorted((a, b) => Number(b.id === first) - Number(a.id === first));
	ordered.forEach((r, i) => {
		if (i > 0) another();
		field(`name-${i + 1}`).value = r.id;
		put(i ? `review-${i + 1}` : "review", r.text);
	});
	run();
}
$("undo").addEventListener("click", () => bring?.());
$("example").addEventListener("click", () => example());
for (const card of document.querySelectorAll("[data-example]")) card.addEventListener("click", () => example(/** @type {HTMLElement} */ (card).dataset.example));
$("sign-in").addEventListener("submit", (e) => {
	e.preventDefault();
	token = field("token").value.trim();
	field("token").value = "";
	if (!token) return field("token").focus();
	run();
});
