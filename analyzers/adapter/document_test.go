package adapter

import "testing"

func TestXML(t *testing.T) {
	type doc struct {
		Name string `xml:"name,attr"`
		Text string `xml:",chardata"`
	}
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
		if err := unmarshalXML([]byte(c.text), &got); (err != nil) != c.bad || err == nil && got != c.want {
			t.Errorf("%q: %q, %v", c.text, got, err)
		}
	}
}
