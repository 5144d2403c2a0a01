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
	bool named, wrong, missing, extra; // wrong: there is an error in it; extra: it may stand anywhere
} Listed;

// Edit is the part of a text that another text has changed, in tree-sitter's form.
typedef struct {
	uint32_t start, old_end, new_end;
	uint32_t start_point[2], old_end_point[2], new_end_point[2]; // rows and columns
} Edit;

typedef struct Parse Parse;

// parse_language copies a grammar of the given version, so that parse_run knows its
// scanner. The copy is never freed. It is null for a version whose form is not known.
void *parse_language(const void *grammar);

// parse_new makes a Parse, which serves for one text or file after the other. It keeps
// some memory between them.
Parse *parse_new(void);

// parse_begin begins with a text, which must stay where it is until parse_end. work, and
// nanoseconds of a processor, bound the parse.
void parse_begin(Parse *, const void *language, const char *text, uint32_t size, uint64_t work, int64_t nanoseconds);

// parse_cancel ends a parse soon, from any thread.
void parse_cancel(Parse *);

// parse_run parses the text. nodes is the number of nodes of the tree.
int parse_run(Parse *, uint32_t *nodes);

// parse_again parses another text, with the tree of the text before for what the edit did
// not change. It may do some more work.
int parse_again(Parse *, const char *text, uint32_t size, const Edit *, uint64_t work, uint32_t *nodes);

// parse_list lists the nodes of the tree, of which there must be room for limit. None
// may lie deeper than depth. After parse_again it copies from the list of the tree before.
int parse_list(Parse *, const Listed *old, const Edit *, Listed *out, uint32_t limit, uint32_t depth, uint32_t *count);

// parse_work is the work done so far, parse_time the nanoseconds that it took.
uint64_t parse_work(const Parse *);
int64_t parse_time(const Parse *);

// parse_end drops the trees, and keeps some memory for the next text. What a scanner left in
// its state is zero then.
void parse_end(Parse *);

void parse_free(Parse *);
