// A function that looks at the page that is open and returns its faults. A page that is
// alone may have no script and refer to nothing.
async (open, alone) => {
	const faults = [];
	const bad = (what, e) => faults.push(what + (e ? ": " + (e.textContent || e.outerHTML).trim().replace(/\s+/g, " ").slice(0, 80) : ""));
	const all = (selector, root = document) => [...root.querySelectorAll(selector)];
	all("details").forEach((d) => (d.open = open));
	await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))); // for scripts that draw
	const shown = (e) => e.checkVisibility() && e.getClientRects().length > 0;

	// Width.
	const page = document.scrollingElement;
	if (page.scrollWidth > page.clientWidth) bad(`the page is ${page.scrollWidth} wide, the screen ${page.clientWidth}`);
	for (const e of all("body *")) {
		if (!shown(e) || e.closest(".scroll table, svg *")) continue;
		const r = e.getBoundingClientRect();
		if (r.left < -0.5 || r.right > page.clientWidth + 0.5) bad(`<${e.localName}> leaves the screen`, e);
	}
	if (document.querySelector('meta[name="viewport"]')?.content.includes("width=device-width") !== true) bad("no viewport for phones");

	// Texts in drawings.
	let drawings = 0;
	for (const svg of all("svg[role=img]")) {
		if (!svg.querySelector(":scope > title")?.textContent.trim()) bad("a drawing without title");
		if (!svg.querySelector(":scope > desc")?.textContent.trim()) bad("a drawing without description");
		if (!shown(svg)) continue;
		drawings++;
		const frame = svg.getBoundingClientRect();
		const texts = all("text", svg).map((e) => [e, e.getBoundingClientRect()]);
		for (const [e, r] of texts) {
			if (r.left < frame.left - 1 || r.right > frame.right + 1 || r.top < frame.top - 2 || r.bottom > frame.bottom + 2) bad("text leaves its drawing", e);
			if (parseFloat(getComputedStyle(e).fontSize) * svg.getScreenCTM().a < 10) bad("text below 10 pixels", e);
		}
		texts.forEach(([a, r], i) =>
			texts.slice(i + 1).forEach(([b, s]) => {
				// A glyph is smaller than its box.
				const x = Math.min(r.right, s.right) - Math.max(r.left, s.left), y = Math.min(r.bottom, s.bottom) - Math.max(r.top, s.top);
				if (x > 1 && y > 0.25 * Math.min(r.height, s.height)) bad(`text covers "${b.textContent}"`, a);
			}));
		for (const p of all("path", svg)) {
			const r = p.getBoundingClientRect();
			if (r.left < frame.left - 6 || r.right > frame.right + 6 || r.top < frame.top - 6 || r.bottom > frame.bottom + 6) bad(`a path (${p.getAttribute("class")}) leaves its drawing`, svg.querySelector("title"));
		}
	}
	const expected = new Set(all("figure").filter((f) => f.querySelector("svg[role=img]"))).size;
	if (drawings !== expected) bad(`${drawings} drawings are shown of ${expected}`);
	if (/NaN|Infinity|undefined/.test(all("svg *").map((e) => e.getAttribute("d") || "").join())) bad("a path that is not made of numbers");

	// Lines between the items of two lists.
	for (const svg of all("svg.links").filter(shown)) {
		const middles = all("ol", svg.parentElement).map((ol) => [...ol.children].map((li) => { const r = li.getBoundingClientRect(); return (r.top + r.bottom) / 2; }));
		for (const p of all("path", svg)) {
			[0, p.getTotalLength()].forEach((at, side) => {
				const y = p.getPointAtLength(at).matrixTransform(p.getScreenCTM()).y;
				if (!middles[side].some((m) => Math.abs(m - y) < 2)) bad(`a link ends at ${y}, the items are at ${middles[side]}`);
			});
		}
	}

	// Contrast of text with what is behind it.
	const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
	const rgba = (color) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); return canvas.getImageData(0, 0, 1, 1).data; };
	const light = (color) => {
		const [r, g, b] = [...rgba(color)].map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const behind = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (rgba(c)[3] === 255) return c; } return "white"; };
	const seen = new Map();
	for (const e of all("body *")) {
		if (!shown(e) || ![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) || e.closest("title, desc")) continue;
		const style = getComputedStyle(e), color = e.localName === "text" ? style.fill : style.color, back = behind(e);
		const key = color + back;
		if (!seen.has(key)) {
			const [a, b] = [light(color), light(back)].sort((x, y) => y - x);
			seen.set(key, (a + 0.05) / (b + 0.05));
		}
		if (seen.get(key) < 4.5) bad(`contrast ${seen.get(key).toFixed(2)} of ${color} on ${back}`, e);
	}

	// Structure.
	if (!document.title.trim()) bad("no title");
	if (!document.documentElement.lang) bad("no language");
	let level = 0;
	for (const h of all("h1, h2, h3, h4, h5, h6")) {
		const l = +h.localName[1];
		if (l > level + 1) bad(`a heading of level ${l} after one of level ${level}`, h);
		if (!h.textContent.trim()) bad(`an empty heading of level ${l}`);
		level = l;
	}
	if (all("h1").length !== 1) bad(`${all("h1").length} headings of level 1`);
	if (alone && (document.scripts.length || all("*").some((e) => [...e.attributes].some((a) => a.name.startsWith("on"))))) bad("the page has scripts");
	if (alone && all("[src], [href], link, iframe, object, embed").length) bad("the page refers to something outside");
	const ids = all("[id]").map((e) => e.id);
	if (new Set(ids).size !== ids.length) bad("ids are not unique");
	return faults;
}
