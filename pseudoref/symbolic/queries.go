package symbolic

import (
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/outline"
)

// SQL: tables and their columns, migrations, queries.

// sqlEdit tells what became of a statement or of a part of one.
func (t *teller) sqlEdit(e outline.Edit) {
	n := e.New
	if n == nil {
		n = e.Old
	}
	switch {
	case n.Kind == outline.Statement && e.Moved:
		t.claim(e, wDetail, "statement-moved", "", "the statement "+statementName(n)+" was moved to another place")
	case n.Kind == outline.Statement && e.Old != nil && e.New != nil:
		t.statementChanged(e)
	case n.Kind == outline.Statement:
		t.statementCame(e, n, e.New != nil)
	case e.Moved:
	case n.Kind == outline.Column:
		t.columnEdit(e, n)
	case n.Kind == outline.Clause && n.Parent.Kind == outline.Column:
		t.columnAttribute(e, n)
	case n.Kind == outline.Clause && n.Parent.Type == "alter table":
		if e.Old == nil || e.New == nil {
			t.tableAction(e, n, e.New != nil)
		}
	default:
		t.clauseEdit(e, n)
	}
}

// tableOf names the table that a column or a clause is of.
func tableOf(n *outline.Node) string {
	s := n.Up(outline.Statement)
	if s == nil || s.Name == "" {
		return ""
	}
	return code(s.Name)
}

func ofTable(n *outline.Node, preposition string) string {
	if tb := tableOf(n); tb != "" {
		return preposition + "the table " + tb
	}
	return ""
}

// statementName is what a statement is called.
func statementName(n *outline.Node) string {
	if n.Type == "" {
		return code(n.Value)
	}
	s := "`" + strings.ToUpper(n.Type) + "`"
	if n.Name != "" {
		s += " of " + code(n.Name)
	}
	return s
}

func columnNames(n *outline.Node) []string {
	var out []string
	for _, k := range n.Of(outline.Column) {
		out = append(out, code(k.Name))
	}
	return out
}

// clauseItems lists the items of a clause.
func clauseItems(n *outline.Node, name string) []string {
	var out []string
	if c := n.Kid(name); c != nil {
		for _, k := range c.Of(outline.Item) {
			out = append(out, k.Value)
		}
	}
	return out
}

func (t *teller) statementCame(e outline.Edit, n *outline.Node, added bool) {
	verb, object, _ := strings.Cut(n.Type, " ")
	name := code(n.Name)
	v := "added"
	if !added {
		v = "removed"
	}
	if !added {
		switch {
		case object != "" && n.Name != "":
			f := t.claim(e, wDeclare, one2rule(n.Type)+"-removed", "", "the statement that "+map[string]string{"create": "creates", "drop": "drops", "alter": "alters"}[verb]+" the "+object+" "+slot+" was removed")
			f.many, f.names = "the statements that "+verb+" the "+object+"s "+slot+" were removed", []string{name}
		case n.Name != "":
			t.claim(e, wBehaviour, "statement-removed", "", "the `"+strings.ToUpper(n.Type)+"` statement for "+name+" was removed")
		default:
			t.claim(e, wDetail, "statement-removed", "", "the statement "+code(strings.ToUpper(n.Type)+" "+n.Value)+" was removed")
		}
		return
	}
	switch {
	case n.Type == "create table":
		tail := ""
		if cols := columnNames(n); len(cols) > 0 {
			tail = " with the column" + plurals(cols) + " " + list(cols)
		}
		if n.Name == "" {
			for _, k := range n.Of(outline.Column) {
				t.columnEdit(outline.Edit{New: k}, k)
			}
			return
		}
		t.claim(e, wDeclare, "table-added", "", "a table "+name+tail+" is now created").condensed(name, "the tables "+slot+" are now created")
		t.tableDetails(n)
	case n.Type == "alter table":
		for _, k := range n.Of(outline.Clause) {
			t.tableAction(outline.Edit{New: k}, k, true)
		}
	case n.Type == "create index":
		cols, unique := n.Get("columns"), ""
		if n.Kid("unique") != nil {
			unique = "unique "
		}
		on := ""
		if tb := n.Get("on"); tb != "" {
			on = " on " + code(cols) + " of the table " + code(tb)
		}
		if n.Name == "" {
			name = ""
		} else {
			name = " " + name
		}
		t.claim(e, wDeclare, "index-added", "", an(unique+"index"+name+on)+" is now created").condensed(strings.TrimSpace(name), "the indexes "+slot+" are now created")
	case verb == "drop":
		names := []string{name}
		for _, k := range n.Of(outline.Item) {
			names = append(names, code(k.Value))
		}
		f := t.claim(e, wSignature, object+"-dropped", "", "the "+object+" "+slot+" is now dropped")
		f.many, f.names = "the "+object+"s "+slot+" are now dropped", names
		if object == "table" && !t.recreated(n.Name) {
			t.implies(e, "data-loss", "dropping the table "+name+" deletes its data for good")
		}
	case verb == "create" && object == "view":
		tail := ""
		if from := clauseItems(n, "from"); len(from) > 0 {
			tail = " over " + list(codes(firstWords(from)))
		}
		t.claim(e, wDeclare, "view-added", "", "a view "+name+tail+" is now created")
	case verb == "create" && object != "":
		t.claim(e, wDeclare, object+"-added", "", an(object)+" "+name+" is now created")
	case n.Type == "insert", n.Type == "replace":
		cols, rows := clauseItems(n, "columns"), len(clauseItems(n, "values"))
		what := "rows are"
		if rows == 1 && t.inserts(n.Name) == 1 {
			what = "a row is"
		} else if rows > 1 && t.inserts(n.Name) == 1 {
			what = plural(rows, "row") + " are"
		}
		tail := ""
		if len(cols) > 0 {
			tail = " with values for " + list(codes(cols))
		}
		f := t.claim(e, wBehaviour, "insert-added", "", what+" now inserted into "+name+tail)
		if rows == 1 {
			f.condensed(name, "rows are now inserted into "+slot)
		}
		if len(cols) == 0 && n.Kid("values") != nil {
			t.implies(e, "insert-without-columns", "an `INSERT` that names no columns breaks when the table gets another one")
		}
	case n.Type == "update":
		var cols []string
		for _, s := range clauseItems(n, "set") {
			c, _, _ := strings.Cut(s, "=")
			cols = append(cols, code(strings.TrimSpace(c)))
		}
		t.claim(e, wBehaviour, "update-added", "", "an `UPDATE` that sets "+orElse(list(cols), "columns")+" of "+name+whereTail(n)+" was added")
		if n.Kid("where") == nil && n.Kid("join") == nil && n.Kid("from") == nil {
			t.implies(e, "no-where", "the `UPDATE` without `WHERE` changes every row of "+name)
		}
	case n.Type == "delete":
		t.claim(e, wBehaviour, "delete-added", "", "a `DELETE` on "+name+whereTail(n)+" was added")
		if n.Kid("where") == nil && n.Kid("join") == nil {
			t.implies(e, "no-where", "the `DELETE` without `WHERE` removes every row of "+name)
		}
	case n.Type == "truncate":
		t.claim(e, wBehaviour, "truncate-added", "", "the table "+name+" is now emptied with `TRUNCATE`")
		t.implies(e, "data-loss", "emptying the table "+name+" deletes its data for good")
	case n.Type == "select", n.Type == "with":
		from := firstWords(clauseItems(n, "from"))
		t.claim(e, wBehaviour, "query-added", "", "a query"+map[bool]string{true: " on " + list(codes(from)), false: ""}[len(from) > 0]+whereTail(n)+" was added")
		t.selectAll(e, n)
	case n.Type == "grant", n.Type == "revoke":
		what := code(strings.ToUpper(n.Type) + " " + n.Value)
		t.claim(e, wBehaviour, n.Type+"-added", "", "the statement "+what+" was added")
		if u := strings.ToUpper(n.Value); n.Type == "grant" && (strings.HasPrefix(u, "ALL") || strings.Contains(u, "TO PUBLIC")) {
			t.implies(e, "permissions-widened", "the grant gives more rights than most users need")
		}
	default:
		if n.Type == "" && n.Name == "" && n.Value == "" {
			for _, k := range n.Of(outline.Clause) {
				t.clauseEdit(outline.Edit{New: k}, k)
			}
			return
		}
		t.claim(e, wDetail, "statement-"+v, "", "the statement "+code(strings.TrimSpace(strings.ToUpper(n.Type)+" "+n.Name+" "+n.Value))+" was "+v)
	}
}

func firstWords(xs []string) []string {
	var out []string
	for _, x := range xs {
		w, _, _ := strings.Cut(x, " ")
		out = append(out, w)
	}
	return out
}

func whereTail(n *outline.Node) string {
	if w := clauseItems(n, "where"); len(w) > 0 {
		return " where " + listOf(codes(w), 2, "and")
	}
	return ""
}

func (t *teller) selectAll(e outline.Edit, n *outline.Node) {
	for _, s := range clauseItems(n, "select") {
		if s == "*" {
			t.implies(e, "select-all", "`SELECT *` reads columns that may not be needed and changes with the table")
			return
		}
	}
}

// tableDetails says more about a new table.
func (t *teller) tableDetails(n *outline.Node) {
	key := false
	for _, k := range n.Kids {
		switch k.Kind {
		case outline.Column:
			key = key || k.Kid("PRIMARY KEY") != nil || k.Kid("IDENTITY") != nil
			if r := k.Kid("REFERENCES"); r != nil {
				target, _, _ := strings.Cut(r.Value, " ")
				target, _, _ = strings.Cut(target, "(")
				t.claim(outline.Edit{New: k}, wDetail, "foreign-key-added", "", "the column "+code(k.Name)+ofTable(k, " of ")+" refers to "+code(target)).
					condensed(code(k.Name), "the columns "+slot+ofTable(k, " of ")+" refer to other tables")
			}
		case outline.Clause:
			up := strings.ToUpper(k.Name)
			key = key || strings.Contains(up, "PRIMARY KEY")
			if k.Type == "constraint" && strings.Contains(up, "FOREIGN KEY") {
				if m := foreignKey.FindStringSubmatch(k.Name); m != nil {
					t.claim(outline.Edit{New: k}, wDetail, "foreign-key-added", "", "the foreign key "+code(m[1])+" of the table "+code(n.Name)+" refers to "+code(m[2]))
				}
			}
		}
	}
	if !key && len(n.Of(outline.Column)) > 0 && !strings.Contains(strings.ToUpper(n.Get("options")), "SELECT") && !n.Loose {
		t.implies(outline.Edit{New: n}, "no-primary-key", "the table "+code(n.Name)+" has no primary key")
	}
}

var foreignKey = regexp.MustCompile(`(?i)foreign key\s*\S*\s*\(([^()]*)\)\s*references\s+([^\s(]+)`)

var constraintName = regexp.MustCompile(`(?i)^constraint\s+\S+\s+`)

func constraint(s string) string { return code(constraintName.ReplaceAllString(s, "")) }

// columnWords is "the column `a` of type `INT`".
func columnWords(n *outline.Node) string {
	s := "the column " + code(n.Name)
	if n.Type != "" {
		s += " of type " + code(n.Type)
	}
	return s
}

func (t *teller) columnEdit(e outline.Edit, n *outline.Node) {
	in := n.Parent
	if in.Kind == outline.Clause { // of ALTER TABLE
		if e.Old != nil && e.New != nil && e.Old.Type != e.New.Type {
			t.claim(e, wSignature, "column-type-changed", "", "the type of the column "+code(n.Name)+ofTable(n, " of ")+" was changed from "+code(e.Old.Type)+" to "+code(e.New.Type)+" in the migration")
		}
		return
	}
	switch {
	case e.Renamed:
		t.claim(e, wSignature, "column-renamed", "", "the column "+code(e.Old.Name)+ofTable(n, " of ")+" was renamed to "+code(e.New.Name))
		t.implies(e, "column-renamed-users", "queries that use the column "+code(e.Old.Name)+" must be updated")
	case e.Old != nil && e.New != nil:
		if e.Old.Type != e.New.Type {
			t.claim(e, wSignature, "column-type-changed", "", "the type of the column "+slot+ofTable(n, " of ")+" was changed from "+code(e.Old.Type)+" to "+code(e.New.Type)).
				named("the type of the columns "+slot+ofTable(n, " of ")+" was changed from "+code(e.Old.Type)+" to "+code(e.New.Type), code(n.Name))
			t.narrowed(e, e.Old.Type, e.New.Type, n.Name)
		}
	case e.New != nil:
		t.claim(e, wSignature, "column-added", "", columnWords(n)+columnTail(n)+" was added"+ofTable(n, " to ")).condensed(code(n.Name), "the columns "+slot+" were added"+ofTable(n, " to "))
	default:
		t.claim(e, wSignature, "column-removed", "", "the column "+code(n.Name)+" was removed"+ofTable(n, " from ")).condensed(code(n.Name), "the columns "+slot+" were removed"+ofTable(n, " from "))
		t.implies(e, "column-removed-users", "queries that use the column "+slot+" must be updated").named("queries that use the columns "+slot+" must be updated", code(n.Name))
	}
}

// columnTail says what is demanded of a new column.
func columnTail(n *outline.Node) string {
	var out []string
	for _, k := range n.Of(outline.Clause) {
		switch k.Name {
		case "NOT NULL":
			out = append(out, "not null")
		case "DEFAULT":
			out = append(out, "with the default "+code(k.Value))
		case "UNIQUE":
			out = append(out, "unique")
		case "REFERENCES":
			out = append(out, "referring to "+code(k.Value))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return " (" + strings.Join(out, ", ") + ")"
}

var (
	typeSize = regexp.MustCompile(`\((\d+)`)
	intOrder = []string{"TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT"}
)

// narrowed says that values may no longer fit.
func (t *teller) narrowed(e outline.Edit, from, to, column string) {
	rank := func(s string) int {
		w, _, _ := strings.Cut(s, "(")
		if w == "INTEGER" {
			w = "INT"
		}
		for i, x := range intOrder {
			if w == x {
				return i
			}
		}
		return -1
	}
	size := func(s string) string {
		if m := typeSize.FindStringSubmatch(s); m != nil {
			return m[1]
		}
		return ""
	}
	a, b := rank(from), rank(to)
	x, y := size(from), size(to)
	fromName, _, _ := strings.Cut(from, "(")
	toName, _, _ := strings.Cut(to, "(")
	switch {
	case a >= 0 && b >= 0 && b < a, fromName == toName && x != "" && y != "" && (len(y) < len(x) || len(y) == len(x) && y < x), fromName == "TEXT" && strings.Contains(toName, "CHAR"):
		t.implies(e, "type-narrowed", "values of "+code(column)+" that are there may not fit into the smaller type")
	}
}

// columnAttribute tells what became of a demand on a column.
func (t *teller) columnAttribute(e outline.Edit, n *outline.Node) {
	col := "the column " + code(n.Parent.Name) + ofTable(n, " of ")
	added := e.New != nil
	switch {
	case e.Old != nil && e.New != nil:
		t.claim(e, wSignature, "column-changed", "", "the `"+n.Name+"` of "+col+" was changed from "+code(e.Old.Value)+" to "+code(e.New.Value))
	case n.Name == "NOT NULL" && added:
		t.claim(e, wSignature, "not-null-added", "", col+" must not be null any more")
		t.implies(e, "not-null-rows", "rows without a value in "+code(n.Parent.Name)+" no longer fit")
	case n.Name == "NOT NULL":
		t.claim(e, wSignature, "not-null-removed", "", col+" may now be null")
	case n.Name == "NULL" || n.Name == "COMMENT" || n.Name == "CONSTRAINT":
		t.claim(e, wDetail, "column-changed", "", "`"+n.Name+"` was "+verb(added)+" "+toFrom(added)+" "+col)
	case n.Name == "DEFAULT" && added:
		t.claim(e, wSignature, "default-added", "", col+" now has the default "+code(n.Value))
	case n.Name == "DEFAULT":
		t.claim(e, wSignature, "default-removed", "", col+" no longer has the default "+code(n.Value))
	case n.Name == "REFERENCES" && added:
		t.claim(e, wSignature, "foreign-key-added", "", col+" now refers to "+code(n.Value))
	case n.Name == "UNIQUE" && added:
		t.claim(e, wSignature, "unique-added", "", "the values of "+col+" must now be unique")
	default:
		t.claim(e, wSignature, "column-changed", "", "`"+strings.TrimSpace(n.Name+" "+cut(n.Value, maxCode))+"` was "+verb(added)+" "+toFrom(added)+" "+col)
	}
}

// tableAction tells what a new action of ALTER TABLE does.
func (t *teller) tableAction(e outline.Edit, n *outline.Node, added bool) {
	table := orElse(tableOf(n), "a table")
	name := code(n.Name)
	if !added {
		t.claim(e, wDeclare, "action-removed", "", "the step "+code(n.Type+" "+n.Name)+" on the table "+table+" was removed from the migration")
		return
	}
	var col *outline.Node
	if cs := n.Of(outline.Column); len(cs) > 0 {
		col = cs[0]
	}
	switch n.Type {
	case "add column":
		if col == nil {
			return
		}
		t.claim(e, wSignature, "column-added", "", columnWords(col)+columnTail(col)+" is added to the table "+table).condensed(name, "the columns "+slot+" are added to the table "+table)
		if col.Kid("NOT NULL") != nil && col.Kid("DEFAULT") == nil && col.Kid("GENERATED") == nil && col.Kid("IDENTITY") == nil {
			t.implies(e, "not-null-rows", "adding "+name+" as `NOT NULL` without a default fails when the table has rows")
		}
	case "drop column":
		t.claim(e, wSignature, "column-dropped", "", "the column "+name+" is dropped from the table "+table).condensed(name, "the columns "+slot+" are dropped from the table "+table)
		t.implies(e, "data-loss", "the data in the column "+slot+" is lost, and queries that use it fail").named("the data in the columns "+slot+" is lost, and queries that use them fail", name)
	case "rename column":
		t.claim(e, wSignature, "column-renamed", "", "the column "+name+" of the table "+table+" is renamed to "+code(n.Value))
		t.implies(e, "column-renamed-users", "queries that use the column "+name+" must be updated")
	case "rename table":
		t.claim(e, wSignature, "table-renamed", "", "the table "+table+" is renamed to "+name)
		t.implies(e, "table-renamed-users", "queries that use the table "+table+" must be updated")
	case "change column":
		if col == nil {
			return
		}
		if col.Name != n.Name {
			t.claim(e, wSignature, "column-renamed", "", "the column "+name+" of the table "+table+" is renamed to "+code(col.Name))
			return
		}
		t.claim(e, wSignature, "column-type-changed", "", "the column "+name+" of the table "+table+" is changed to the type "+code(col.Type)+columnTail(col))
	case "set not null":
		t.claim(e, wSignature, "not-null-added", "", "the column "+name+" of the table "+table+" must not be null any more")
		t.implies(e, "not-null-rows", "setting `NOT NULL` fails when rows have no value in "+name)
	case "drop not null":
		t.claim(e, wSignature, "not-null-removed", "", "the column "+name+" of the table "+table+" may now be null")
	case "set default":
		t.claim(e, wSignature, "default-added", "", "the column "+name+" of the table "+table+" gets the default "+code(n.Value))
	case "drop default":
		t.claim(e, wSignature, "default-removed", "", "the column "+name+" of the table "+table+" loses its default")
	case "add constraint":
		t.claim(e, wSignature, "constraint-added", "", "the constraint "+constraint(n.Name)+" is added to the table "+table)
	case "add index":
		t.claim(e, wDeclare, "index-added", "", "the index "+name+" is added to the table "+table)
	case "drop constraint", "drop index", "drop key", "drop primary", "drop foreign":
		t.claim(e, wSignature, one2rule(n.Type), "", "the "+strings.TrimPrefix(n.Type, "drop ")+" "+name+" is dropped from the table "+table)
	default:
		t.claim(e, wDeclare, "table-changed", "", "the table "+table+" is altered: "+name)
	}
}

func (t *teller) statementChanged(e outline.Edit) {
	a, b := e.Old, e.New
	switch {
	case e.Renamed && a.Name != "" && b.Name != "":
		t.claim(e, wSignature, "statement-renamed", "", "the `"+strings.ToUpper(b.Type)+"` statement is now about "+code(b.Name)+" instead of "+code(a.Name))
	case a.Value != b.Value:
		what := "the statement " + statementName(b)
		if _, object, ok := strings.Cut(b.Type, " "); ok && b.Name != "" {
			what = "the " + object + " " + code(b.Name)
		}
		x, y := apart(a.Value, b.Value)
		if len(a.Value) > 3*maxCode || len(b.Value) > 3*maxCode {
			t.wording(e, wBehaviour, "statement-changed", "", "the body of "+what, a.Value, b.Value)
			return
		}
		t.claim(e, wBehaviour, "statement-changed", "", what+" was changed from "+x+" to "+y)
	}
}

// clauseEdit tells what became of a clause of a query or a table.
func (t *teller) clauseEdit(e outline.Edit, n *outline.Node) {
	added := e.New != nil
	v := verb(added)
	st := n.Up(outline.Statement)
	of := ""
	if st != nil && st.Name != "" {
		of = " of the " + map[bool]string{true: "query", false: "`" + strings.ToUpper(st.Type) + "`"}[st.Type == "select" || st.Type == "with" || st.Type == ""] + " on " + code(st.Name)
		if st.Type == "create table" {
			of = " of the table " + code(st.Name)
		} else if strings.HasPrefix(st.Type, "create ") {
			of = " of the " + strings.TrimPrefix(st.Type, "create ") + " " + code(st.Name)
		}
	}
	if n.Kind == outline.Item {
		t.clauseItem(e, n, of)
		return
	}
	clause := "`" + strings.ToUpper(n.Name) + "` clause"
	rule := "clause"
	value := n.Value
	if value == "" {
		var items []string
		for _, k := range n.Of(outline.Item) {
			items = append(items, k.Value)
		}
		value = strings.Join(items, map[bool]string{true: " AND ", false: ", "}[n.Name == "where" || n.Name == "having"])
	}
	switch {
	case n.Type == "constraint":
		if e.Old != nil && e.New != nil {
			if e.Renamed {
				x, y := apart(e.Old.Name, e.New.Name)
				t.claim(e, wSignature, "constraint-changed", "", "the constraint "+x+of+" was changed to "+y)
			}
			return
		}
		t.claim(e, wSignature, "constraint-"+v, "", "the constraint "+constraint(n.Name)+of+" was "+v)
	case n.Name == "unique":
		t.claim(e, wSignature, "unique-"+v, "", "the index"+strings.TrimPrefix(of, " of the index")+" is "+map[bool]string{true: "now", false: "no longer"}[added]+" unique")
	case n.Name == "columns" && st != nil && st.Type == "create index" && e.Old != nil && e.New != nil:
		t.claim(e, wDeclare, "index-changed", "", "the columns"+of+" were changed from "+code(e.Old.Value)+" to "+code(e.New.Value))
	case strings.HasSuffix(n.Name, "join"):
		if e.Renamed {
			from, to := strings.ToUpper(e.Old.Name), strings.ToUpper(e.New.Name)
			t.claim(e, wBehaviour, "join-changed", "", "the `"+from+"` with "+code(n.Value)+of+" is now "+an("`"+to+"`"))
			if inner := strings.HasPrefix(to, "INNER") || to == "JOIN"; inner && strings.Contains(from, "LEFT") {
				t.implies(e, "join-narrowed", "rows without a match are now left out of the result")
			} else if strings.Contains(to, "LEFT") && !strings.Contains(from, "LEFT") {
				t.implies(e, "join-widened", "rows without a match are now kept, with nulls in the joined columns")
			}
			return
		}
		if e.Old != nil && e.New != nil {
			x, y := apart(e.Old.Value, e.New.Value)
			t.claim(e, wBehaviour, "join-changed", "", "the join"+of+" was changed from "+x+" to "+y)
			return
		}
		t.claim(e, wBehaviour, "join-"+v, "", an("`"+strings.ToUpper(n.Name)+"`")+" with "+code(n.Value)+of+" was "+v)
	case e.Renamed && e.Old != nil && e.New != nil:
		t.claim(e, wBehaviour, rule+"-changed", "", "the `"+strings.ToUpper(e.Old.Name)+"`"+of+" is now a `"+strings.ToUpper(e.New.Name)+"`")
	case e.Old != nil && e.New != nil:
		if e.Old.Value != e.New.Value {
			x, y := apart(e.Old.Value, e.New.Value)
			t.claim(e, wBehaviour, rule+"-changed", "", "the "+clause+of+" was changed from "+x+" to "+y)
		}
	case n.Name == "":
		t.claim(e, wDetail, "line-"+v, "", "the line "+code(value)+" was "+v)
	default:
		t.claim(e, wBehaviour, rule+"-"+v, "", "the "+clause+" "+code(value)+of+" was "+v)
		if n.Name == "where" && !added && st != nil && (st.Type == "update" || st.Type == "delete") {
			t.implies(e, "no-where", "without `WHERE` the statement touches every row of "+code(st.Name))
		}
		if n.Name == "limit" && !added {
			t.implies(e, "limit-removed", "without `LIMIT` the query may return many rows")
		}
	}
}

// clauseItem tells what became of a selected column, a condition or a value.
func (t *teller) clauseItem(e outline.Edit, n *outline.Node, of string) {
	clause := n.Parent.Name
	noun := map[string]string{"select": "column", "from": "table", "where": "condition", "having": "condition", "group by": "grouping by", "order by": "ordering by", "set": "assignment", "values": "row", "columns": "column", "returning": "returned column"}[clause]
	if noun == "" {
		noun = "part"
	}
	rule := one2rule(noun)
	switch {
	case e.Old != nil && e.New != nil:
		x, y := apart(e.Old.Value, e.New.Value)
		t.claim(e, wBehaviour, rule+"-changed", "", "the "+noun+" "+x+of+" was changed to "+y)
	default:
		v := verb(e.New != nil)
		f := t.claim(e, wBehaviour, rule+"-"+v, "", "the "+noun+" "+slot+of+" was "+v)
		f.many, f.names = "the "+noun+"s "+slot+of+" were "+v, []string{code(n.Value)}
		if strings.HasSuffix(noun, " by") {
			f.many = "the " + noun + " " + slot + of + " was " + v
		}
		if e.New != nil && n.Value == "*" && clause == "select" {
			t.selectAll(e, n.Parent.Parent)
		}
	}
}

// inserts counts the statements that insert into a table.
func (t *teller) inserts(name string) int {
	n := 0
	for _, k := range t.root.Kids {
		if k.Type == "insert" && k.Name == name {
			n++
		}
	}
	return n
}

// recreated tells whether the file creates a table of that name, so that
// dropping it is the way to begin anew.
func (t *teller) recreated(name string) bool {
	for _, k := range t.root.Kids {
		if k.Type == "create table" && k.Name == name {
			return true
		}
	}
	return false
}
