// The page at /. It asks POST /v1/score once for a change and a review, and computes the
// scores of every mode and threshold from the matrix of the answer.

import { best, modes, number, resign, score, usesTau } from "./score.js";
import { element, evidence, plain, short, sign } from "./evidence.js";

const $ = (id) => document.getElementById(id);
const MiB = 1 << 20;
const largest = 32 * MiB; // of a file that is opened; the service has limits of its own

const rules = JSON.parse(document.body.dataset.rules); // the service's, by mode
const view = evidence();
let token = ""; // in memory only
let asking = null; // the AbortController of the request that is on its way
let found = null; // the last answer, made ready
let rule = null; // the rule that is shown
let chosen = {}; // the rules that were moved, by mode
const exact = {}; // texts of files as they are: a textarea changes line ends

// ——— Saying things ———

function say(text) {
	$("status").textContent = text;
}

function fail(title, detail) {
	$("error").replaceChildren(element("p", {}, short(title)), ...(detail ? [element("p", {}, short(detail))] : []));
	$("error").scrollIntoView({ block: "nearest" });
	say("");
}

class Refusal extends Error {
	constructor(title, detail) {
		super(title);
		this.detail = detail;
	}
}

// ——— Asking ———

function request() {
	const body = { diff: text("diff"), reviews: [{ id: "1", text: text("review") }], explain: true, similarities: true };
	for (const name of ["path", "lang"]) {
		const v = $(name).value.trim();
		if (v) body[name] = v;
	}
	return body;
}

function text(id) {
	const value = $(id).value;
	return exact[id]?.shown === value ? exact[id].text : value;
}

async function ask(body, signal) {
	const headers = { "Content-Type": "application/json", Accept: "application/json, application/problem+json" };
	if (token) headers.Authorization = "Bearer " + token;
	const [answer, content] = await fetch("v1/score", {
		method: "POST", headers, body, signal,
		mode: "same-origin", credentials: "omit", cache: "no-store", redirect: "error", referrerPolicy: "no-referrer",
	}).then(async (a) => [a, await a.text()]).catch((e) => {
		throw signal.aborted ? e : new Refusal("The service cannot be reached", e.message);
	});
	if (answer.ok) return ready(JSON.parse(content));
	let problem = {};
	try {
		problem = JSON.parse(content);
	} catch { // something between here and the service has answered
	}
	const title = String(problem?.title ?? `The service answered ${answer.status}`);
	const wait = Number(answer.headers.get("Retry-After"));
	const detail = [String(problem?.detail ?? ""), wait > 0 ? `Try again in ${wait} s.` : ""].filter(Boolean).join(" ");
	if (answer.status === 401) {
		const again = token !== "";
		token = "";
		signIn(again);
		if (!again) return null;
		throw new Refusal("The service does not take this token", detail);
	}
	throw new Refusal(title, detail);
}

// Checks an answer and returns the parts that are shown.
function ready(answer) {
	const row = answer?.results?.[0];
	if (!row || typeof row.status !== "string" || !modes.includes(row.mode)) throw new Error("There is no result in it.");
	const refs = row.explain?.refs ?? answer.refs ?? [], sentences = row.explain?.sentences ?? [];
	const scored = row.status === "scored", matrix = scored ? row.similarities ?? [] : [];
	if (![...sentences, ...refs].every((e) => typeof e?.text === "string")) throw new Error("A sentence or a reference has no text.");
	if (scored && matrix.length !== sentences.length) throw new Error(`It has ${sentences.length} sentences, and similarities for ${matrix.length}.`);
	const partners = best(matrix, refs.length);
	const out = {
		row, scored, matrix, partners, weights: refs.map((r) => r.weight ?? 1),
		sentences, refs, dropped: row.explain?.dropped ?? [], warnings: answer.warnings ?? [],
		signature: row.signature || answer.signature || "",
		own: { mode: row.mode, tau: row.tau, low: row.low, slope: row.slope },
	};
	if (scored) {
		const mine = score(partners, out.weights, out.own);
		for (const name of ["con", "comp", "rel"]) {
			if (!mine || !(Math.abs(mine[name] - row[name]) < 1e-9)) out.warnings = [...out.warnings, `This page finds ${name} to be ${mine?.[name]}, the service ${row[name]}: one of the two is wrong. Please report it.`];
		}
	}
	return out;
}

async function run() {
	asking?.abort();
	const mine = (asking = new AbortController());
	const seconds = Number($("ask").dataset.seconds);
	const timer = setTimeout(() => mine.abort("late"), seconds * 1000);
	$("error").replaceChildren();
	if (!$("diff").value.trim()) {
		$("diff").focus();
		fail("There is no change yet", "Paste a diff, drop a file, or begin with the example.");
		finish(mine, timer);
		return;
	}
	busy(true);
	say("Scoring.");
	try {
		const body = JSON.stringify(request());
		const answer = await ask(body, mine.signal);
		if (answer && asking === mine) show(answer, body);
	} catch (e) {
		if (asking !== mine) return; // another one took its place
		if (mine.signal.aborted) {
			if (mine.signal.reason === "late") fail("The service did not answer", `It had ${seconds} s.`);
			else say("Cancelled.");
		} else if (e instanceof Refusal) fail(e.message, e.detail);
		else fail("The page does not understand the service's answer", e.message);
	} finally {
		finish(mine, timer);
	}
}

function finish(mine, timer) {
	clearTimeout(timer);
	if (asking !== mine) return;
	asking = null;
	busy(false);
}

function busy(on) {
	$("score").classList.toggle("working", on);
	$("score").textContent = on ? "Scoring…" : "Score";
	if (!on && document.activeElement === $("cancel")) $("score").focus();
	$("cancel").hidden = !on;
	$("results").ariaBusy = on ? "true" : null;
}

function signIn(again) {
	$("sign-in").hidden = false;
	$("token").value = "";
	$("token").ariaInvalid = again ? "true" : null;
	$("token").focus();
	say("This service asks for a token.");
}

// ——— The result ———

// Shows the answer to a request.
function show(answer, body) {
	found = answer;
	const { row } = answer;
	const signing = $("sign-in").contains(document.activeElement);
	$("sign-in").hidden = true;
	$("nothing").hidden = true;
	$("found").hidden = false;
	$("stale").hidden = JSON.stringify(request()) === body; // it can be typed on meanwhile
	$("unscored").hidden = answer.scored;
	$("unscored").textContent = answer.scored ? "" : `No score: ${short(row.reason ?? "the service does not say why")}`;
	$("board").hidden = !answer.scored;
	$("note").hidden = !row.note;
	$("note").textContent = short(row.note ?? "");
	$("warnings").hidden = answer.warnings.length === 0;
	$("warnings").querySelector("ul").replaceChildren(...answer.warnings.map((w) => element("li", {}, short(w))));
	$("dropped").hidden = answer.dropped.length === 0;
	$("dropped").querySelector("summary").textContent = `Claims that do not count (${answer.dropped.length})`;
	$("dropped").querySelector("ul").replaceChildren(...answer.dropped.map((d) => element("li", {}, short(`${d.text} (${d.reason}: ${d.detail})`))));
	$("sentences-title").textContent = `Sentences (${answer.sentences.length})`;
	$("references-title").textContent = `References (${answer.refs.length})`;
	if (!rule || !chosen[rule.mode]) rule = { ...(rule && answer.scored ? standard(rule.mode) : answer.own) };
	view.show({
		matrix: answer.matrix, best: [answer.partners.sentences, answer.partners.refs],
		sides: [
			answer.sentences.map((s) => ({ text: s.text, of: s.points_back ? "refers to the sentence before" : "" })),
			answer.refs.map((r) => ({ text: r.text, of: origin(r) })),
		],
	}, rule);
	apply();
	say(answer.scored ? `Scored: ${spoken()}.` : $("unscored").textContent);
	if (signing) $("results").focus({ preventScroll: true }); // its own place is gone
	const { top } = $("results").getBoundingClientRect();
	if (top < 0 || top > innerHeight / 2) $("results").scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
}

// The place and source of a reference.
function origin(r) {
	const lines = r.start_line ? `${r.start_line}${r.end_line > r.start_line ? `–${r.end_line}` : ""}` : "";
	const place = r.path ? r.path + (lines && ":" + lines) : lines && `line ${lines}`;
	const parts = [r.kind, place, r.source + (r.rule ? ` ${r.rule}` : "")];
	if (r.side === "old") parts.push("old side");
	if (r.weight !== undefined && r.weight !== 1) parts.push(`weighs ${r.weight}`);
	return short(parts.filter(Boolean).join(" · "));
}

// The service's rule for a mode, if the service has a rule for it.
function standard(mode) {
	return found?.own.mode === mode ? found.own : rules.find((r) => r.mode === mode);
}

const digits = (v) => (v ?? 0).toFixed(2);

function spoken() {
	const n = score(found.partners, found.weights, rule);
	return n ? `Con ${digits(n.con)}, Comp ${digits(n.comp)}, Rel ${digits(n.rel)}` : "no score";
}

// Shows the scores by the chosen rule, without a request.
function apply() {
	const { partners, weights } = found;
	const n = found.scored ? score(partners, weights, rule) : null;
	for (const name of ["con", "comp", "rel"]) {
		$(name).textContent = n ? digits(n[name]) : "–";
		$(name).nextElementSibling.style.setProperty("--share", n ? n[name] : 0);
	}
	const tally = (side, one, many) => {
		if (side.length === 0) return "there are none";
		if (!usesTau(rule.mode)) return side.length === 1 ? "the best similarity" : `mean of ${side.length} best similarities`;
		const sum = side.reduce((all, b) => all + sign(rule, b).credit, 0);
		return `${rule.mode === "hard" ? sum : sum.toFixed(1)} of ${side.length} ${side.length === 1 ? one : many}`;
	};
	$("con-means").textContent = tally(partners.sentences, "sentence is on topic", "sentences are on topic");
	$("comp-means").textContent = tally(partners.refs, "reference is covered", "references are covered") + (weights.some((w) => w !== weights[0]) ? ", by weight" : "");
	if (found.scored) view.update(rule);
	controls();
	signed();
}

const meaning = {
	hard: () => "A sentence or reference is matched if its best similarity is greater than τ.",
	soft: () => "Con and Comp are means of the best similarities. There is no threshold.",
	ramp: () => "A sentence or reference is matched from τ on, not matched up to the lower threshold, and matched in part between the two.",
	calibrated: () => "A similarity becomes a probability of a match: one half at τ, rising with the slope. Con and Comp are means of the best probabilities.",
};

function controls() {
	for (const radio of document.getElementsByName("mode")) radio.checked = radio.value === rule.mode;
	for (const row of document.querySelectorAll(".slide")) {
		const name = row.dataset.of, v = rule[name], has = v !== undefined;
		row.hidden = !has;
		if (!has) continue;
		$(name).value = v;
		$(name).ariaValueText = number(v);
		if (document.activeElement !== $(name + "-exact")) write(name);
	}
	const own = standard(rule.mode);
	$("rule-means").textContent = meaning[rule.mode]?.() + (own ? "" : " The service has no measured thresholds for this mode: the sliders start at any value.");
	$("reset").hidden = rule.mode === found.own.mode && ["tau", "low", "slope"].every((p) => rule[p] === found.own[p]);
}

function write(name) {
	$(name + "-exact").value = rule[name];
	$(name + "-exact").ariaInvalid = null;
}

// Shows the signature of the scores that are shown.
function signed() {
	const served = plain(found.signature);
	const same = $("reset").hidden || !found.scored;
	const mine = same ? served : resign(served, found.own, rule);
	$("signature").textContent = mine ?? served;
	$("copied").textContent = "";
	$("signature-means").textContent = same ? "It names everything that shapes these scores."
		: mine ? "It has the mode and thresholds chosen above. This page computed the scores from the service's similarities, by the same arithmetic."
		: "It names the service's rule, not the rule chosen above.";
}

// ——— Changing the rule ———

let quiet = 0;

function choose(next) {
	rule = next;
	chosen[rule.mode] = rule;
	apply();
	clearTimeout(quiet); // said when the slider rests
	quiet = setTimeout(() => say(`${spoken()}.`), 700);
}

function mode(name) {
	const start = chosen[name] ?? standard(name);
	if (start) return choose({ ...start });
	const tau = rule.tau ?? 0.5;
	choose({ mode: name, ...(usesTau(name) && { tau }), ...(name === "ramp" && { low: 0 }), ...(name === "calibrated" && { slope: 10 }) });
}

function set(name, v) {
	const next = { ...rule, [name]: v };
	if (next.mode === "ramp" && next.low > next.tau) next[name === "tau" ? "low" : "tau"] = v; // one moves the other
	choose(next);
}

$("rule").addEventListener("submit", (e) => e.preventDefault());
for (const radio of document.getElementsByName("mode")) radio.addEventListener("change", () => mode(radio.value));
for (const name of ["tau", "low", "slope"]) {
	const slider = $(name), field = $(name + "-exact");
	slider.addEventListener("input", () => set(name, slider.valueAsNumber));
	field.addEventListener("input", () => {
		const v = field.valueAsNumber;
		const good = name === "slope" ? v > 0 && v <= Number.MAX_VALUE : v >= 0 && v <= 1;
		field.ariaInvalid = good ? null : "true";
		if (good) set(name, v + 0);
	});
	field.addEventListener("blur", () => rule[name] !== undefined && write(name));
}
$("reset").addEventListener("click", () => {
	chosen = {};
	rule = { ...found.own };
	apply();
	say(`${spoken()}.`);
	for (const radio of document.getElementsByName("mode")) if (radio.checked) radio.focus();
});

$("copy").addEventListener("click", async () => {
	try {
		await navigator.clipboard.writeText($("signature").textContent);
		$("copied").textContent = "Copied.";
	} catch { // only where the page came over HTTPS or from this machine
		getSelection().selectAllChildren($("signature"));
		$("copied").textContent = "Selected: copy it with Ctrl + C.";
	}
});

// ——— Putting texts in ———

function put(id, shown, original = shown) {
	$(id).value = shown;
	exact[id] = { shown: $(id).value, text: original };
	$(id).scrollTop = 0;
	changed();
}

function changed() {
	$("stale").hidden = !found;
}

async function open(id, file) {
	try {
		if (file.size > largest) throw new Refusal(`${file.name} is larger than ${largest / MiB} MiB`);
		const content = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await file.arrayBuffer());
		$("error").replaceChildren();
		put(id, content);
		say(`${plain(file.name)} is read.`);
	} catch (e) {
		if (e instanceof Refusal) fail(e.message);
		else fail(`${file.name} cannot be read`, e instanceof TypeError ? "It is not text in UTF-8." : e.message);
	}
}

const files = (e) => e.dataTransfer.types.includes("Files");

for (const id of ["diff", "review"]) {
	$(id).addEventListener("input", changed);
	$(id + "-file").addEventListener("change", (e) => {
		if (e.target.files[0]) open(id, e.target.files[0]);
		e.target.value = ""; // the same one can be opened again
	});
	const area = document.querySelector(`[data-drop=${id}]`);
	const over = (on) => (e) => {
		if (!on && area.contains(e.relatedTarget)) return;
		area.classList.toggle("over", on && files(e));
	};
	area.addEventListener("dragenter", over(true));
	area.addEventListener("dragleave", over(false));
	area.addEventListener("drop", (e) => {
		area.classList.remove("over");
		const file = e.dataTransfer.files[0];
		if (!file) return;
		open(id, file);
		$(id).focus();
	});
}
for (const name of ["path", "lang"]) $(name).addEventListener("input", changed);
// Keeps the browser from opening a dropped file or link in place of the page. Text that
// is dropped in a field is left to the browser, which can undo it.
for (const event of ["dragover", "drop"]) {
	addEventListener(event, (e) => {
		if (!files(e) && e.target.closest?.("textarea, [type=text]")) return;
		e.preventDefault();
		if (event === "dragover" && !(files(e) && e.target.closest?.("[data-drop]"))) e.dataTransfer.dropEffect = "none";
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
$("clear").addEventListener("click", () => {
	asking?.abort();
	for (const id of ["diff", "review"]) put(id, "");
	for (const name of ["path", "lang"]) $(name).value = "";
	$("error").replaceChildren();
	$("diff").focus();
});
$("example").addEventListener("click", async () => {
	const { diff, review } = await import("./example.js");
	for (const name of ["path", "lang"]) $(name).value = "";
	put("diff", diff);
	put("review", review);
	run();
});
$("sign-in").addEventListener("submit", (e) => {
	e.preventDefault();
	token = $("token").value.trim();
	$("token").value = "";
	if (!token) return $("token").focus();
	run();
});
