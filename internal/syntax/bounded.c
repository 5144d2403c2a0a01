#include "bounded.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef _WIN32
#include <windows.h>
#undef setjmp // longjmp would unwind the stack, which it need not do
#define setjmp(out) _setjmp(out, NULL)
#endif

// tree-sitter asks for a cancellation once in a hundred steps, and hostile text makes
// a step that takes seconds and gigabytes. But no step is long without memory or text:
// both come from here, where the limits are held, and a parse beyond them is left by a
// long jump. All its memory is in an arena, which goes with it.

// The functions below are tree-sitter's own, which are linked in by its Go binding.
// They are declared here, weakly, because cgo links each package by itself first and
// the binding does not hand out its header.
typedef struct { uint32_t row, column; } TSPoint;
typedef struct { uint32_t context[4]; const void *id; const void *tree; } TSNode;
typedef struct { const void *tree; const void *id; uint32_t context[3]; } TSTreeCursor;
typedef struct {
	void *payload;
	const char *(*read)(void *payload, uint32_t byte, TSPoint, uint32_t *size);
	int encoding;
} TSInput;

#define TS __attribute__((weak)) extern
TS void ts_set_allocator(void *(*)(size_t), void *(*)(size_t, size_t), void *(*)(void *, size_t), void (*)(void *));
TS void *ts_parser_new(void);
TS bool ts_parser_set_language(void *, const void *);
TS void *ts_parser_parse(void *, const void *, TSInput);
TS void *ts_tree_copy(const void *);
TS void ts_tree_edit(void *, const void *);
TS TSNode ts_tree_root_node(const void *);
TS TSTreeCursor ts_tree_cursor_new(TSNode);
TS TSNode ts_tree_cursor_current_node(const TSTreeCursor *);
TS uint16_t ts_tree_cursor_current_field_id(const TSTreeCursor *);
TS bool ts_tree_cursor_goto_parent(TSTreeCursor *);
TS bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *);
TS bool ts_tree_cursor_goto_first_child(TSTreeCursor *);
TS uint16_t ts_node_symbol(TSNode);
TS bool ts_node_is_named(TSNode);
TS bool ts_node_is_missing(TSNode);
TS bool ts_node_is_extra(TSNode);
TS bool ts_node_has_error(TSNode);
TS uint32_t ts_node_end_byte(TSNode);
TS TSPoint ts_node_end_point(TSNode);
TS uint32_t ts_node_descendant_count(TSNode);

// Language is the form of a grammar, versions 13 and 14.
typedef struct {
	uint32_t version, counts[8];
	uint16_t aliases;
	const void *tables[13];
	bool (*lex[2])(void *, uint16_t);
	uint16_t keyword;
	struct {
		const void *states, *symbols;
		void *(*create)(void);
		void (*destroy)(void *);
		bool (*scan)(void *, void *, const bool *);
		unsigned (*serialize)(void *, char *);
		void (*deserialize)(void *, const char *, unsigned);
	} scanner;
	const void *primary; // since 14
	void *(*create)(void); // from here on ours: the scanner's own functions
	void (*destroy)(void *);
	unsigned (*serialize)(void *, char *);
	void (*deserialize)(void *, const char *, unsigned);
} Language;

enum {
	CHUNK = 4096,       // bytes of text that are read at once
	BLOCK = 1 << 16,    // bytes of the arena that are taken at once
	LARGE = BLOCK / 2,  // what is larger has a block of its own
	STEP = 16,          // sizes of the arena's pieces
	SMALL = 1024,       // pieces up to here are used again
	EVERY = 1 << 16,    // work between two looks at the clock
	STATE = 1024,       // bytes of a scanner's state: TREE_SITTER_SERIALIZATION_BUFFER_SIZE
	BEYOND = 80 << 10,   // bytes behind them that a scanner may reach by mistake
	SPARES = 16,        // blocks that are kept for the next parse
};

typedef struct Block {
	struct Block *next, **link;
	size_t size;
} Block;

typedef union Piece { // what stands before each piece of the arena
	size_t size;
	char align[STEP];
} Piece;

// Known is a node in the list before, which another tree may have as well.
typedef struct {
	const void *id;
	uint32_t level;
} Known;

typedef struct Free { struct Free *next; } Free;

struct Parse {
	jmp_buf out;
	const char *text;
	uint32_t size;
	uint64_t work, most, look;
	int64_t begun, took, limit; // of this thread's clock, and nanoseconds
	int cancelled;
	void *tree, *scanner;
	char *state; // of the scanner, STATE and BEYOND
	uint32_t stated;
	const Language *language;
	Known *known; // of the list of the first tree, which is never dropped before the end
	uint32_t knowns;
	Block *blocks, *spare; // spare ones are from an earlier parse
	uint32_t spares;
	char *at, *end; // what is left of the newest block
	Free *freed[SMALL / STEP + 1];
};

static __thread Parse *current; // that runs in this thread

// clock_now is the time that this thread has worked, which no other work delays.
static int64_t clock_now(void) {
#ifdef _WIN32
	FILETIME made, ended, in[2]; // in the system and in the program, in units of 100 ns
	GetThreadTimes(GetCurrentThread(), &made, &ended, &in[0], &in[1]);
	int64_t units = 0;
	for (int i = 0; i < 2; i++) units += (int64_t)in[i].dwHighDateTime << 32 | in[i].dwLowDateTime;
	return units * 100;
#else
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
#endif
}

static void __attribute__((noreturn)) leave(int status) { longjmp(current->out, status); }

// A text can break the assertions of a grammar's scanner: a heredoc of Ruby with a word of
// 256 letters does. abort and a failed assertion end the parse then, and not the process;
// both stand before the C library's own, since the program is linked with them.
void __attribute__((noreturn)) abort(void) {
	if (current) leave(BROKEN);
	raise(SIGABRT);
	__builtin_trap();
}

#if defined(__APPLE__)
void __assert_rtn(const char *function, const char *file, int line, const char *what) {
#elif defined(_WIN32)
void _assert(const char *, const char *, unsigned);
void (*__imp__assert)(const char *, const char *, unsigned) = _assert; // as callers of a DLL name it
void _assert(const char *what, const char *file, unsigned line) {
	const char *function = "";
#else
void __assert_fail(const char *what, const char *file, unsigned line, const char *function) {
#endif
	if (!current) fprintf(stderr, "%s:%u: %s: assertion failed: %s\n", file, (unsigned)line, function, what);
	abort();
}

static void spend(uint64_t n) {
	Parse *p = current;
	p->work += n;
	if (p->work > p->most) leave(TOO_COSTLY);
	if (p->work < p->look) return;
	p->look = p->work + EVERY;
	if (__atomic_load_n(&p->cancelled, __ATOMIC_RELAXED)) leave(CANCELLED);
	if (p->took + clock_now() - p->begun > p->limit) leave(TOO_SLOW);
}

static char *take_block(size_t size) {
	Parse *p = current;
	Block *b = size == BLOCK ? p->spare : NULL;
	if (b)
		p->spare = b->next, p->spares--;
	else if (!(b = malloc(sizeof(Block) + STEP + size)))
		leave(TOO_COSTLY);
	*b = (Block){p->blocks, &p->blocks, size};
	if (b->next) b->next->link = &b->next;
	p->blocks = b;
	return (char *)b + (sizeof(Block) + STEP - 1) / STEP * STEP;
}

static void drop_block(Block *b) {
	*b->link = b->next;
	if (b->next) b->next->link = b->link;
	free(b);
}

static void *arena_malloc(size_t size) {
	Parse *p = current;
	if (!p) return malloc(size);
	size = (size + STEP - 1) / STEP * STEP;
	spend(size + sizeof(Piece));
	Free *again;
	if (size <= SMALL && (again = p->freed[size / STEP])) {
		p->freed[size / STEP] = again->next;
		return again;
	}
	Piece *piece;
	if (size >= LARGE) {
		piece = (Piece *)take_block(sizeof(Piece) + size);
	} else {
		if ((size_t)(p->end - p->at) < sizeof(Piece) + size) {
			p->at = take_block(BLOCK);
			p->end = p->at + BLOCK;
		}
		piece = (Piece *)p->at;
		p->at += sizeof(Piece) + size;
	}
	piece->size = size;
	return piece + 1;
}

static void arena_free(void *old) {
	Parse *p = current;
	if (!p) {
		free(old);
		return;
	}
	if (!old) return;
	size_t size = ((Piece *)old - 1)->size;
	if (size >= LARGE) {
		drop_block((Block *)((char *)((Piece *)old - 1) - (sizeof(Block) + STEP - 1) / STEP * STEP));
	} else if (size >= sizeof(Free) && size <= SMALL) {
		Free *f = old;
		f->next = p->freed[size / STEP];
		p->freed[size / STEP] = f;
	}
}

static void *arena_calloc(size_t n, size_t size) {
	if (!current) return calloc(n, size);
	void *made = arena_malloc(n * size);
	memset(made, 0, n * size);
	return made;
}

static void *arena_realloc(void *old, size_t size) {
	if (!current) return realloc(old, size);
	size_t had = old ? ((Piece *)old - 1)->size : 0;
	if (size <= had) return old;
	void *made = arena_malloc(size);
	if (had) memcpy(made, old, had);
	arena_free(old);
	return made;
}

static const char *read_text(void *payload, uint32_t byte, TSPoint at, uint32_t *size) {
	(void)at;
	Parse *p = payload;
	spend(CHUNK);
	*size = byte < p->size ? p->size - byte : 0;
	if (*size > CHUNK) *size = CHUNK;
	return p->text + (byte < p->size ? byte : p->size);
}

// A scanner may have memory of its own, which is not in the arena.
static void *create_scanner(void) {
	Parse *p = current;
	if (!p->state && !(p->state = calloc(STATE + BEYOND, 1))) leave(TOO_COSTLY);
	return p->scanner = p->language->create();
}

static void destroy_scanner(void *scanner) {
	current->scanner = NULL;
	current->language->destroy(scanner);
}

// A scanner that writes its state wrong reads what it never wrote: what lies behind a
// state is zero.
static unsigned serialize_scanner(void *scanner, char *out) {
	Parse *p = current;
	unsigned n = p->language->serialize(scanner, p->state);
	if (n > STATE) leave(BROKEN);
	memcpy(out, p->state, n);
	if (p->stated < n) p->stated = n;
	return n;
}

static void deserialize_scanner(void *scanner, const char *state, unsigned n) {
	Parse *p = current;
	if (n) memcpy(p->state, state, n);
	if (p->stated > n) memset(p->state + n, 0, p->stated - n);
	p->stated = n;
	p->language->deserialize(scanner, p->state, n);
}

void *parse_language(const void *grammar) {
	uint32_t version = *(const uint32_t *)grammar;
	if (version != 13 && version != 14) return NULL;
	ts_set_allocator(arena_malloc, arena_calloc, arena_realloc, arena_free);
	Language *l = calloc(1, sizeof(Language));
	if (!l) return NULL;
	memcpy(l, grammar, version == 13 ? offsetof(Language, primary) : offsetof(Language, create));
	l->create = l->scanner.create, l->destroy = l->scanner.destroy;
	l->serialize = l->scanner.serialize, l->deserialize = l->scanner.deserialize;
	if (l->create) {
		l->scanner.create = create_scanner, l->scanner.destroy = destroy_scanner;
		l->scanner.serialize = serialize_scanner, l->scanner.deserialize = deserialize_scanner;
	}
	return l;
}

Parse *parse_new(void) { return calloc(1, sizeof(Parse)); }

void parse_begin(Parse *p, const void *language, const char *text, uint32_t size, uint64_t work, int64_t nanoseconds) {
	Parse kept = {.spare = p->spare, .spares = p->spares, .state = p->state};
	*p = kept;
	p->language = language, p->text = text, p->size = size, p->most = work, p->limit = nanoseconds;
}

void parse_cancel(Parse *p) { __atomic_store_n(&p->cancelled, 1, __ATOMIC_RELAXED); }

uint64_t parse_work(const Parse *p) { return p->work; }

int64_t parse_time(const Parse *p) { return p->took; }

// enter and done are around all that a parse does in a thread.
static void enter(Parse *p) {
	current = p;
	p->begun = clock_now();
}

static void done(void) {
	current->took += clock_now() - current->begun;
	current = NULL;
}

void parse_end(Parse *p) {
	while (p->blocks) {
		Block *b = p->blocks;
		p->blocks = b->next;
		if (b->size == BLOCK && p->spares < SPARES)
			b->next = p->spare, p->spare = b, p->spares++;
		else
			free(b);
	}
	if (p->state) memset(p->state, 0, STATE + BEYOND);
	free(p->known);
	p->known = NULL;
}

void parse_free(Parse *p) {
	p->spares = SPARES;
	parse_end(p);
	for (Block *b; (b = p->spare); free(b)) p->spare = b->next;
	free(p->state);
	free(p);
}

// run parses the text, with what the old tree has of it.
static int run(Parse *p, const void *old, uint32_t *nodes) {
	void *parser = ts_parser_new();
	p->tree = NULL;
	if (ts_parser_set_language(parser, p->language))
		p->tree = ts_parser_parse(parser, old, (TSInput){p, read_text, 0});
	if (!p->tree) return NO_TREE;
	*nodes = ts_node_descendant_count(ts_tree_root_node(p->tree));
	return PARSED;
}

int parse_run(Parse *p, uint32_t *nodes) {
	enter(p);
	int status = setjmp(p->out);
	if (status == PARSED) status = run(p, NULL, nodes);
	if (p->scanner) destroy_scanner(p->scanner);
	done();
	return status;
}

int parse_again(Parse *p, const char *text, uint32_t size, const Edit *edit, uint64_t work, uint32_t *nodes) {
	enter(p);
	p->text = text, p->size = size, p->most = p->work + work;
	int status = setjmp(p->out);
	if (status == PARSED) {
		void *old = ts_tree_copy(p->tree);
		ts_tree_edit(old, edit);
		status = run(p, old, nodes);
	}
	if (p->scanner) destroy_scanner(p->scanner);
	done();
	return status;
}

static const void *list_node(TSTreeCursor *cursor, Listed *out, uint32_t at, uint32_t parent) {
	TSNode n = ts_tree_cursor_current_node(cursor);
	TSPoint end = ts_node_end_point(n);
	out[at] = (Listed){
		.start = n.context[0], .row = n.context[1], .column = n.context[2],
		.end = ts_node_end_byte(n), .end_row = end.row, .end_column = end.column,
		.parent = parent, .next = at + 1,
		.symbol = ts_node_symbol(n), .field = ts_tree_cursor_current_field_id(cursor),
		.named = ts_node_is_named(n), .wrong = ts_node_has_error(n), .missing = ts_node_is_missing(n),
		.extra = ts_node_is_extra(n),
	};
	return n.id;
}

// Old is the list of the tree before, of which nodes may be copied. Its nodes before next begin
// before all that are still to be listed.
typedef struct {
	const Listed *nodes;
	const Edit *edit;
	uint32_t next;
} Old;

// copy_below lists what is below a node that the tree before has, too, and returns the number
// of nodes, or 0. Nodes of a tree never change, and what the first tree has stays in its
// place, so that the same place means the same node.
static uint32_t copy_below(Parse *p, Old *old, const void *id, uint32_t level, Listed *out, uint32_t at, uint32_t limit) {
	enum { TRIED = 16 }; // nodes that begin at the same byte and are looked at
	Listed *n = out + at;
	const Edit *edit = old->edit;
	if (n->start >= edit->start && n->start < edit->new_end) return 0;
	uint32_t moved = n->start < edit->start ? 0 : edit->new_end - edit->old_end, from = n->start - moved;
	while (old->next < p->knowns && old->nodes[old->next].start < from) old->next++;
	for (uint32_t k = old->next; k < p->knowns && k < old->next + TRIED && old->nodes[k].start == from; k++) {
		const Listed *o = old->nodes + k;
		if (p->known[k].id != id) continue;
		uint32_t count = o->next - k - 1, rows = n->row - o->row;
		if (count > limit - at - 1 || level > p->known[k].level || n->column != o->column) return 0;
		spend(count * sizeof(Listed));
		for (uint32_t i = 1; i <= count; i++) {
			n[i] = o[i];
			n[i].start += moved, n[i].end += moved, n[i].row += rows, n[i].end_row += rows;
			n[i].parent += at - k, n[i].next += at - k;
		}
		return count;
	}
	return 0;
}

static int list_nodes(Parse *p, Old *old, Listed *out, uint32_t limit, uint32_t depth, uint32_t *count) {
	TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(p->tree));
	uint32_t at = 0, level = 0, parent = 0, copied = 0;
	for (*count = 0; *count < limit;) {
		at = *count;
		const void *id = list_node(&cursor, out, at, parent);
		if (!old && p->known) p->known[at] = (Known){id, level};
		*count += 1;
		spend(sizeof(Listed));
		if (old) *count += copied = copy_below(p, old, id, level, out, at, limit);
		if (!copied && ts_tree_cursor_goto_first_child(&cursor)) {
			if (++level > depth) return TOO_DEEP;
			parent = at;
			continue;
		}
		while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
			out[at].next = *count;
			if (!ts_tree_cursor_goto_parent(&cursor)) return PARSED;
			at = out[at].parent;
			level--;
		}
		out[at].next = *count;
		parent = out[at].parent;
	}
	return NO_TREE; // tree-sitter counted fewer nodes than there are
}

int parse_list(Parse *p, const Listed *nodes, const Edit *edit, Listed *out, uint32_t limit, uint32_t depth, uint32_t *count) {
	Old old = {nodes, edit, 0};
	enter(p);
	int status = setjmp(p->out);
	if (status == PARSED) {
		if (!nodes) p->known = malloc(limit * sizeof(Known));
		status = list_nodes(p, nodes ? &old : NULL, out, limit, depth, count);
		if (!nodes && p->known) p->knowns = *count;
	}
	done();
	return status;
}
