package setup

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"crscore/internal/config"
	"crscore/internal/models"
	"crscore/pseudoref"
	"crscore/sts"
)

// fill sets all that a value has: exported fields alone can be sent.
func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type() == reflect.TypeFor[config.Config]() && v.Type().Field(i).Name == "Ignore" {
				continue // of smells check, which opens no engine
			}
			if !v.Type().Field(i).IsExported() {
				t.Fatalf("%s has the field %s, which is not sent", v.Type(), v.Type().Field(i).Name)
			}
			fill(t, v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0))
	case reflect.Map:
		value := reflect.New(v.Type().Elem()).Elem()
		fill(t, value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("a=b,c"), value)
	case reflect.String:
		v.SetString("a=b,c")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(0.123456789012345)
	default:
		v.Set(reflect.ValueOf(7).Convert(v.Type()))
	}
}

// TestSettingsAreSent: whatever is set is set in another process.
func TestSettingsAreSent(t *testing.T) {
	var s, sent Settings
	fill(t, reflect.ValueOf(&s).Elem())
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &sent); err != nil || !reflect.DeepEqual(s, sent) {
		t.Errorf("%v: sent %+v, got %+v", err, s, sent)
	}
}

// TestOpen opens engines: the zero Settings are the default engine, and wrong ones are refused by the
// names of their flags.
func TestOpen(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	ptr := func(n int) *int { return &n }
	tau, mode := 0.5, "hard"
	for name, tt := range map[string]struct {
		s                    Settings
		signature, err, said string
	}{
		"default":     {Settings{}, " similarity=pair", "", ""},
		"a rule":      {Settings{Mode: &mode, Tau: &tau}, " mode=hard tau=0.5 ", "", ""},
		"no claims":   {Settings{Claims: "none"}, " claims=none ", "", ""},
		"nothing":     {Settings{Claims: "none", Smells: "none"}, "", "--claims none and --smells none leave no references", ""},
		"max":         {Settings{MaxClaims: ptr(0)}, "", "--max-claims is 0, but must be at least 1", ""},
		"calls":       {Settings{Model: Model{Calls: ptr(4)}}, "", "--model-calls is for the claims of a model, and --claims names none", ""},
		"cache":       {Settings{NoCache: true}, "", "--no-cache is for the answers of models and analyzers", ""},
		"cross":       {Settings{Similarity: CrossPrefix + "m", Encoder: Encoder{sts.EncoderOptions{Name: models.Builtin}}}, "", "--encoder goes with an encoder", ""},
		"cross's tau": {Settings{Similarity: CrossPrefix + "m", Mode: &mode}, "", "mode hard has no default tau beside --similarity cross:m", ""},
		"no profile":  {Settings{Profile: Profile{File: "/none"}}, "", "--profile: open /none", ""},
		"bad profile": {Settings{Profile: Profile{File: "p", Text: []byte("{")}}, "", "--profile p: ", ""},
		"a warning":   {Settings{Weights: "claim@symbol=2"}, "claim@symbol", "", "claim@symbol changes nothing"},
	} {
		var said []string
		say := func(msg string) { said = append(said, msg) }
		e, err := Open(context.Background(), tt.s, Log{Note: say, Warn: say, Panicked: func(*pseudoref.Panic) {}})
		if text := fmt.Sprint(err); err != nil {
			if tt.err == "" || !strings.Contains(text, tt.err) {
				t.Errorf("%s: error %s, want %q", name, text, tt.err)
			}
			continue
		}
		if tt.err != "" || !strings.Contains(e.Signature(), tt.signature) || !strings.Contains(strings.Join(said, "\n"), tt.said) {
			t.Errorf("%s: signature %s; said %q", name, e.Signature(), said)
		}
		e.Close()
	}
}
