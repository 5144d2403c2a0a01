// The state of the page is its address: what the table shows, and the change that is open.

// The parameters of the service's queries, in the order of the address.
export const parameters = ["mode", "tau", "low", "slope", "comp", "measure", "beside", "system", "lang", "only", "of", "min", "max", "a", "b", "least", "most", "q", "sort", "down"];

/** The open change, the review of it that is shown, and the query of the table.
 * @typedef {{ open: string | null, review: string, query: URLSearchParams }} State */

/** Reads the state of an address. Parameters that are not known are left out.
 * @param {string} search
 * @returns {State} */
export function read(search) {
	const all = new URLSearchParams(search), query = new URLSearchParams();
	for (const name of parameters) {
		for (const value of name === "system" ? all.getAll(name) : all.getAll(name).slice(0, 1)) query.append(name, value);
	}
	return { open: all.get("open"), review: all.get("review") ?? "", query };
}

/** The address of a state.
 * @param {State} state */
export function address(state) {
	const all = new URLSearchParams(state.query);
	if (state.open !== null) all.set("open", state.open);
	if (state.open !== null && state.review !== "") all.set("review", state.review);
	const text = all.toString();
	return location.pathname + (text === "" ? "" : "?" + text);
}

/** The query of a table: without parameters that another one makes meaningless.
 * @param {URLSearchParams} query */
export function sensible(query) {
	const q = new URLSearchParams(query);
	if (!q.has("mode")) for (const name of ["tau", "low", "slope", "comp"]) q.delete(name);
	if (!q.has("a") || !q.has("b")) {
		for (const name of ["a", "b", "least", "most"]) q.delete(name);
		if (q.get("sort") === "diff") q.delete("sort");
	}
	if (!q.has("beside") && ["over", "under"].includes(q.get("sort") ?? "")) q.delete("sort");
	if (!q.has("min") && !q.has("max")) q.delete("of");
	return q;
}
