package adapter

import "testing"

func TestXML(t *testing.T) {
	type doc struct{ Name, Text string }
	for _, c := range []struct {
		text string
		want doc
		bad  bool
	}{
		{text: "<d name='a\x01\x80b'>caf\xe9 é\x1b\n\uffff&#60;</d>\n", want: doc{"a??b", "caf? é?\n?<"}},
		{text: "<d name='x'/><!-- more -->", bad: true},
		{text: "<d/><d/>", bad: true},
		{text: "<d>", bad: true},
		{text: "", bad: true},
	} {
		var got doc
		root, err := decodeXML([]byte(c.text))
		if err == nil {
			fields, _ := fieldsOf(root)
			row := &Row{fields: fields}
			got = doc{row.Text("d.name"), row.Text("d.text")}
		}
		if (err != nil) != c.bad || got != c.want {
			t.Errorf("%q: %q, %v", c.text, got, err)
		}
	}
}
