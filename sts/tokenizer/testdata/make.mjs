// Makes the tokenizers of this folder, each of a real model's kind with a small
// vocabulary learnt from the sentences below, and expected.json: what Hugging
// Face's own library makes of texts. ids are the tokens, words for each its word's
// number (null for special tokens), parts what of the text it stands for. pairs are two
// texts (by their number, cut to so many tokens) and what the tokenizers that pair texts
// make of them: the tokens, and their types.
//
//   npm install tokenizers@0.23.2 && node make.mjs
import { createRequire } from "node:module";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join, dirname } from "node:path";

const require = createRequire(join(process.cwd(), "x.js"));
const { Tokenizer } = require("tokenizers");
const here = dirname(fileURLToPath(import.meta.url));

const sentences = `the parser throws an exception when the token is missing
raise an error if a token does not exist in the cache
please update the copyright year in the readme file
why is this here and what does the loop do with the index
this function returns the wrong value when the list is empty
rename the variable to make the intent of the condition clearer
the cache is not invalidated after the configuration was changed
add a test for the case in which the user has no permission
the lock is held while the request is sent to the server
we should not catch every exception and ignore it silently
the method is too long and should be split into smaller functions
missing null check before the argument is used in the query
this import is not needed any more and can be removed
the default timeout of thirty seconds is too short for large files
use a constant instead of the magic number in the comparison
the comment says the opposite of what the code does
unused parameters handler refactored naming tokens tokenizer parsers whatever`.split("\n");
const words = sentences.join(" ").split(" ");

const count = (list) => {
  const m = new Map();
  for (const x of list) m.set(x, (m.get(x) ?? 0) + 1);
  return m;
};
const byCount = (m) => [...m].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));

// Every prefix, middle and end of words that is frequent, and all letters.
function wordPieceVocab(special) {
  const pieces = [];
  for (const w of words)
    for (let i = 0; i < w.length; i++)
      for (let k = i + 1; k <= w.length; k++) pieces.push((i ? "##" : "") + w.slice(i, k));
  const vocab = [...special];
  for (const c of "abcdefghijklmnopqrstuvwxyz0123456789") vocab.push(c, "##" + c);
  for (const c of "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~éüß日本") vocab.push(c);
  for (const [p, n] of byCount(count(pieces))) if (n > 1 && p.length > 1 && !vocab.includes(p)) vocab.push(p);
  return Object.fromEntries(vocab.slice(0, 900).map((t, i) => [t, i]));
}

// GPT-2's alphabet for bytes.
const byteChar = [];
for (let b = 0, n = 0; b < 256; b++) {
  const printable = (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
  byteChar.push(String.fromCodePoint(printable ? b : 256 + n++));
}

function bpe(special, more) {
  const vocab = [...special, ...byteChar.slice().sort()];
  const merges = [];
  const split = byCount(count([...words.map((w) => "Ġ" + w), "'s", "'t", "Ġ(", "()", "ĠĠĠĠ", "Ã©", "...", ...more])).map(([w, n]) => [[...w], n]);
  while (merges.length < 400) {
    const pairs = new Map();
    for (const [s, n] of split) for (let i = 0; i + 1 < s.length; i++) pairs.set(s[i] + " " + s[i + 1], (pairs.get(s[i] + " " + s[i + 1]) ?? 0) + n);
    const best = byCount(pairs)[0];
    if (!best) break;
    const [a, b] = best[0].split(" ");
    merges.push(best[0]);
    if (!vocab.includes(a + b)) vocab.push(a + b);
    for (const [s] of split) for (let i = 0; i + 1 < s.length; i++) if (s[i] === a && s[i + 1] === b) s.splice(i, 2, a + b);
  }
  return { vocab: Object.fromEntries(vocab.map((t, i) => [t, i])), merges };
}

function unigramPieces(special) {
  const pieces = [];
  for (const w of words.map((w) => "▁" + w))
    for (let i = 0; i < w.length; i++) for (let k = i + 1; k <= Math.min(w.length, i + 9); k++) pieces.push(w.slice(i, k));
  const counts = count(pieces);
  for (const c of "▁.,()'_-0123456789?!éüABCDEFGHIJKLMNOPQRSTUVWXYZ") counts.set(c, counts.get(c) ?? 1);
  const total = [...counts.values()].reduce((a, b) => a + b);
  const scored = byCount(counts).filter(([p, n]) => n > 2 || [...p].length === 1).slice(0, 900);
  return [...special.map((s) => [s, 0]), ...scored.map(([p, n]) => [p, +(Math.log(n / total) + 0.9 * ([...p].length - 1)).toFixed(4)])];
}

// A SentencePiece character map: a double-array trie in darts-clone's layout.
function charsmap(rules) {
  let text = "";
  const root = { kids: new Map() };
  for (const [from, to] of rules) {
    let n = root;
    for (const b of Buffer.from(from)) {
      if (!n.kids.has(b)) n.kids.set(b, { kids: new Map() });
      n = n.kids.get(b);
    }
    n.value = Buffer.byteLength(text);
    text += to + "\0";
  }
  const units = [0];
  const used = new Set([0]);
  const place = (node, at) => {
    const labels = [...node.kids.keys(), ...(node.value === undefined ? [] : [0])];
    let base = 1;
    while (labels.some((c) => used.has(base ^ c))) base++;
    for (const c of labels) used.add(base ^ c);
    units[at] = ((units[at] ?? 0) | ((at ^ base) << 10) | (node.value === undefined ? 0 : 256)) >>> 0;
    if (node.value !== undefined) units[base] = (node.value | (1 << 31)) >>> 0;
    for (const c of node.kids.keys()) units[base ^ c] = c;
    for (const [c, kid] of node.kids) place(kid, base ^ c);
  };
  place(root, 0);
  while (units.length % 256) units.push(0);
  const trie = Buffer.alloc(4 + 4 * units.length);
  trie.writeUInt32LE(4 * units.length);
  for (let i = 0; i < units.length; i++) trie.writeUInt32LE(units[i] ?? 0, 4 + 4 * i);
  return Buffer.concat([trie, Buffer.from(text)]).toString("base64");
}

const added = (list, opts = {}) =>
  list.map(([content, id]) => ({ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true, ...(opts[content] ?? {}) }));
const token = (id, type_id) => ({ SpecialToken: { id, type_id } });
const sequence = (id, type_id) => ({ Sequence: { id, type_id } });
// Without seps, the special tokens between two texts, nothing is said of pairs.
const template = (cls, clsID, sep, sepID, seps = 0, type = 0) => ({
  type: "TemplateProcessing",
  single: [token(cls, 0), sequence("A", 0), token(sep, 0)],
  pair: seps ? [token(cls, 0), sequence("A", 0), ...Array(seps).fill(token(sep, 0)), sequence("B", type), token(sep, type)] : [sequence("A", 0), sequence("B", 1)],
  special_tokens: { [cls]: { id: cls, ids: [clsID], tokens: [cls] }, [sep]: { id: sep, ids: [sepID], tokens: [sep] } },
});
const file = (rest) => ({ version: "1.0", truncation: null, padding: null, decoder: null, ...rest });

const tokenizers = {};
{
  const special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
  tokenizers.bert = file({
    added_tokens: added(special.map((s, i) => [s, i])),
    normalizer: { type: "BertNormalizer", clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: template("[CLS]", 2, "[SEP]", 3, 1, 1),
    model: { type: "WordPiece", unk_token: "[UNK]", continuing_subword_prefix: "##", max_input_chars_per_word: 100, vocab: wordPieceVocab(special) },
  });
}
{
  const special = ["<s>", "<pad>", "</s>", "[UNK]"];
  const vocab = wordPieceVocab(special);
  const mask = Object.keys(vocab).length;
  tokenizers.mpnet = file({
    added_tokens: added([...special.map((s, i) => [s, i]), ["<mask>", mask]], { "<mask>": { lstrip: true } }),
    normalizer: { type: "BertNormalizer", clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: { type: "RobertaProcessing", sep: ["</s>", 2], cls: ["<s>", 0], trim_offsets: true, add_prefix_space: false },
    model: { type: "WordPiece", unk_token: "[UNK]", continuing_subword_prefix: "##", max_input_chars_per_word: 100, vocab: { ...vocab, "<mask>": mask } },
  });
}
{
  const special = ["<s>", "<pad>", "</s>", "<unk>"];
  const { vocab, merges } = bpe(special, []);
  const mask = Object.keys(vocab).length;
  tokenizers.roberta = file({
    added_tokens: added([...special.map((s, i) => [s, i]), ["<mask>", mask]], { "<mask>": { lstrip: true } }),
    normalizer: null,
    pre_tokenizer: { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: true },
    post_processor: { type: "RobertaProcessing", sep: ["</s>", 2], cls: ["<s>", 0], trim_offsets: true, add_prefix_space: false },
    model: { type: "BPE", dropout: null, unk_token: null, continuing_subword_prefix: "", end_of_word_suffix: "", fuse_unk: false, byte_fallback: false, vocab: { ...vocab, "<mask>": mask }, merges },
  });
}
{
  const { vocab, merges } = bpe(["|||IP_ADDRESS|||", "<|padding|>"], []);
  const n = Object.keys(vocab).length;
  const special = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"];
  const spaces = [2, 3, 4, 8].map((k, i) => [" ".repeat(k), n + i]);
  const first = n + spaces.length;
  tokenizers.modernbert = file({
    added_tokens: [
      ...added([["|||IP_ADDRESS|||", 0]], { "|||IP_ADDRESS|||": { normalized: true, special: false } }),
      ...added([["<|padding|>", 1]]),
      ...spaces.map(([content, id]) => ({ id, content, single_word: false, lstrip: false, rstrip: false, normalized: true, special: false })),
      ...added(special.map((s, i) => [s, first + i]), { "[MASK]": { lstrip: true } }),
    ],
    normalizer: { type: "NFC" },
    pre_tokenizer: { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: true },
    post_processor: template("[CLS]", first + 1, "[SEP]", first + 2, 1),
    model: { type: "BPE", dropout: null, unk_token: null, continuing_subword_prefix: null, end_of_word_suffix: null, fuse_unk: false, byte_fallback: false, ignore_merges: false, vocab, merges: merges.map((m) => m.split(" ")) },
  });
}
{
  const special = ["<s>", "<pad>", "</s>", "<unk>"];
  const pieces = unigramPieces(special);
  const rules = [["Ａ", "A"], ["ｂ", "b"], ["ﬁ", "fi"], ["…", "..."], ["\u00a0", " "], ["\t", " "], ["\n", " "], ["\r", " "], ["\u3000", " "],
    ["①", "1"], ["e\u0301", "é"], ["u\u0308", "ü"], ["\u200b", " "], ["\u0001", ""], ["™", "TM"], ["½", "1⁄2"]];
  const normalizers = [{ type: "Precompiled", precompiled_charsmap: charsmap(rules) }];
  tokenizers.xlmr = file({
    added_tokens: added([...special.map((s, i) => [s, i]), ["<mask>", pieces.length]], { "<mask>": { lstrip: true } }),
    normalizer: normalizers[0],
    pre_tokenizer: { type: "Sequence", pretokenizers: [{ type: "WhitespaceSplit" }, { type: "Metaspace", replacement: "▁", prepend_scheme: "always", split: true }] },
    post_processor: template("<s>", 0, "</s>", 2, 2),
    model: { type: "Unigram", unk_id: 3, byte_fallback: false, vocab: [...pieces, ["<mask>", 0]] },
  });
  // The newer converters' way: runs of spaces, one Metaspace, legacy names.
  tokenizers.sentencepiece = file({
    added_tokens: added(special.map((s, i) => [s, i])),
    normalizer: { type: "Sequence", normalizers: [...normalizers, { type: "Strip", strip_left: false, strip_right: true }, { type: "Replace", pattern: { Regex: " {2,}" }, content: "▁" }] },
    pre_tokenizer: { type: "Metaspace", replacement: "▁", prepend_scheme: "always", split: true },
    post_processor: template("<s>", 0, "</s>", 2),
    model: { type: "Unigram", unk_id: 3, byte_fallback: false, vocab: pieces },
  });
}
{
  const bytes = Array.from({ length: 256 }, (_, b) => "<0x" + b.toString(16).toUpperCase().padStart(2, "0") + ">");
  const { vocab, merges } = bpe([], []);
  const rename = (s) => s.replaceAll("Ġ", "▁");
  const keep = merges.filter((m) => /^[Ġa-z ]+$/.test(m)).map(rename);
  const tokens = ["<unk>", "<s>", "</s>", ...bytes, ..."▁abcdefghijklmnopqrstuvwxyz.,'()é", ...keep.map((m) => m.replace(" ", ""))];
  tokenizers.bytefallback = file({
    added_tokens: added(["<unk>", "<s>", "</s>"].map((s, i) => [s, i])),
    normalizer: { type: "Sequence", normalizers: [{ type: "Prepend", prepend: "▁" }, { type: "Replace", pattern: { String: " " }, content: "▁" }] },
    pre_tokenizer: null,
    post_processor: template("<s>", 1, "</s>", 2),
    model: { type: "BPE", dropout: null, unk_token: "<unk>", continuing_subword_prefix: null, end_of_word_suffix: null, fuse_unk: true, byte_fallback: true,
      vocab: Object.fromEntries([...new Set(tokens)].map((t, i) => [t, i])), merges: keep },
  });
}
{
  // Steps that are in no model above.
  tokenizers.steps = file({
    added_tokens: added([["[UNK]", 0]]).concat(added([["tok", 1]], { tok: { single_word: true, special: false } })),
    normalizer: { type: "Sequence", normalizers: [{ type: "NFD" }, { type: "StripAccents" }, { type: "Lowercase" }, { type: "Replace", pattern: { String: "--" }, content: " dash " }] },
    pre_tokenizer: { type: "Sequence", pretokenizers: [{ type: "Whitespace" }, { type: "Digits", individual_digits: true }, { type: "Split", pattern: { String: "_" }, behavior: "MergedWithNext", invert: false },
      { type: "Split", pattern: { Regex: "[xyz]+" }, behavior: "Isolated", invert: false }, { type: "Punctuation", behavior: "Contiguous" }] },
    post_processor: { type: "Sequence", processors: [template("[UNK]", 0, "[UNK]", 0, 1, 1)] },
    model: { type: "WordLevel", unk_token: "[UNK]", vocab: Object.fromEntries(["[UNK]", "tok", "the", "cafe", "parse", "_name", "1", "2", "...", "(", "()", "'", "dash", "xyz", "a"].map((t, i) => [t, i])) },
  });
}

const texts = [
  "", " ", "the parser throws an exception", "The Parser's tokens don't exist.", "  two  spaces   three    four ", "tab\tand\nnewline\r\nend ",
  "foo.bar(baz_qux)[0] += 1;", "isn't it's we're they've I'm you'll he'd 'quoted' ''s", "camelCase parseHTTPHeader_v2 snake_case", "café naïve Über e\u0301 u\u0308",
  "日本語 the 日本 cache", "emoji 😀 👍🏽 ok", "Ａｂ ﬁle … \u00a0nbsp\u3000wide ① ™ ½", "zero\u200bwidth \u0001 control \u007f", "İstanbul ẞ ΣΑΣ", "<s> in text </s> <mask> [CLS][SEP] [MASK]",
  "a<mask>  b   <mask>c", "--flag=value -- x", "the, the. (the) \"the\" the's", "x".repeat(120) + " the", "é".repeat(60) + " after", "1234567890 12ab34 3.14", "...  ....  !!??",
  "whatever what the whatsoever", "the  the   ", "\n\n  indented\n\tcode", "ąćęłńóśźż привет שלום", "a\u0300\u0301\u0302 combining", "token tok token-tok tok.",
  "|||IP_ADDRESS||| and <|padding|>", "_name parse_name ___", "()()(()", "the parserthrowsanexception", "naming refactored unusedparameters handler", "\u2028line\u2029sep\u0085nel",
  "🤔 🤣 🦀 new emoji", "ｆｕｌｌ ＷＩＤＴＨ", "don\u2019t curly \u2018quotes\u2019 \u2014 dash", "C++ C# a->b a::b @x #1", "null check before the argument is used in the query", "\u0e01\u0e33 thai \u1112\u1161\u11ab",
];

const number = (start) => texts.findIndex((t) => t.startsWith(start));
const long = number("xxx"), first = number("the parser throws"), last = number("null check");
const pairs = [[first, last, 64], [last, first, 64], [first, last, 16], [last, first, 16], [last, last, 15], [last, last, 16], [last, last, 17], [first, long, 48], [long, first, 20],
  [0, first, 64], [first, 0, 64], [0, 0, 64], [0, last, 10], [last, 0, 10], [number("日本語"), number("emoji"), 64], [number("ąćę"), number("<s> in"), 32], [first, first, 9], [last, first, 13], [first, last, 13]]
  .concat(texts.slice(1).map((_, i) => [i + 1, i, 64]));

const ids = {}, words_ = {}, parts = {}, paired = {};
for (const [name, def] of Object.entries(tokenizers)) {
  const json = JSON.stringify(def);
  writeFileSync(join(here, name + ".json"), json + "\n");
  const t = Tokenizer.fromString(json);
  [ids[name], words_[name], parts[name]] = [[], [], []];
  for (const text of texts) {
    const e = await t.encode(text, null, { addSpecialTokens: true });
    const chars = [...text];
    ids[name].push(e.getIds());
    words_[name].push(e.getWordIds());
    const bytes = def.pre_tokenizer?.type === "ByteLevel";
    const part = (token, [from, to]) => (bytes || token.toLowerCase().includes("unk") ? chars.slice(from, to).join("").trim() : token.replace(/^(##|▁)/, ""));
    parts[name].push(e.getTokens().map((token, i) => part(token, e.getOffsets()[i])));
  }
  const post = def.post_processor.processors?.[0] ?? def.post_processor;
  if (post.pair?.length === 2) continue;
  const pair = async (t, [a, b, max]) => {
    t.setTruncation(max, { strategy: "LongestFirst" });
    const e = await t.encode(texts[a], texts[b], { addSpecialTokens: true });
    return { ids: e.getIds(), types: e.getTypeIds() };
  };
  paired[name] = [];
  for (const p of pairs) paired[name].push(await pair(t, p));
  if (name !== "bert") continue;
  // The older way to write the same down.
  const older = Tokenizer.fromString(JSON.stringify({ ...def, post_processor: { type: "BertProcessing", sep: ["[SEP]", 3], cls: ["[CLS]", 2] } }));
  for (const [i, p] of pairs.entries()) if (JSON.stringify(await pair(older, p)) !== JSON.stringify(paired.bert[i])) throw new Error("BertProcessing pairs otherwise: " + p);
}
writeFileSync(join(here, "expected.json"), JSON.stringify({ texts, ids, words: words_, parts, pairs, paired }).replaceAll("],[", "],\n[").replaceAll('","', '",\n"') + "\n");
