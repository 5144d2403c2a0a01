package consistency

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"crscore/internal/comments"
	"crscore/internal/limits"
)

// FileID is an id as files are named after it: a slash is _.
func FileID(id string) string { return strings.ReplaceAll(id, "/", "_") }

// ReadLines reads JSON Lines with {"id": …, "comments": …}, where comments are a value of a format
// of package comments; an empty format is detected. It returns the comments by FileID. Errors name
// the line. The same id twice is an error.
func ReadLines(r io.Reader, format comments.Format) (map[string][]comments.Comment, error) {
	out := map[string][]comments.Comment{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, limits.CommentsBytes)
	n := 0
	for lines.Scan() {
		if n++; strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var row struct {
			ID       *string         `json:"id"`
			Comments json.RawMessage `json:"comments"`
		}
		switch err := json.Unmarshal(lines.Bytes(), &row); {
		case err != nil:
			return nil, fmt.Errorf("line %d: not JSON: %w", n, err)
		case row.ID == nil || row.Comments == nil:
			return nil, fmt.Errorf(`line %d: not {"id": …, "comments": …}`, n)
		}
		read, err := comments.ReadValue(row.Comments, format)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		id := FileID(*row.ID)
		if _, twice := out[id]; twice {
			return nil, fmt.Errorf("line %d: %s a second time", n, *row.ID)
		}
		out[id] = read.Comments
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	return out, nil
}
