// Requests to the viewer, and texts from files, which are set as text and never as markup.

/** Asks the viewer. The error says what is wrong, for a person.
 * @param {string} path @param {AbortSignal} [signal] @returns {Promise<any>} */
export async function ask(path, signal) {
	/** @type {Response} */
	let answer;
	try {
		answer = await fetch(path, { signal, headers: { Accept: "application/json" } });
	} catch (error) {
		if (signal?.aborted) throw error;
		throw new Error("The viewer cannot be reached: it was ended, or its machine sleeps. Start crscore view again.");
	}
	const text = await answer.text();
	/** @type {any} */
	let value = null;
	try {
		value = JSON.parse(text);
	} catch {
		throw new Error(`The viewer answered ${answer.status} with something that is no JSON.`);
	}
	if (!answer.ok) throw new Error(plain(`${value?.title ?? "The viewer answered " + answer.status}: ${value?.detail ?? ""}`));
	return value;
}

// Controls, and characters that turn the direction of text.
const strange = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A text with its invisible characters made visible. @param {string} text */
export const plain = (text) => text.replace(strange, (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);

/** Makes an element with a text. @param {string} tag @param {string} name of its class @param {string} [text] @returns {any} */
export function element(tag, name, text) {
	const e = document.createElement(tag);
	if (name !== "") e.className = name;
	if (text !== undefined) e.textContent = text;
	return e;
}
