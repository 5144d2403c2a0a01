// A parse inside tree-sitter that ends: at a limit of work or of time,
// or when it is cancelled.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What became of a parse.
enum { PARSED, CANCELLED, TOO_SLOW, TOO_COSTLY, TOO_DEEP, BROKEN, NO_TREE };

// Listed is a node of a tree in a list of nodes.
typedef struct {
	uint32_t start, row, column; // where it starts
	uint32_t end, end_row, end_column;
	uint32_t parent, next;
	uint16_t symbol, field;
	bool named, wrong, missing; // wrong: there is an error in it
} Listed;

typedef struct Parse Parse;

// parse_language copies a grammar of the given version, so that parse_run knows its
// scanner. The copy is never freed. It is null for a version whose form is not known.
void *parse_language(const void *grammar);

// parse_new makes a parse of a text, which must stay where it is until parse_free.
// work, and nanoseconds of a processor, bound it.
Parse *parse_new(const char *text, uint32_t size, uint64_t work, int64_t nanoseconds);

// parse_cancel ends a parse soon, from any thread.
void parse_cancel(Parse *);

// parse_run parses the text. nodes is the number of nodes of the tree.
int parse_run(Parse *, const void *language, uint32_t *nodes);

// parse_list lists the nodes of the tree, of which there must be room for limit. None
// may lie deeper than depth.
int parse_list(Parse *, Listed *out, uint32_t limit, uint32_t depth, uint32_t *count);

// parse_work is the work done so far, parse_time the nanoseconds that it took.
uint64_t parse_work(const Parse *);
int64_t parse_time(const Parse *);

void parse_free(Parse *);
