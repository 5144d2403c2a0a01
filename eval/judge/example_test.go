package judge_test

import (
	"context"
	"fmt"
	"log"

	"crscore/change"
	"crscore/chat"
	"crscore/eval/judge"
)

// always is a model that gives one answer. A program has chat.NewOllama here, or a model of
// its own.
type always string

func (always) Name() string                           { return "example:always" }
func (always) Digest(context.Context) (string, error) { return "", nil }

func (a always) Generate(context.Context, chat.Request) (chat.Response, error) {
	return chat.Response{Text: string(a)}, nil
}

// A review and an empty review of a change are judged. The empty review costs no call.
func Example() {
	ctx := context.Background()
	j, err := judge.New(always(`{"con": 5, "comp": 3, "rel": 4}`), judge.Options{Protocol: judge.Rel})
	if err != nil {
		log.Fatal(err)
	}
	if err := j.Prepare(ctx); err != nil {
		log.Fatal(err)
	}
	ch, err := change.Parse([]byte("--- a/q.py\n+++ b/q.py\n@@ -1 +1 @@\n-def push(item):\n+def push(item, hash):\n"), change.Options{})
	if err != nil {
		log.Fatal(err)
	}
	verdicts, err := j.Judge(ctx, judge.Case{ID: "1", Change: ch, Reviews: []judge.Review{{Text: "hash hides the builtin."}, {}}})
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range verdicts {
		fmt.Println(v.Con, v.Comp, v.Rel, v.Notes, v.Err)
	}
	fmt.Println("calls:", j.Usage().Calls)
	// Output:
	// 5 3 4 [] <nil>
	// 1 1 1 [the review is empty: the lowest of the scale, without a call] <nil>
	// calls: 1
}
