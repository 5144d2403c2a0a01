// Files that a visitor opens or drops: a diff, texts, or the old and the new side of a change.

import { plain } from "./text.js";

const MiB = 1 << 20;
const largest = 32 * MiB; // of all files together; the service has limits of its own
const most = 20_000; // files of both sides

/** What cannot be read, in a person's words. */
export class Unreadable extends Error {}

/**
 * A file with its path below what was dropped.
 * @typedef {{ path: string, file: File }} Dropped
 */

/**
 * The text of a file, as it is.
 * @param {File} file
 */
export async function readText(file) {
	if (file.size > largest) throw new Unreadable(`${plain(file.name)} is larger than ${largest / MiB} MiB.`);
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await file.arrayBuffer());
	} catch (e) {
		throw new Unreadable(`${plain(file.name)} cannot be read: ${e instanceof TypeError ? "it is not text in UTF-8" : /** @type {Error} */ (e).message}.`);
	}
}

/**
 * The files of a drop, those in folders included.
 * @param {DataTransfer} transfer
 * @returns {Promise<Dropped[]>}
 */
export async function dropped(transfer) {
	const entries = [...transfer.items].filter((i) => i.kind === "file").map((i) => i.webkitGetAsEntry?.());
	if (!entries.some((e) => e?.isDirectory)) return [...transfer.files].map((file) => ({ path: file.name, file }));
	/** @type {Dropped[]} */ const out = [];
	/** @param {FileSystemEntry} entry @param {string} path */
	const walk = async (entry, path) => {
		if (out.length > most) throw new Unreadable(`There are more than ${most} files.`);
		if (entry.isFile) {
			out.push({ path, file: await new Promise((done, failed) => /** @type {FileSystemFileEntry} */ (entry).file(done, failed)) });
			return;
		}
		if (entry.name === ".git" || entry.name === "node_modules") return;
		const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
		for (;;) { // it gives a hundred at a time
			/** @type {FileSystemEntry[]} */ const some = await new Promise((done, failed) => reader.readEntries(done, failed));
			if (some.length === 0) return;
			for (const e of some) await walk(e, `${path}/${e.name}`);
		}
	};
	for (const e of entries) if (e) await walk(e, e.name);
	return out;
}

/** @param {string} text */
export const isDiff = (text) => /^(diff --git |--- |@@ |Index: )/m.test(text);

const older = /(^|[^a-z])(old|before|orig|original|a|base|left)([^a-z]|$)/i, newer = /(^|[^a-z])(new|after|b|head|changed|right)([^a-z]|$)/i;

/**
 * The two sides of a change: two files, or the files of two folders. null if that is not what
 * the files are.
 * @param {Dropped[]} list
 * @returns {{ old: Dropped[], new: Dropped[] } | null}
 */
export function sides(list) {
	/** @type {(names: string[]) => number} which of two names is the old side; 0 where nothing tells it */
	const first = ([a, b]) => (newer.test(a) && !newer.test(b)) || (older.test(b) && !older.test(a)) ? 1 : 0;
	if (list.length === 2 && list.every((d) => !d.path.includes("/"))) {
		const at = first(list.map((d) => d.path)), path = list[1 - at].path;
		return { old: [{ path, file: list[at].file }], new: [{ path, file: list[1 - at].file }] };
	}
	let all = list.map((d) => ({ parts: d.path.split("/"), file: d.file }));
	// One folder with both inside is opened first.
	while (all.length && all.every((d) => d.parts.length > 2 && d.parts[0] === all[0].parts[0])) all = all.map((d) => ({ ...d, parts: d.parts.slice(1) }));
	const folders = [...new Set(all.map((d) => d.parts[0]))];
	if (folders.length !== 2 || all.some((d) => d.parts.length < 2)) return null;
	const at = first(folders);
	const of = (/** @type {string} */ folder) => all.filter((d) => d.parts[0] === folder).map((d) => ({ path: d.parts.slice(1).join("/"), file: d.file }));
	return { old: of(folders[at]), new: of(folders[1 - at]) };
}

/**
 * Reads both sides. Files that are no text are left out, and named.
 * @param {{ old: Dropped[], new: Dropped[] }} both
 */
export async function readSides(both) {
	const size = [...both.old, ...both.new].reduce((sum, d) => sum + d.file.size, 0);
	if (size > largest) throw new Unreadable(`The files are larger than ${largest / MiB} MiB together.`);
	/** @type {Map<string, { path: string, old?: string, new?: string }>} */ const files = new Map();
	/** @type {string[]} */ const left = [];
	for (const side of /** @type {const} */ (["old", "new"])) {
		for (const d of both[side]) {
			try {
				const f = files.get(d.path) ?? { path: d.path };
				f[side] = await readText(d.file);
				files.set(d.path, f);
			} catch (e) {
				left.push(`${plain(d.path)} (${side})`);
			}
		}
	}
	for (const name of left) files.delete(name.replace(/ \((old|new)\)$/, "")); // half a file would look added or deleted
	if (files.size === 0) throw new Unreadable("None of the files is text in UTF-8.");
	const differ = [...files.values()].filter((f) => f.old !== f.new);
	if (differ.length === 0) throw new Unreadable("The old and the new files are the same.");
	return { files: differ.sort((a, b) => (a.path < b.path ? -1 : 1)), left, same: files.size - differ.length };
}
